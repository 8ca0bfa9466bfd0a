/* SPDX-License-Identifier: Apache-2.0
 *
 * The state of the spatial join (spatial_join.h): its entries and regions, where they are, where they were at the last
 * tick, and in what order.
 */
#ifndef QD_ROOM_VIEWS_VISIBILITY_JOIN_ENTRIES_H
#define QD_ROOM_VIEWS_VISIBILITY_JOIN_ENTRIES_H

#include "../state/view_state.h"
#include "join_find.h"

#define QD_JOIN_REPLACED (1u << 31) /* flag of an entry: the entity is far from here now, and has another entry there */

typedef struct qd_join_region {
    float at[3], half[3]; /* half[0] is the radius of a circle */
    uint32_t kind;        /* qd_room_region_kind; 0: there is no region */
} qd_join_region;

/* Arrays that grow, with their capacity. */
typedef struct qd_join_column {
    float *of;
    uint32_t capacity;
} qd_join_column;

typedef struct qd_join_slots {
    uint32_t *of;
    uint32_t count, capacity;
} qd_join_slots;

/* An entity that gets an entry at this tick, and the entry that this one replaces, or QD_NONE. */
typedef struct qd_join_addition {
    uint32_t slot, replaces;
} qd_join_addition;

typedef struct qd_join_additions {
    qd_join_addition *of;
    uint32_t count, capacity;
} qd_join_additions;

typedef struct qd_join_regions {
    qd_join_region *of; /* QD_REGION_BODIES for each row of an observer */
    uint32_t count, capacity;
} qd_join_regions;

/* A Morton curve through a square around the entries, as of the last sort. */
typedef struct qd_join_curve {
    float lo[2], scale[2];
} qd_join_curve;

struct qd_join_part;

typedef struct qd_join {
    bool gave_up; /* a tick took too long once: the join is never in use again */
    /* By entry, the position now and at the last tick; INFINITY: none. An entry with neither is removed by a sort. */
    qd_join_column now[3], was[3];
    qd_join_slots entries; /* slots of entities, with QD_JOIN_REPLACED */
    qd_join_additions additions;
    qd_join_slots replaced; /* by addition of this tick, from the first: the entry that it replaces, or QD_NONE */
    qd_join_regions regions_now, regions_was;
    qd_join_slots order; /* of the first regions, along the curve; later ones follow */
    uint32_t sorted;     /* entries at the last sort; later ones follow */
    qd_join_curve curve;
    float reach; /* an entity that moves further in a tick gets a new entry */
    /* A LOOK compares one group of points. How many the first tick after the last sort took, and how many more than
     * that all later ticks together. */
    uint64_t looks_sorted, excess;
    qd_block boxes, scratch, found;
    struct qd_join_part *parts;
    uint32_t part_count, part_capacity;
} qd_join;

/* After a tick: takes up all entities of the room, as the join comes into use. False: no memory. */
bool qd_join_start(qd_views *views) QD_MUST_USE;
/* The index takes over: forgets entities that have no entry yet. */
void qd_join_stop(qd_views *views);
/* Makes room for one more entity, without which qd_join_add cannot be called. */
bool qd_join_reserve(qd_views *views) QD_MUST_USE;
/* An entity has come into the room while the join is in use. */
void qd_join_add(qd_views *views, uint32_t slot);
/* A tick: positions now become positions at the last tick. Makes the boxes of all entries. False: no memory, and the
 * join must not be in use any more. */
bool qd_join_advance(qd_views *views, qd_join_tree *tree) QD_MUST_USE;
/* How many looks the tick took, which shows how good the order still is. */
void qd_join_note_looks(qd_join *join, uint64_t looks);

#endif
