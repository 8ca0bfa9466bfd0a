/* SPDX-License-Identifier: Apache-2.0
 *
 * A room: entities by their clients' ids, who owns them, a space over them, and its subscriptions. Plain commands in,
 * plain events out: it knows no sockets, threads, protobuf or clock (times are given to it).
 *
 *     commands (any number)  ->  qd_room_tick  ->  qd_room_next_report, until false  ->  commands ...
 *
 * It also keeps the contract of the event stream (proto/quadrille.proto, Tick): who is live, who needs a reset, who is
 * suspended. One thread at a time: whoever runs the room.
 */
#ifndef QD_ROOM_ROOM_H
#define QD_ROOM_ROOM_H

#include "../space/space.h"

typedef struct qd_room qd_room;

typedef struct qd_room_config {
    qd_space_config space;   /* its bodies_max follows from entities_max, and is the room's to set */
    uint32_t entities_max;   /* 1 to QD_SPACE_SLOTS_MAX */
    uint32_t events_max;     /* at least 1 */
    uint32_t observers_max;  /* 0: nobody may observe */
    uint32_t sightings_max;  /* of all observers together (views.h, TOO MANY) */
    uint32_t roster_ids_max; /* of one member's rosters together; 0: it may have none */
    uint64_t grace_ns;       /* that entities stay when their owner has left */
} qd_room_config;

/* The heap is the room's own and outlives it; it counts all the room's memory. `salt` makes its hashes unforeseeable
 * for peers and changes no result. QD_ERR_INVALID where the config of the space is not as space.h says;
 * QD_ERR_NO_MEMORY. */
qd_status qd_room_create(const qd_room_config *config, qd_heap *heap, uint64_t salt, qd_room **room) QD_MUST_USE;
void qd_room_destroy(qd_room *room);

/* ---- members ---- */

/* A member is a session in the room. Its number is given to another one only when nothing of it is left. */
#define QD_ROOM_MEMBERS_MAX (1u << 20)
#define QD_ROOM_OWNED       UINT32_MAX       /* the owner of what belongs to the room itself */
#define QD_ROOM_ANYBODY     (UINT32_MAX - 1) /* whoever the owner is */

/* QD_ERR_FULL above QD_ROOM_MEMBERS_MAX; QD_ERR_NO_MEMORY. */
qd_status qd_room_join(qd_room *room, uint32_t *member) QD_MUST_USE;
/* Its subscription ends, its rosters go; its entities expire grace_ns later. */
void qd_room_leave(qd_room *room, uint32_t member, uint64_t now_ns);
/* When qd_room_expire has something to do next; QD_NEVER: nothing, as things are. */
uint64_t qd_room_due_ns(const qd_room *room);
/* Removes the entities of members whose grace has run out. */
void qd_room_expire(qd_room *room, uint64_t now_ns);

/* ---- batches ---- */

/* Columns of `count` entries; which may be NULL is said at the commands. In two dimensions z and half_z are NULL; in
 * three z goes where x goes. */
typedef struct qd_room_batch {
    uint32_t count;
    const uint32_t *id;
    const float *x, *y, *z;
    const float *half_x, *half_y, *half_z;
    const float *radius;
    const uint8_t *shape;
    const uint32_t *category, *mask;
} qd_room_batch;

/* Why an entry was refused. Numbers as in quadrille.proto's ErrorCode. */
typedef enum qd_room_refusal {
    QD_ROOM_UNKNOWN_ID = 32,
    QD_ROOM_ID_TAKEN = 33,
    QD_ROOM_NOT_OWNER = 34,
    QD_ROOM_NOT_FINITE = 35,
    QD_ROOM_NEGATIVE_SIZE = 36,
    QD_ROOM_UNKNOWN_SHAPE = 37,
    QD_ROOM_FULL = 38,
} qd_room_refusal;

#define QD_ROOM_REFUSALS_MAX 64u

/* The first refused entries of a batch, ascending, and how many there were in all. */
typedef struct qd_room_refusals {
    uint32_t count;
    uint32_t listed;
    uint32_t index[QD_ROOM_REFUSALS_MAX];
    uint8_t code[QD_ROOM_REFUSALS_MAX]; /* qd_room_refusal */
} qd_room_refusals;

/* Each applies what it can, in order, and reports the rest in *refusals (which it first empties).
 * spawn: id, x, y needed; sizes default to 0, shape to box, category to 1, mask to all. `room_owned`: the room owns
 * them. move, teleport: id, x, y. reshape: id; absent columns leave values as they are, and an entry is refused by what
 * the entity would become. despawn: id. */
