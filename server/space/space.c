/* SPDX-License-Identifier: Apache-2.0 */
#include "space.h"

#include <math.h>

#include "../base/assert.h"
#include "core/world.h"

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

qd_status qd_space_create(const qd_space_config *config, qd_heap *heap, qd_space **space)
{
    qd_space_config whole = *config;

    whole.dimensions = config->dimensions == 0 ? 2 : config->dimensions;
    whole.index = config->index == 0 ? QD_SPACE_AUTO : config->index;
    whole.prune = config->prune == 0 ? QD_SPACE_PRUNE_AUTO : config->prune;
    if (!is_right(&whole)) {
        return QD_ERR_INVALID;
    }
    const qd_world_ops *ops = whole.dimensions == 2 ? &qd_world_2d : &qd_world_3d;
    return ops->create(&whole, heap, space);
}

void qd_space_destroy(qd_space *space)
{
    if (space != NULL) {
        space->ops->destroy(space);
    }
}

void qd_space_tune(qd_space *space, const qd_tuning *tuning)
{
    space->ops->tune(space, tuning);
}

qd_status qd_space_add(qd_space *space, const qd_body *body, uint32_t *slot)
{
    return space->ops->add(space, body, slot);
}

void qd_space_move(qd_space *space, size_t count, const uint32_t *slots, const float *x, const float *y, const float *z)
{
    space->ops->move(space, count, slots, (const float *const[]){x, y, z});
}

void qd_space_teleport(qd_space *space, size_t count, const uint32_t *slots, const float *x, const float *y,
                       const float *z)
{
    space->ops->teleport(space, count, slots, (const float *const[]){x, y, z});
}

void qd_space_reshape(qd_space *space, uint32_t slot, const qd_body *form)
{
    space->ops->reshape(space, slot, form);
}

void qd_space_refilter(qd_space *space, uint32_t slot, uint32_t category, uint32_t mask)
{
    space->ops->refilter(space, slot, category, mask);
}

bool qd_space_remove(qd_space *space, uint32_t slot, qd_space_reason reason)
{
    return space->ops->remove(space, slot, reason);
}

void qd_space_body(const qd_space *space, uint32_t slot, qd_body *body)
{
    space->ops->body(space, slot, body);
}

void qd_space_fetch(const qd_space *space, uint32_t slot)
{
    space->ops->fetch(space, slot);
}

void qd_space_fetch_all(const qd_space *space, qd_space_use use)
{
    space->ops->fetch_all(space, use);
}

void qd_space_tick(qd_space *space, const qd_executor *executor, qd_space_wanted wanted, size_t limit,
                   qd_space_events *result)
{
    space->ops->tick(space, executor, wanted, limit, result);
}

qd_space_reason qd_space_end_reason(const qd_space *space, uint32_t slot_a, uint32_t slot_b)
{
    return space->ops->end_reason(space, slot_a, slot_b);
}

bool qd_space_end_reasons_differ(const qd_space *space)
{
    return space->ops->end_reasons_differ(space);
}

void qd_space_settle(qd_space *space, const uint32_t **freed, size_t *freed_count)
{
    space->ops->settle(space, freed, freed_count);
}

void qd_space_pairs(qd_space *space, const qd_executor *executor, size_t limit, qd_space_events *result)
{
    space->ops->pairs(space, executor, limit, result);
}

qd_status qd_space_find(const qd_space *space, const qd_space_query *query, qd_space_hits *hits)
{
    return space->ops->find(space, query, hits);
}

void qd_space_hits_free(const qd_space *space, qd_space_hits *hits)
{
    space->ops->hits_free(space, hits);
}

void qd_space_counters_get(const qd_space *space, qd_space_counters *counters)
{
    space->ops->counters_get(space, counters);
}

void qd_space_validate(const qd_space *space)
{
    space->ops->validate(space);
}

const char *qd_space_kernel_at(uint32_t index)
{
    return qd_world_2d.kernel_at(index);
}

void qd_space_kernel_select(const char *name)
{
    qd_world_2d.kernel_select(name);
    qd_world_3d.kernel_select(name);
}
