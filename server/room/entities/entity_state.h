/* SPDX-License-Identifier: Apache-2.0
 *
 * The state of a room's entities and members. The modules of this folder change it; pairs/ and views/ read it.
 *
 * Entities have two names: the id that a client chose, and their slot in the space. Arrays are indexed by slot.
 */
#ifndef QD_ROOM_ENTITIES_ENTITY_STATE_H
#define QD_ROOM_ENTITIES_ENTITY_STATE_H

#include "../../base/assert.h"
#include "../../base/memory/id_pool.h"
#include "../common/room_types.h"
#include "ids/ids.h"

/* ---- rosters (rosters.h) ---- */

typedef struct qd_roster {
    uint32_t *run; /* one allocation holds run, slot and id */
    uint32_t *slot, *id;
    uint32_t count, capacity; /* capacity: a multiple of QD_ROSTER_RUN */
} qd_roster;

/* The rosters of one member. Most members have at most one, number 0, which needs no further memory access. */
typedef struct qd_rosters {
    qd_roster first;
    qd_roster *row;    /* the others, by number; row 0 is not used */
    uint32_t capacity; /* of `row` */
    uint32_t ids;      /* in all of them */
} qd_rosters;

/* The runs of all rosters in the room. */
typedef struct qd_roster_runs {
    qd_id_pool numbers;
    uint32_t *of_slot; /* slots beyond it are in no sound run */
    uint32_t sound_capacity, slot_capacity;
    uint64_t *sound, round; /* a round is never 0 */
} qd_roster_runs;

/* ---- members ---- */

typedef enum qd_presence { QD_ABSENT = 0, QD_PRESENT, QD_GONE } qd_presence;

typedef struct qd_member {
    uint8_t presence;  /* qd_presence */
    bool expiring;     /* in the queue of members whose grace period is running */
    bool observes_all; /* it may anchor observers at entities of other members */
    uint32_t first;    /* the list of its entities, */
    uint32_t owned;    /* and how many there are */
    uint32_t holds;    /* what still uses its number: entities, removed ones with their slot, and observers */
    uint32_t next_expiring;
    uint64_t expire_ns;
    qd_rosters rosters;
} qd_member;

#define QD_MEMBER_NONE UINT32_MAX

typedef struct qd_members {
    qd_id_pool numbers;
    qd_member *rows; /* by number */
    uint32_t count;  /* of rows in use or used before */
    uint32_t capacity;
    uint32_t present;
    uint32_t expiring_first, expiring_last; /* the queue, the earliest first */
} qd_members;

/* ---- entities ---- */

/* The owner of an entity, and its neighbors in the list of that owner's entities (QD_SLOT_NONE at the ends). A removed
 * entity is in no list: it is its own neighbor. */
typedef struct qd_holding {
    uint32_t owner, previous, next;
} qd_holding;

/* So many refused entries are listed even if there is no memory left, which is a cause of refusals. */
#define QD_REFUSED_FEW 16u

/* The refused entries of the last batch, as three arrays. */
typedef struct qd_refused {
    qd_heap *heap;
    uint32_t *index;
    uint8_t *code, *field;
    uint32_t index_capacity, code_capacity, field_capacity; /* 0: there are not more than few */
    uint32_t few_index[QD_REFUSED_FEW];
    uint8_t few_code[QD_REFUSED_FEW], few_field[QD_REFUSED_FEW];
} qd_refused;

/* The fields that every move reads come first, then those of every tick: with many rooms, each costs a cache miss. */
typedef struct qd_entities {
    qd_ids ids;
    qd_space *space;
    qd_members members;
    uint64_t updates;         /* entries applied */
    uint64_t settled_updates; /* those before the last tick */
    bool is_3d;
    bool emptied;  /* every entity was removed since the last tick: all ends have the reason of a closed room */
    uint64_t tick; /* the last one */
    uint64_t ticks_skipped;
    qd_heap *heap;
    /* By slot. A removed entity keeps its id and owner until its slot is free, for the ends of its pairs. Two arrays,
     * because ids are read at random for every event. */
    uint32_t *id;
    qd_holding *holding;
    uint32_t id_capacity, holding_capacity;
    uint32_t slot_end;         /* no slot from here on is in use */
    uint32_t removed;          /* entities that are removed and still have their slot */
    uint32_t room_owned_first; /* the list of entities that the room owns, */
    uint32_t room_owned;       /* and how many there are */

    /* For the command at work: how many entities or observers it may still add, and the code that refuses others. */
    uint32_t allowed;
    uint8_t allowed_code;

    uint32_t entities_max, roster_ids_max; /* as in the config of the room */
    uint64_t grace_ns;
    void *answer; /* the columns of the last snapshot or query, until the next one or a tick */
    size_t answer_bytes;
    qd_refused refused;
    qd_roster_runs roster_runs;
} qd_entities;

/* Whether the entity in a slot that has been used is in the room, and not removed. */
static inline bool qd_entities_hold(const qd_entities *entities, uint32_t slot)
{
    return entities->holding[slot].next != slot;
}

/* Whether the command at work may add an entity or an observer. Returns 0 or the code that refuses it. */
static inline int qd_entities_allow(const qd_entities *entities)
{
    return entities->allowed > 0 ? 0 : entities->allowed_code;
}

/* The command at work has added one. */
static inline void qd_entities_added(qd_entities *entities)
{
    entities->allowed -= entities->allowed != UINT32_MAX;
}

static inline bool qd_entities_has_member(const qd_entities *entities, uint32_t member)
{
    return entities->members.rows[member].presence == QD_PRESENT;
}

#endif
