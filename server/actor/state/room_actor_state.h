/* SPDX-License-Identifier: Apache-2.0
 *
 * The state of a room actor, and which thread owns each part of it. What acts on it stands above: tick/ ticks the room
 * and publishes, commands/ carries out messages, room_run.h runs both, room_actor.h creates the actor and posts to it.
 */
#ifndef QD_ACTOR_STATE_ROOM_ACTOR_STATE_H
#define QD_ACTOR_STATE_ROOM_ACTOR_STATE_H

#include "../../base/assert.h"
#include "../../room/room.h"
#include "../journal/journal.h"
#include "../pacing/pace.h"
#include "../relay/relay_stream.h"
#include "../service/service.h"
#include "charges.h"
#include "membership.h"

#define QD_TICK_TIMES 256u

/* A room of more entities does not tick in an inline run: each tick may look at all of them. */
#define QD_INLINE_ENTITIES_MAX 16384u

/* The clock of a room that ticks by itself.
 *
 *     STANDS --a change--> RUNS --ticks that change nothing--> RESTS --a change--> RUNS --nothing is in the room--> STANDS
 */
typedef enum qd_clock_state {
    QD_CLOCK_STANDS = 0, /* there are no ticks */
    QD_CLOCK_RUNS,
    QD_CLOCK_RESTS, /* ticks are counted when the actor runs, and not made */
} qd_clock_state;

/* A member of the room, by its number there. */
typedef struct qd_actor_member {
    qd_membership *membership; /* NULL: not in the room any more, or never */
    uint64_t session;          /* its number, as long as the room may still report the member */
    qd_token *token;           /* the same; NULL: it has none */
    bool relays_once;          /* by `relay`, which exists from its first report on */
    qd_relay_precision precision;
    uint32_t relay_every; /* the longest period of the tiers in its last Observe with tiers; 0: there was none */
    qd_relay_stream *relay;
    bool yields; /* while an Adopt is carried out: its entities are taken */
} qd_actor_member;

/* Worker time in the room that nobody has paid for yet (time_bill.h). */
typedef struct qd_time_bill {
    uint64_t room_ns;             /* the room's part */
    uint64_t views_ns, frames_ns; /* what members pay, to be shared out */
    uint64_t billed_ns;      /* of all ticks and resets: requests that caused them pay for the rest of their time */
    uint32_t measured_ticks; /* so many ticks from now on are measured in parts */
    bool measures;           /* the tick, or the resets, that are being made */
    bool resumes;            /* a reader that was slow gets resets */
} qd_time_bill;

/* What every tick reads and writes comes first and together: where there are many rooms, it comes from memory. The
 * first cache line leads to the rest. */
