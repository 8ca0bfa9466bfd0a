/* SPDX-License-Identifier: Apache-2.0
 *
 * A room as it was at its ticks, by brute force: which moments are possible, and whether one of them explains what the
 * client saw.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

static uint64_t time_of(const model_room *room, uint64_t tick)
{
    for (size_t i = room->tick_count; i-- > 0;) {
        if (room->ticks[i].tick <= tick) {
            return room->ticks[i].at_ns;
        }
    }
    return 0;
}

static int compare_bodies(const void *a, const void *b)
{
    uint32_t left = ((const model_body *)a)->id, right = ((const model_body *)b)->id;

    return (left > right) - (left < right);
}

/* The entities of a state, without what stays left that are gone. */
static uint32_t bodies_of(const model_past *past, const model_state *state, uint32_t gone, model_body *bodies)
{
    const model_room *room = past->stay->room;
    uint32_t count = 0;

    for (uint32_t i = 0; i < room->stay_count; i++) {
        for (uint32_t k = 0; k < STAY_ENTITIES; k++) {
            const model_entity *entity = &state->entities[i][k];

            if (!entity->present || (entity->owner != MODEL_ROOM_OWNED && (gone >> entity->owner & 1))) {
                continue;
            }
            bodies[count++] = (model_body){
                .id = model_id(room->stays[i], k), .own = entity->owner == past->stay->number, .entity = entity};
        }
    }
    qsort(bodies, count, sizeof *bodies, compare_bodies);
    return count;
}

/* Whether the moment explains it with the owners that were reported later. */
static bool is_explained_later(const model_past *past, const model_state *state, size_t at, model_body *bodies,
                               uint32_t count, model_explains_fn explains, const model_fold *fold)
{
    static model_state later;
    const model_room *room = past->stay->room;
    uint32_t refused[OP_ENTRIES], entity;

    later = *state;
    for (; at < room->order_count; at++) {
        (void)model_apply(room, &later, room->order[at], refused);
        if (room->order[at]->message.kind != QD_CLIENT_HAND_OVER && room->order[at]->message.kind != QD_CLIENT_ADOPT) {
            continue;
        }
        for (uint32_t i = 0; i < count; i++) {
            const model_stay *stay = model_owner(room, bodies[i].id, &entity);
            const model_entity *is = &later.entities[stay->number][entity];

            if (is->present && is->birth == bodies[i].entity->birth) {
                bodies[i].own = is->owner == past->stay->number;
            }
        }
        if (explains(past, state, bodies, count, fold)) {
            return true;
        }
    }
    return false;
}

void model_past_init(model_past *past, model_stay *stay)
{
    past->stay = stay;
    past->moment_count = 1;
}

static void advance_to(model_past *past, size_t count)
{
    const model_room *room = past->stay->room;
    uint32_t refused[OP_ENTRIES];

    for (; past->done < count; past->done++) {
        (void)model_apply(room, &past->state, room->order[past->done], refused);
    }
}

void model_past_advance(model_past *past, uint64_t tick)
{
    const model_room *room = past->stay->room;

    for (; past->reported_done < room->reported_count && room->reported[past->reported_done].tick <= tick;
         past->reported_done++) {
        advance_to(past, room->reported[past->reported_done].count);
    }
}

uint64_t model_past_next(const model_past *past, uint64_t tick)
{
    const model_room *room = past->stay->room;
    bool is_there = past->reported_done < room->reported_count && room->reported[past->reported_done].tick < tick;

    return is_there ? room->reported[past->reported_done].tick : UINT64_MAX;
}

/* The stays that have left, a bit each. */
static uint32_t leavers_of(const model_room *room)
{
    uint32_t leavers = 0;

    for (uint32_t i = 0; i < room->stay_count; i++) {
        leavers |= (uint32_t)room->stays[i]->left << i;
    }
    return leavers;
}

/* Whether some moment that was possible can have become this one, at a tick of that time. */
static bool is_reachable(const model_past *past, model_moment to, uint64_t at_ns)
{
    const model_room *room = past->stay->room;

    for (uint32_t m = 0; m < past->moment_count; m++) {
        const model_moment *from = &past->moments[m];
        bool is = from->count <= to.count && (from->gone & ~to.gone) == 0;

        for (uint32_t i = 0; is && i < room->stay_count; i++) {
            bool goes = (to.gone & ~from->gone) >> i & 1;

            is = !goes || at_ns >= room->stays[i]->left_ns + room->grace_ns;
        }
        if (is) {
            return true;
        }
    }
    return false;
}

/* Whether no Applied reports it. */
static bool is_untold(const model_op *op)
{
    return op->stay->left || op->message.kind == QD_CLIENT_GET_SNAPSHOT || op->message.kind == QD_CLIENT_ADOPT ||
           op->refused_whole;
}

/* The next place where the unreported requests of a tick may end: behind the last one of a stay that has left, or behind
 * an Adopt, with nothing reported before it. MODEL_NOWHERE: there is none. */
static size_t next_end(const model_room *room, size_t at)
{
    for (; at < room->order_count; at++) {
        const model_op *op = room->order[at];

        if (!is_untold(op)) {
            return MODEL_NOWHERE;
        }
        if ((op->stay->left && op->stay->end == at + 1) || op->adopted_count > 0) {
            return at + 1;
        }
    }
    return MODEL_NOWHERE;
}

bool model_past_verify(model_past *past, uint64_t tick, bool owners_later, model_explains_fn explains,
                       const model_fold *fold)
{
    const model_room *room = past->stay->room;
    uint64_t at_ns = time_of(room, tick);
    static model_state state;
    model_body bodies[BODIES_MAX];
    model_moment next[MOMENTS_MAX];
    uint32_t next_count = 0, leavers = leavers_of(room), refused[OP_ENTRIES];

    state = past->state;
    for (size_t at = past->done, end; at != MODEL_NOWHERE; at = end) {
        /* Every subset of the stays that left. */
        for (uint32_t gone = leavers, more = 1; more; more = gone != 0, gone = (gone - 1) & leavers) {
            const model_moment moment = {at, gone};

            if (!is_reachable(past, moment, at_ns)) {
                continue;
            }
            uint32_t count = bodies_of(past, &state, gone, bodies);
            if (!explains(past, &state, bodies, count, fold) &&
                !(owners_later && is_explained_later(past, &state, at, bodies, count, explains, fold))) {
                continue;
            }
            sim_check(next_count < MOMENTS_MAX, "the scenario has too many moments");
            next[next_count++] = moment;
        }
        end = next_end(room, at);
        for (; end != MODEL_NOWHERE && at < end; at++) {
            (void)model_apply(room, &state, room->order[at], refused);
        }
    }
    memcpy(past->moments, next, next_count * sizeof next[0]);
    past->moment_count = next_count;
    return next_count > 0;
}

bool model_past_finish(model_past *past, model_explains_fn explains, const model_fold *fold)
{
    const model_room *room = past->stay->room;
    model_body bodies[BODIES_MAX];

    model_past_advance(past, UINT64_MAX);
    for (size_t i = past->done; i < room->order_count; i++) {
        const model_op *op = room->order[i];

        sim_check(is_untold(op), "room %llu, session %llu: the server has request %" PRIu64 ", and it is in no tick",
                  (unsigned long long)room->handle, (unsigned long long)op->stay->session, op->message.seq);
    }
    advance_to(past, room->order_count);
    uint32_t count = bodies_of(past, &past->state, leavers_of(room), bodies);
    return explains(past, &past->state, bodies, count, fold);
}
