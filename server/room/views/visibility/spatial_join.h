/* SPDX-License-Identifier: Apache-2.0
 *
 * The JOIN: points against regions of observers, without the sight. It takes over from the sight where most entities
 * move and many are in view, as in a crowd: there nearly everything is compared at every tick, and most of what a tree
 * that is kept up to date costs is in vain.
 *
 *     entries   points in the order of a Morton curve, as it was when they were sorted; who came later stands behind
 *     boxes     around each 16 of them, and each 16 of those (join_find.h), made anew at every tick
 *     regions   by row of the observer, where they are and where they were; asked in the order of the curve, too
 *
 * It compares now with was, as the sight's kernel does, and has no table of pairs: an event is where the two differ. As
 * boxes are around where points are, what it tells does not depend on the order, and points are sorted anew only when
 * wide boxes have cost as much as that does. All of this is counted, so it is the same on every machine. Who went far
 * has two entries at that tick, so that no box reaches from here to there: where it was, for what ends, and where it
 * is, for what begins.
 *
 * While the join LEADS, nobody moves what is in the sight, except beacons and those who meet them; bodies still come
 * and go there, so that the sight can take over again after any tick, which cannot fail (qd_sight_catch_up).
 *
 * Belongs to the views of a room.
 */
#ifndef QD_ROOM_VIEWS_JOIN_H
#define QD_ROOM_VIEWS_JOIN_H

#include "../../base/executor.h"
#include "../memory.h"
#include "join_find.h"

typedef struct qd_room qd_room;

/* Somebody comes into a region of an observer, or goes from it. */
typedef struct qd_crossing {
    uint32_t whose; /* the observer, and which region (qd_whose) */
    uint32_t slot : 31;
    uint32_t begins : 1;
} qd_crossing;

typedef struct qd_crossings {
    const qd_crossing *all;
    size_t count;
    bool complete; /* false: there are more than was asked for */
} qd_crossings;

enum { QD_JOIN_REGIONS = 2 }; /* of an observer: those of QD_BODY_INNER and QD_BODY_OUTER */

typedef struct qd_join_region {
    float at[3], half[3]; /* of a circle half[0] is the radius */
    uint32_t kind;        /* qd_room_region_kind; 0: it is not there */
} qd_join_region;

/* Arrays that grow, with what they have room for. */
typedef struct qd_join_column {
    float *of;
    uint32_t capacity;
} qd_join_column;

typedef struct qd_join_slots {
    uint32_t *of;
    uint32_t count, capacity;
} qd_join_slots;

/* Who is to get an entry, and the one that it leaves, or QD_NONE. */
typedef struct qd_join_newcomer {
    uint32_t slot, from;
} qd_join_newcomer;

typedef struct qd_join_newcomers {
    qd_join_newcomer *of;
    uint32_t count, capacity;
} qd_join_newcomers;

typedef struct qd_join_regions {
    qd_join_region *of; /* QD_JOIN_REGIONS by row of the observer */
    uint32_t count, capacity;
} qd_join_regions;

/* How a curve runs through a square around the entries, when they were sorted. */
typedef struct qd_join_curve {
    float lo[2], scale[2];
} qd_join_curve;

struct qd_join_part;

/* For tests. */
typedef struct qd_join_habit {
    bool always;                  /* leads, whether it pays or not */
    const qd_join_finder *finder; /* NULL: the fastest */
    uint32_t looks_in_vain;       /* beyond one for each in view; 0: as many as take a tenth of a second */
} qd_join_habit;

typedef struct qd_join {
    bool leads;
    bool is_in_vain; /* it took too long once, and never leads again */
    /* Entries: where they are and were; INFINITY: not there. Who was not and is not, is forgotten. */
    qd_join_column now[3], was[3];
    qd_join_slots entries; /* slots of the room */
    qd_join_newcomers newcomers;
    qd_join_slots left; /* by entry of this tick's newcomers: the one that it has left */
    qd_join_regions regions_now, regions_was;
    qd_join_slots order; /* of regions, up to some number */
    uint32_t sorted;     /* entries that have been */
    qd_join_curve curve;
    float reach; /* who goes further in a tick goes far */
    /* At how many sixteens of points they looked at the first tick after they were sorted, and how many more at all
     * since. */
    uint64_t looks_sorted, excess;
    qd_block boxes, scratch, found;
    struct qd_join_part *parts;
    uint32_t part_count, part_capacity;
} qd_join;

qd_join *qd_join_create(qd_heap *heap) QD_MUST_USE; /* NULL: no memory */
void qd_join_destroy(qd_join *join, qd_heap *heap);
/* After a tick: who leads at the next one. */
void qd_join_choose(qd_room *room);
/* The sight leads from now on. */
void qd_join_end(qd_room *room);
/* A tick, while the join leads. More than `limit` crossings are not told, nor what takes longer than anything that is
 * of use. */
void qd_join_tell(qd_room *room, const qd_executor *executor, uint64_t limit, qd_crossings *crossings);
/* An entity has come into the room, while the join leads. */
void qd_join_add(qd_room *room, uint32_t slot);

#endif
