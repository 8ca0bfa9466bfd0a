/* SPDX-License-Identifier: Apache-2.0
 *
 * A membership: one session in one room, and the messages from the session to the room.
 *
 *     loop thread:  creates the membership and posts messages to the room actor; the last one is `leave`, after which
 *                   the loop does not touch the membership any more
 *     room's run:   takes the messages in their order; frees the membership when it comes to `leave`
 *
 * So a membership needs no reference count: the run handles everything that the loop posted before `leave`.
 */
#ifndef QD_ACTOR_STATE_MEMBERSHIP_H
#define QD_ACTOR_STATE_MEMBERSHIP_H

#include <sys/queue.h>

#include "../../../proto/codec.h"
#include "../../base/mailbox.h"
#include "endpoint.h"
#include "lockstep.h"

struct qd_room_actor;
typedef struct qd_membership qd_membership;

typedef struct qd_room_message {
    qd_message message; /* first, so that the mailbox's pointer is one to this */
    qd_membership *membership;
} qd_room_message;

/* Whether the session is in the room. If it is not, the loop gives the membership up at the next occasion. In a closed
 * room, a resumable session keeps it for a while: its client may have been cut off before RoomClosed came. */
typedef enum qd_membership_state {
    QD_MEMBERSHIP_OPEN = 0,
    QD_MEMBERSHIP_REFUSED, /* the room refused it */
    QD_MEMBERSHIP_CLOSED,
    QD_MEMBERSHIP_LEFT, /* the loop has given it up */
} qd_membership_state;

typedef struct qd_request qd_request;

/* Small Moves that wait to be posted as one request (session/joined_moves.h). */
typedef struct qd_joined_moves {
    qd_request *request;  /* NULL: none wait */
    uint32_t capacity;    /* its columns have room for so many entries; 0: it is not joined yet */
    uint32_t frame_bytes; /* of the frames that were added */
} qd_joined_moves;

/* What a session may do in a room, besides reading. */
enum { QD_RIGHT_WRITE = 1, QD_RIGHT_STEP = 2 };

struct qd_membership {
    /* set at creation */
    struct qd_room_actor *actor; /* counted in its users */
    qd_endpoint *endpoint;       /* a reference */
    uint8_t rights;              /* QD_RIGHT_*, set by the session */
    qd_room_message leave;

    /* the loop's, until it posts `leave`; then the run's */
    uint64_t leave_seq;
    bool leave_answered;             /* by RoomLeft */
    bool writes;                     /* counted in the actor's writers */
    bool swept;                      /* kept once for a client that may not know yet that the room is closed */
    LIST_ENTRY(qd_membership) links; /* in the session's list; the loop's alone */
    qd_membership *successor;        /* with `leave`: that of the connection which resumes the session; else NULL */
    uint64_t acked_tick;             /* the last one that the client acknowledged; QD_NEVER: none yet */
    qd_joined_moves moves;
    TAILQ_ENTRY(qd_membership) waits; /* with a request in `moves`: in the session's list */

    /* both */
    qd_backpressure batches;    /* messages that are posted and not handled */
    _Atomic uint8_t state;      /* qd_membership_state */
    _Atomic bool lagging_shown; /* shows `lagging` to the loop */

    /* the run's */
    bool known;                        /* counted in the actor's memberships_known */
    uint64_t left;                     /* the number of the run that left messages of it for the next one */
    bool waits_for_older;              /* its messages wait for the membership whose successor it is */
    uint64_t turn;                     /* the number of the run that counts turn_ns */
    uint64_t turn_ns;                  /* of this membership's messages in that run */
    uint64_t billed_ns;                /* worker time that its session will be charged */
    uint64_t billed_bytes;             /* of frames whose time is not shared out yet */
    qd_message *later, **later_end;    /* messages that wait behind those of others; NULL: none */
    TAILQ_ENTRY(qd_membership) laters; /* with `later`, unless it waits_for_older: in the actor's list */
    uint32_t number;                   /* in the room's record; 0: none */
    bool joined;                       /* a member of the room */
    uint32_t member;
    qd_membership *applied_next; /* in the actor's list of memberships with an Applied due at the tick */
    uint64_t applied_due_seq;    /* its seq; 0: none is due */
    uint64_t applied_seq;        /* of the last Applied; 0: there was none */
    qd_lockstep_writer lockstep;
    bool lagging;             /* its queue is full, and it loses reports */
    bool lag_lasts;           /* it was lagging, and has been sent no report since */
    uint64_t lag_start_ns;    /* with `lag_lasts`: since when */
    size_t reset_below_bytes; /* with `lagging`: with fewer bytes in its queue it gets a reset */
};

/* One of the Moves that were joined. */
typedef struct qd_joined_move {
    uint64_t seq;
    uint32_t end; /* of its entries */
} qd_joined_move;

/* A message to a room, with its columns. The parts of a MoveRooms are requests of their own, which point into its
 * columns: so it lives until the last of them is done. */
struct qd_request {
    qd_room_message head; /* first */
    size_t bytes;         /* that it counts for in the endpoint's gate */
    bool created;         /* OPEN_ROOM: it created the room */
    bool light;           /* it takes so little time that an inline run may apply it */
    qd_decoded_client decoded;
    uint32_t joined;                   /* a MOVE that was joined from so many, with the last seq of them; else 0 */
    const qd_joined_move *joined_each; /* in the columns' memory */
    qd_request *frame;                 /* of a part: the MoveRooms; else NULL */
    bool is_for_worker;                /* an inline run may not apply it, or only as a Step with a very short tick */
    _Atomic uint32_t users;            /* of a MoveRooms: its parts that are not done, and its loop */
};

/* Where requests and their columns live: shared memory, because a loop allocates them and a run frees them. The second
 * also uses the reserve (qd_shared_alloc_reserved). */
extern const qd_codec_memory qd_request_memory, qd_request_reserved_memory;

/* Returns an empty one; NULL: no memory. [loop] */
qd_request *qd_request_create(const qd_codec_memory *memory) QD_MUST_USE;
/* Returns a part of that MoveRooms; NULL: no memory. [loop] */
qd_request *qd_request_create_part(qd_request *frame, const qd_client_message *message) QD_MUST_USE;
/* NULL is fine. [any] */
void qd_request_destroy(qd_request *request);

/* NULL: no memory. [loop] */
qd_membership *qd_membership_create(struct qd_room_actor *actor, qd_endpoint *endpoint) QD_MUST_USE;
/* The session is not in the room any more: REFUSED or CLOSED. Counts it in the endpoint's `shut` if the session still
 * keeps it. [run] */
void qd_membership_shut(qd_membership *membership, qd_membership_state state);
/* The session gives it up, open or not, and does not count it any more. [loop] */
void qd_membership_give_up(qd_membership *membership);
/* [run], or [loop] if it was never posted */
void qd_membership_destroy(qd_membership *membership);

#endif
