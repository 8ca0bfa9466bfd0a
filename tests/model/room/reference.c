/* SPDX-License-Identifier: Apache-2.0 */
#include "reference.h"

#include <math.h>
#include <stdlib.h>

#include "close_calls.h"
#include "support/oracle.h"

/* ---- arrays ---- */

static ref_entity *add(ref_crowd *crowd)
{
    if (crowd->count == crowd->capacity) {
        crowd->capacity = crowd->capacity ? 2 * crowd->capacity : 16;
        crowd->all = realloc(crowd->all, crowd->capacity * sizeof crowd->all[0]);
    }
    return &crowd->all[crowd->count++];
}

static void push(ref_pairs *pairs, const ref_entity *one, const ref_entity *other, uint8_t reason)
{
    if (pairs->count == pairs->capacity) {
        pairs->capacity = pairs->capacity ? 2 * pairs->capacity : 16;
        pairs->all = realloc(pairs->all, pairs->capacity * sizeof pairs->all[0]);
    }
    if (one->id > other->id) {
        const ref_entity *swap = one;

        one = other;
        other = swap;
    }
    pairs->all[pairs->count++] = (ref_pair){(uint64_t)one->id << 32 | other->id, {one->owner, other->owner}, reason};
}

static int by_key(const void *a, const void *b)
{
    uint64_t one = ((const ref_pair *)a)->key, other = ((const ref_pair *)b)->key;

    return one < other ? -1 : one > other;
}

int ref_by_id(const void *a, const void *b)
{
    uint32_t one = ((const ref_entity *)a)->id, other = ((const ref_entity *)b)->id;

    return one < other ? -1 : one > other;
}

ref_entity *ref_find(const ref_crowd *crowd, uint32_t id)
{
    for (uint32_t i = 0; i < crowd->count; i++) {
        if (crowd->all[i].id == id) {
            return &crowd->all[i];
        }
    }
    return NULL;
}

void ref_free(ref_room *room)
{
    free(room->now.all);
    free(room->was.all);
    free(room->gone.all);
    free(room->ends.all);
    free(room->begins.all);
    free(room->passed.all);
    free(room->stays.all);
    free(room->set.all);
}

/* ---- what a pair is ---- */

static bool filters_agree(const qd_body *a, const qd_body *b)
{
    return (a->category & b->mask) != 0 && (b->category & a->mask) != 0;
}

/* The verdict, or what the server decides for the two alone if that is too close to call. */
static bool overlap(ref_room *room, const qd_body *a, const qd_body *b)
{
    oracle_verdict verdict = oracle_overlap(a, b);

    room->judged += verdict != ORACLE_APART;
    room->close += verdict == ORACLE_TOO_CLOSE;
    return verdict == ORACLE_TOO_CLOSE ? close_overlap(a, b) : verdict == ORACLE_OVERLAP;
}

static bool is_pair(ref_room *room, const ref_entity *a, const ref_entity *b)
{
    return filters_agree(&a->body, &b->body) && overlap(room, &a->body, &b->body);
}

/* For two that are no pair now: each as it was at the last tick, and as it is. */
static bool have_passed(ref_room *room, const ref_entity *a_was, const ref_entity *a, const ref_entity *b_was,
                        const ref_entity *b)
{
    if (a->teleported || b->teleported || !filters_agree(&a->body, &b->body)) {
        return false;
    }
    qd_body a_start = oracle_start(&a_was->body, &a->body, a->recast);
    qd_body b_start = oracle_start(&b_was->body, &b->body, b->recast);
    oracle_verdict verdict = oracle_sweep(&a_start, &a->body, &b_start, &b->body);
    if (verdict == ORACLE_APART || overlap(room, &a_was->body, &b_was->body)) {
        return false;
    }
    room->judged++;
    if (verdict == ORACLE_TOO_CLOSE) {
        room->close++;
        return close_passed(&(close_way){&a_was->body, &a->body, a->recast},
                            &(close_way){&b_was->body, &b->body, b->recast});
    }
    return true;
}