void qd_room_spawn(qd_room *room, uint32_t member, const qd_room_batch *batch, bool room_owned,
                   qd_room_refusals *refusals);
void qd_room_move(qd_room *room, uint32_t member, const qd_room_batch *batch, qd_room_refusals *refusals);
void qd_room_teleport(qd_room *room, uint32_t member, const qd_room_batch *batch, qd_room_refusals *refusals);
void qd_room_reshape(qd_room *room, uint32_t member, const qd_room_batch *batch, qd_room_refusals *refusals);
void qd_room_despawn(qd_room *room, uint32_t member, const qd_room_batch *batch, qd_room_refusals *refusals);
/* Removes every entity. A tick then ends all pairs, with the reason that the room is closed, whatever else happened to
 * them since the last one. */
void qd_room_despawn_all(qd_room *room);

/* ---- rosters: ids that a member names once, and moves without naming them again ---- */

#define QD_ROOM_ROSTERS_MAX 256u /* of one member; enough for any way to sort its entities, and few to look through */

/* Entries from `first` on become these ids; those before stay, and with keep_rest those behind. Where none are left,
 * there is no such roster any more. */
typedef struct qd_room_roster {
    uint32_t number; /* below QD_ROOM_ROSTERS_MAX */
    uint32_t first;
    uint32_t count;
    const uint32_t *id; /* need not be in the room, nor differ */
    bool keep_rest;
} qd_room_roster;

/* QD_ERR_INVALID: `first` is behind the last entry; QD_ERR_FULL: roster_ids_max; QD_ERR_NO_MEMORY. All change nothing.
 */
qd_status qd_room_roster_name(qd_room *room, uint32_t member, const qd_room_roster *roster) QD_MUST_USE;
/* The ids of a roster, valid until it is named anew; NULL and 0 where there is none. */
const uint32_t *qd_room_roster_ids(const qd_room *room, uint32_t member, uint32_t number, uint32_t *count);

/* Positions of the roster's entries from `first` on. */
typedef struct qd_room_roster_places {
    uint32_t number;
    uint32_t first;
    uint32_t count;
    const float *x, *y, *z; /* z: NULL in two dimensions */
    bool teleport;          /* by qd_room_teleport, else by qd_room_move */
} qd_room_roster_places;

/* As qd_room_move or qd_room_teleport with the ids of these entries, in every respect. QD_ERR_NOT_FOUND: there is no
 * such roster; QD_ERR_INVALID: it has no such entries. Both change nothing, and refuse no entry. */
qd_status qd_room_roster_place(qd_room *room, uint32_t member, const qd_room_roster_places *places,
                               qd_room_refusals *refusals) QD_MUST_USE;

/* ---- owners ---- */

/* Gives entities that the member owns, or the room, to member `to`, who is in the room, or to the room (QD_ROOM_OWNED).
 * No event comes of it; but subscriptions of own pairs, of both members, get a reset, at the next qd_room_catch_up or
 * tick, and so do those who watch their own (views.h). Returns how many have another owner now, their ids in given[],
 * which has room for all, unless it is NULL. */
uint32_t qd_room_give(qd_room *room, uint32_t member, const uint32_t *id, uint32_t count, uint32_t to, uint32_t *given,
                      qd_room_refusals *refusals);
/* The same for all that `from` owns, whether it is in the room or has left, in no order. */
uint32_t qd_room_adopt(qd_room *room, uint32_t from, uint32_t to, uint32_t *given);
/* How many entities that number owns: a member in the room, one that has left, or none. */
uint32_t qd_room_owned_count(const qd_room *room, uint32_t member);

/* ---- subscriptions: one a member ---- */

/* Where a tick has more events than events_max (passed included, and stays, when a live subscription wants them), all
 * live subscriptions are suspended; where the set of pairs is larger, those whose reset is due. All pairs of the room
 * count, for own_only too. A suspended one gets a reset at the first later tick whose set fits.
 */

typedef struct qd_room_interest {
    bool own_only; /* only pairs of which the member owns an entity */
    bool stays;
} qd_room_interest;

