/* SPDX-License-Identifier: Apache-2.0
 *
 * TCP: a listener and loop threads, each with its own libuv loop and its share of the connections. Frames in, buffers
 * out (link.h). Besides admin/ the only place that includes uv.h.
 *
 * The net belongs to who started it. Links that others still hold outlive it, closed. Starting one makes the process
 * ignore SIGPIPE: a peer that is gone is an error of a write, not a signal.
 */
#ifndef QD_NET_NET_H
#define QD_NET_NET_H

#include "../base/link.h"

typedef struct qd_net qd_net;

typedef enum qd_net_refusal {
    QD_NET_FULL,      /* connections_max are there */
    QD_NET_NO_MEMORY, /* for one more */
    QD_NET_REFUSALS,
} qd_net_refusal;

typedef struct qd_net_config {
    const char *host;         /* a name or a number; an IPv6 address without brackets */
    uint16_t port;            /* 0: any free one */
    uint32_t loops;           /* threads, at least 1 */
    uint32_t connections_max; /* further ones are sent the refusal and closed; they never become links */
    size_t outbox_bytes_max;
    size_t frame_bytes_max; /* to begin with; see qd_link_frame_bytes_max */
    qd_link_handler handler;
    /* What a connection that cannot be taken is sent before it is closed. Called at start, once for each reason, with
     * handler.context; the net takes over the references. May be NULL, and return NULL. */
    qd_buffer *(*refusal)(void *context, qd_net_refusal reason);
} qd_net_config;

/* Binds, listens and starts the threads. On failure *error (of error_size) says what the matter is, in words that name
 * the address and the fix. */
qd_status qd_net_start(const qd_net_config *config, qd_net **net, char *error, size_t error_size) QD_MUST_USE;

/* The port in use. */
uint16_t qd_net_port(const qd_net *net);
uint32_t qd_net_connections(const qd_net *net); /* [any] */
uint64_t qd_net_bytes_in(const qd_net *net);    /* [any] */
uint64_t qd_net_bytes_out(const qd_net *net);   /* [any] */

/* Accept no more. Those that are there go on. [any] */
void qd_net_stop_listening(qd_net *net);
/* Ask every link to close, with that time to flush (handler.closed follows for each), wait for all, join the threads,
 * free. Not on a loop thread. */
void qd_net_stop(qd_net *net, uint32_t flush_ms);

#endif