/* ---- entities ---- */

ref_entity *ref_born(const ref_crowd *crowd, uint32_t id, uint64_t birth)
{
    for (uint32_t i = 0; i < crowd->count; i++) {
        if (crowd->all[i].id == id && crowd->all[i].birth == birth) {
            return &crowd->all[i];
        }
    }
    return NULL;
}

/* ---- sizes as the protocol has them ---- */

#define SIZES 7

/* Half extents, radius, axis. Those that the shape lacks are 0. */
typedef struct form {
    uint8_t shape;
    float size[SIZES];
} form;

static const struct {
    uint32_t shapes; /* a bit for each that has the size */
    bool has_sign;
    int spawn, reshape; /* the number of the field */
} sizes[SIZES] = {
    {1u << QD_SPACE_BOX, false, 6, 3},      {1u << QD_SPACE_BOX, false, 7, 4},
    {1u << QD_SPACE_BOX, false, 8, 5},      {1u << QD_SPACE_CIRCLE | 1u << QD_SPACE_CAPSULE, false, 13, 9},
    {1u << QD_SPACE_CAPSULE, true, 14, 10}, {1u << QD_SPACE_CAPSULE, true, 15, 11},
    {1u << QD_SPACE_CAPSULE, true, 16, 12},
};

static const float *size_column(const qd_room_batch *batch, int k)
{
    const float *const columns[SIZES] = {batch->half_x, batch->half_y, batch->half_z, batch->radius,
                                         batch->axis_x, batch->axis_y, batch->axis_z};

    return columns[k];
}

static form form_of(const qd_body *body)
{
    form made = {.shape = body->shape};

    if (body->shape == QD_SPACE_CIRCLE) {
        made.size[3] = body->half_x;
        return made;
    }
    float *half = made.size + (body->shape == QD_SPACE_BOX ? 0 : 4);
    half[0] = body->half_x;
    half[1] = body->half_y;
    half[2] = body->half_z;
    made.size[3] = body->radius;
    return made;
}

static void give_form(qd_body *body, const form *given)
{
    const float *half = given->size + (given->shape == QD_SPACE_BOX ? 0 : 4);
    bool is_circle = given->shape == QD_SPACE_CIRCLE;

    body->shape = given->shape;
    body->half_x = is_circle ? given->size[3] : half[0];
    body->half_y = is_circle ? 0 : half[1];
    body->half_z = is_circle ? 0 : half[2];
    body->radius = is_circle ? 0 : given->size[3];
}

bool ref_has_sizes(const qd_room_batch *columns, uint32_t i, const qd_body *body)
{
    form is = form_of(body);

    for (int k = 0; k < SIZES; k++) {
        const float *column = size_column(columns, k);

        if ((column ? column[i] : 0) != is.size[k]) {
            return false;
        }
    }
    return columns->shape[i] == is.shape;
}

/* Shape, sizes and filter of the entry, where it has them. */
static int take_columns(const qd_room_batch *batch, uint32_t i, bool spawns, qd_body *body)
{
    form made = form_of(body);

    made.shape = batch->shape ? batch->shape[i] : made.shape;
    if (made.shape < QD_SPACE_BOX || made.shape > QD_SPACE_CAPSULE) {
        return REF_FAULT(QD_ROOM_UNKNOWN_SHAPE, spawns ? 9 : 6);
    }
    for (int k = 0; k < SIZES; k++) {
        const float *column = size_column(batch, k);
        bool has = sizes[k].shapes >> made.shape & 1;
        int field = spawns ? sizes[k].spawn : sizes[k].reshape;

        made.size[k] = column ? column[i] : has ? made.size[k] : 0;
        if (!isfinite(made.size[k])) {
            return REF_FAULT(QD_ROOM_NOT_FINITE, field);
        }
        if (!has && made.size[k] != 0) {
            return REF_FAULT(QD_ROOM_WRONG_COLUMN, field);
        }
        if (made.size[k] < 0 && !sizes[k].has_sign) {
            return REF_FAULT(QD_ROOM_NEGATIVE_SIZE, field);
        }
    }
    give_form(body, &made);
    body->category = batch->category ? batch->category[i] : body->category;
    body->mask = batch->mask ? batch->mask[i] : body->mask;
    return 0;
}

