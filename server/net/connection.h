/* SPDX-License-Identifier: Apache-2.0
 *
 * A connection: a link over one TCP socket. Made by the listener, run by one loop, kept by whoever holds references.
 *
 *     fresh --> open --> closing --> lingering --> closed
 *                 \          \___________\__________^  deadline, or the connection broke
 *                  \_______________________________/   the connection broke
 *
 * - open: frames are handed out, the outbox is written.
 * - closing: qd_link_close was called, or the peer ended its side. What is queued is written; what comes is let go.
 * - lingering: all is written, and our side ended. To close while the peer still sends would make the system answer it
 *   with a reset, which can take back what it has not read yet: so we wait for its end, a short while.
 * - closed: the handle is being closed; handler.closed follows, and the loop gives up its reference.
 */
#ifndef QD_NET_CONNECTION_H
#define QD_NET_CONNECTION_H

#include "../base/link.h"
#include "loop.h"

typedef struct qd_connection_config {
    const qd_link_handler *handler; /* must outlive the loop */
    size_t outbox_bytes_max;
    size_t frame_bytes_max;
} qd_connection_config;

/* Hand the socket over to the loop, which opens a link on it. `fd` stays the caller's where that fails. [any] */
qd_status qd_connection_start(qd_loop *loop, const qd_connection_config *config, int fd, const char *peer) QD_MUST_USE;

/* Send the refusal (or nothing, if NULL) and close: this connection is never a link. It needs no budget; `fd` stays the
 * caller's where the system has no memory. [loop] */
qd_status qd_connection_refuse(qd_loop *loop, int fd, qd_buffer *refusal) QD_MUST_USE;

/* Links that are there, of all these loops. [any] */
uint32_t qd_connections_count(const qd_loop *loops, uint32_t loop_count);

/* qd_link_close for all of the loop. [loop] */
void qd_connections_close(qd_loop *loop, uint32_t flush_ms);

#endif
