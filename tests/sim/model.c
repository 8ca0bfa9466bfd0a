/* SPDX-License-Identifier: Apache-2.0 */
#include "model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TOLD = 0, ALL, GONE, STATES };

static void *grow(void *array, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity)
        return array;
    *capacity = *capacity == 0 ? 16 : *capacity * 2;
    array = realloc(array, *capacity * size);
    sim_check(array != NULL, "out of memory");
    return array;
}

/* ---- rooms and stays ---- */

model_room *model_room_create(sim_world *world, uint64_t handle)
{
    model_room *room = calloc(1, sizeof *room);
    sim_check(room != NULL, "out of memory");
    room->world = world;
    room->handle = handle;
    room->opened_ns = world->now_ns;
    return room;
}

void model_room_destroy(model_room *room)
{
    for (uint32_t i = 0; i < room->stay_count; i++) {
        qd_link_release(&room->stays[i]->link->link);
        free(room->stays[i]->ops);
        free(room->stays[i]);
    }
    free(room->told);
    free(room->ticks);
    free(room);
}

model_stay *model_stay_create(model_room *room, uint64_t session, sim_link *link)
{
    sim_check(room->stay_count < STAYS_MAX, "the scenario has too many stays");
    model_stay *stay = calloc(1, sizeof *stay);
    sim_check(stay != NULL, "out of memory");
    stay->room = room;
    stay->number = room->stay_count;
    stay->session = session;
    stay->link = link;
    qd_link_acquire(&link->link);
    room->stays[room->stay_count++] = stay;
    return stay;
}

void model_stay_leave(model_stay *stay)
{
    if (stay->left)
        return;
    sim_check(stay->room->leaver_count < LEAVERS_MAX, "the scenario has too many leavers");
    stay->left = true;
    stay->left_ns = stay->room->world->now_ns;
    stay->leaver = stay->room->leaver_count++;
}

/* Spread over all 32 bits, and back. */
#define ID_FACTOR  2654435761u
#define ID_INVERSE 244002641u

uint32_t model_id(const model_stay *stay, uint32_t entity)
{
    return (stay->number * STAY_ENTITIES + entity) * ID_FACTOR;
}

static model_entity *entity_of(const model_stay *stay, model_entity *entities, uint32_t id)
{
    uint32_t number = id * ID_INVERSE;
    return number / STAY_ENTITIES == stay->number ? &entities[number % STAY_ENTITIES] : NULL;
}

static bool is_bad_form(const qd_body *body)
{
    bool has_signs = body->shape == QD_SHAPE_CAPSULE;
    const float sizes[] = {body->half_x, body->half_y, body->half_z};
    if (body->shape < QD_SHAPE_BOX || body->shape > QD_SHAPE_CAPSULE || !isfinite(body->radius) || body->radius < 0)
        return true;
    for (int axis = 0; axis < 3; axis++) {
        if (!isfinite(sizes[axis]) || (!has_signs && sizes[axis] < 0))
            return true;
    }
    return false;
}

/* What the entity is after entry `i`, as far as that is good. */
static qd_body changed(const qd_body *body, const model_op *op, uint32_t i, bool places)
{
    qd_body after = *body;
    if (places) {
        after.x = op->at[0][i];
        after.y = op->at[1][i];
        after.z = op->at[2][i];
    }
    if (op->has_size) {
        after.half_x = op->half[0][i];
        after.half_y = op->half[1][i];
        after.half_z = op->half[2][i];
    }
    if (op->has_radius)
        after.radius = op->radius[i];
    if (op->has_shape)
        after.shape = op->shape[i];
    if (op->has_filter) {
        after.category = op->category[i];
        after.mask = op->mask[i];
    }
    return after;
}

