/* SPDX-License-Identifier: Apache-2.0
 *
 * A room as plainly as it can be said, for tests/model/room_model.c: arrays, double loops, sorting by qsort. It shares
 * no code with server/, and knows overlap, filters, reasons, refusals and subscriptions from proto/quadrille.proto.
 */
#ifndef QD_TESTS_MODEL_ROOM_REFERENCE_H
#define QD_TESTS_MODEL_ROOM_REFERENCE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "server/room/room.h"

#define REF_MEMBERS_MAX 256u

typedef struct ref_entity {
    uint32_t id, owner;
    uint64_t birth; /* tells an entity from another of the same id */
    float x, y, half_x, half_y;
    uint32_t category, mask;
    uint8_t shape;
    uint8_t removed; /* the reason */
    bool teleported; /* since the last tick */
} ref_entity;

typedef struct ref_crowd {
    ref_entity *all;
    uint32_t count, capacity;
} ref_crowd;

typedef struct ref_pair {
    uint64_t key;      /* a << 32 | b */
    uint32_t owner[2]; /* of a and b */
    uint8_t reason;
} ref_pair;

typedef struct ref_pairs {
    ref_pair *all;
    uint32_t count, capacity;
} ref_pairs;

typedef enum ref_state { REF_NONE, REF_DUE, REF_LIVE, REF_SUSPENDED, REF_LOST } ref_state;

typedef struct ref_member {
    bool present, gone; /* gone: left, and its grace still runs or something of it is left */
    uint64_t expire_ns;
    ref_state state;
    qd_room_interest interest;
} ref_member;

typedef struct ref_room {
    qd_room_config config;
    ref_crowd now, was, gone; /* gone: of `was`, removed since, as they were when it happened */
    ref_member members[REF_MEMBERS_MAX];
    uint64_t births;
    bool emptied;                          /* everything was removed since the last tick, as when a room closes */
    ref_pairs ends, begins, stays, set;    /* of the last tick */
    uint64_t begins_counted, ends_counted; /* at ticks at which somebody was live */
} ref_room;

/* ---- arrays ---- */

static inline ref_entity *ref_add(ref_crowd *crowd)
{
    if (crowd->count == crowd->capacity) {
        crowd->capacity = crowd->capacity ? 2 * crowd->capacity : 16;
        crowd->all = realloc(crowd->all, crowd->capacity * sizeof crowd->all[0]);
    }
    return &crowd->all[crowd->count++];
}

static inline void ref_push(ref_pairs *pairs, const ref_entity *one, const ref_entity *other, uint8_t reason)
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

static inline int ref_by_key(const void *a, const void *b)
{
    uint64_t one = ((const ref_pair *)a)->key, other = ((const ref_pair *)b)->key;
    return one < other ? -1 : one > other;
}

static inline int ref_by_id(const void *a, const void *b)
{
    uint32_t one = ((const ref_entity *)a)->id, other = ((const ref_entity *)b)->id;
    return one < other ? -1 : one > other;
}

static inline ref_entity *ref_find(const ref_crowd *crowd, uint32_t id)
{
    for (uint32_t i = 0; i < crowd->count; i++) {
        if (crowd->all[i].id == id)
            return &crowd->all[i];
    }
    return NULL;
}

static inline void ref_free(ref_room *room)
{
    free(room->now.all);
    free(room->was.all);
    free(room->gone.all);
    free(room->ends.all);
    free(room->begins.all);
    free(room->stays.all);
    free(room->set.all);
}

/* ---- what a pair is ---- */

typedef struct ref_box {
    float low[2], high[2];
} ref_box;

static inline ref_box ref_box_of(float x, float y, float half_x, float half_y)
{
    return (ref_box){{(float)(x - half_x), (float)(y - half_y)}, {(float)(x + half_x), (float)(y + half_y)}};
}

static inline bool ref_boxes_touch(ref_box a, ref_box b)
{
    for (int axis = 0; axis < 2; axis++) {
        if (a.high[axis] < b.low[axis] || b.high[axis] < a.low[axis])
            return false;
    }
    return true;
}

static inline double ref_square(double value)
{
    return value * value;
}

static inline bool ref_circle_touches_box(const ref_entity *circle, ref_box box)
{
    double at[2] = {circle->x, circle->y}, distance[2];

    for (int axis = 0; axis < 2; axis++)
        distance[axis] = fmax(0, fmax((double)box.low[axis] - at[axis], at[axis] - (double)box.high[axis]));
    return ref_square(distance[0]) + ref_square(distance[1]) <= ref_square(circle->half_x);
}