typedef struct qd_room_actor {
    qd_actor base; /* first */

    /* the run's own; the creator makes `room` */
    qd_room *room;            /* NULL once closed */
    qd_actor_member *members; /* by their number in the room */
    uint32_t member_capacity, member_count;

    qd_service *service;
    qd_journal *journal;            /* NULL: nothing is recorded, and this is no replay */
    struct qd_recording *recording; /* the same journal, if it records */
    qd_mailbox mailbox;

    /* the run's own */
    qd_message *messages;                        /* taken out, and left for the next run */
    TAILQ_HEAD(qd_laters, qd_membership) laters; /* memberships with messages that wait behind those of others */
    uint64_t tick_ns;                            /* how long the last tick took */
    uint64_t long_until_ns;                      /* until then its runs count as long */
    uint64_t calm_from_ns;                       /* a while after its last tick that was very long */
    uint32_t tick_entities;                      /* after the last tick */
    qd_time_bill bill;
    uint64_t runs;              /* their number; counts the runs that apply messages */
    uint64_t served_ns;         /* with any in `laters`: when one of them last had its turn */
    qd_membership *applied_due; /* memberships with an Applied due at the tick */
    uint32_t lagging_count;
    bool resets_due;         /* a Subscribe waits for its reset */
    bool changed;            /* since the last tick */
    bool charges_due;        /* the next tick settles all charges */
    bool trims;              /* much may have gone from the room: it gives memory back when nothing else is due */
    _Atomic uint8_t closing; /* the qd_room_closed_reason with which the process closes it; 0: none [any] */
    qd_clock_state clock;
    uint32_t quiet_ticks; /* the last ones, which nobody had to get anything of, and skipped ones with them */
    uint64_t timer_ns;    /* when the actor asked to be woken; QD_NEVER: it did not */
    uint64_t clock_start_ns, clock_periods; /* of ticks made, skipped or counted since then */
    uint64_t empty_since_ns;                /* QD_NEVER: it is not empty */
    uint64_t events_counted;                /* of this room in the service's counters */
    uint64_t time_count;                    /* of all ticks */
    uint64_t trim_time;                     /* time_count when the room last gave memory back */
    uint64_t rest_trim_ns;                  /* when a room at rest does that; QD_NEVER: not in this rest */
    uint32_t trim_entities;                 /* the most entities since then */

    /* [any] */
    _Atomic uint64_t shown_tick;
    _Atomic uint64_t shown_zero_ns; /* of a room at rest: its ticks count from this time; QD_NEVER: shown_tick holds */
    _Atomic uint32_t shown_entities, shown_sessions;
    _Atomic uint32_t shown_tick_us, shown_slowed_hz; /* of the last tick; 0: it is not slowed */
    _Atomic uint32_t users;
    _Atomic uint32_t writers; /* memberships that have sent a batch or a query */

    /* set at creation [any] */
    qd_msg_room_config config;

    qd_lockstep lockstep; /* the run's own */

    /* set at creation [any] */
    qd_room_entry entry;
    uint64_t epoch;          /* the run's, from then on */
    uint64_t creator;        /* a session's number */
    qd_token *creator_token; /* NULL: it had none */
    bool has_timer;          /* a reservation with the scheduler */

    qd_time_bucket time; /* of the room */
    qd_pace pace;        /* the run's own */

    uint64_t arrivals; /* OpenRoom messages posted; under the directory's lock */

    /* the run's own, the rest; the creator makes `heap` */
    qd_heap heap;
    qd_charges charges; /* the creator starts it with `room` */
    qd_room_closed_reason closed_reason;
    uint64_t arrivals_seen;
    uint32_t memberships_known;       /* memberships that have sent a message and not `leave` */
    uint32_t times_us[QD_TICK_TIMES]; /* of the last ticks; a ring */
} qd_room_actor;

/* Has the room run soon. The caller must keep the actor from being freed: by the directory's lock while it is listed, or
 * by a membership. [any] */
static inline void qd_room_actor_wake(qd_room_actor *actor)
{
    const qd_scheduler *scheduler = actor->service->config.scheduler;

    scheduler->wake(scheduler->context, &actor->base);
}

/* The same, behind all other work. [any] */
static inline void qd_room_actor_wake_behind(qd_room_actor *actor)
{
    const qd_scheduler *scheduler = actor->service->config.scheduler;

    scheduler->wake_behind(scheduler->context, &actor->base);
}

/* How many messages of one writer may wait. [any] */
static inline size_t qd_room_actor_share(const qd_room_actor *actor)
{
    uint32_t writers = atomic_load_explicit(&actor->writers, memory_order_relaxed);
    size_t share = actor->service->config.limits.room_batches_max / (writers == 0 ? 1 : writers);

    return share == 0 ? 1 : share;
}

/* The membership of a member that is in the room. [run] */
static inline qd_membership *qd_membership_of(const qd_room_actor *actor, uint32_t member)
{
    QD_ASSERT(member < actor->member_capacity && actor->members[member].membership != NULL);
    return actor->members[member].membership;
}

/* Frees the room, and what else only a room needs. [run] */
void qd_room_actor_free_room(qd_room_actor *actor);
/* Frees the actor, which is retired or was never listed. [any] */
void qd_room_actor_destroy(qd_room_actor *actor);

#endif
