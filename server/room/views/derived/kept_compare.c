/* SPDX-License-Identifier: Apache-2.0 */
#include "kept_compare.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "../join/join_beacons.h"
#include "../join/join_shown.h"
#include "../state/rule.h"
#include "derived_compare.h"
#include "derived_limit.h"
#include "kept.h"
#include "relay_turns.h"

/* One view at a tick. */
struct kept {
    const qd_views *views;
    const qd_join_kernel *kernel;
    qd_join_block *block;
    qd_join_body *body;
    const qd_observer *observer;
    uint16_t *is, *did;
};

static uint32_t count_of(const struct kept *of, const uint16_t *masks)
{
    return of->kernel->count(masks, masks, of->block->words).is;
}

static void clear_end(const struct kept *of, uint16_t *masks)
{
    memset(masks + of->block->words, 0, (of->block->stride - of->block->words) * sizeof masks[0]);
}

/* ---- near and staying ---- */

/* As the box of the region has them (qd_join_region_has). */
static qd_join_walls walls_of(const struct kept *of, const float half[3])
{
    qd_join_walls walls;

    for (unsigned k = 0; k < 3; k++) {
        walls.lo[k] = fmaxf(of->body->now[k] - half[k], -FLT_MAX);
        walls.hi[k] = fminf(of->body->now[k] + half[k], FLT_MAX);
    }
    return walls;
}

/* The points in a circle. Counts them, beside what was in the view. */
static qd_join_counts find_circle(const qd_views *views, const qd_join_block *block, const float at[3], float radius,
                                  uint16_t *masks, uint16_t *did)
{
    const qd_join_kernel *kernel = views->join->kernel;
    const qd_join_ball ball = qd_join_ball_of(at, radius);
    qd_join_counts counts;

    if (kernel->now(&block->points.at, block->words, &ball, masks, did, &counts)) {
        const qd_join_region region = {.at = {at[0], at[1], at[2]}, .half = {radius}, .kind = QD_ROOM_CIRCLE};

        qd_join_decide(views, block, &region, masks);
        counts = kernel->count(masks, did, block->words);
    }
    return counts;
}

/* The points in the region, or in the widened one. Returns how many there are. */
static uint32_t find_region(const struct kept *of, unsigned what, uint16_t *masks)
{
    const qd_join_points *points = &of->block->points.at;
    float half[3];

    if (of->observer->kind == QD_ROOM_BOX) {
        qd_observer_sizes(of->observer, what, half);
        const qd_join_walls walls = walls_of(of, half);

        of->kernel->between(points->now, of->block->words, &walls, masks);
        clear_end(of, masks);
        return count_of(of, masks);
    }
    const float radius = what == QD_BODY_INNER ? of->body->radius_now : of->body->radius_was;
    return find_circle(of->views, of->block, of->body->now, radius, masks, of->did).is;
}

static qd_target target_at(const struct kept *of, uint32_t point)
{
    float *const *now = of->block->points.at.now;

    return (qd_target){.at = {now[0][point], now[1][point], now[2] ? now[2][point] : 0}};
}

/* Keeps points for which the rule is true. */
typedef bool rule_fn(const qd_observer *observer, const qd_target *target);

static void keep_exactly(const struct kept *of, rule_fn *rule, uint16_t *masks)
{
    for (uint32_t word = 0; word < of->block->words; word++) {
        for (uint32_t left = masks[word]; left != 0; left &= left - 1) {
            const uint32_t point = word * QD_JOIN_LANES + (uint32_t)__builtin_ctz(left);
            const qd_target target = target_at(of, point);

            qd_join_set(masks, point, rule(of->observer, &target));
        }
    }
}

static void keep_in_cone(const struct kept *of, uint16_t *masks)
{
    const qd_observer *observer = of->observer;
    const float *at = of->body->now;
    const qd_join_cone cone = {
        .at = {at[0], at[1], at[2]},
        .axis = {(float)observer->unit[0], (float)observer->unit[1], (float)observer->unit[2]},
        .cosine = (float)observer->cosine,
    };

    if (of->kernel->cone(of->block->points.at.now, of->block->words, &cone, masks)) {
        keep_exactly(of, qd_rule_in_cone, masks);
    }
}

