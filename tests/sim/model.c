/* SPDX-License-Identifier: Apache-2.0 */
#include "model.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- rooms and stays ---- */

model_room *model_room_create(sim_world *world, const qd_msg_room_opened *opened)
{
    model_room *room = calloc(1, sizeof *room);

    sim_check(room != NULL, "out of memory");
    room->world = world;
    room->handle = opened->room;
    room->name = (uint32_t)atoi(opened->name + strlen("room "));
    room->config = opened->config;
    room->grace_ns = opened->config.grace_ms * UINT64_C(1000000);
    room->opened_ns = world->now_ns;
    return room;
}

void model_room_destroy(model_room *room)
{
    for (uint32_t i = 0; i < room->stay_count; i++) {
        model_stay *stay = room->stays[i];

        for (size_t k = 0; k < stay->op_count; k++) {
            free(stay->ops[k]);
        }
        free(stay->ops);
        free(stay);
    }
    free(room->order);
    free(room->reported);
    free(room->ticks);
    free(room);
}

model_stay *model_stay_create(model_room *room, uint64_t session)
{
    sim_check(room->stay_count < STAYS_MAX, "the scenario has too many stays");
    model_stay *stay = calloc(1, sizeof *stay);
    sim_check(stay != NULL, "out of memory");
    stay->room = room;
    stay->number = room->stay_count;
    stay->session = session;
    stay->acked_tick = UINT64_MAX;
    room->stays[room->stay_count++] = stay;
    return stay;
}

void model_stay_leave(model_stay *stay, uint64_t at_ns)
{
    if (stay->left) {
        return;
    }
    sim_check(stay->room->leaver_count < LEAVERS_MAX, "the scenario has too many leavers");
    stay->left = true;
    stay->left_ns = at_ns;
    stay->room->leaver_count++;
}

void model_stay_return(model_stay *stay)
{
    stay->left = false;
    stay->room->leaver_count--;
}

model_stay *model_latest_stay(const model_room *room, uint64_t session)
{
    for (uint32_t i = room->stay_count; i-- > 0;) {
        if (room->stays[i]->session == session) {
            return room->stays[i];
        }
    }
    return NULL;
}

/* Spread over all 32 bits, and back. */
#define ID_FACTOR  2654435761u
#define ID_INVERSE 244002641u

uint32_t model_id(const model_stay *stay, uint32_t entity)
{
    return (stay->number * STAY_ENTITIES + entity) * ID_FACTOR;
}

model_stay *model_owner(const model_room *room, uint32_t id, uint32_t *entity)
{
    uint32_t number = id * ID_INVERSE;

    *entity = number % STAY_ENTITIES;
    return number / STAY_ENTITIES < room->stay_count ? room->stays[number / STAY_ENTITIES] : NULL;
}

uint32_t model_region_id(uint32_t region)
{
    return (region + 1) * ID_FACTOR;
}

uint32_t model_region_of(uint32_t id)
{
    return id * ID_INVERSE - 1;
}

void model_stay_send(model_stay *stay, model_op *op)
{
    stay->ops = sim_grow(stay->ops, stay->op_count, &stay->op_capacity, sizeof *stay->ops);
    op->stay = stay;
    op->place = MODEL_NOWHERE;
    stay->ops[stay->op_count++] = op;
    if (op->message.kind == QD_CLIENT_SET_ROSTER) {
        model_name_roster(stay->rosters, op);
    }
}

void model_stay_forget_rest(model_stay *stay)
{
    memset(stay->rosters, 0, sizeof stay->rosters);
    for (size_t i = 0; i < stay->op_count; i++) {
        const model_op *op = stay->ops[i];

        if (op->message.kind == QD_CLIENT_SET_ROSTER && op->place != MODEL_NOWHERE) {
            model_name_roster(stay->rosters, op);
        }
    }
}

