/* SPDX-License-Identifier: Apache-2.0 */
#include "space.h"

#include <math.h>

#include "../base/assert.h"
#include "space_nd.h"

static bool is_range(float min, float max)
{
    return isfinite(min) && isfinite(max) && min < max;
}

static bool is_index(qd_space_index index, uint32_t dimensions)
{
    switch (index) {
    case QD_SPACE_QUADTREE:
        return dimensions == 2;
    case QD_SPACE_OCTREE:
        return dimensions == 3;
    default:
        return index >= QD_SPACE_AUTO && index <= QD_SPACE_BRUTE;
    }
}

/* Of indexes without levels 0. */
static uint32_t depth_max(qd_space_index index, uint32_t dimensions)
{
    switch (index) {
    case QD_SPACE_AUTO:
    case QD_SPACE_QUADTREE:
    case QD_SPACE_OCTREE:
        return dimensions == 2 ? QD_SPACE_QUADTREE_DEPTH_MAX : QD_SPACE_OCTREE_DEPTH_MAX;
    case QD_SPACE_SPARSE:
        return dimensions == 2 ? QD_SPACE_SPARSE_DEPTH_MAX_2D : QD_SPACE_SPARSE_DEPTH_MAX_3D;
    default:
        return 0;
    }
}

static bool is_right(const qd_space_config *config)
{
    return (config->dimensions == 2 || config->dimensions == 3) && is_range(config->min_x, config->max_x) &&
           is_range(config->min_y, config->max_y) &&
           (config->dimensions == 2 || is_range(config->min_z, config->max_z)) &&
           is_index(config->index, config->dimensions) && config->prune >= QD_SPACE_PRUNE_AUTO &&
           config->prune <= QD_SPACE_PRUNE_LAZY && config->depth <= depth_max(config->index, config->dimensions) &&
           isfinite(config->cell_size) && config->cell_size >= 0 && config->bodies_max <= QD_SPACE_SLOTS_MAX;
}

static bool is_2d(const qd_space *space)
{
    return space->dimensions == 2;
}

qd_status qd_space_create(const qd_space_config *config, qd_heap *heap, qd_space **space)
{
    qd_space_config whole = *config;

    whole.dimensions = config->dimensions == 0 ? 2 : config->dimensions;
    whole.index = config->index == 0 ? QD_SPACE_AUTO : config->index;
    whole.prune = config->prune == 0 ? QD_SPACE_PRUNE_AUTO : config->prune;
    if (!is_right(&whole)) {
        return QD_ERR_INVALID;
    }
    return whole.dimensions == 2 ? qd_space_create_2d(&whole, heap, space) : qd_space_create_3d(&whole, heap, space);
}

void qd_space_destroy(qd_space *space)
{
    if (space != NULL) {
        if (is_2d(space)) {
            qd_space_destroy_2d(space);
        } else {
            qd_space_destroy_3d(space);
        }
    }
}

void qd_space_tune(qd_space *space, const qd_tuning *tuning)
{
    if (is_2d(space)) {
        qd_space_tune_2d(space, tuning);
    } else {
        qd_space_tune_3d(space, tuning);
    }
}

qd_status qd_space_add(qd_space *space, const qd_body *body, uint32_t *slot)
{
    return is_2d(space) ? qd_space_add_2d(space, body, slot) : qd_space_add_3d(space, body, slot);
}

void qd_space_move(qd_space *space, size_t count, const uint32_t *slots, const float *x, const float *y, const float *z)
{
    const float *const at[] = {x, y, z};

    if (is_2d(space)) {
        qd_space_move_2d(space, count, slots, at);
    } else {
        qd_space_move_3d(space, count, slots, at);
    }
}

void qd_space_teleport(qd_space *space, size_t count, const uint32_t *slots, const float *x, const float *y,
                       const float *z)
{
    const float *const at[] = {x, y, z};

    if (is_2d(space)) {
        qd_space_teleport_2d(space, count, slots, at);
    } else {
        qd_space_teleport_3d(space, count, slots, at);
    }
}

qd_status qd_space_reshape(qd_space *space, uint32_t slot, const qd_body *form)
{
    return is_2d(space) ? qd_space_reshape_2d(space, slot, form) : qd_space_reshape_3d(space, slot, form);
}

