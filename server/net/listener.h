/* SPDX-License-Identifier: Apache-2.0
 *
 * The listener: one socket, in the lobby. Accepted connections begin there.
 *
 * The net owns it. Its callbacks run on the lobby's thread.
 */
#ifndef QD_NET_LISTENER_H
#define QD_NET_LISTENER_H

#include "connection/connection.h"

/* Refused connections that are kept for a moment, so that their peers can read why. Further ones take the place of the
 * oldest. */
#define QD_LISTENER_REFUSED_MAX 64u

typedef struct qd_refused {
    int fd; /* -1: none */
    uint64_t due_ns;
} qd_refused;

/* What accepted connections inherit from the listening socket. */
typedef struct qd_socket_options {
    uint32_t send_bytes, receive_bytes; /* 0: as the system decides */
    uint32_t silence_ms_max;            /* 0: the system's defaults */
    uint32_t unread_ms_max;
} qd_socket_options;

typedef struct qd_listener {
    int fd;
    uint16_t port;
    qd_loop *lobby;
    qd_buffer *refusals[QD_NET_REFUSALS];                  /* each may be NULL */
    void (*refused)(void *context, qd_net_refusal reason); /* may be NULL */
    void *refused_context;
    qd_connection_config connection;
    qd_refused kept[QD_LISTENER_REFUSED_MAX]; /* a ring: the next place has the oldest */
    uint32_t kept_next;
    qd_loop_deadline kept_deadline;
    bool starved; /* of descriptors or memory; logged once */
    uv_poll_t poll;
    uv_timer_t pause; /* until the next attempt while starved */
    uint32_t handles_open;
    qd_loop_request close;
    _Atomic bool close_asked;
    uv_sem_t closed;
} qd_listener;

/* Binds and listens; on failure *error says why. Sets connection.system_bytes. The caller fills the other fields. */
qd_status qd_listener_bind(qd_listener *listener, const char *host, uint16_t port, const qd_socket_options *options,
                           char *error, size_t error_size) QD_MUST_USE;
/* Takes over a non-blocking socket that listens already. */
void qd_listener_adopt(qd_listener *listener, int fd, const qd_socket_options *options);
/* Undoes the bind of a listener that was never attached. */
void qd_listener_unbind(qd_listener *listener);

/* Accepts as soon as the lobby starts; call it before that. The listener holds the lobby until it is closed. */
qd_status qd_listener_attach(qd_listener *listener) QD_MUST_USE;
/* Asks the listener to close; further calls have no effect. [any] */
void qd_listener_close(qd_listener *listener);
/* Waits until the listener is closed, after which no connections arrive. Not on a loop thread. */
void qd_listener_wait_closed(qd_listener *listener);

#endif