/* Applies one entry; returns false where it must be refused. */
static bool apply_entry(const model_stay *stay, model_entity *entities, const model_op *op, uint32_t i)
{
    static const qd_body new = {.shape = QD_SHAPE_BOX, .category = 1, .mask = UINT32_MAX};
    model_entity *entity = entity_of(stay, entities, op->id[i]);
    bool spawns = op->kind == QD_CLIENT_SPAWN,
         places = spawns || op->kind == QD_CLIENT_MOVE || op->kind == QD_CLIENT_TELEPORT;
    if (entity == NULL || entity->present == spawns)
        return false;
    if (op->kind == QD_CLIENT_DESPAWN) {
        entity->present = false;
        return true;
    }
    qd_body after = changed(spawns ? &new : &entity->body, op, i, places);
    if (!isfinite(after.x) || !isfinite(after.y) || !isfinite(after.z) || is_bad_form(&after))
        return false;
    entity->body = after;
    if (spawns) {
        entity->present = true;
        entity->room_owned = op->room_owned;
    }
    return true;
}

static void apply(const model_stay *stay, model_entity *entities, const model_op *op)
{
    for (uint32_t i = 0; i < op->count; i++)
        (void)apply_entry(stay, entities, op, i);
}

void model_stay_send(model_stay *stay, model_op *op)
{
    op->refused_count = 0;
    for (uint32_t i = 0; i < op->count; i++) {
        if (!apply_entry(stay, stay->latest, op, i))
            op->refused[op->refused_count++] = i;
    }
    stay->ops = grow(stay->ops, stay->op_count, &stay->op_capacity, sizeof *stay->ops);
    stay->ops[stay->op_count++] = *op;
}

/* ---- what the tap heard ---- */

void model_room_heard_tick(model_room *room, uint64_t tick)
{
    if (room->tick_count > 0 && room->ticks[room->tick_count - 1].tick >= tick)
        return;
    /* No faster than its clock, the tick of its closing apart. */
    double periods = (double)(room->world->now_ns - room->opened_ns) * room->tick_hz / 1e9;
    sim_check(room->tick_hz == 0 || (double)tick <= periods + 2, "tick %llu after %.1f periods",
              (unsigned long long)tick, periods);
    room->ticks = grow(room->ticks, room->tick_count, &room->tick_capacity, sizeof *room->ticks);
    room->ticks[room->tick_count].tick = tick;
    room->ticks[room->tick_count++].at_ns = room->world->now_ns;
}

void model_room_heard_applied(model_room *room, model_stay *stay, uint64_t tick, uint32_t seq)
{
    sim_check(seq >= stay->told_seq, "an Applied goes back from %u to %u", stay->told_seq, seq);
    sim_check(room->told_count == 0 || room->told[room->told_count - 1].tick <= tick, "an Applied's tick goes back");
    stay->told_seq = seq;
    if (seq == stay->unsubscribe_seq) {
        stay->unsubscribe_seq = 0;
        stay->behind = false;
        return;
    }
    model_room_heard_tick(room, tick);
    room->told = grow(room->told, room->told_count, &room->told_capacity, sizeof *room->told);
    room->told[room->told_count++] = (model_told){.tick = tick, .stay = stay->number, .seq = seq};
}

static uint64_t time_of(const model_room *room, uint64_t tick)
{
    for (size_t i = room->tick_count; i-- > 0;) {
        if (room->ticks[i].tick <= tick)
            return room->ticks[i].at_ns;
    }
    return 0;
}

/* ---- brute force ---- */

typedef struct body {
    uint32_t id;
    bool own;
    const model_entity *entity;
} body;

static bool are_pair(const qd_body *a, const qd_body *b)
{
    return (a->category & b->mask) != 0 && (b->category & a->mask) != 0 && shapes_touch(a, b);
}

static int compare_bodies(const void *a, const void *b)
{
    uint32_t left = ((const body *)a)->id, right = ((const body *)b)->id;
    return (left > right) - (left < right);
}