/* ---- commands ---- */

/* `x` is the number of that field. */
static int check_place(const float at[3], int x)
{
    for (int axis = 0; axis < 3; axis++) {
        if (!isfinite(at[axis])) {
            return REF_FAULT(QD_ROOM_NOT_FINITE, x + axis);
        }
    }
    return 0;
}

int ref_spawn(ref_room *room, ref_entity entity, const qd_room_batch *batch, uint32_t i)
{
    int refusal = check_place((const float[]){entity.body.x, entity.body.y, entity.body.z}, 3);

    if (!refusal) {
        refusal = take_columns(batch, i, true, &entity.body);
    }
    if (refusal) {
        return refusal;
    }
    if (ref_find(&room->now, entity.id)) {
        return QD_ROOM_ID_TAKEN;
    }
    if (room->now.count == room->config.entities_max) {
        return QD_ROOM_FULL;
    }
    entity.birth = ++room->births;
    entity.placed = room->ticks;
    *add(&room->now) = entity;
    return 0;
}

static void remove_one(ref_room *room, ref_entity *entity, uint8_t reason)
{
    entity->removed = reason;
    *add(&room->gone) = *entity;
    *entity = room->now.all[--room->now.count];
}

int ref_reach(ref_room *room, uint32_t member, uint32_t id, ref_entity **entity)
{
    *entity = ref_find(&room->now, id);
    if (!*entity) {
        return QD_ROOM_UNKNOWN_ID;
    }
    return (*entity)->owner == member || (*entity)->owner == QD_ROOM_OWNED ? 0 : QD_ROOM_NOT_OWNER;
}

int ref_place(ref_room *room, uint32_t member, uint32_t id, const float at[3], bool teleport, bool by_roster)
{
    ref_entity *entity;
    int refusal = ref_reach(room, member, id, &entity);

    if (refusal) {
        return refusal;
    }
    refusal = check_place(at, by_roster ? 4 : 3);
    if (refusal) {
        return refusal;
    }
    if (entity->body.x != at[0] || entity->body.y != at[1] || entity->body.z != at[2]) {
        entity->placed = room->ticks;
    }
    entity->body.x = at[0];
    entity->body.y = at[1];
    entity->body.z = at[2];
    entity->teleported |= teleport;
    return 0;
}

int ref_reshape(ref_room *room, uint32_t member, const qd_room_batch *batch, uint32_t i)
{
    ref_entity *entity;
    int refusal = ref_reach(room, member, batch->id[i], &entity);

    if (refusal) {
        return refusal;
    }
    qd_body body = entity->body;
    refusal = take_columns(batch, i, false, &body);
    if (refusal) {
        return refusal;
    }
    entity->body = body;
    const ref_entity *was = ref_born(&room->was, entity->id, entity->birth);
    entity->recast |= was && oracle_resized(&was->body, &body);
    return 0;
}

int ref_despawn(ref_room *room, uint32_t member, uint32_t id)
{
    ref_entity *entity;
    int refusal = ref_reach(room, member, id, &entity);

    if (!refusal) {
        remove_one(room, entity, QD_SPACE_DESPAWNED);
    }
    return refusal;
}

static void renew_own(ref_room *room, uint32_t member)
{
    if (member == QD_ROOM_OWNED) {
        return;
    }
    ref_member *row = &room->members[member];
    if (row->state == REF_LIVE && row->interest.own_only) {
        row->state = REF_DUE;
    }
}

