/* SPDX-License-Identifier: Apache-2.0 */
#include "derived_compare.h"

#include <math.h>
#include <string.h>

#include "../state/last_tick.h"
#include "../state/rule.h"
#include "derived_limit.h"

/* Beside the flags of a special point: whether it was in the masks before the filter. */
enum { IS_NEAR = 256, WAS_NEAR = 512, FLAGS = 255 };

/* Keeps the counts right. */
static void remove_self(const qd_join_block *block, const qd_join_body *body, qd_join_counts *counts, uint16_t *is,
                        uint16_t *did)
{
    if (body->self == QD_NONE) {
        return;
    }
    const uint32_t point = qd_join_point_at(block, body->self, body->now);
    const bool in = qd_join_get(is, point), old = qd_join_get(did, point);
    counts->is -= in;
    counts->both -= in & old;
    counts->differ -= in ^ old;
    qd_join_set(is, point, false);
    qd_join_set(did, point, false);
}

uint32_t qd_derived_remove_self(const qd_join_block *block, qd_join_body *body, uint16_t *is, uint16_t *did)
{
    qd_join_counts counts = {.differ = body->differ};
    const uint32_t before = body->differ;

    remove_self(block, body, &counts, is, did);
    body->differ = counts.differ;
    return before - counts.differ;
}

/* Notes which of the points whose filter has changed are in the masks. Returns whether there are such points. */
static bool note_changed(qd_join_block *block, const uint16_t *is, const uint16_t *did)
{
    bool any = false;

    for (uint32_t i = 0; i < block->special_count; i++) {
        qd_join_special *special = &block->special[i];

        if (special->how & QD_JOIN_CHANGED) {
            special->how &= FLAGS;
            special->how |= qd_join_get(is, special->entry) ? IS_NEAR : 0;
            special->how |= qd_join_get(did, special->entry) ? WAS_NEAR : 0;
            any = true;
        }
    }
    return any;
}

/* They were in the view by the filter of the last tick. */
static void filter_changed(const qd_views *views, const qd_join_block *block, const qd_observer *observer, uint16_t *is,
                           uint16_t *did)
{
    for (uint32_t i = 0; i < block->special_count; i++) {
        const qd_join_special special = block->special[i];

        if (!(special.how & QD_JOIN_CHANGED)) {
            continue;
        }
        const uint32_t slot = block->points.slot[special.entry];
        qd_target target = views->targets[slot];
        qd_join_set(is, special.entry, special.how & IS_NEAR && qd_rule_admits(observer, &target, slot));
        qd_last_tick_refilter(views, slot, &target);
        qd_join_set(did, special.entry, special.how & WAS_NEAR && qd_rule_admits(observer, &target, slot));
    }
}

static void filter(const qd_views *views, qd_join_block *block, const qd_join_body *body, qd_join_counts *counts,
                   uint16_t *is, uint16_t *did)
{
    const bool admits_all = qd_derived_admits_all(block->grid, body);
    const bool any_changed = block->special_count > 0 && note_changed(block, is, did);

    if (!admits_all) {
        if (!block->has_filters) {
            qd_join_block_filters(block);
        }
        views->join->kernel->admit(block->points.category, block->points.team, block->words, body->mask, body->team, is,
                                   did);
    }
    if (any_changed) {
        filter_changed(views, block, &views->observers[body->region / QD_REGION_BODIES], is, did);
    }
    if (!admits_all || any_changed) {
        *counts = views->join->kernel->count(is, did, block->words);
    }
    remove_self(block, body, counts, is, did);
}

uint32_t qd_derived_count_relayed(qd_join_block *block, const qd_join_body *body, const uint16_t *is,
                                  const uint16_t *did, uint32_t stay)
{
    uint32_t sum = 0;

    if (body->relay == QD_RELAY_NOTHING || body->joint != 0) {
        return 0;
    }
    if (block->grid->all_moved) {
        return stay;
    }
    if (!block->has_moved) {
        qd_join_block_moved(block);
    }
    for (uint32_t word = 0; word < block->words; word++) {
        sum += (uint32_t)__builtin_popcount((uint32_t)is[word] & did[word] & block->moved[word]);
    }
    return sum;
}

void qd_derived_compare(const qd_views *views, qd_join_block *block, qd_join_body *body, uint32_t near,
                        uint32_t beacons, qd_join_counts *counts, uint16_t *is, uint16_t *did)
{
    qd_join_derived *derived = &views->join->derived[body->region / QD_REGION_BODIES];

    derived->near = near + beacons;
    filter(views, block, body, counts, is, did);
    const bool binds = body->limit > 0 && counts->is > body->limit;
    if (binds) {
        qd_derived_limit(views, block, body, body->limit, qd_rule_head_start_of(body->radius_now, 0), counts, is, did);
        body->by_range = false;
    }
    derived->is_kept = body->is_kept = derived->in_masks = binds || beacons > 0;
    body->differ = counts->differ;
    body->relayed = qd_derived_count_relayed(block, body, is, did, counts->both);
}
