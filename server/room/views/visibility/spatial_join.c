/* SPDX-License-Identifier: Apache-2.0 */
#include "spatial_join.h"

/* Looks beyond one for each visible entry: they take a tenth of a second. */
#define LOOKS_WITHOUT_HITS_MAX (UINT64_C(1) << 24)

#define PARTS_PER_WORKER 4u
#define PARTS_MAX        256u

/* One tick. */
typedef struct search {
    const qd_views *views;
    qd_join *join;
    const qd_join_kernel *kernel;
    unsigned axes;
    size_t block_bytes;
    char *blocks; /* one for each part */
    uint16_t *masks;
    qd_crossing *found;
} search;

static qd_join_block block_of(const search *of, size_t part)
{
    qd_join_block block;

    qd_join_block_init(&block, &of->join->plan, of->axes, of->blocks + part * of->block_bytes);
    return block;
}

/* The masks of where points are, for a body of a group; those of where they were follow. */
static uint16_t *masks_of(const search *of, const qd_join_group *group, uint32_t body)
{
    return of->masks + group->masks + 2 * (size_t)(body - group->first) * qd_join_words(group);
}

/* ---- comparing ---- */

static void compare_body(const search *of, const qd_join_block *block, uint32_t i)
{
    qd_join_body *body = &of->join->plan.bodies[i];
    const qd_join_region *now = body->is ? &of->join->regions_now.of[body->region] : NULL;
    const qd_join_region *was = body->did ? &of->join->regions_was.of[body->region] : NULL;
    uint16_t *is = masks_of(of, block->group, i), *did = is + block->words;
    uint32_t differ = 0;

    qd_join_compare(of->views, of->kernel, block, now, was, is, did);
    for (uint32_t word = 0; word < block->words; word++) {
        differ += (uint32_t)__builtin_popcount((uint32_t)is[word] ^ did[word]);
    }
    body->differ = differ;
}

static void compare_part(size_t task, void *argument)
{
    const search *of = argument;
    const qd_join_plan *plan = &of->join->plan;
    qd_join_part *part = &plan->parts[task];
    qd_join_block block = block_of(of, task);

    part->found = 0;
    for (uint32_t g = part->first; g < part->end; g++) {
        const qd_join_group *group = &plan->groups[g];

        qd_join_block_fill(&block, &of->join->grid, of->kernel, group);
        for (uint32_t i = group->first; i < group->first + group->count; i++) {
            compare_body(of, &block, i);
            part->found += plan->bodies[i].differ;
        }
    }
}

/* ---- crossings ---- */

/* Adds the crossings of a body. Returns where the next ones go. */
static qd_crossing *add_crossings(const search *of, const qd_join_block *block, uint32_t i, qd_crossing *to)
{
    const qd_join_body *body = &of->join->plan.bodies[i];
    const uint16_t *is = masks_of(of, block->group, i), *did = is + block->words;
    const uint32_t use = qd_use(body->region % QD_REGION_BODIES, body->region / QD_REGION_BODIES);

    for (uint32_t word = 0; word < block->words; word++) {
        for (uint32_t differ = (uint32_t)is[word] ^ did[word]; differ != 0; differ &= differ - 1) {
            const uint32_t lane = (uint32_t)__builtin_ctz(differ);

            *to++ = (qd_crossing){use, block->points.slot[word * QD_JOIN_LANES + lane], is[word] >> lane & 1};
        }
    }
    return to;
}

static void list_part(size_t task, void *argument)
{
    const search *of = argument;
    const qd_join_plan *plan = &of->join->plan;
    const qd_join_part *part = &plan->parts[task];
    qd_join_block block = block_of(of, task);
    qd_crossing *to = of->found;

    for (size_t i = 0; i < task; i++) {
        to += plan->parts[i].found;
    }
    for (uint32_t g = part->first; g < part->end; g++) {
        const qd_join_group *group = &plan->groups[g];
        bool has_slots = false;

        block.group = group;
        block.words = (uint32_t)qd_join_words(group);
        for (uint32_t i = group->first; i < group->first + group->count; i++) {
            if (plan->bodies[i].differ == 0) {
                continue;
            }
            if (!has_slots) {
                qd_join_block_slots(&block, &of->join->grid, group);
                has_slots = true;
            }
            to = add_crossings(of, &block, i, to);
        }
    }
}