/* The present owner of an entity owns it in the pairs of the last tick, too. */
static void reown(ref_room *room, ref_entity *entity, uint32_t member, uint32_t to)
{
    const ref_entity *was = ref_born(&room->was, entity->id, entity->birth);

    if (entity->owner == to) {
        return;
    }
    entity->owner = to;
    room->handed_over++;
    renew_own(room, member);
    renew_own(room, to);
    if (!was) {
        return;
    }
    room->was.all[was - room->was.all].owner = to;
    for (uint32_t i = 0; i < room->set.count; i++) {
        ref_pair *pair = &room->set.all[i];

        if (pair->key >> 32 == entity->id) {
            pair->owner[0] = to;
        }
        if ((uint32_t)pair->key == entity->id) {
            pair->owner[1] = to;
        }
    }
}

int ref_give(ref_room *room, uint32_t member, uint32_t id, uint32_t to)
{
    ref_entity *entity;
    int refusal = ref_reach(room, member, id, &entity);

    if (!refusal) {
        reown(room, entity, member, to);
    }
    return refusal;
}

uint32_t ref_adopt(ref_room *room, uint32_t from, uint32_t to)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < room->now.count; i++) {
        if (room->now.all[i].owner != from) {
            continue;
        }
        reown(room, &room->now.all[i], from, to);
        count++;
    }
    return count;
}

void ref_despawn_all(ref_room *room)
{
    while (room->now.count > 0) {
        remove_one(room, &room->now.all[room->now.count - 1], QD_SPACE_ROOM_CLOSED);
    }
    room->emptied = true;
}

static void remove_owned(ref_room *room, uint32_t owner, uint8_t reason)
{
    for (uint32_t i = room->now.count; i-- > 0;) {
        if (room->now.all[i].owner == owner) {
            remove_one(room, &room->now.all[i], reason);
        }
    }
}

void ref_expire(ref_room *room, uint64_t now_ns)
{
    for (uint32_t member = 0; member < REF_MEMBERS_MAX; member++) {
        if (room->members[member].gone && room->members[member].expire_ns <= now_ns) {
            remove_owned(room, member, QD_SPACE_EXPIRED);
            room->members[member].gone = false;
        }
    }
}

bool ref_holds_anything(const ref_room *room, uint32_t member)
{
    for (uint32_t i = 0; i < room->now.count; i++) {
        if (room->now.all[i].owner == member) {
            return true;
        }
    }
    for (uint32_t i = 0; i < room->was.count; i++) {
        if (room->was.all[i].owner == member) {
            return true;
        }
    }
    return false;
}

/* ---- ticks ---- */

/* Why a pair of the last tick is none now; each as it is now, or was when it was removed. */
static uint8_t reason_of(const ref_entity *a_was, const ref_entity *a, const ref_entity *b_was, const ref_entity *b)
{
    if (a->removed || b->removed) {
        if (a->removed && b->removed) {
            return a->removed < b->removed ? a->removed : b->removed;
        }
        return a->removed ? a->removed : b->removed;
    }
    if (!filters_agree(&a->body, &b->body)) {
        return QD_SPACE_FILTERED;
    }
    if (oracle_resized(&a_was->body, &a->body) || oracle_resized(&b_was->body, &b->body)) {
        return QD_SPACE_RESIZED;
    }
    return a->teleported || b->teleported ? QD_SPACE_TELEPORTED : QD_SPACE_MOVED_APART;
}

void ref_forget_gone(ref_room *room)
{
    room->gone.count = 0;
    room->emptied = false;
}

