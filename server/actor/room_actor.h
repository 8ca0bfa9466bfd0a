/* SPDX-License-Identifier: Apache-2.0
 *
 * A host: the actor that runs one room. Messages go in from loop threads; it applies them in the order of each session,
 * ticks the room by its clock or by Step, and sends what comes of it.
 *
 *     messages --mailbox--> run: apply each -> tick, if due -> reports as frames -> links
 *                               (slice.c,     (host.c)        (publish.c,
 *                                apply.c)                      views.c)
 *
 * VISITS. Moves, and Steps of rooms that tick in no time, are applied by the loop thread that brought them, if the room
 * is idle just then (qd_scheduler.run_inline): their columns are in its core's cache, and nobody need be woken. All else is
 * for the workers.
 *
 * LIFETIME
 * 1. A host is created by the loop thread that opens the room, and listed in the registry. Whoever finds it there puts
 *    its message in before it lets go of the registry's lock.
 * 2. It is closed when its name has been taken out of the registry: on request, when it has been empty for long enough,
 *    or when the server stops. Closing frees the room; the host stays and answers messages with UNKNOWN_ROOM.
 * 3. Every seat is counted in `users` from its creation until its loop has put in `leave` and woken the host. A closed
 *    host without users is retired and freed.
 *
 * A clock room stands still while nothing can come of a tick: no entity is in it, and no observer.
 */
#ifndef QD_ACTOR_ROOM_ACTOR_H
#define QD_ACTOR_ROOM_ACTOR_H

#include "../room/room.h"
#include "../session/server.h"
#include "lockstep.h"
#include "membership.h"
#include "token.h"

#define QD_HOST_TIMES 256u

typedef struct qd_host_member {
    qd_seat *seat;    /* NULL: it is not in the room any more, or was never */
    uint64_t session; /* its number, as long as the room may still speak of the member */
    qd_token *token;  /* the same; NULL: it has none */
    bool yields;      /* while an Adopt is carried out: its entities are taken */
} qd_host_member;

/* What every tick reads and writes stands first and together: where there are many rooms it comes from memory. The
 * first line of it leads to the rest. */
typedef struct qd_host {
    qd_actor actor; /* first */

    /* the run's own; `room` is made by the creator */
    qd_room *room;           /* NULL once closed */
    qd_host_member *members; /* by their number in the room */
    uint32_t member_capacity, member_count;

    qd_server *server;
    qd_mailbox mailbox;

    /* the run's own */
    qd_message *messages; /* taken out, and left for the run that follows */
    qd_seat *news;        /* seats with an Applied due at the tick */
    uint32_t stuck_count;
    bool resets_due; /* a Subscribe waits for its reset */
    bool dirty;      /* changed since the last tick */
    bool clock_runs;
    _Atomic bool stop;                      /* the server is stopping [any] */
    uint64_t timer_ns;                      /* when it has asked to be woken; QD_NEVER: it has not */
    uint64_t clock_start_ns, clock_periods; /* of ticks done or skipped since then */
    uint64_t empty_since_ns;                /* QD_NEVER: it is not empty */
    uint64_t events_counted;                /* of this room in the server's counters */
    uint64_t time_count;                    /* of all ticks */

    /* [any] */
    _Atomic uint64_t shown_tick;
    _Atomic uint32_t shown_entities, shown_sessions;
    _Atomic uint32_t users;
    _Atomic uint32_t writers; /* seats that have sent a batch */

    /* set at creation [any] */
    qd_msg_room_config config;

    qd_lockstep lockstep; /* the run's own */

    /* set at creation [any] */
    qd_named named;
    uint64_t epoch;
    uint64_t creator;        /* a session's number */
    qd_token *creator_token; /* NULL: it had none */

    uint64_t arrivals; /* messages with OpenRoom put in; under the registry's lock */

    /* the run's own, the rest; `heap` is made by the creator */
    qd_heap heap;
    qd_room_closed_reason closed_reason;
    uint64_t arrivals_seen;
    uint32_t seats_known;             /* seats of which a message came and `leave` did not */
    uint32_t times_us[QD_HOST_TIMES]; /* of the last ticks; a ring */
} qd_host;

/* ---- [loop] ---- */

/* A room of that (effective) config, made by that session. Name and config are checked. Not listed yet. NULL: no
 * memory.
 */
qd_host *qd_host_create(qd_server *server, const char *name, const qd_msg_room_config *config,
                        const struct qd_session *creator) QD_MUST_USE;
/* For one that was never listed. */
void qd_host_destroy(qd_host *host);
qd_host *qd_host_of(qd_named *named);

/* Has what a run_inline reads of it fetched. */
void qd_host_fetch(const qd_host *host);
/* Counts a new seat. */
void qd_host_use(qd_host *host);
/* No seat, but somebody who keeps the host from being freed; wakes it at the end. */
void qd_host_unuse(qd_host *host);
/* Puts a request in; the host owns it. Counts it in the gates of the seat and the session. May apply it, too: not under
 * the registry's lock, unless it is OpenRoom. */
void qd_host_post(qd_host *host, qd_request *request);
/* The last message of a seat; neither it nor the host may be touched afterwards. */
void qd_host_leave(qd_host *host, qd_seat *seat);

/* ---- [any] ---- */

/* While it cannot be freed: it is listed and the lock is held, or a seat in it is. */
void qd_host_wake(qd_host *host);
/* Close with reason SHUTDOWN. Under the registry's lock. */
void qd_host_stop(qd_host *host);
/* How many batches of one writer may wait. */
size_t qd_host_share(const qd_host *host);

/* ---- for apply.c, publish.c, slow.c, views.c: [run] ---- */

/* One tick, what it brings to its readers, and every Applied that is due. */
void qd_host_tick(qd_host *host, uint32_t skipped);
/* Sends the resets that are due between ticks. */
void qd_host_catch_up(qd_host *host);
/* The request with that seq, and all before it, is in with the next tick; 0 wants no Applied. */
void qd_host_note(qd_host *host, qd_seat *seat, uint32_t seq);
/* The seat of a member that is in the room. */
qd_seat *qd_host_seat(const qd_host *host, uint32_t member);
/* Sends an Applied. */
void qd_host_applied(qd_host *host, qd_seat *seat, uint64_t tick, uint32_t seq);
/* A Step of that seat for the tick that is due: the tick, if that is enough. False: it has stepped for it already. */
bool qd_host_step(qd_host *host, qd_seat *seat, uint32_t seq);
/* A report was queued for that seat. */
void qd_host_sent(qd_seat *seat);
/* A report could not be queued for that seat. */
void qd_host_stuck(qd_host *host, qd_seat *seat);
/* It need not wait for that any more. */
void qd_host_unstick(qd_host *host, qd_seat *seat);
/* Looks after those who could not take their events: who has read enough of its queue starts anew with a reset, who
 * has read too little for too long is disconnected. */
void qd_host_revive(qd_host *host, uint64_t now_ns);
/* The seat is not in the room any more; returns whether a tick waited for it alone. */
bool qd_host_forget(qd_host *host, qd_seat *seat);
/* The seat waits for nothing any more; its member stays, for somebody else. */
void qd_host_let_go(qd_host *host, qd_seat *seat);
/* Ends for all, then RoomClosed; `asker`, who may be NULL, gets it as the answer to seq. Frees the room. */
void qd_host_close(qd_host *host, qd_room_closed_reason reason, qd_seat *asker, uint32_t seq);

#endif