/* ---- a tick ---- */

static const qd_crossings incomplete = {.complete = false};

static qd_crossings fail(qd_views *views)
{
    views->no_memory = true;
    return incomplete;
}

/* The regions of the last tick become the old ones. */
static void swap_regions(qd_join *join)
{
    const qd_join_regions regions = join->regions_was;

    join->regions_was = join->regions_now;
    join->regions_now = regions;
}

static bool advance(qd_views *views, const qd_executor *executor)
{
    qd_join *join = views->join;
    const size_t parts = executor->width * PARTS_PER_WORKER;
    const uint32_t parts_max = executor->width == 1 ? 1 : parts < PARTS_MAX ? (uint32_t)parts : PARTS_MAX;

    swap_regions(join);
    return qd_join_regions_note(views, &join->regions_now, &join->regions_was) &&
           qd_join_grid_build(views, &join->grid, qd_join_range(&join->regions_now, &join->regions_was)) &&
           qd_join_plan_make(views, &join->grid, &join->regions_now, &join->regions_was, parts_max, &join->plan);
}

qd_crossings qd_join_tick(qd_views *views, const qd_executor *executor, uint64_t limit)
{
    qd_join *join = views->join;
    const uint32_t tuned = views->join_tuning.looks_without_hits_max;
    search all = {.views = views, .join = join, .kernel = views->join_tuning.kernel, .axes = qd_views_axes(views)};
    size_t count = 0;

    if (!all.kernel) {
        all.kernel = qd_join_kernel_chosen(all.axes);
    }
    if (!advance(views, executor)) {
        return fail(views);
    }
    join->gave_up = join->plan.looks > views->visible_count + (tuned ? tuned : LOOKS_WITHOUT_HITS_MAX);
    if (join->gave_up) {
        return incomplete;
    }
    all.block_bytes = qd_join_block_bytes(&join->grid, &join->plan, all.axes);
    all.blocks = qd_block_fit(&join->blocks, views->heap, all.block_bytes * join->plan.part_count);
    all.masks = qd_block_fit(&join->masks, views->heap, join->plan.masks * sizeof all.masks[0]);
    if (!all.blocks || !all.masks) {
        return fail(views);
    }
    executor->run(executor->context, join->plan.part_count, compare_part, &all);
    for (uint32_t i = 0; i < join->plan.part_count; i++) {
        count += join->plan.parts[i].found;
    }
    if (count > limit) {
        return incomplete;
    }
    all.found = qd_block_fit(&join->found, views->heap, count * sizeof all.found[0]);
    if (!all.found) {
        return fail(views);
    }
    executor->run(executor->context, join->plan.part_count, list_part, &all);
    return (qd_crossings){all.found, count, true};
}

/* ---- life ---- */

qd_join *qd_join_create(qd_heap *heap)
{
    return qd_heap_alloc_zeroed(heap, sizeof(qd_join));
}

bool qd_join_start(qd_views *views)
{
    qd_join *join = views->join;

    join->regions_now.count = join->regions_was.count = 0;
    return qd_join_regions_note(views, &join->regions_now, &join->regions_was);
}

void qd_join_release(qd_join *join, qd_heap *heap)
{
    const bool gave_up = join->gave_up;
    qd_block *blocks[] = {&join->plan.block, &join->blocks, &join->masks, &join->found};

    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
        qd_block_deinit(blocks[i], heap);
    }
    qd_join_grid_deinit(&join->grid, heap);
    qd_array_drop(heap, join->regions_now.of, join->regions_now.capacity);
    qd_array_drop(heap, join->regions_was.of, join->regions_was.capacity);
    *join = (qd_join){.gave_up = gave_up};
}

void qd_join_destroy(qd_join *join, qd_heap *heap)
{
    qd_join_release(join, heap);
    qd_heap_free(heap, join, sizeof *join);
}