static inline bool ref_shapes_touch(const ref_entity *a, const ref_entity *b)
{
    bool a_round = a->shape == QD_SPACE_CIRCLE, b_round = b->shape == QD_SPACE_CIRCLE;

    if (a_round && b_round) {
        return ref_square((double)a->x - (double)b->x) + ref_square((double)a->y - (double)b->y) <=
               ref_square((double)a->half_x + (double)b->half_x);
    }
    if (a_round)
        return ref_circle_touches_box(a, ref_box_of(b->x, b->y, b->half_x, b->half_y));
    if (b_round)
        return ref_circle_touches_box(b, ref_box_of(a->x, a->y, a->half_x, a->half_y));
    return ref_boxes_touch(ref_box_of(a->x, a->y, a->half_x, a->half_y), ref_box_of(b->x, b->y, b->half_x, b->half_y));
}

static inline bool ref_filters_agree(const ref_entity *a, const ref_entity *b)
{
    return (a->category & b->mask) != 0 && (b->category & a->mask) != 0;
}

static inline bool ref_is_pair(const ref_entity *a, const ref_entity *b)
{
    return ref_filters_agree(a, b) && ref_shapes_touch(a, b);
}

/* ---- entities ---- */

static inline int ref_spawn(ref_room *room, ref_entity entity)
{
    if (!isfinite(entity.x) || !isfinite(entity.y) || !isfinite(entity.half_x) || !isfinite(entity.half_y))
        return QD_ROOM_NOT_FINITE;
    if (entity.half_x < 0 || entity.half_y < 0)
        return QD_ROOM_NEGATIVE_SIZE;
    if (entity.shape != QD_SPACE_BOX && entity.shape != QD_SPACE_CIRCLE)
        return QD_ROOM_UNKNOWN_SHAPE;
    if (ref_find(&room->now, entity.id))
        return QD_ROOM_ID_TAKEN;
    if (room->now.count == room->config.entities_max)
        return QD_ROOM_FULL;
    entity.birth = ++room->births;
    *ref_add(&room->now) = entity;
    return 0;
}

static inline void ref_remove(ref_room *room, ref_entity *entity, uint8_t reason)
{
    entity->removed = reason;
    *ref_add(&room->gone) = *entity;
    *entity = room->now.all[--room->now.count];
}

/* The entity that the member may change, or why not. */
static inline int ref_reach(ref_room *room, uint32_t member, uint32_t id, ref_entity **entity)
{
    *entity = ref_find(&room->now, id);
    if (!*entity)
        return QD_ROOM_UNKNOWN_ID;
    return (*entity)->owner == member || (*entity)->owner == QD_ROOM_OWNED ? 0 : QD_ROOM_NOT_OWNER;
}

static inline int ref_place(ref_room *room, uint32_t member, uint32_t id, float x, float y, bool teleport)
{
    ref_entity *entity;
    int refusal = ref_reach(room, member, id, &entity);

    if (refusal)
        return refusal;
    if (!isfinite(x) || !isfinite(y))
        return QD_ROOM_NOT_FINITE;
    entity->x = x;
    entity->y = y;
    entity->teleported |= teleport;
    return 0;
}

static inline int ref_reshape(ref_room *room, uint32_t member, const qd_room_batch *batch, uint32_t i)
{
    ref_entity *entity;
    int refusal = ref_reach(room, member, batch->id[i], &entity);

    if (refusal)
        return refusal;
    if ((batch->half_x && !isfinite(batch->half_x[i])) || (batch->half_y && !isfinite(batch->half_y[i])))
        return QD_ROOM_NOT_FINITE;
    if ((batch->half_x && batch->half_x[i] < 0) || (batch->half_y && batch->half_y[i] < 0))
        return QD_ROOM_NEGATIVE_SIZE;
    if (batch->shape && (batch->shape[i] < QD_SPACE_BOX || batch->shape[i] > QD_SPACE_CIRCLE))
        return QD_ROOM_UNKNOWN_SHAPE;
    if (batch->half_x)
        entity->half_x = batch->half_x[i];
    if (batch->half_y)
        entity->half_y = batch->half_y[i];
    if (batch->shape)
        entity->shape = batch->shape[i];
    if (batch->category)
        entity->category = batch->category[i];
    if (batch->mask)
        entity->mask = batch->mask[i];
    return 0;
}

static inline void ref_remove_owned(ref_room *room, uint32_t owner, uint8_t reason)
{
    for (uint32_t i = room->now.count; i-- > 0;) {
        if (room->now.all[i].owner == owner)
            ref_remove(room, &room->now.all[i], reason);
    }
}

static inline void ref_expire(ref_room *room, uint64_t now_ns)
{
    for (uint32_t member = 0; member < REF_MEMBERS_MAX; member++) {
        if (room->members[member].gone && room->members[member].expire_ns <= now_ns) {
            ref_remove_owned(room, member, QD_SPACE_EXPIRED);
            room->members[member].gone = false;
        }
    }
}

/* Whether anything of this member is still there: its entities, or pairs of them that have yet to end. */
static inline bool ref_holds_anything(const ref_room *room, uint32_t member)
{
    for (uint32_t i = 0; i < room->now.count; i++) {
        if (room->now.all[i].owner == member)
            return true;
    }
    for (uint32_t i = 0; i < room->was.count; i++) {
        if (room->was.all[i].owner == member)
            return true;
    }
    return false;
}

