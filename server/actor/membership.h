/* SPDX-License-Identifier: Apache-2.0
 *
 * A seat: one session in one room, and the messages between the two.
 *
 *     loop thread:  creates the seat, puts messages into the host's mailbox; the last one is `leave`, and with it the
 *                   loop has nothing more to do with the seat
 *     host's run:   takes the messages in their order; frees the seat when it comes to `leave`
 *
 * So a seat needs no count of references: whatever the loop put in before `leave` is handled before it.
 */
#ifndef QD_ACTOR_MEMBERSHIP_H
#define QD_ACTOR_MEMBERSHIP_H

#include "../../proto/codec.h"
#include "../base/mailbox.h"
#include "backpressure.h"
#include "lockstep.h"

struct qd_host;
struct qd_session;
typedef struct qd_seat qd_seat;

typedef struct qd_room_message {
    qd_message message; /* first, so that the mailbox's pointer is ours */
    qd_seat *seat;
} qd_room_message;

/* Why the session is not in the room. The loop leaves it at the next occasion; a seat in a closed room, of a session
 * that may be resumed, stays for a while, so that a client that was cut before RoomClosed came hears of it. */
typedef enum qd_seat_gone {
    QD_SEAT_THERE = 0,
    QD_SEAT_REFUSED, /* the room would not take it */
    QD_SEAT_CLOSED,
} qd_seat_gone;

struct qd_seat {
    /* set at creation */
    struct qd_host *host;       /* counted in its users */
    struct qd_session *session; /* a reference */
    qd_room_message leave;

    /* the loop's, until leave is put; then the run's */
    uint32_t leave_seq;
    bool leave_answered;      /* by RoomLeft */
    bool writes;              /* counted in the host's writers */
    bool swept;               /* kept once for a client that may not know yet that the room is closed */
    qd_seat *previous, *next; /* in the session's list; the loop's alone */
    qd_seat *heir;            /* with `leave`: who goes on with it, when the session is resumed; else NULL */
    uint64_t acked_tick;      /* the last one that the client said it has; QD_NEVER: none yet */

    /* both */
    qd_gate batches;      /* messages put and not handled */
    _Atomic uint8_t gone; /* qd_seat_gone */
    _Atomic bool behind;  /* shows `stuck` to the loop */

    /* the run's */
    bool known;  /* counted in the host's seats_known */
    bool joined; /* a member of the room */
    uint32_t member;
    qd_seat *news_next;   /* in the host's list of seats with an Applied due at the tick */
    uint32_t news_seq;    /* its seq; 0: none is due */
    uint32_t applied_seq; /* of the last Applied; 0: there was none */
    bool applied_early;   /* it answered Unsubscribe, before a tick that another one is due at */
    qd_lockstep_writer lockstep;
    bool stuck;              /* reports are lost: its queue is full */
    bool late;               /* it was stuck, and has been sent no report since */
    uint64_t stuck_since_ns; /* with `late`: since when */
    size_t low_bytes;        /* with `stuck`: with fewer in its queue it gets a reset */
};

/* A message to a room, with its columns. */
typedef struct qd_request {
    qd_room_message head; /* first */
    size_t bytes;         /* that it counts for in the session's gate */
    bool created;         /* OPEN_ROOM: it created the room */
    qd_decoded_client decoded;
} qd_request;

/* Where decoded messages live: shared memory, because they change hands. */
extern const qd_codec_memory qd_request_memory;

/* Empty; NULL: no memory. */
qd_request *qd_request_create(void) QD_MUST_USE;
/* NULL is fine. [any] */
void qd_request_destroy(qd_request *request);

/* NULL: no memory. [loop] */
qd_seat *qd_seat_create(struct qd_host *host, struct qd_session *session) QD_MUST_USE;
/* [whoever has it last: see above] */
void qd_seat_destroy(qd_seat *seat);

#endif