/* Leaves in `is` what is near, or was in the view and stays. Returns how many visible entries there are. */
static uint32_t find_wanted(const struct kept *of)
{
    const bool is_cone = of->observer->kind == QD_ROOM_CONE;
    uint16_t *outer = of->block->some[0];
    uint32_t near = find_region(of, QD_BODY_INNER, of->is);

    near += qd_join_add_beacons(of->views, of->block, of->body->now, 0, of->is);
    /* At the center of a cone the angle is unsure. */
    if (of->body->self != QD_NONE) {
        qd_join_set(of->is, qd_join_point_at(of->block, of->body->self, of->body->now), false);
    }
    if (is_cone) {
        keep_in_cone(of, of->is);
    }
    if (of->observer->leave_margin <= 0) {
        return near;
    }
    near += find_region(of, QD_BODY_OUTER, outer);
    near += qd_join_add_beacons(of->views, of->block, of->body->now, of->observer->leave_margin, outer);
    for (uint32_t word = 0; word < of->block->words; word++) {
        outer[word] = (uint16_t)(outer[word] & of->did[word] & ~of->is[word]);
    }
    if (is_cone) {
        keep_exactly(of, qd_rule_near_cone, outer);
    }
    for (uint32_t word = 0; word < of->block->words; word++) {
        of->is[word] |= outer[word];
    }
    return near;
}

/* ---- filters ---- */

static void remove_hidden(const struct kept *of)
{
    const qd_observer *observer = of->observer;

    for (uint32_t word = 0; word < of->block->words; word++) {
        for (uint32_t left = of->is[word]; left != 0; left &= left - 1) {
            const uint32_t point = word * QD_JOIN_LANES + (uint32_t)__builtin_ctz(left);
            const uint32_t id = of->views->entities->id[qd_join_slot_at(of->block, point)];

            if (qd_rule_lists(observer->exceptions, observer->hide_count, id)) {
                qd_join_set(of->is, point, false);
            }
        }
    }
}

static void filter(const struct kept *of)
{
    const qd_join_body *body = of->body;
    qd_join_block *block = of->block;

    if (!qd_derived_admits_all(block->grid, body)) {
        if (!block->has_filters) {
            qd_join_block_filters(block);
        }
        of->kernel->admit(block->points.category, block->points.team, block->words, body->mask, body->team, of->is,
                          of->is);
    }
    if (of->observer->hide_count > 0) {
        remove_hidden(of);
    }
}

/* ---- budgets ---- */

/* Of what comes into the view, only the first ones enter. */
static void spend_budget(const struct kept *of, uint32_t entrants)
{
    uint16_t *come = of->block->some[0];

    if (entrants <= of->observer->enter_budget) {
        return;
    }
    for (uint32_t word = 0; word < of->block->words; word++) {
        come[word] = (uint16_t)(of->is[word] & ~of->did[word]);
        of->is[word] &= of->did[word];
    }
    qd_derived_choose(of->views, of->block, of->body, NULL, 0, of->observer->enter_budget, come);
    for (uint32_t word = 0; word < of->block->words; word++) {
        of->is[word] |= come[word];
    }
}

/* ---- relay ---- */

/* Keeps points in a ball around the observer, as qd_rule_distance measures. */
static void keep_within(const struct kept *of, float range, const uint16_t *among, uint16_t *masks)
{
    const qd_join_ball ball = qd_join_ball_of(of->body->now, range);

    if (!of->kernel->within(of->block->points.at.now, of->block->words, &ball, among, masks)) {
        return;
    }
    for (uint32_t word = 0; word < of->block->words; word++) {
        for (uint32_t left = masks[word]; left != 0; left &= left - 1) {
            const uint32_t point = word * QD_JOIN_LANES + (uint32_t)__builtin_ctz(left);
            const qd_target target = target_at(of, point);

            qd_join_set(masks, point, qd_rule_distance(of->observer, &target) <= (double)range);
        }
    }
}

/* Moves what the tiers relay at this tick from `waits` to `relayed`. */
static void relay_by_tiers(const struct kept *of, uint16_t *relayed, uint16_t *waits)
{
    const qd_observer *observer = of->observer;
    qd_join_block *block = of->block;
    const bool is_round = observer->kind != QD_ROOM_BOX, has_beacons = block->grid->beacons < block->grid->count;
    uint16_t *left = block->some[0], *in = block->some[1];

    memcpy(left, waits, block->words * sizeof left[0]);
    for (uint32_t tier = 0; tier < observer->tiers; tier++) {
        if (is_round && !has_beacons && of->body->shown == 0 && observer->relay_range[tier] >= of->body->radius_was) {
            memcpy(in, left, block->words * sizeof in[0]);
        } else {
            keep_within(of, observer->relay_range[tier], left, in);
        }
        for (uint32_t word = 0; word < block->words; word++) {
            left[word] &= (uint16_t)~in[word];
        }
        qd_turns_keep(of->views, block, observer->relay_every[tier], in);
        for (uint32_t word = 0; word < block->words; word++) {
            relayed[word] |= in[word];
        }
    }
    for (uint32_t word = 0; word < block->words; word++) {
        waits[word] &= (uint16_t)~relayed[word];
    }
}

