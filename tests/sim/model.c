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

static model_entity *entity_of(const model_stay *stay, model_state *state, uint32_t id)
{
    uint32_t entity;
    return model_owner(stay->room, id, &entity) == stay ? &state->entities[entity] : NULL;
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

/* The ids of a Roster, which makes no entry that could be refused. */
static void name_roster(model_state *state, const model_op *op)
{
    model_roster *roster = &state->rosters[op->roster];
    uint32_t end = op->first + op->count;
    sim_check(op->first <= roster->count && end <= ROSTER_IDS, "the scenario's roster is wrong");
    memcpy(roster->id + op->first, op->id, op->count * sizeof op->id[0]);
    roster->count = op->keep_rest && roster->count > end ? roster->count : end;
}

/* An entry about an entity; false where it must be refused. */
static bool apply_entity(const model_stay *stay, model_state *state, const model_op *op, uint32_t i)
{
    static const qd_body new = {.shape = QD_SHAPE_BOX, .category = 1, .mask = UINT32_MAX};
    bool by_roster = op->kind == QD_CLIENT_ROSTER_MOVE, spawns = op->kind == QD_CLIENT_SPAWN,
         places = spawns || by_roster || op->kind == QD_CLIENT_MOVE || op->kind == QD_CLIENT_TELEPORT;
    model_entity *entity = entity_of(stay, state, by_roster ? state->rosters[op->roster].id[op->first + i] : op->id[i]);
    if (entity == NULL || entity->present == spawns)
        return false;
    if (op->kind == QD_CLIENT_DESPAWN) {
        *entity = (model_entity){0};
        for (uint32_t k = 0; k < STAY_REGIONS; k++)
            state->regions[k].present &=
                !state->regions[k].anchored || &state->entities[state->regions[k].anchor] != entity;
        return true;
    }
    if (op->kind == QD_CLIENT_DESCRIBE) {
        if (!isfinite(op->visible_range[i]) || op->visible_range[i] < 0)
            return false;
        entity->hidden = op->hidden[i] != 0;
        entity->team = op->team[i];
        entity->tag = op->tag[i];
        entity->visible_range = op->visible_range[i];
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

static bool are_finite(const float *values, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!isfinite(values[i]))
            return false;
    }
    return true;
}

static bool is_direction(const float direction[3])
{
    return are_finite(direction, 3) && (direction[0] != 0 || direction[1] != 0 || direction[2] != 0);
}

static bool is_good_region(const model_region *region)
{
    switch (region->kind) {
    case QD_REGION_BOX:
        return are_finite(region->half, 3) && region->half[0] >= 0 && region->half[1] >= 0 && region->half[2] >= 0;
    case QD_REGION_CONE:
        return isfinite(region->range) && region->range >= 0 && is_direction(region->direction);
    default:
        return region->kind == QD_REGION_CIRCLE && isfinite(region->range) && region->range >= 0;
    }
}

static bool observe(const model_stay *stay, model_state *state, const model_op *op, uint32_t i)
{
    model_region *region = &state->regions[op->id[i]], said = op->regions[i];
    if (!is_good_region(&said))
        return false;
    if (said.anchored) {
        const model_entity *anchor = entity_of(stay, state, op->anchor_id[i]);
        if (anchor == NULL || !anchor->present)
            return false;
        said.anchor = (uint32_t)(anchor - state->entities);
    } else if (!are_finite(said.at, 3)) {
        return false;
    }
    if (region->present) {
        said.shows = region->shows;
        said.show = region->show;
        said.hides = region->hides;
        said.hide = region->hide;
    }
    *region = said;
    region->present = true;
    return true;
}

static bool move_region(model_region *region, const model_op *op, uint32_t i)
{
    const model_region *said = &op->regions[i];
    if ((op->moves && (region->anchored || !are_finite(said->at, 3))) ||
        (op->turns && (region->kind != QD_REGION_CONE || !is_direction(said->direction))))
        return false;
    if (op->moves)
        memcpy(region->at, said->at, sizeof region->at);
    if (op->turns)
        memcpy(region->direction, said->direction, sizeof region->direction);
    return true;
}

/* Applies one entry; returns false where it must be refused. */
static bool apply_entry(const model_stay *stay, model_state *state, const model_op *op, uint32_t i)
{
    model_region *region = &state->regions[op->id[i] % STAY_REGIONS];
    switch (op->kind) {
    case QD_CLIENT_OBSERVE:
        return observe(stay, state, op, i);
    case QD_CLIENT_MOVE_OBSERVERS:
        return region->present && move_region(region, op, i);
    case QD_CLIENT_UNOBSERVE:
        if (!region->present)
            return false;
        *region = (model_region){0};
        return true;
    case QD_CLIENT_EXCEPT:
        region->shows = op->regions[i].shows;
        region->show = op->regions[i].show;
        region->hides = op->regions[i].hides;
        region->hide = op->regions[i].hide;
        return true;
    default:
        return apply_entity(stay, state, op, i);
    }
}

/* Puts the entries that must be refused into `refused`, and returns how many they are. */
static uint32_t apply(const model_stay *stay, model_state *state, const model_op *op, uint32_t refused[OP_ENTRIES])
{
    uint32_t count = 0;
    if (op->kind == QD_CLIENT_ROSTER) {
        name_roster(state, op);
        return 0;
    }
    for (uint32_t i = 0; i < op->count; i++) {
        if (!apply_entry(stay, state, op, i))
            refused[count++] = i;
    }
    return count;
}

void model_stay_send(model_stay *stay, model_op *op)
{
    op->refused_count = apply(stay, &stay->latest, op, op->refused);
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

/* ---- the past ---- */

static int compare_bodies(const void *a, const void *b)
{
    uint32_t left = ((const model_body *)a)->id, right = ((const model_body *)b)->id;
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
static uint32_t bodies_of(const model_past *past, const model_stay *stay, int state, model_body *bodies,
                          model_state *scratch)
{
    uint32_t count = 0, refused[OP_ENTRIES];
    *scratch = past->states[stay->number];
    if (state != TOLD) {
        size_t arrived = ops_that_arrived(stay);
        for (size_t i = past->ops_done[stay->number]; i < arrived; i++)
            (void)apply(stay, scratch, &stay->ops[i], refused);
    }
    for (uint32_t i = 0; i < STAY_ENTITIES; i++) {
        const model_entity *entity = &scratch->entities[i];
        if (!entity->present || (state == GONE && !entity->room_owned))
            continue;
        bodies[count++] =
            (model_body){.id = model_id(stay, i), .own = stay == past->stay && !entity->room_owned, .entity = entity};
    }
    return count;
}

static int state_in(uint32_t combination, uint32_t leaver)
{
    while (leaver-- > 0)
        combination /= STATES;
    return (int)(combination % STATES);
}

/* Whether brute force gives exactly what was seen, if those who left are in these states. */
static bool is_explained(const model_past *past, uint32_t combination, model_explains_fn explains, const void *context)
{
    const model_room *room = past->stay->room;
    static model_state scratch[STAYS_MAX];
    model_body bodies[STAYS_MAX * STAY_ENTITIES];
    uint32_t count = 0;
    for (uint32_t i = 0; i < room->stay_count; i++) {
        const model_stay *stay = room->stays[i];
        int state = stay->left ? state_in(combination, stay->leaver) : TOLD;
        count += bodies_of(past, stay, state, bodies + count, &scratch[i]);
    }
    qsort(bodies, count, sizeof *bodies, compare_bodies);
    return explains(past, bodies, count, context);
}

void model_past_init(model_past *past, model_stay *stay)
{
    past->stay = stay;
    past->possible[0] = true;
}

void model_past_advance(model_past *past, uint64_t tick)
{
    const model_room *room = past->stay->room;
    uint32_t refused[OP_ENTRIES];
    for (; past->told_done < room->told_count && room->told[past->told_done].tick <= tick; past->told_done++) {
        const model_told *told = &room->told[past->told_done];
        const model_stay *stay = room->stays[told->stay];
        size_t *done = &past->ops_done[told->stay];
        for (; *done < stay->op_count && stay->ops[*done].seq <= told->seq; (*done)++)
            (void)apply(stay, &past->states[told->stay], &stay->ops[*done], refused);
    }
}

uint64_t model_past_next(const model_past *past, uint64_t tick)
{
    const model_room *room = past->stay->room;
    bool is_there = past->told_done < room->told_count && room->told[past->told_done].tick < tick;
    return is_there ? room->told[past->told_done].tick : UINT64_MAX;
}

/* Whether `to` can come after `from` for everyone, at a tick of that time. */
static bool may_follow(const model_room *room, uint32_t from, uint32_t to, uint64_t at_ns)
{
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

bool model_past_verify(model_past *past, uint64_t tick, model_explains_fn explains, const void *context)
{
    const model_room *room = past->stay->room;
    uint64_t at_ns = time_of(room, tick);
    uint32_t count = 1;
    for (uint32_t i = 0; i < room->leaver_count; i++)
        count *= STATES;
    bool next[COMBINATIONS] = {false}, any = false;
    for (uint32_t to = 0; to < count; to++) {
        bool reachable = false;
        for (uint32_t from = 0; from < count && !reachable; from++)
            reachable = past->possible[from] && may_follow(room, from, to, at_ns);
        next[to] = reachable && is_explained(past, to, explains, context);
        any |= next[to];
    }
    memcpy(past->possible, next, sizeof next);
    return any;
}

bool model_past_finish(model_past *past, model_explains_fn explains, const void *context)
{
    model_past_advance(past, UINT64_MAX);
    uint32_t combination = 0, factor = GONE;
    for (uint32_t i = 0; i < past->stay->room->leaver_count; i++, factor *= STATES)
        combination += factor;
    return is_explained(past, combination, explains, context);
}
