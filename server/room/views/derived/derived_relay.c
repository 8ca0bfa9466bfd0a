/* SPDX-License-Identifier: Apache-2.0 */
#include "derived_relay.h"

size_t qd_derived_relayed(const qd_views *views)
{
    return views->join && !views->suspended ? views->join->relayed : 0;
}

void qd_derived_relay_end(qd_views *views)
{
    if (views->join) {
        views->join->relayed = 0;
    }
}

void qd_derived_relay_count(const qd_views *views, uint32_t *rows)
{
    const qd_join *join = views->join;

    for (uint32_t i = 0; i < join->bodies.count; i++) {
        const qd_join_body *body = &join->plan.bodies[i];

        if (body->is_derived) {
            rows[join->derived[body->region / QD_REGION_BODIES].rank] += body->relayed;
        }
    }
}

struct filling {
    const qd_views *views;
    const qd_derived_columns *to;
};

/* What of a body is relayed, as masks of the body or in memory of the block. */
static const uint16_t *relayed_of(qd_join_block *block, const qd_join_body *body, const uint16_t *is)
{
    const uint16_t *did = is + block->stride;
    const bool all_moved = block->grid->all_moved;
    uint16_t *masks = block->some[0];

    if (body->has_turns) {
        return is + 2 * (size_t)block->stride;
    }
    if (!all_moved && !block->has_moved) {
        qd_join_block_moved(block);
    }
    for (uint32_t word = 0; word < block->words; word++) {
        masks[word] = (uint16_t)(is[word] & did[word] & (all_moved ? UINT16_MAX : block->moved[word]));
    }
    return masks;
}

static void fill(uint32_t *column, uint32_t count, uint32_t value)
{
    for (uint32_t i = 0; i < count; i++) {
        column[i] = value;
    }
}

#define AHEAD 8u

/* What is looked up of a body is anywhere in memory: its rank, and what depends on that. */
static void prefetch_bodies(const struct filling *filling, uint32_t i)
{
    const qd_join *join = filling->views->join;

    if (i + 2 * AHEAD < join->bodies.count) {
        __builtin_prefetch(&join->derived[join->plan.bodies[i + 2 * AHEAD].region / QD_REGION_BODIES]);
    }
    if (i + AHEAD < join->bodies.count) {
        const uint32_t rank = join->derived[join->plan.bodies[i + AHEAD].region / QD_REGION_BODIES].rank;

        __builtin_prefetch(&filling->to->first[rank]);
        __builtin_prefetch(&filling->views->order[rank]);
    }
}

static void fill_body(const struct filling *filling, qd_join_block *block, uint32_t i, const uint32_t *id)
{
    const qd_join *join = filling->views->join;
    const qd_join_body *body = &join->plan.bodies[i];
    const qd_derived_columns *to = filling->to;
    const uint16_t *is = qd_join_masks_of(join, block->group, i);
    const uint32_t rank = join->derived[body->region / QD_REGION_BODIES].rank, first = to->first[rank];
    const uint32_t observer = (uint32_t)filling->views->order[rank];

    const uint16_t *masks = relayed_of(block, body, is);
    fill(to->observer + first, body->relayed, observer);
    join->kernel->pack(id, masks, block->words, to->id + first);
    for (unsigned k = 0; k < 3 && to->at[k]; k++) {
        join->kernel->pack((const uint32_t *)(const void *)block->points.at.now[k], masks, block->words,
                           (uint32_t *)(void *)(to->at[k] + first));
    }
}

/* The ids of the points of a group, in memory of the block. */
static uint32_t *note_ids(const struct filling *filling, qd_join_block *block)
{
    uint32_t *id = block->scratch;

    if (!block->has_slots) {
        qd_join_block_slots(block);
    }
    for (uint32_t i = 0; i < block->group->points; i++) {
        id[i] = filling->views->entities->id[block->points.slot[i]];
    }
    return id;
}

static void fill_part(size_t task, void *argument)
{
    const struct filling *filling = argument;
    const qd_join_plan *plan = &filling->views->join->plan;
    qd_join_block block = qd_join_block_of(filling->views, task);

    for (uint32_t g = plan->parts[task].first; g < plan->parts[task].end; g++) {
        const qd_join_group *group = &plan->groups[g];
        const uint32_t *id = NULL;

        for (uint32_t i = group->first; i < group->first + group->count; i++) {
            prefetch_bodies(filling, i);
            if (!plan->bodies[i].is_derived || plan->bodies[i].relayed == 0) {
                continue;
            }
            if (!id) {
                qd_join_block_fill(&block, filling->views->join->kernel, group);
                id = note_ids(filling, &block);
            }
            fill_body(filling, &block, i, id);
        }
    }
}

void qd_derived_relay_fill(const qd_views *views, const qd_executor *executor, const qd_derived_columns *to)
{
    struct filling filling = {views, to};

    if (to->first) {
        executor->run(executor->context, views->join->plan.part_count, fill_part, &filling);
    }
}