/* How much of a stay's requests reached the server before it left. */
static size_t ops_that_arrived(const model_stay *stay)
{
    size_t count = stay->op_count;
    while (stay->link->dropped && count > 0 && stay->ops[count - 1].frame > stay->link->frames_handed_out)
        count--;
    return count;
}

/* The entities of one stay, if it is in that state. */
static uint32_t bodies_of(const model_observer *observer, const model_stay *stay, int state, body *bodies,
                          model_entity scratch[STAY_ENTITIES])
{
    uint32_t count = 0;
    memcpy(scratch, observer->entities[stay->number], STAY_ENTITIES * sizeof *scratch);
    if (state != TOLD) {
        size_t arrived = ops_that_arrived(stay);
        for (size_t i = observer->ops_done[stay->number]; i < arrived; i++)
            apply(stay, scratch, &stay->ops[i]);
    }
    for (uint32_t i = 0; i < STAY_ENTITIES; i++) {
        const model_entity *entity = &scratch[i];
        if (!entity->present || (state == GONE && !entity->room_owned))
            continue;
        bodies[count++] =
            (body){.id = model_id(stay, i), .own = stay == observer->stay && !entity->room_owned, .entity = entity};
    }
    return count;
}

static int state_in(uint32_t combination, uint32_t leaver)
{
    while (leaver-- > 0)
        combination /= STATES;
    return (int)(combination % STATES);
}

/* Whether brute force gives exactly the observer's set, if those who left are in these states. */
static bool explains(const model_observer *observer, uint32_t combination)
{
    const model_room *room = observer->stay->room;
    static model_entity scratch[STAYS_MAX][STAY_ENTITIES];
    body bodies[STAYS_MAX * STAY_ENTITIES];
    uint32_t count = 0, found = 0;
    for (uint32_t i = 0; i < room->stay_count; i++) {
        const model_stay *stay = room->stays[i];
        int state = stay->left ? state_in(combination, stay->leaver) : TOLD;
        count += bodies_of(observer, stay, state, bodies + count, scratch[i]);
    }
    qsort(bodies, count, sizeof *bodies, compare_bodies);
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = i + 1; j < count; j++) {
            if ((observer->own_only && !bodies[i].own && !bodies[j].own) ||
                !are_pair(&bodies[i].entity->body, &bodies[j].entity->body))
                continue;
            if (found >= observer->set_count || observer->set[found].a != bodies[i].id ||
                observer->set[found].b != bodies[j].id)
                return false;
            found++;
        }
    }
    return found == observer->set_count;
}

/* ---- observers ---- */

model_observer *model_observer_create(model_stay *stay, bool own_only, bool stays)
{
    model_observer *observer = calloc(1, sizeof *observer);
    sim_check(observer != NULL, "out of memory");
    observer->stay = stay;
    observer->own_only = own_only;
    observer->stays = stays;
    observer->set = calloc(PAIRS_MAX, sizeof *observer->set);
    sim_check(observer->set != NULL, "out of memory");
    observer->possible[0] = true;
    return observer;
}

void model_observer_destroy(model_observer *observer)
{
    if (observer == NULL)
        return;
    free(observer->set);
    free(observer);
}

static void advance(model_observer *observer, uint64_t tick)
{
    const model_room *room = observer->stay->room;
    for (; observer->told_done < room->told_count && room->told[observer->told_done].tick <= tick;
         observer->told_done++) {
        const model_told *told = &room->told[observer->told_done];
        const model_stay *stay = room->stays[told->stay];
        size_t *done = &observer->ops_done[told->stay];
        for (; *done < stay->op_count && stay->ops[*done].seq <= told->seq; (*done)++)
            apply(stay, observer->entities[told->stay], &stay->ops[*done]);
    }
}

