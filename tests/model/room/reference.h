/* SPDX-License-Identifier: Apache-2.0
 *
 * The plainest possible room: arrays, double loops, sorting by qsort. It shares no code with server/room, and
 * knows filters, reasons, refusals and subscriptions from proto/SPEC.md; support/oracle.h knows the geometry.
 */
#ifndef QD_TESTS_MODEL_ROOM_REFERENCE_H
#define QD_TESTS_MODEL_ROOM_REFERENCE_H

#include "server/room/room_views.h"

#define REF_MEMBERS_MAX 256u

typedef struct ref_entity {
    uint32_t id, owner;
    uint64_t birth; /* differs between entities with the same id */
    qd_body body;
    uint8_t removed; /* the reason */
    bool teleported; /* since the last tick */
    bool recast;     /* had another shape since the last tick than it had then */
    /* For views: the count of ticks before it was last given another place, and what it was described as. */
    uint64_t placed, tag;
    uint32_t team;
    float visible_range;
    bool hidden;
    uint8_t payload_size, payload[QD_VIEW_PAYLOAD_MAX];
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
    uint64_t births, ticks;
    uint32_t handed_over;                       /* how many changes of owners there were */
    bool emptied;                               /* everything was removed since the last tick, as when a room closes */
    ref_pairs ends, begins, passed, stays, set; /* of the last tick */
    uint64_t begins_counted, ends_counted, passed_counted; /* at ticks at which somebody was live */
    uint64_t judged, close; /* pairs that the oracle did not find apart, and those of them too close to call */
} ref_room;

void ref_free(ref_room *room);
/* NULL: there is none. */
ref_entity *ref_find(const ref_crowd *crowd, uint32_t id);
ref_entity *ref_born(const ref_crowd *crowd, uint32_t id, uint64_t birth);
/* The entity that the member may change, or why not. */
int ref_reach(ref_room *room, uint32_t member, uint32_t id, ref_entity **entity);
int ref_by_id(const void *a, const void *b);

/* ---- entities: 0, or why it is refused ---- */

/* A refusal, and the number of the field that it names. */
#define REF_FAULT(code, field) ((int)(code) + 256 * (field))

/* The entity has its id, owner and place; shape, sizes and filter are the entry's. */
int ref_spawn(ref_room *room, ref_entity entity, const qd_room_batch *batch, uint32_t i);
int ref_place(ref_room *room, uint32_t member, uint32_t id, const float at[3], bool teleport, bool by_roster);
int ref_reshape(ref_room *room, uint32_t member, const qd_room_batch *batch, uint32_t i);
int ref_despawn(ref_room *room, uint32_t member, uint32_t id);

/* Whether the columns give the body's shape and sizes. An absent column is all 0. */
bool ref_has_sizes(const qd_room_batch *columns, uint32_t i, const qd_body *body);
/* Subscriptions of own pairs are due for a reset where anything changed its owner. */
int ref_give(ref_room *room, uint32_t member, uint32_t id, uint32_t to);
uint32_t ref_adopt(ref_room *room, uint32_t from, uint32_t to);
void ref_despawn_all(ref_room *room);
void ref_expire(ref_room *room, uint64_t now_ns);
/* Whether anything of this member is still there: its entities, or pairs of them that have yet to end. */
bool ref_holds_anything(const ref_room *room, uint32_t member);

/* ---- ticks and subscriptions ---- */

/* The events between `was` and `now`; then now is was. */
void ref_tick(ref_room *room);
/* Ends a tick at which only views are asked for. */
void ref_forget_gone(ref_room *room);

/* The frame that a subscription gets. */
typedef enum ref_news { REF_NOTHING, REF_EVENTS, REF_RESET, REF_SUSPENSION } ref_news;

bool ref_in_scope(const ref_room *room, uint32_t member, const ref_pair *pair);
/* The news of each member at a tick (between ticks with catch_up), and the state that it leaves them in. */
void ref_serve(ref_room *room, bool catch_up, ref_news news[REF_MEMBERS_MAX]);

#endif