model_op *model_stay_op(const model_stay *stay, uint64_t seq)
{
    for (size_t i = stay->op_count; i-- > 0 && stay->ops[i]->message.seq >= seq;) {
        if (stay->ops[i]->message.seq == seq) {
            return stay->ops[i];
        }
    }
    return NULL;
}

/* ---- what the tap saw ---- */

void model_room_named_tick(const model_room *room, uint64_t tick)
{
    sim_check(room->tick_count == 0 || room->ticks[room->tick_count - 1].tick <= tick, "a room goes back to tick %llu",
              (unsigned long long)tick);
    /* No faster than its clock, the tick of its closing apart. */
    double periods = (double)(room->world->now_ns - room->opened_ns) * room->config.tick_hz / 1e9;
    sim_check(room->config.tick_hz == 0 || (double)tick <= periods + 2, "tick %llu after %.1f periods",
              (unsigned long long)tick, periods);
}

void model_room_saw_tick(model_room *room, uint64_t tick)
{
    model_room_named_tick(room, tick);
    if (room->tick_count > 0 && room->ticks[room->tick_count - 1].tick == tick) {
        return;
    }
    room->ticks = sim_grow(room->ticks, room->tick_count, &room->tick_capacity, sizeof *room->ticks);
    room->ticks[room->tick_count].tick = tick;
    room->ticks[room->tick_count++].at_ns = room->world->now_ns;
}

void model_room_saw_applied(model_room *room, model_stay *stay, uint64_t tick, uint64_t seq, bool again)
{
    sim_check(again ? seq == stay->reported_seq : seq > stay->reported_seq,
              "an Applied goes from %" PRIu64 " to %" PRIu64, stay->reported_seq, seq);
    sim_check(room->reported_count == 0 || room->reported[room->reported_count - 1].tick <= tick,
              "an Applied's tick goes back");
    stay->reported_seq = seq;
    model_room_saw_tick(room, tick);
    /* Not every reported request is a batch. The last batch shows how far the room is. */
    size_t count = 0;
    for (size_t i = stay->op_count; i-- > 0 && count == 0;) {
        const model_op *op = stay->ops[i];

        if (op->message.seq <= seq && op->place != MODEL_NOWHERE) {
            count = op->place + 1;
        }
    }
    /* One that comes again names the last tick of the room, and what an earlier tick contains. So it credits nothing. */
    if (again) {
        sim_check(count == stay->reported_place, "an Applied that comes again reports %zu requests, and not %zu", count,
                  stay->reported_place);
        return;
    }
    stay->reported_place = count;
    model_room_applied(room, count);
    room->reported = sim_grow(room->reported, room->reported_count, &room->reported_capacity, sizeof *room->reported);
    room->reported[room->reported_count++] = (model_reported){.tick = tick, .count = count};
}

void model_room_saw_accepted(model_room *room, model_stay *stay, uint64_t seq)
{
    const model_op *op = model_stay_op(stay, seq);

    if (seq == stay->unsubscribe_seq) {
        stay->unsubscribe_seq = 0;
        stay->behind = stay->lost = stay->resumed = false;
    } else if (op != NULL && op->place != MODEL_NOWHERE) {
        model_room_applied(room, op->place + 1);
    }
}

void model_room_take(model_room *room, model_op *op)
{
    sim_check(op->place == MODEL_NOWHERE, "a request reaches the server twice");
    room->order = sim_grow(room->order, room->order_count, &room->order_capacity, sizeof *room->order);
    op->place = room->order_count;
    room->order[room->order_count++] = op;
    op->stay->end = room->order_count;
}

void model_room_applied(model_room *room, size_t count)
{
    for (; room->now_count < count; room->now_count++) {
        model_op *op = room->order[room->now_count];

        op->to = model_receiver_of(room, op);
        op->refused_count = model_apply(room, &room->now, op, op->refused);
        bool gives =
            op->message.kind == QD_CLIENT_HAND_OVER && !op->refused_whole && op->to != NULL && op->to != op->stay;
        room->handed_over += gives && op->refused_count < op->count;
    }
}