void qd_space_refilter(qd_space *space, uint32_t slot, uint32_t category, uint32_t mask)
{
    if (is_2d(space)) {
        qd_space_refilter_2d(space, slot, category, mask);
    } else {
        qd_space_refilter_3d(space, slot, category, mask);
    }
}

bool qd_space_remove(qd_space *space, uint32_t slot, qd_space_reason reason)
{
    return is_2d(space) ? qd_space_remove_2d(space, slot, reason) : qd_space_remove_3d(space, slot, reason);
}

void qd_space_body(const qd_space *space, uint32_t slot, qd_body *body)
{
    if (is_2d(space)) {
        qd_space_body_2d(space, slot, body);
    } else {
        qd_space_body_3d(space, slot, body);
    }
}

void qd_space_fetch(const qd_space *space, uint32_t slot)
{
    if (is_2d(space)) {
        qd_space_fetch_2d(space, slot);
    } else {
        qd_space_fetch_3d(space, slot);
    }
}

void qd_space_fetch_all(const qd_space *space, qd_space_use use)
{
    if (is_2d(space)) {
        qd_space_fetch_all_2d(space, use);
    } else {
        qd_space_fetch_all_3d(space, use);
    }
}

void qd_space_tick(qd_space *space, const qd_executor *executor, qd_space_wanted wanted, size_t limit,
                   qd_space_events *result)
{
    if (is_2d(space)) {
        qd_space_tick_2d(space, executor, wanted, limit, result);
    } else {
        qd_space_tick_3d(space, executor, wanted, limit, result);
    }
}

qd_space_reason qd_space_end_reason(const qd_space *space, uint32_t slot_a, uint32_t slot_b)
{
    return is_2d(space) ? qd_space_end_reason_2d(space, slot_a, slot_b) : qd_space_end_reason_3d(space, slot_a, slot_b);
}

bool qd_space_end_reasons_differ(const qd_space *space)
{
    return is_2d(space) ? qd_space_end_reasons_differ_2d(space) : qd_space_end_reasons_differ_3d(space);
}

uint32_t qd_space_settle(qd_space *space)
{
    return is_2d(space) ? qd_space_settle_2d(space) : qd_space_settle_3d(space);
}

void qd_space_trim(qd_space *space)
{
    if (is_2d(space)) {
        qd_space_trim_2d(space);
    } else {
        qd_space_trim_3d(space);
    }
}

uint32_t qd_space_next_freed(const qd_space *space, uint32_t slot)
{
    return is_2d(space) ? qd_space_next_freed_2d(space, slot) : qd_space_next_freed_3d(space, slot);
}

void qd_space_pairs(qd_space *space, const qd_executor *executor, size_t limit, qd_space_events *result)
{
    if (is_2d(space)) {
        qd_space_pairs_2d(space, executor, limit, result);
    } else {
        qd_space_pairs_3d(space, executor, limit, result);
    }
}

qd_status qd_space_find(const qd_space *space, const qd_space_query *query, qd_space_hits *hits)
{
    return is_2d(space) ? qd_space_find_2d(space, query, hits) : qd_space_find_3d(space, query, hits);
}

void qd_space_hits_free(const qd_space *space, qd_space_hits *hits)
{
    if (is_2d(space)) {
        qd_space_hits_free_2d(space, hits);
    } else {
        qd_space_hits_free_3d(space, hits);
    }
}

void qd_space_counters_get(const qd_space *space, qd_space_counters *counters)
{
    if (is_2d(space)) {
        qd_space_counters_get_2d(space, counters);
    } else {
        qd_space_counters_get_3d(space, counters);
    }
}

void qd_space_validate(const qd_space *space)
{
    if (is_2d(space)) {
        qd_space_validate_2d(space);
    } else {
        qd_space_validate_3d(space);
    }
}

const char *qd_space_kernel_at(uint32_t index)
{
    return qd_space_kernel_at_2d(index);
}

void qd_space_kernel_select(const char *name)
{
    qd_space_kernel_select_2d(name);
    qd_space_kernel_select_3d(name);
}
