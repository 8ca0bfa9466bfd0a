/* SPDX-License-Identifier: Apache-2.0
 *
 * The listener: one socket, on the first loop; what it accepts is spread over all loops in turn.
 *
 * Part of the net, which owns it. Its callbacks run on the first loop's thread.
 */
#ifndef QD_NET_LISTENER_H
#define QD_NET_LISTENER_H

#include "connection.h"
#include "refusal.h"

typedef struct qd_listener {
    int fd;
    uint16_t port;
    qd_loop *loops;
    uint32_t loop_count;
    uint32_t next; /* the loop whose turn it is */
    uint32_t connections_max;
    qd_buffer *refusals[QD_NET_REFUSALS]; /* each may be NULL */
    qd_connection_config connection;
    bool starved; /* of descriptors or memory; said in the log already */
    uv_poll_t poll;
    uv_timer_t pause; /* between two tries while starved */
    uint32_t handles_open;
    qd_loop_request close;
    _Atomic bool close_asked;
    uv_sem_t closed;
} qd_listener;

/* Bind and listen; *error says in words what failed. The other fields are the caller's to fill. */
qd_status qd_listener_bind(qd_listener *listener, const char *host, uint16_t port, char *error,
                           size_t error_size) QD_MUST_USE;
/* Undo the bind, where it was not attached. */
void qd_listener_unbind(qd_listener *listener);

/* Begin to accept when the first loop starts; call it before. The first loop is held until it is closed. */
qd_status qd_listener_attach(qd_listener *listener) QD_MUST_USE;
/* Ask it to close; once is enough. [any] */
void qd_listener_close(qd_listener *listener);
/* Until it is closed: no more connections come. Not on a loop thread. */
void qd_listener_wait_closed(qd_listener *listener);

#endif
