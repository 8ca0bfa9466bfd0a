/* SPDX-License-Identifier: Apache-2.0
 *
 * The values that go into a room and come out of it: configuration, batches, refusals, rosters, subscriptions and
 * reports. room.h has the functions.
 *
 * Arrays that the caller passes are read during the call only. Arrays in results belong to the room, and are valid
 * until the next call on it.
 */
#ifndef QD_ROOM_COMMON_ROOM_TYPES_H
#define QD_ROOM_COMMON_ROOM_TYPES_H

#include "../../../proto/messages.h"
#include "../../space/space.h"

typedef struct qd_room_config {
    qd_space_config space;        /* the room sets bodies_max itself, from entities_max */
    uint32_t entities_max;        /* 1 to QD_SPACE_SLOTS_MAX */
    uint32_t events_max;          /* pairs per tick, 1 or more */
    uint32_t observers_max;       /* 0: the room allows no observers */
    uint32_t visible_entries_max; /* visible entries of all observers together (room_views.h, LIMIT) */
    uint32_t roster_ids_max;      /* ids in the rosters of one member; 0: the room allows no rosters */
    uint64_t grace_ns;            /* how long entities stay after their owner has left, in ns */
} qd_room_config;

/* ---- members ---- */

#define QD_ROOM_MEMBERS_MAX (1u << 20)
#define QD_ROOM_OWNED       UINT32_MAX       /* the owner of entities that belong to the room */
#define QD_ROOM_ANYBODY     (UINT32_MAX - 1) /* in a snapshot: any owner */

/* ---- batches ---- */

/* Columns of `count` entries. Each command says which columns may be NULL. In two dimensions z, half_z and axis_z are
 * NULL; in three dimensions every command that needs x and y needs z, too. `shape` is a qd_space_shape. */
typedef qd_msg_entities qd_room_batch;

/* `count` entries from `first` on. */
static inline qd_room_batch qd_room_batch_part(const qd_room_batch *batch, uint32_t first, uint32_t count)
{
#define QD_FROM(column) (batch->column != NULL ? batch->column + first : NULL)
    return (qd_room_batch){
        .count = count,
        .id = QD_FROM(id),
        .x = QD_FROM(x),
        .y = QD_FROM(y),
        .z = QD_FROM(z),
        .half_x = QD_FROM(half_x),
        .half_y = QD_FROM(half_y),
        .half_z = QD_FROM(half_z),
        .radius = QD_FROM(radius),
        .axis_x = QD_FROM(axis_x),
        .axis_y = QD_FROM(axis_y),
        .axis_z = QD_FROM(axis_z),
        .shape = QD_FROM(shape),
        .category = QD_FROM(category),
        .mask = QD_FROM(mask),
    };
#undef QD_FROM
}

/* Why an entry was refused. The numbers are those of ErrorCode in quadrille.proto. */
typedef enum qd_room_refusal {
    QD_ROOM_UNKNOWN_ID = 32,
    QD_ROOM_ID_TAKEN = 33,
    QD_ROOM_NOT_OWNER = 34,
    QD_ROOM_NOT_FINITE = 35,
    QD_ROOM_NEGATIVE_SIZE = 36,
    QD_ROOM_UNKNOWN_SHAPE = 37,
    QD_ROOM_FULL = 38,
    QD_ROOM_WRONG_COLUMN = 42,
} qd_room_refusal;

/* So many entities move all or none. */
#define QD_ROOM_MOVE_ALL_MAX 512u

/* The refused entries of a batch, ascending. The arrays belong to the room: they are valid until its next batch, or
 * qd_room_forget_refusals. */
typedef struct qd_room_refusals {
    uint32_t count;  /* of all refused entries */
    uint32_t listed; /* in the arrays; fewer than `count`, but not 0, if memory ran out */
    const uint32_t *index;
    const uint8_t *code;  /* qd_room_refusal */
    const uint8_t *field; /* the number, in the request's message, of the field with the faulty value; 0: the entry as a
                             whole */
    struct qd_refused *lists; /* private */
} qd_room_refusals;

/* ---- rosters ---- */

#define QD_ROOM_ROSTERS_MAX 256u /* of one member */

/* The entries from `first` on become these ids. The entries before `first` stay; with keep_rest, those behind the new
 * ones stay, too. A roster without entries no longer exists. */
typedef struct qd_room_roster {
    uint32_t number; /* below QD_ROOM_ROSTERS_MAX */
    uint32_t first;
    uint32_t count;
    const uint32_t *id; /* ids may repeat, and need not be in the room */
    bool keep_rest;
} qd_room_roster;

/* Positions for the roster's entries from `first` on. */
typedef struct qd_room_roster_positions {
    uint32_t number;
    uint32_t first;
    uint32_t count;
    const float *x, *y, *z; /* z: NULL in two dimensions */
} qd_room_roster_positions;

/* ---- subscriptions and reports ---- */

typedef struct qd_room_interest {
    bool own_only; /* only pairs with an entity that the member owns */
    bool stays;
} qd_room_interest;

/* Pairs of ids, a < b, ordered by (a, b). */
typedef qd_msg_pairs qd_room_pairs;

/* What one subscription gets. */
typedef struct qd_room_report {
    uint32_t member;
    /* Reports of one round with the same number have the same contents, so that a caller encodes them once. 0: no other
     * report is known to be the same. */
    uint32_t share;
    uint64_t tick;
    uint32_t skipped;                   /* ticks left out before this one */
    bool reset;                         /* `begins` is the whole set */
    uint64_t merged_ticks;              /* with reset: so many ticks up to this one were lost (qd_room_lost) */
    bool passed_lost;                   /* with merged_ticks: pairs may have passed at those ticks */
    bool suspended;                     /* too many pairs, or no memory: reported once, without pairs, until a reset */
    qd_suspend_reason suspended_reason; /* with suspended */
    uint64_t suspended_count;           /* with QD_SUSPEND_LIMIT: events_max + 1, where counting stopped */
    qd_room_pairs ends;
    const uint8_t *end_reason; /* qd_space_reason, one per end */
    qd_room_pairs begins;
    qd_room_pairs passed; /* in swept rooms only, and never with a reset */
    qd_room_pairs stays;
} qd_room_report;

/* ---- snapshots, queries, figures ---- */

/* A box. In two dimensions both z are 0. */
typedef qd_msg_bounds qd_room_region;

/* What a query finds, as of the last tick: ordered by (distance, id), in regions by id. */
typedef struct qd_room_found {
    uint32_t count;
    const uint32_t *id;
    const double *distance; /* qd_space_hit.at */
    bool more;              /* there are more than the limit */
} qd_room_found;

typedef struct qd_room_stats {
    uint64_t tick; /* the last one; 0 before the first */
    uint32_t entities;
    uint32_t members; /* without those that left */
    uint32_t subscriptions;
    uint64_t updates;              /* entries applied */
    uint64_t begins, ends, passed; /* counted at ticks with a live subscription */
    uint64_t pairs;                /* at the last tick; 0 without a live subscription */
    uint64_t ticks_skipped;
    uint32_t depth;
    qd_space_index index; /* the one in use */
    uint32_t index_changes;
} qd_room_stats;

#endif