void ref_tick(ref_room *room)
{
    ref_crowd *now = &room->now, *was = &room->was;
    const ref_entity **after = calloc(was->count + 1, sizeof *after);
    const ref_entity **before = calloc(now->count + 1, sizeof *before);

    room->ends.count = room->begins.count = room->passed.count = room->stays.count = room->set.count = 0;
    for (uint32_t i = 0; i < was->count; i++) {
        after[i] = ref_born(now, was->all[i].id, was->all[i].birth);
        if (!after[i]) {
            after[i] = ref_born(&room->gone, was->all[i].id, was->all[i].birth);
        }
    }
    for (uint32_t i = 0; i < now->count; i++) {
        before[i] = ref_born(was, now->all[i].id, now->all[i].birth);
    }

    for (uint32_t i = 0; i < was->count; i++) {
        for (uint32_t j = 0; j < i; j++) {
            const ref_entity *a = after[i], *b = after[j];

            if (is_pair(room, &was->all[i], &was->all[j]) && (a->removed || b->removed || !is_pair(room, a, b))) {
                push(&room->ends, a, b,
                     room->emptied ? QD_SPACE_ROOM_CLOSED : reason_of(&was->all[i], a, &was->all[j], b));
            }
        }
    }
    for (uint32_t i = 0; i < now->count; i++) {
        for (uint32_t j = 0; j < i; j++) {
            bool both_were = before[i] && before[j];

            if (!is_pair(room, &now->all[i], &now->all[j])) {
                if (room->config.space.swept && both_were &&
                    have_passed(room, before[i], &now->all[i], before[j], &now->all[j])) {
                    push(&room->passed, &now->all[i], &now->all[j], 0);
                }
                continue;
            }
            bool known = both_were && is_pair(room, before[i], before[j]);
            push(known ? &room->stays : &room->begins, &now->all[i], &now->all[j], 0);
            push(&room->set, &now->all[i], &now->all[j], 0);
        }
    }
    ref_pairs *lists[] = {&room->ends, &room->begins, &room->passed, &room->stays, &room->set};
    for (int i = 0; i < 5; i++) {
        if (lists[i]->count > 0) {
            qsort(lists[i]->all, lists[i]->count, sizeof(ref_pair), by_key);
        }
    }

    was->count = 0;
    ref_forget_gone(room);
    for (uint32_t i = 0; i < now->count; i++) {
        now->all[i].teleported = now->all[i].recast = false;
        *add(was) = now->all[i];
    }
    free(after);
    free(before);
}

/* ---- subscriptions ---- */

bool ref_in_scope(const ref_room *room, uint32_t member, const ref_pair *pair)
{
    return !room->members[member].interest.own_only || pair->owner[0] == member || pair->owner[1] == member;
}

void ref_serve(ref_room *room, bool catch_up, ref_news news[REF_MEMBERS_MAX])
{
    bool live = false, stays = false;

    for (uint32_t i = 0; i < REF_MEMBERS_MAX; i++) {
        live |= room->members[i].state == REF_LIVE;
        stays |= room->members[i].state == REF_LIVE && room->members[i].interest.stays;
    }
    uint64_t events =
        (uint64_t)room->ends.count + room->begins.count + room->passed.count + (stays ? room->stays.count : 0);
    bool fits = events <= room->config.events_max;
    bool set_fits = room->set.count <= room->config.events_max;
    if (live && fits && !catch_up) {
        room->begins_counted += room->begins.count;
        room->ends_counted += room->ends.count;
        room->passed_counted += room->passed.count;
    }
    for (uint32_t i = 0; i < REF_MEMBERS_MAX; i++) {
        ref_member *member = &room->members[i];
        ref_state before = member->state;

        news[i] = REF_NOTHING;
        if (before == REF_LIVE && !catch_up) {
            news[i] = fits ? REF_EVENTS : REF_SUSPENSION;
            member->state = fits ? REF_LIVE : REF_SUSPENDED;
        } else if (before == REF_DUE || (before == REF_SUSPENDED && !catch_up && set_fits)) {
            news[i] = set_fits ? REF_RESET : REF_SUSPENSION;
            member->state = set_fits ? REF_LIVE : REF_SUSPENDED;
        }
    }
}
