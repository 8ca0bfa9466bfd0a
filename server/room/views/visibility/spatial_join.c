/* SPDX-License-Identifier: Apache-2.0 */
#include "spatial_join.h"

#include <string.h>

#include "../../../base/ablation.h"
#include "../derived/derived_compare.h"
#include "../derived/derived_limit.h"
#include "../derived/derived_once.h"
#include "join_bodies.h"
#include "join_lists.h"

/* Looks beyond one for each visible entry: they take a tenth of a second. */
#define LOOKS_WITHOUT_HITS_MAX (UINT64_C(1) << 24)

#define AHEAD 8u /* bodies; their rows are anywhere in memory */

#define PARTS_PER_WORKER 4u
#define PARTS_MAX        256u

/* ---- comparing ---- */

static void compare_body(const qd_views *views, qd_join_block *block, uint32_t i, qd_join_part *part)
{
    qd_join *join = views->join;
    qd_join_body *body = &join->plan.bodies[i];
    uint16_t *is = qd_join_masks_of(join, block->group, i), *did = is + block->stride;
    qd_join_counts counts;

    qd_join_compare(views, join->kernel, block, body, qd_join_older_of(join, block->group, i), is, did, &counts);
    if (!body->is_derived) {
        body->differ = counts.differ;
        part->found += body->differ;
        return;
    }
    const uint32_t *near = &join->derived[body->region / QD_REGION_BODIES].near;
    part->entries -= *near;
    if (!qd_derived_compare_bare(views, body, &counts)) {
        qd_derived_compare(views, block, body, &counts, is, did);
    }
    part->entries += *near;
    part->changes += body->differ;
    part->relayed += body->relayed;
    part->bindings += body->binding == QD_JOIN_BINDS || body->binding == QD_JOIN_UNBINDS;
}

/* Relays of members that get each position once. `joint` is of the bodies before this one. */
static void unite_body(const qd_views *views, qd_join_block *block, uint32_t i, uint16_t *joint)
{
    const qd_join_body *body = &views->join->plan.bodies[i];
    const uint16_t *is = qd_join_masks_of(views->join, block->group, i);

    if (body->joint != *joint && *joint != 0) {
        qd_once_flush(views, block, *joint);
    } else if (*joint == 0) {
        qd_once_start(block);
    }
    *joint = body->joint;
    qd_once_add(block, is, is + block->stride);
}

static void compare_group(const qd_views *views, qd_join_block *block, uint32_t end, qd_join_part *part)
{
    const qd_join_plan *plan = &views->join->plan;
    uint16_t joint = 0;

    for (uint32_t i = block->group->first; i < block->group->first + block->group->count; i++) {
        if (i + AHEAD < end) {
            __builtin_prefetch(&views->join->derived[plan->bodies[i + AHEAD].region / QD_REGION_BODIES], 1);
        }
        if (i + 1 < end && plan->bodies[i + 1].is_derived && plan->bodies[i + 1].limit > 0) {
            qd_derived_limit_fetch(views, &plan->bodies[i + 1]);
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

/* Lists of limits that begin or cease to bind come and go. False: no memory. */
static bool fit_lists(qd_views *views)
{
    const qd_join *join = views->join;

    for (uint32_t i = 0; i < join->bodies.count; i++) {
        const qd_join_body *body = &join->plan.bodies[i];
        qd_join_derived *row = &join->derived[body->region / QD_REGION_BODIES];

        if (body->binding == QD_JOIN_UNBINDS) {
            qd_heap_free(views->heap, row->chosen, row->chosen_count * sizeof row->chosen[0]);
            row->chosen = NULL;
            row->chosen_count = 0;
        } else if (body->binding == QD_JOIN_BINDS) {
            row->chosen = qd_heap_alloc(views->heap, body->limit * sizeof row->chosen[0]);
            if (!row->chosen) {
                return false;
            }
            row->chosen_count = body->limit;
        }
    }
    return true;
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
    for (uint32_t i = 0; i < join->bodies.count && join->bodies.is_plain; i++) {
        join->derived[join->plan.bodies[i].region / QD_REGION_BODIES].body = i;
    }
    return true;
}

static bool advance(qd_views *views, const qd_executor *executor)
{
    qd_join *join = views->join;
    const size_t parts = executor->width * PARTS_PER_WORKER;
    const uint32_t parts_max = executor->width == 1 ? 1 : parts < PARTS_MAX ? (uint32_t)parts : PARTS_MAX;

    const bool follows = qd_join_bodies_follow(views, executor);
    if (!follows && !views->no_memory) {
        qd_join_bodies_note(views);
    }
    if (views->no_memory ||
        !qd_join_grid_build(views, executor, &join->grid, join->bodies.range, join->bodies.masks, join->bodies.teams)) {
        return false;
    }
    if (follows && join->grid.stays) {
        qd_join_plan_follow(views, executor, &join->grid, &join->bodies, parts_max, &join->plan);
        return true;
    }
    if (follows) {
        memcpy(join->bodies.of, join->plan.bodies, join->bodies.count * sizeof join->bodies.of[0]);
    }
    return make_plan(views, parts_max);
}

/* Memory for the blocks of the parts, for all masks and for lists of changes. */
static bool fit_comparing(qd_views *views)
{
    qd_join *join = views->join;
    const size_t listed = qd_lists_place(&join->plan) * sizeof join->found[0];

    join->block_bytes = qd_join_block_bytes(&join->grid, &join->plan, qd_views_axes(views));
    join->blocks = qd_block_fit(&join->memory_of_blocks, views->heap, join->block_bytes * join->plan.part_count);
    join->older =
        join->masks_round + 1 == views->round && join->grid.stays && !QD_WITHOUT(OLDER_MASKS) ? join->masks : NULL;
    join->masks =
        qd_block_fit(&join->memory_of_masks[views->round % 2], views->heap, join->plan.masks * sizeof join->masks[0]);
    join->found = qd_block_fit(&join->memory_of_found, views->heap, listed);
    return join->blocks && join->masks && join->found && qd_once_begin(views);
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
    size_t bindings = 0;

    choose_kernel(views);
    join->relayed = 0;
    if (!advance(views, executor)) {
        return fail(views);
    }
    join->gave_up = join->plan.looks > views->visible_count + (tuned ? tuned : LOOKS_WITHOUT_HITS_MAX);
    if (join->gave_up) {
        return incomplete;
    }
    if (!fit_comparing(views)) {
        return fail(views);
    }
    executor->run(executor->context, join->plan.part_count, compare_part, views);
    join->masks_round = views->round;
    for (uint32_t i = 0; i < join->plan.part_count; i++) {
        all.count += join->plan.parts[i].found;
        all.change_count += join->plan.parts[i].changes;
        all.entries += join->plan.parts[i].entries;
        bindings += join->plan.parts[i].bindings;
    }
    if (all.count > limit || views->visible_count + all.entries > limit) {
        return incomplete;
    }
    if (qd_lists_are_complete(&join->plan)) {
        qd_lists_join(join);
    } else {
        qd_crossing *memory =
            qd_block_fit(&join->memory_of_found, views->heap, (all.count + all.change_count) * sizeof memory[0]);

        if (!memory || (bindings > 0 && !fit_lists(views))) {
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
                          &join->memory_of_masks[1], &join->memory_of_found,  &join->memory_of_once};

    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
        qd_block_deinit(blocks[i], heap);
    }
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