/* Starts, or starts anew; a reset report is due, at the next qd_room_catch_up or tick. */
void qd_room_subscribe(qd_room *room, uint32_t member, qd_room_interest interest);
void qd_room_unsubscribe(qd_room *room, uint32_t member);
/* A report could not be delivered: the subscription gets nothing until qd_room_resume. */
void qd_room_lost(qd_room *room, uint32_t member);
/* The same, where what was delivered may not have arrived either: all after that tick may be missing. */
void qd_room_missed(qd_room *room, uint32_t member, uint64_t told_tick);
/* It can take reports again: a reset is due, as after subscribe. Without effect unless lost. */
void qd_room_resume(qd_room *room, uint32_t member);

/* ---- ticks and reports ---- */

/* Pairs of ids, a < b, ordered by (a, b). */
typedef struct qd_room_pairs {
    uint32_t count;
    const uint32_t *a, *b;
} qd_room_pairs;

/* What one subscription gets. Valid until the next call on the room. */
typedef struct qd_room_report {
    uint32_t member;
    /* Not 0: all reports of this round with the same number have the same contents, so that they are encoded once. */
    uint32_t share;
    uint64_t tick;
    uint32_t skipped;
    bool reset;               /* begins are the whole set */
    uint64_t merged_ticks;    /* with reset: the last so many ticks, this one included, were lost (qd_room_lost) */
    bool passed_lost;         /* with merged_ticks: pairs may have passed at them */
    bool suspended;           /* no pairs; once, until a reset */
    uint64_t suspended_count; /* with suspended: events_max + 1, which is how far was counted */
    qd_room_pairs ends;
    const uint8_t *end_reason; /* qd_space_reason, ends.count of them */
    qd_room_pairs begins;
    qd_room_pairs passed; /* in swept rooms, and never with a reset */
    qd_room_pairs stays;
} qd_room_report;

/* Before a tick, if there is time: has what it looks at first on its way into the cache. */
void qd_room_fetch(const qd_room *room);

/* One tick. `skipped`: ticks left out before it; they count in the tick's number. Reports follow: for every live
 * subscription with news, and for every one whose reset was due (with the set at this tick). */
void qd_room_tick(qd_room *room, const qd_executor *executor, uint32_t skipped);
/* Serves the resets that are due now, with the set at the last tick, between ticks. Cheap when none are. */
void qd_room_catch_up(qd_room *room, const qd_executor *executor);
/* The reports of the last tick or catch-up, one at a time; false at the end. They may be left unread: that is as if
 * they had been delivered. */
bool qd_room_next_report(qd_room *room, qd_room_report *report);

/* ---- looking ---- */

typedef struct qd_room_stats {
    uint64_t tick; /* the last one done; 0 before the first */
    uint32_t entities;
    uint32_t members; /* not those that left */
    uint32_t subscriptions;
    uint64_t updates;              /* entries applied */
    uint64_t begins, ends, passed; /* counted at ticks with a live subscription */
    uint64_t pairs;                /* at the last tick; 0 while nobody is live */
    uint64_t ticks_skipped;
    uint32_t depth;
    qd_space_index index; /* the one at work */
    uint32_t index_changes;
} qd_room_stats;

void qd_room_stats_get(const qd_room *room, qd_room_stats *stats);
/* Of these figures those that are asked for at every tick, which cost next to nothing. */
uint64_t qd_room_last_tick(const qd_room *room);
uint32_t qd_room_entity_count(const qd_room *room);
uint64_t qd_room_events_count(const qd_room *room); /* begins, ends and passed together */

/* A box; in two dimensions both z are 0. */
typedef struct qd_room_region {
    float min_x, min_y, min_z, max_x, max_y, max_z;
} qd_room_region;

/* The entities of that owner (a member, QD_ROOM_OWNED or QD_ROOM_ANYBODY) as they are now, by ascending id, at most
 * `limit`: those whose bounding box touches `region`, or all where it is NULL. Columns belong to the room and are valid
 * until the next call on it; radius is NULL where it is 0 for all. *more: there were more than the limit.
 * QD_ERR_NO_MEMORY. */
qd_status qd_room_snapshot(qd_room *room, uint32_t owner, const qd_room_region *region, uint32_t limit,
                           qd_room_batch *columns, bool *more) QD_MUST_USE;

/* What a query finds, as of the last tick: ordered by (distance, id), in regions by id. Columns belong to the room and
 * are valid until the next call on it. */
typedef struct qd_room_found {
    uint32_t count;
    const uint32_t *id;
    const double *distance; /* qd_space_hit.at */
    bool more;              /* than the limit */
} qd_room_found;

/* The query's `names` are the room's to fill. QD_ERR_NO_MEMORY. */
qd_status qd_room_query(qd_room *room, const qd_space_query *query, qd_room_found *found) QD_MUST_USE;

#endif