/* Turns what waits into what is relayed, and what still waits. Nothing is late then. Returns how many are relayed. */
static uint32_t relay(const struct kept *of, bool relays_all)
{
    const bool may_be_late = of->body->relay == QD_RELAY_LATE;
    qd_join_block *block = of->block;
    uint16_t *relayed = of->is + QD_JOIN_RELAYED * (size_t)block->stride;
    uint16_t *waits = of->is + QD_JOIN_WAITS * (size_t)block->stride;
    uint16_t *late = of->is + QD_JOIN_LATE * (size_t)block->stride;

    if (!block->has_moved) {
        qd_join_block_moved(block);
    }
    qd_join_shown_bits(block, block->grid->moved, block->moved);
    for (uint32_t word = 0; word < block->words; word++) {
        const uint32_t all = of->is[word] & of->did[word] & (waits[word] | (uint32_t)block->moved[word]);

        relayed[word] = (uint16_t)(relays_all ? all : may_be_late ? all & late[word] : 0);
        waits[word] = (uint16_t)(all & ~(uint32_t)relayed[word]);
    }
    clear_end(of, relayed);
    if (may_be_late) {
        memset(late, 0, block->stride * sizeof late[0]);
    }
    if (!relays_all) {
        relay_by_tiers(of, relayed, waits);
    }
    return count_of(of, relayed);
}

/* ---- a tick ---- */

void qd_kept_compare_region(const qd_views *views, qd_join_block *block, qd_join_body *body, uint32_t index,
                            uint16_t *is, qd_join_counts *counts)
{
    uint16_t *did = is + block->stride;

    qd_kept_load(views, block, index, is);
    *counts = find_circle(views, block, body->now, body->radius_now, is, did);
    body->is_bare = body->by_range = false;
}

uint32_t qd_kept_compare(const qd_views *views, qd_join_block *block, qd_join_body *body, uint32_t index, uint16_t *is)
{
    const uint32_t row = body->region / QD_REGION_BODIES;
    qd_join_derived *derived = &views->join->derived[row];
    const struct kept kept = {
        .views = views,
        .kernel = views->join->kernel,
        .block = block,
        .body = body,
        .observer = &views->observers[row],
        .is = is,
        .did = is + block->stride,
    };

    qd_kept_load(views, block, index, is);
    derived->near = find_wanted(&kept);
    filter(&kept);
    qd_join_shown_take(views->join, block, body);
    const uint32_t shown = qd_join_shown_remove(block, body, is);
    qd_join_counts counts = kept.kernel->count(is, kept.did, block->words);
    if (body->limit > 0 && counts.is + shown > body->limit) {
        /* What is shown takes places of others. */
        qd_derived_limit(views, block, body, body->limit - shown, qd_rule_head_start(kept.observer), &counts, is,
                         kept.did);
    }
    if (body->shown > 0) {
        qd_join_shown_add(block, is);
        counts = kept.kernel->count(is, kept.did, block->words);
    }
    if (kept.observer->enter_budget > 0 && counts.is - counts.both > kept.observer->enter_budget) {
        spend_budget(&kept, counts.is - counts.both);
        counts = kept.kernel->count(is, kept.did, block->words);
    }
    body->differ = counts.differ;
    body->is_bare = false;
    body->by_range = kept.observer->hide_count == 0 && qd_derived_leaves_by_range(block->grid, body);
    if (body->relay >= QD_RELAY_TURNS) {
        body->relayed = relay(&kept, qd_kept_relays_all(views, kept.observer));
        body->relayed = body->joint == 0 ? body->relayed : 0;
    } else {
        body->relayed = qd_derived_count_relayed(block, body, is, kept.did, counts.both);
    }
    qd_join_shown_drop(block);
    derived->in_masks = true;
    return counts.is;
}
