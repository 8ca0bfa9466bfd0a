/* SPDX-License-Identifier: Apache-2.0 */
#include "spatial_join.h"

#include <string.h>

#include "../../../base/ablation.h"
#include "../derived/derived.h"
#include "../derived/derived_compare.h"
#include "../derived/derived_once.h"
#include "../derived/kept.h"
#include "../derived/kept_compare.h"
#include "../derived/relay_turns.h"
#include "../join/join_beacons.h"
#include "../join/join_shown.h"
#include "join_bodies.h"
#include "join_lists.h"

/* Looks beyond one for each visible entry: they take a tenth of a second. */
#define LOOKS_WITHOUT_HITS_MAX (UINT64_C(1) << 24)

#define AHEAD 8u /* bodies; their rows are anywhere in memory */

#define PARTS_PER_WORKER 4u

/* ---- comparing ---- */

/* Of a view that is not derived: what its region meets. */
static void compare_region(const qd_views *views, qd_join_block *block, uint32_t i, uint16_t *is, qd_join_part *part)
{
    qd_join *join = views->join;
    qd_join_counts counts;

    qd_join_compare(views, join->kernel, block, &join->plan.bodies[i], NULL, is, is + block->stride, &counts);
    join->plan.bodies[i].differ = counts.differ;
    part->found += counts.differ;
}

/* Of a derived view without other rules than a filter and a limit. */
static void compare_simple(const qd_views *views, qd_join_block *block, uint32_t i, uint16_t *is, qd_join_part *part)
{
    qd_join *join = views->join;
    qd_join_body *body = &join->plan.bodies[i];
    uint16_t *did = is + block->stride;
    qd_join_counts counts;

    if (body->is_kept) {
        qd_kept_compare_region(views, block, body, i, is, &counts);
    } else {
        qd_join_compare(views, join->kernel, block, body, qd_join_older_of(join, block->group, i), is, did, &counts);
    }
    const uint32_t near = counts.is, beacons = qd_join_add_beacons(views, block, body->now, 0, is);
    if (beacons == 0 && !body->is_kept && qd_derived_compare_bare(views, body, &counts)) {
        return;
    }
    if (beacons > 0) {
        body->is_bare = false;
        body->by_range = qd_derived_leaves_by_range(block->grid, body);
        qd_join_follow_beacons(block, is, did);
        counts = join->kernel->count(is, did, block->words);
    }
    qd_derived_compare(views, block, body, near, beacons, &counts, is, did);
    part->kept += body->is_kept ? counts.is : 0;
}

static void compare_body(const qd_views *views, qd_join_block *block, uint32_t i, qd_join_part *part)
{
    qd_join *join = views->join;
    qd_join_body *body = &join->plan.bodies[i];
    uint16_t *is = qd_join_masks_of(join, block->group, i);

    if (!body->is_derived) {
        compare_region(views, block, i, is, part);
        return;
    }
    const uint32_t *near = &join->derived[body->region / QD_REGION_BODIES].near;
    part->entries -= *near;
    if (body->has_rules) {
        part->kept += qd_kept_compare(views, block, body, i, is);
    } else {
        compare_simple(views, block, i, is, part);
    }
    part->entries += *near;
    part->changes += body->differ;
    part->relayed += body->relayed;
}

/* Relays of members that get each position once. `joint` is of the bodies before this one. */
static void unite_body(const qd_views *views, qd_join_block *block, uint32_t i, uint16_t *joint)
{
    const qd_join_body *body = &views->join->plan.bodies[i];
    const uint16_t *is = qd_join_masks_of(views->join, block->group, i), *did = is + block->stride;
    const uint16_t *relayed = is + QD_JOIN_RELAYED * (size_t)block->stride;

    if (body->joint != *joint && *joint != 0) {
        qd_once_flush(views, block, *joint);
    } else if (*joint == 0) {
        qd_once_start(block);
    }
    *joint = body->joint;
    if (body->relay >= QD_RELAY_TURNS) {
        qd_once_add(block, relayed, relayed, NULL);
        qd_once_add_shown(views, block, body, relayed);
        return;
    }
    if (!block->grid->all_moved && !block->has_moved) {
        qd_join_block_moved(block);
    }
    qd_once_add(block, is, did, block->grid->all_moved ? NULL : block->moved);
}

