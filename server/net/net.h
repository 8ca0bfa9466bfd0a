/* SPDX-License-Identifier: Apache-2.0
 *
 * The net: a TCP listener and loop threads. Each loop thread runs one libuv loop and its share of the connections. One,
 * the lobby, accepts them and has those that have not introduced themselves. The net delivers incoming frames to a
 * handler and writes outgoing buffers (base/link.h).
 *
 * The caller of qd_net_start owns the net. Links that others still reference outlive it, closed. Starting a net makes
 * the process ignore SIGPIPE, so a write to a peer that is gone returns an error.
 *
 * Only this folder includes uv.h.
 */
#ifndef QD_NET_NET_H
#define QD_NET_NET_H

#include "../base/link.h"
#include "admission/refusal.h"
#include "tls/tls.h"

typedef struct qd_net qd_net;

typedef struct qd_net_config {
    const char *host; /* a name or a number; an IPv6 address without brackets */
    uint16_t port;    /* 0: any free port */
    int listen_fd;    /* a TCP socket that listens already, which the net takes over; 0: it binds host and port */
    uint32_t loops;   /* threads beside the lobby, at least 1 */
    /* Links that have introduced themselves; a quarter as many more may wait for that. Further connections get the
     * refusal and are closed; they never become links. The quotas of an address: see admission/admission.h. */
    uint32_t connections_max;
    uint32_t address_connections_max, address_accepts_max, address_failed_tokens_max; /* 0: no limit */
    uint64_t secret[2];                                                               /* unforeseeable */
    /* Of the system's buffers of a connection, which count in the memory budget; 0: as the system decides. If both are 0,
     * they do not count. */
    uint32_t send_bytes, receive_bytes;
    /* A peer that gives no sign of life for that long is lost; 0: never. A frame must arrive within two thirds of it, or
     * at 1 KiB per second. */
    uint32_t silence_ms_max;
    /* Unread data may keep a connection that long without a sign of life; see silence_ms_max. */
    uint32_t unread_ms_max;
    size_t outbox_bytes_max;
    size_t frame_bytes_max; /* the initial limit; see qd_link_frame_bytes_max */
    qd_tls *tls;            /* encrypts all connections; it must outlive the net. NULL: none is encrypted */
    qd_link_handler handler;
    /* Returns what a refused connection is sent before it is closed; may return NULL, and may be NULL. Called during
     * start, once for each reason. The net takes over the references. */
    qd_buffer *(*refusal)(void *context, qd_net_refusal reason);
    void *refusal_context;
    /* Called for each connection that is refused or dropped; may be NULL. [any] */
    void (*refused)(void *context, qd_net_refusal reason);
} qd_net_config;

/* Binds, listens and starts the threads. On failure *error (of error_size) names the address, the problem and the
 * fix. */
qd_status qd_net_start(const qd_net_config *config, qd_net **net, char *error, size_t error_size) QD_MUST_USE;

/* The port in use. */
uint16_t qd_net_port(const qd_net *net);
uint32_t qd_net_connections(qd_net *net);     /* [any] */
uint64_t qd_net_bytes_in(const qd_net *net);  /* [any] */
uint64_t qd_net_bytes_out(const qd_net *net); /* [any] */

/* Asks each loop for a sign of life, unless it still owes one. Returns the longest time that a loop has owed one; a loop
 * that answers owes none by the next call. One thread at a time, and not after qd_net_stop. */
uint64_t qd_net_owed_ns(qd_net *net);

/* Accepts no more connections; existing ones continue. [any] */
void qd_net_stop_listening(qd_net *net);
/* Asks every link to close and flush within that time (handler.closed follows for each), waits for all of them, joins
 * the threads and frees the net. Not on a loop thread. */
void qd_net_stop(qd_net *net, uint32_t flush_ms);

#endif