/* ---- ticks ---- */

static inline const ref_entity *ref_born(const ref_crowd *crowd, uint32_t id, uint64_t birth)
{
    for (uint32_t i = 0; i < crowd->count; i++) {
        if (crowd->all[i].id == id && crowd->all[i].birth == birth)
            return &crowd->all[i];
    }
    return NULL;
}

static inline bool ref_resized(const ref_entity *was, const ref_entity *now)
{
    return was->shape != now->shape || was->half_x != now->half_x ||
           (now->shape == QD_SPACE_BOX && was->half_y != now->half_y);
}

/* Why a pair of the last tick is none now; each as it is now, or was when it was removed. */
static inline uint8_t ref_reason(const ref_entity *a_was, const ref_entity *a, const ref_entity *b_was,
                                 const ref_entity *b)
{
    if (a->removed || b->removed) {
        if (a->removed && b->removed)
            return a->removed < b->removed ? a->removed : b->removed;
        return a->removed ? a->removed : b->removed;
    }
    if (!ref_filters_agree(a, b))
        return QD_SPACE_FILTERED;
    if (ref_resized(a_was, a) || ref_resized(b_was, b))
        return QD_SPACE_RESIZED;
    return a->teleported || b->teleported ? QD_SPACE_TELEPORTED : QD_SPACE_MOVED_APART;
}

/* The events between `was` and `now`; then now is was. */
static inline void ref_tick(ref_room *room)
{
    ref_crowd *now = &room->now, *was = &room->was;
    const ref_entity **after = calloc(was->count + 1, sizeof *after);
    const ref_entity **before = calloc(now->count + 1, sizeof *before);

    room->ends.count = room->begins.count = room->stays.count = room->set.count = 0;
    for (uint32_t i = 0; i < was->count; i++) {
        after[i] = ref_born(now, was->all[i].id, was->all[i].birth);
        if (!after[i])
            after[i] = ref_born(&room->gone, was->all[i].id, was->all[i].birth);
    }
    for (uint32_t i = 0; i < now->count; i++)
        before[i] = ref_born(was, now->all[i].id, now->all[i].birth);

    for (uint32_t i = 0; i < was->count; i++) {
        for (uint32_t j = 0; j < i; j++) {
            const ref_entity *a = after[i], *b = after[j];
            if (ref_is_pair(&was->all[i], &was->all[j]) && (a->removed || b->removed || !ref_is_pair(a, b)))
                ref_push(&room->ends, a, b,
                         room->emptied ? QD_SPACE_ROOM_CLOSED : ref_reason(&was->all[i], a, &was->all[j], b));
        }
    }
    for (uint32_t i = 0; i < now->count; i++) {
        for (uint32_t j = 0; j < i; j++) {
            if (!ref_is_pair(&now->all[i], &now->all[j]))
                continue;
            bool known = before[i] && before[j] && ref_is_pair(before[i], before[j]);
            ref_push(known ? &room->stays : &room->begins, &now->all[i], &now->all[j], 0);
            ref_push(&room->set, &now->all[i], &now->all[j], 0);
        }
    }
    ref_pairs *lists[] = {&room->ends, &room->begins, &room->stays, &room->set};
    for (int i = 0; i < 4; i++) {
        if (lists[i]->count > 0)
            qsort(lists[i]->all, lists[i]->count, sizeof(ref_pair), ref_by_key);
    }

    was->count = room->gone.count = 0;
    room->emptied = false;
    for (uint32_t i = 0; i < now->count; i++) {
        now->all[i].teleported = false;
        *ref_add(was) = now->all[i];
    }
    free(after);
    free(before);
}

/* ---- subscriptions ---- */

/* What a subscription gets. */
typedef enum ref_news { REF_NOTHING, REF_EVENTS, REF_RESET, REF_SUSPENSION } ref_news;

static inline bool ref_in_scope(const ref_room *room, uint32_t member, const ref_pair *pair)
{
    return !room->members[member].interest.own_only || pair->owner[0] == member || pair->owner[1] == member;
}

/* The news of each member at a tick (between ticks with catch_up), and the state that it leaves them in. */
static inline void ref_serve(ref_room *room, bool catch_up, ref_news news[REF_MEMBERS_MAX])
{
    bool live = false, stays = false;

    for (uint32_t i = 0; i < REF_MEMBERS_MAX; i++) {
        live |= room->members[i].state == REF_LIVE;
        stays |= room->members[i].state == REF_LIVE && room->members[i].interest.stays;
    }
    uint64_t events = (uint64_t)room->ends.count + room->begins.count + (stays ? room->stays.count : 0);
    bool fits = events <= room->config.events_max;
    bool set_fits = room->set.count <= room->config.events_max;
    if (live && fits && !catch_up) {
        room->begins_counted += room->begins.count;
        room->ends_counted += room->ends.count;
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

#endif