/* A view with rules reads what its observer asks for. */
static void fetch_row(const qd_views *views, const qd_join_body *body)
{
    const uint32_t row = body->region / QD_REGION_BODIES;
    const char *observer = (const char *)&views->observers[row];

    __builtin_prefetch(&views->join->derived[row], 1);
    for (size_t line = 0; line < sizeof(qd_observer) && body->has_rules; line += 64) {
        __builtin_prefetch(observer + line);
    }
}

static void compare_group(const qd_views *views, qd_join_block *block, uint32_t end, qd_join_part *part)
{
    const qd_join_plan *plan = &views->join->plan;
    uint16_t joint = 0;

    for (uint32_t i = block->group->first; i < block->group->first + block->group->count; i++) {
        if (i + AHEAD < end) {
            fetch_row(views, &plan->bodies[i + AHEAD]);
        }
        compare_body(views, block, i, part);
        if (plan->bodies[i].joint != 0) {
            unite_body(views, block, i, &joint);
        }
    }
    if (joint != 0) {
        qd_once_flush(views, block, joint);
    }
}

static void compare_part(size_t task, void *argument)
{
    const qd_views *views = argument;
    const qd_join_plan *plan = &views->join->plan;
    qd_join_part *part = &plan->parts[task];
    qd_join_block block = qd_join_block_of(views, task);
    const uint32_t end = plan->groups[part->end - 1].first + plan->groups[part->end - 1].count;

    for (uint32_t g = part->first; g < part->end; g++) {
        const size_t before = part->changes;

        qd_join_block_fill(&block, views->join->kernel, &plan->groups[g]);
        compare_group(views, &block, end, part);
        qd_lists_group(views, &block, before, part);
    }
}

/* ---- a tick ---- */

static const qd_crossings incomplete = {.complete = false};

static qd_crossings fail(qd_views *views)
{
    views->no_memory = true;
    return incomplete;
}

static bool make_plan(qd_views *views, uint32_t parts_max)
{
    qd_join *join = views->join;

    if (!qd_join_plan_make(views, &join->grid, &join->bodies, parts_max, &join->plan)) {
        return false;
    }
    for (uint32_t i = 0; i < join->bodies.count; i++) {
        if (join->plan.bodies[i].is_derived) {
            join->derived[join->plan.bodies[i].region / QD_REGION_BODIES].body = i;
        }
    }
    return true;
}

static bool advance(qd_views *views, const qd_executor *executor)
{
    qd_join *join = views->join;
    const size_t parts = executor->width * PARTS_PER_WORKER;
    const uint32_t parts_max = executor->width == 1        ? 1
                               : parts < QD_JOIN_PARTS_MAX ? (uint32_t)parts
                                                           : QD_JOIN_PARTS_MAX;

    const bool follows = qd_join_bodies_follow(views, executor);
    if (!follows && !views->no_memory) {
        qd_join_bodies_note(views);
    }
    const bool stays = !views->no_memory && qd_join_grid_follow(views, executor, &join->grid, join->bodies.range);
    if (views->no_memory || (!(follows && stays) && !qd_kept_unpack(views, executor)) ||
        !qd_join_grid_build(views, &join->grid, join->bodies.range, join->bodies.masks, join->bodies.teams)) {
        return false;
    }
    if (follows && stays) {
        qd_join_plan_follow(views, executor, &join->grid, &join->bodies, parts_max, &join->plan);
        return true;
    }
    if (follows) {
        memcpy(join->bodies.of, join->plan.bodies, join->bodies.count * sizeof join->bodies.of[0]);
    }
    return make_plan(views, parts_max);
}