/* Whether `to` can come after `from` for everyone, at a tick of that time. */
static bool may_follow(const model_observer *observer, uint32_t from, uint32_t to, uint64_t at_ns)
{
    const model_room *room = observer->stay->room;
    for (uint32_t i = 0; i < room->stay_count; i++) {
        const model_stay *stay = room->stays[i];
        if (!stay->left)
            continue;
        int before = state_in(from, stay->leaver), after = state_in(to, stay->leaver);
        if (after < before)
            return false;
        if (after == GONE && before != GONE && at_ns < stay->left_ns + room->grace_ns)
            return false;
    }
    return true;
}

static void verify(model_observer *observer, uint64_t tick)
{
    const model_room *room = observer->stay->room;
    uint64_t at_ns = time_of(room, tick);
    uint32_t count = 1;
    for (uint32_t i = 0; i < room->leaver_count; i++)
        count *= STATES;
    bool next[COMBINATIONS] = {false}, any = false;
    for (uint32_t to = 0; to < count; to++) {
        bool reachable = false;
        for (uint32_t from = 0; from < count && !reachable; from++)
            reachable = observer->possible[from] && may_follow(observer, from, to, at_ns);
        next[to] = reachable && explains(observer, to);
        any |= next[to];
    }
    sim_check(any, "room %llu, session %llu, tick %llu: the set of %u pairs is not what brute force gives",
              (unsigned long long)room->handle, (unsigned long long)observer->stay->session, (unsigned long long)tick,
              observer->set_count);
    memcpy(observer->possible, next, sizeof next);
}

/* The ticks since the observer's last one at which something was applied and no news came. */
static void verify_until(model_observer *observer, uint64_t tick, uint32_t skipped)
{
    const model_room *room = observer->stay->room;
    while (observer->told_done < room->told_count && room->told[observer->told_done].tick < tick) {
        uint64_t quiet = room->told[observer->told_done].tick;
        sim_check(quiet + skipped < tick, "tick %llu is said to be skipped, and was not", (unsigned long long)quiet);
        advance(observer, quiet);
        if (quiet > observer->tick)
            verify(observer, quiet);
    }
}

static bool before(model_pair p, model_pair q)
{
    return p.a != q.a ? p.a < q.a : p.b < q.b;
}

