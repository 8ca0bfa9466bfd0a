/* SPDX-License-Identifier: Apache-2.0
 *
 * What a room is made of, for the modules of this folder:
 *
 *     room.c       a room's life, its figures
 *     members.c    who is in it; entities that outlive their member, until their time is up
 *     entities.c   slot to id and owner, and the lists of what each owner has; ids.c the way back
 *     batch.c      commands from peers: what is refused, and the rest to the space
 *     place.c      moves and teleports, the same by runs; rosters.c without ids
 *     give.c       entities that get another owner
 *     report.c     ticks, subscriptions and what each of them gets; lists.c, pair_keys.c and order.c
 *                  make its columns
 *     snapshot.c   the entities as they are
 *     query.c      what was where at the last tick
 *     view_state.h what observers see, and its modules
 *
 * Belongs to the room; used by whoever runs it.
 */
#ifndef QD_ROOM_STATE_H
#define QD_ROOM_STATE_H

#include "../base/assert.h"
#include "../base/id_pool.h"
#include "entities/ids.h"
#include "entities/rosters.h"
#include "memory.h"
#include "pairs/lists.h"
#include "room.h"
#include "views/view_state.h"

/* ---- entities, by the slots of the space ---- */

/* Who owns an entity, and its neighbours in the list of all that its owner has (QD_SLOT_NONE at the ends). */
typedef struct qd_holding {
    uint32_t owner, previous, next;
} qd_holding;

/* A removed entity keeps its id and owner until its slot is free, for the ends of its pairs; it is in no list, and its
 * own neighbour. The two arrays are apart because ids are read at random for every event. */
typedef struct qd_entities {
    uint32_t *id;
    qd_holding *holding;
    uint32_t id_capacity, holding_capacity;
    uint32_t room_owned_first; /* the list of those that the room owns */
} qd_entities;

/* ---- members ---- */

typedef enum qd_presence { QD_ABSENT = 0, QD_PRESENT, QD_GONE } qd_presence;

/* What a subscription waits for.
 *
 *     subscribe, resume --> DUE --> LIVE <--> SUSPENDED          any of them -- lost --> LOST
 *                             \-----------------^
 */
typedef enum qd_subscription {
    QD_UNSUBSCRIBED = 0,
    QD_DUE,       /* for its reset, at the next catch-up or tick */
    QD_LIVE,      /* for events */
    QD_SUSPENDED, /* for the pairs to be few enough, at ticks */
    QD_LOST,      /* for qd_room_resume */
    QD_SUBSCRIPTION_STATES
} qd_subscription;

/* What a subscription gets in the present round of reports. */
typedef enum qd_news { QD_NEWS_NONE = 0, QD_NEWS_EVENTS, QD_NEWS_RESET, QD_NEWS_SUSPENDED } qd_news;

typedef struct qd_member {
    uint8_t presence;     /* qd_presence */
    uint8_t subscription; /* qd_subscription */
    uint8_t news;         /* qd_news */
    bool expiring;        /* in the queue of those whose grace runs */
    bool behind;          /* ticks were lost, and the reset that stands for them is not delivered */
    qd_room_interest interest;
    qd_rosters rosters;     /* here, as moves read it with what stands before it */
    uint64_t told_tick;     /* with `behind`: the last one before those that were lost */
    uint64_t passed_before; /* the same: qd_room.passed_marks after it */
    uint32_t next_expiring;
    uint64_t expire_ns;
    uint32_t first;         /* the list of its entities */
    uint32_t slots;         /* that it holds: its entities, and removed ones whose slots are not free yet */
    qd_range own[QD_LISTS]; /* where its own pairs are in this round, with interest.own_only */
    qd_member_views views;
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

/* ---- the room ---- */

/* What every tick reads and writes stands first and together, and of that first what moves do: where there are many
 * rooms it comes from memory. */
struct qd_room {
    qd_ids ids;
    qd_space *space;
    qd_members members;
    uint64_t updates;
    qd_room_config config;
    qd_heap *heap;
    qd_entities entities;
    uint32_t subscriptions[QD_SUBSCRIPTION_STATES]; /* how many are in each state */

    /* The present round of reports. */
    uint64_t tick;
    uint32_t skipped;
    bool emptied;         /* by qd_room_despawn_all, since the last tick: its ends are the room's */
    uint32_t next_member; /* whose report is next */
    qd_block scratch;

    uint64_t begins, ends, passed, ticks_skipped;
    /* Goes up at every tick at which pairs passed, or nobody knows whether any did; and what it was one tick before. */
    uint64_t passed_marks, passed_marks_before;
    uint64_t set_count; /* pairs at the last tick, while any subscription is live */

    void *snapshot; /* the columns of the last one or of a query, until the next or a tick */
    size_t snapshot_bytes;

    qd_lists lists; /* from its middle on, what many rooms never use */
    qd_roster_runs roster_runs;
    qd_views views;
};

/* ---- between the modules ---- */

/* Makes an entity; QD_ERR_FULL or QD_ERR_NO_MEMORY. The id is free. */
qd_status qd_room_add(qd_room *room, uint32_t id, uint32_t owner, const qd_body *body) QD_MUST_USE;
void qd_room_remove(qd_room *room, uint32_t slot, qd_space_reason reason);
/* The slot is free. */
void qd_room_release(qd_room *room, uint32_t slot);
void qd_room_entities_deinit(qd_room *room);
/* The entity in that slot is another's from now on; the caller's to tell those whom it concerns. */
void qd_room_reown(qd_room *room, uint32_t slot, uint32_t owner);
/* The member's subscription, if it has one, needs a reset. */
void qd_room_renew(qd_room *room, uint32_t member);

/* Before a member moves so many entities: has fetched what all moves read of the room and the member. Returns whether
 * the room is so small that the caller is to have the rest fetched, too. */
bool qd_room_fetch_mover(const qd_room *room, uint32_t member, uint32_t count);
/* Before a tick: has what that will read fetched, if the room is small. */
void qd_room_fetch_tick(const qd_room *room);

static inline bool qd_room_is_3d(const qd_room *room)
{
    return room->config.space.dimensions == 3;
}

/* Whether the entity in that slot, which has been used, is there and not removed. */
static inline bool qd_room_holds(const qd_room *room, uint32_t slot)
{
    return room->entities.holding[slot].next != slot;
}

static inline qd_member *qd_room_member(qd_room *room, uint32_t member)
{
    QD_ASSERT(member < room->members.count && room->members.rows[member].presence == QD_PRESENT);
    return &room->members.rows[member];
}
/* Gives the number of a member that has gone to others, once it holds nothing any more. */
void qd_room_retire(qd_room *room, uint32_t member);
/* Gives back the memory of the last snapshot or query. */
void qd_room_snapshot_release(qd_room *room);
void qd_room_members_init(qd_room *room);
void qd_room_members_deinit(qd_room *room);

#endif
