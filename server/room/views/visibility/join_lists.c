/* SPDX-License-Identifier: Apache-2.0 */
#include "join_lists.h"

#include <string.h>

#include "../../../base/ablation.h"
#include "../derived/derived_compare.h"
#include "../join/join_shown.h"

/* ---- while masks are in the cache ---- */

/* Changes of a view that have room in the list of its part, on average. */
#define LISTED_OF_BODY 2u

size_t qd_lists_place(qd_join_plan *plan)
{
    size_t sum = 0;

    for (uint32_t i = 0; i < plan->part_count; i++) {
        qd_join_part *part = &plan->parts[i];
        const qd_join_group *last = &plan->groups[part->end - 1];

        part->list = sum;
        part->room = LISTED_OF_BODY * (size_t)(last->first + last->count - plan->groups[part->first].first);
        part->is_listed = !QD_WITHOUT(HOT_LISTS);
        sum += part->room;
    }
    return sum;
}

/* Four masks that differ, of where points are. */
struct differing {
    uint16_t *is;
    uint32_t body, point;
};

#define DIFFERING_MAX 64u

struct listing {
    const qd_views *views;
    qd_join_block *block;
    qd_join_part *part;
    qd_crossing *to;
    struct differing differing[DIFFERING_MAX];
    uint32_t count;
};

static void list_differing(struct listing *of)
{
    const qd_join_plan *plan = &of->views->join->plan;

    for (uint32_t i = 0; i < of->count; i++) {
        const struct differing *from = &of->differing[i];
        qd_join_body *body = &plan->bodies[from->body];
        const uint64_t now = qd_join_four_masks(from->is, 0);

        qd_join_shown_slots(of->views->join, of->block, body);
        for (uint64_t differ = now ^ qd_join_four_masks(from->is, of->block->stride); differ != 0;
             differ &= differ - 1) {
            const uint32_t bit = (uint32_t)__builtin_ctzll(differ);
            const uint32_t slot = qd_join_slot_at(of->block, from->point + bit);

            if (QD_UNLIKELY(body->is_bare && slot == body->self)) {
                uint16_t *is = qd_join_masks_of(of->views->join, of->block->group, from->body);

                of->part->changes -= qd_derived_remove_self(of->block, body, is, is + of->block->stride);
                continue;
            }
            *of->to++ = (qd_crossing){qd_use(0, body->region / QD_REGION_BODIES), slot, now >> bit & 1, body->by_range};
        }
    }
    of->count = 0;
}

/* qd_lists_part needs masks without observers themselves. */
static void remove_selves(const qd_views *views, const qd_join_block *block, qd_join_part *part)
{
    for (uint32_t i = block->group->first; i < block->group->first + block->group->count; i++) {
        qd_join_body *body = &views->join->plan.bodies[i];
        uint16_t *is = qd_join_masks_of(views->join, block->group, i);

        if (body->is_derived && body->is_bare) {
            part->changes -= qd_derived_remove_self(block, body, is, is + block->stride);
        }
    }
}

/* Which masks differ is unpredictable, so they are noted without branches. */
void qd_lists_group(const qd_views *views, qd_join_block *block, size_t before, qd_join_part *part)
{
    const uint32_t end = block->group->first + block->group->count;
    struct listing listing;

    part->is_listed &= part->found == 0 && part->changes <= part->room;
    if (!part->is_listed) {
        remove_selves(views, block, part);
        return;
    }
    if (part->changes == before) {
        return;
    }
    listing.views = views;
    listing.block = block;
    listing.part = part;
    listing.to = views->join->found + part->list + before;
    listing.count = 0;
    for (uint32_t i = block->group->first; i < end; i++) {
        uint16_t *is = qd_join_masks_of(views->join, block->group, i);

        for (uint32_t word = 0; word < block->stride; word += QD_JOIN_FOUR) {
            listing.differing[listing.count] = (struct differing){is + word, i, word * QD_JOIN_LANES};
            listing.count += qd_join_four_masks(is, word) != qd_join_four_masks(is, block->stride + word);
            if (QD_UNLIKELY(listing.count == DIFFERING_MAX)) {
                list_differing(&listing);
            }
        }
    }
    list_differing(&listing);
}

bool qd_lists_are_complete(const qd_join_plan *plan)
{
    bool all = true;

    for (uint32_t i = 0; i < plan->part_count; i++) {
        all &= plan->parts[i].is_listed;
    }
    return all;
}

void qd_lists_join(qd_join *join)
{
    qd_crossing *to = join->changes = join->found;

    for (uint32_t i = 0; i < join->plan.part_count; i++) {
        const qd_join_part *part = &join->plan.parts[i];

        memmove(to, join->found + part->list, part->changes * sizeof to[0]);
        to += part->changes;
    }
}

/* ---- the whole part ---- */

/* Adds what differs of a body. Returns where the next ones go. */
static qd_crossing *add_crossings(const qd_views *views, qd_join_block *block, uint32_t i, qd_crossing *to)
{
    const qd_join_body *body = &views->join->plan.bodies[i];
    const uint16_t *is = qd_join_masks_of(views->join, block->group, i), *did = is + block->stride;
    const uint32_t use = qd_use(body->region % QD_REGION_BODIES, body->region / QD_REGION_BODIES);

    const qd_crossing *end = to + body->differ;
    for (uint32_t word = 0; to < end; word += QD_JOIN_FOUR) {
        const uint64_t now = qd_join_four_masks(is, word);
        const uint64_t was = qd_join_four_masks(did, word);

        for (uint64_t differ = now ^ was; differ != 0; differ &= differ - 1) {
            const uint32_t bit = (uint32_t)__builtin_ctzll(differ);

            *to++ = (qd_crossing){use, qd_join_slot_at(block, word * QD_JOIN_LANES + bit), now >> bit & 1, false};
        }
    }
    return to;
}

static void list_body(const qd_views *views, qd_join_block *block, uint32_t i, qd_crossing **found,
                      qd_crossing **changes)
{
    const qd_join_body *body = &views->join->plan.bodies[i];
    qd_crossing **to = body->is_derived ? changes : found;

    if (body->differ > 0 && !block->has_slots) {
        qd_join_block_slots(block);
    }
    qd_join_shown_slots(views->join, block, body);
    *to = add_crossings(views, block, i, *to);
}

void qd_lists_part(size_t task, void *argument)
{
    const qd_views *views = argument;
    const qd_join_plan *plan = &views->join->plan;
    const qd_join_part *part = &plan->parts[task];
    qd_join_block block = qd_join_block_of(views, task);
    qd_crossing *found = views->join->found, *changes = views->join->changes;

    for (size_t i = 0; i < task; i++) {
        found += plan->parts[i].found;
        changes += plan->parts[i].changes;
    }
    for (uint32_t g = part->first; g < part->end; g++) {
        qd_join_block_take(&block, &plan->groups[g]);
        for (uint32_t i = block.group->first; i < block.group->first + block.group->count; i++) {
            list_body(views, &block, i, &found, &changes);
        }
    }
}