/* The index of the first pair of the set that is not before this one. */
static uint32_t place_of(const model_observer *observer, model_pair pair)
{
    uint32_t low = 0, high = observer->set_count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (before(observer->set[middle], pair))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool contains(const model_observer *observer, uint32_t place, model_pair pair)
{
    return place < observer->set_count && observer->set[place].a == pair.a && observer->set[place].b == pair.b;
}

enum { ENDS = 1, BEGINS, PASSED, STAYS };

/* Groups in their order, each ordered, through all frames of the tick. */
static void check_order(model_observer *observer, uint32_t phase, model_pair pair)
{
    sim_check(phase >= observer->phase, "a tick's events are not in the order ends, begins, passed, stays");
    sim_check(pair.a < pair.b, "a pair is not a < b");
    sim_check(phase != observer->phase || before(observer->previous, pair), "a tick's pairs are not in order");
    observer->phase = phase;
    observer->previous = pair;
}

static void fold(model_observer *observer, const qd_msg_tick *tick)
{
    for (uint32_t i = 0; i < tick->ends.count; i++) {
        model_pair pair = {tick->ends.a[i], tick->ends.b[i]};
        check_order(observer, ENDS, pair);
        sim_check(tick->end_reason[i] >= 1 && tick->end_reason[i] <= QD_END_MOVED_APART, "an end has no reason");
        observer->closing |= tick->end_reason[i] == QD_END_ROOM_CLOSED;
        uint32_t place = place_of(observer, pair);
        sim_check(contains(observer, place, pair), "a pair ends that is not in the set");
        memmove(&observer->set[place], &observer->set[place + 1],
                (--observer->set_count - place) * sizeof *observer->set);
    }
    for (uint32_t i = 0; i < tick->begins.count; i++) {
        model_pair pair = {tick->begins.a[i], tick->begins.b[i]};
        check_order(observer, BEGINS, pair);
        uint32_t place = place_of(observer, pair);
        sim_check(!contains(observer, place, pair), "a pair begins that is in the set");
        sim_check(observer->set_count < PAIRS_MAX, "the scenario has too many pairs");
        memmove(&observer->set[place + 1], &observer->set[place],
                (observer->set_count++ - place) * sizeof *observer->set);
        observer->set[place] = pair;
        observer->begin_count++;
    }
    for (uint32_t i = 0; i < tick->passed.count; i++) {
        model_pair pair = {tick->passed.a[i], tick->passed.b[i]};
        check_order(observer, PASSED, pair);
        sim_check(!contains(observer, place_of(observer, pair), pair), "a pair passed that is in the set");
    }
    sim_check(tick->passed.count == 0 || (observer->stay->room->swept && !observer->reset),
              "pairs passed out of place");
    for (uint32_t i = 0; i < tick->stays.count; i++) {
        model_pair pair = {tick->stays.a[i], tick->stays.b[i]};
        check_order(observer, STAYS, pair);
        sim_check(contains(observer, place_of(observer, pair), pair), "a pair stays that is not in the set");
        observer->stay_count++;
    }
}

static void finish_tick(model_observer *observer, const qd_msg_tick *tick)
{
    observer->in_tick = false;
    observer->known = true;
    observer->tick = tick->tick;
    /* At the tick that closes the room everything is gone, also where no end says so: who was suspended gets a reset,
     * and the last pairs may have been despawned just before. */
    const model_room *room = observer->stay->room;
    bool closed = observer->closing || (room->closed && tick->tick == room->ticks[room->tick_count - 1].tick);
    if (closed && observer->set_count == 0)
        return;
    sim_check(!observer->closing, "the room is closed with %u pairs left", observer->set_count);
    if (observer->stays && !observer->reset)
        sim_check(observer->stay_count + observer->begin_count == observer->set_count,
                  "%u stays and %u begins, but the set has %u pairs", observer->stay_count, observer->begin_count,
                  observer->set_count);
    else
        sim_check(observer->stay_count == 0, "stays that nobody asked for");
    advance(observer, tick->tick);
    verify(observer, tick->tick);
}

void model_observer_tick(model_observer *observer, const qd_msg_tick *tick)
{
    sim_check(!observer->closing, "a tick after the room was closed");
    if (tick->suspended) {
        sim_check(tick->suspended_count > observer->stay->room->events_max, "suspended by %llu events, of %u",
                  (unsigned long long)tick->suspended_count, observer->stay->room->events_max);
        sim_check(tick->last && tick->ends.count + tick->begins.count + tick->passed.count + tick->stays.count == 0,
                  "a suspension with pairs");
        observer->known = observer->in_tick = false;
        observer->suspended = true;
        observer->set_count = 0;
        return;
    }
    if (!observer->in_tick) {
        observer->in_tick = true;
        observer->reset = tick->reset;
        observer->begin_count = observer->stay_count = observer->phase = 0;
        sim_check(tick->reset || (observer->known && tick->tick > observer->tick), "a tick without a reset before it");
        if (tick->reset)
            observer->set_count = 0;
        else
            verify_until(observer, tick->tick, tick->skipped);
        observer->suspended = false;
    }
    fold(observer, tick);
    if (tick->last)
        finish_tick(observer, tick);
}

void model_observer_finish(model_observer *observer)
{
    const model_room *room = observer->stay->room;
    advance(observer, UINT64_MAX);
    uint32_t combination = 0, factor = GONE;
    for (uint32_t i = 0; i < room->leaver_count; i++, factor *= STATES)
        combination += factor;
    sim_check(explains(observer, combination),
              "room %llu, session %llu: at the end the set of %u pairs is not what brute force gives",
              (unsigned long long)room->handle, (unsigned long long)observer->stay->session, observer->set_count);
}