/* Memory for the blocks of the parts, for all masks and for lists of changes. */
static bool fit_comparing(qd_views *views, const qd_executor *executor)
{
    qd_join *join = views->join;
    const size_t listed = qd_lists_place(&join->plan) * sizeof join->found[0];

    join->block_bytes = qd_join_block_bytes(&join->grid, &join->plan, qd_views_axes(views));
    join->blocks = qd_block_fit(&join->memory_of_blocks, views->heap, join->block_bytes * join->plan.part_count);
    join->older = join->masks_round + 1 == views->round && join->grid.stays ? join->masks : NULL;
    join->masks = qd_block_fit(&join->memory_of_masks[views->round % 2], views->heap,
                               (join->plan.masks + QD_JOIN_FOUR) * sizeof join->masks[0]);
    join->found = qd_block_fit(&join->memory_of_found, views->heap, listed);
    return join->blocks && join->masks && join->found && qd_once_begin(views) && qd_turns_make(views, executor);
}

static void choose_kernel(qd_views *views)
{
    qd_join *join = views->join;

    join->kernel = views->join_tuning.kernel ? views->join_tuning.kernel : qd_join_kernel_chosen(qd_views_axes(views));
}

qd_crossings qd_join_tick(qd_views *views, const qd_executor *executor, uint64_t limit)
{
    qd_join *join = views->join;
    const uint32_t tuned = views->join_tuning.looks_without_hits_max;
    qd_crossings all = {.complete = true};

    choose_kernel(views);
    qd_derived_check_shown(views);
    join->relayed = 0;
    if (!advance(views, executor)) {
        return fail(views);
    }
    join->gave_up = join->plan.looks > views->visible_count + (tuned ? tuned : LOOKS_WITHOUT_HITS_MAX);
    if (join->gave_up) {
        return incomplete;
    }
    if (!fit_comparing(views, executor)) {
        return fail(views);
    }
    executor->run(executor->context, join->plan.part_count, compare_part, views);
    join->masks_round = views->round;
    qd_kept_drop_lists(views);
    for (uint32_t i = 0; i < join->plan.part_count; i++) {
        all.count += join->plan.parts[i].found;
        all.change_count += join->plan.parts[i].changes;
        all.entries += join->plan.parts[i].entries;
    }
    if (all.count > limit || views->visible_count + all.entries > limit) {
        return incomplete;
    }
    if (qd_lists_are_complete(&join->plan)) {
        qd_lists_join(join);
    } else {
        qd_crossing *memory =
            qd_block_fit(&join->memory_of_found, views->heap, (all.count + all.change_count) * sizeof memory[0]);

        if (!memory) {
            return fail(views);
        }
        join->found = memory;
        join->changes = memory + all.count;
        executor->run(executor->context, join->plan.part_count, qd_lists_part, views);
    }
    all.all = join->found;
    all.changes = join->changes;
    for (uint32_t i = 0; i < join->plan.part_count; i++) {
        join->relayed += join->plan.parts[i].relayed;
    }
    join->relayed += qd_once_count(views);
    return all;
}

/* ---- life ---- */

qd_join *qd_join_create(qd_heap *heap)
{
    return qd_heap_alloc_zeroed(heap, sizeof(qd_join));
}

void qd_join_release(qd_join *join, qd_heap *heap)
{
    const bool gave_up = join->gave_up;
    qd_block *blocks[] = {&join->plan.block,         &join->memory_of_blocks, &join->memory_of_masks[0],
                          &join->memory_of_masks[1], &join->memory_of_found,  &join->memory_of_once,
                          &join->memory_of_lists,    &join->memory_of_turns};

    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
        qd_block_deinit(blocks[i], heap);
    }
    qd_join_shown_forget_all(join, heap);
    qd_join_grid_deinit(&join->grid, heap);
    qd_array_drop(heap, join->regions, join->region_capacity);
    qd_array_drop(heap, join->derived, join->derived_capacity);
    qd_array_drop(heap, join->once, join->once_capacity);
    qd_array_drop(heap, join->bodies.of, join->bodies.capacity);
    qd_array_drop(heap, join->bodies.boxes, join->bodies.box_capacity);
    *join = (qd_join){.gave_up = gave_up};
}

void qd_join_destroy(qd_join *join, qd_heap *heap)
{
    qd_join_release(join, heap);
    qd_heap_free(heap, join, sizeof *join);
}
