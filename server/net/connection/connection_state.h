/* SPDX-License-Identifier: Apache-2.0
 *
 * The state of a connection, and which thread owns each part of it. connection.c runs it on its loop, connection_ops.c
 * offers it to any thread as a link.
 */
#ifndef QD_NET_CONNECTION_STATE_H
#define QD_NET_CONNECTION_STATE_H

#include "../../base/clock.h"
#include "../../base/link.h"
#include "../admission/admission.h"
#include "../buffers/intake.h"
#include "../buffers/outbox.h"
#include "../loop/loop.h"
#include "../tls/sending.h"
#include "silence.h"

/* The loops of introduced connections, which get one in turn. */
typedef struct qd_rotation {
    qd_loop *loops;
    uint32_t count, next; /* [lobby] */
} qd_rotation;

typedef struct qd_connection_config {
    qd_rotation *loops;
    const qd_link_handler *handler; /* must outlive the loop */
    qd_admission *admission;
    qd_tls *tls; /* NULL: connections are not encrypted */
    size_t outbox_bytes_max;
    size_t frame_bytes_max;
    size_t system_bytes;     /* of the system's buffers, which count in the memory budget */
    uint32_t silence_ms_max; /* see net.h */
} qd_connection_config;

typedef enum qd_connection_state {
    QD_CONNECTION_FRESH = 0,
    QD_CONNECTION_OPEN,
    QD_CONNECTION_LEAVING,
    QD_CONNECTION_LEFT,
    QD_CONNECTION_CLOSING,
    QD_CONNECTION_LINGERING,
    QD_CONNECTION_CLOSED
} qd_connection_state;

typedef struct qd_connection {
    qd_link link;  /* first, so that a link casts to its connection */
    qd_loop *loop; /* written by the lobby under the lock, when no handle is open */
    const qd_connection_config *config;
    int fd;               /* while no handle owns it */
    qd_admitted admitted; /* the admission's */

    /* [loop] */
    qd_connection_state state;
    bool announced; /* handler.opened was called, so handler.closed must follow */
    bool reading, writing;
    bool peer_ended;   /* no more bytes arrive */
    qd_loop *moves_to; /* NULL: it stays; see connection_move.h */
    bool expires;      /* the deadline was set before the move */
    uv_tcp_t tcp;
    uv_write_t write;
    size_t write_bytes;  /* of the outbox, in the current write */
    qd_tls_channel *tls; /* NULL: not encrypted */
    qd_intake intake;
    qd_turn turn;
    bool turn_over;                  /* as it was when the clocks were read last */
    bool serve_waits;                /* the request has run while the turn was parked, and still counts as posted */
    qd_signs signs;                  /* of the peer's life */
    qd_loop_deadline deadline;       /* the handler's while open; then the end of closing */
    qd_loop_deadline rest;           /* its end */
    LIST_ENTRY(qd_connection) links; /* in the list of its loop */

    /* [any] */
    _Atomic uint32_t pauses;

    /* LOCK. `lock` guards the outbox and everything below. No other lock is taken and no handler is called under it.
     * Posts are made under it too. So once `gone` is set, no post is in progress and none follows, and the loop may end
     * while others still reference its links. */
    uv_mutex_t lock;
    qd_outbox outbox;
    qd_loop_request request; /* holds a reference while posted */
    bool posted;
    bool gone;
    uint64_t close_due_ns;
    _Atomic bool close_asked; /* written under the lock; also read before each frame */
} qd_connection;

/* What links call (connection_ops.c). */
extern const qd_link_ops qd_connection_ops;

/* Makes the loop serve the connection soon. [any] */
void qd_connection_post(qd_connection *connection);

/* The time that many milliseconds from now. [any] */
static inline uint64_t qd_connection_in_ms(uint32_t ms)
{
    return qd_clock_now_ns() + (uint64_t)ms * 1000000u;
}

/* Whether the link is to close. [any] */
static inline bool qd_connection_is_close_asked(const qd_connection *connection)
{
    return atomic_load_explicit(&connection->close_asked, memory_order_acquire);
}

#endif
