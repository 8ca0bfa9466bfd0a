/* SPDX-License-Identifier: Apache-2.0
 *
 * Sends what a channel has sealed over its connection's socket. As much as the socket takes is written at once; libuv
 * writes the rest later, in the same order.
 *
 * Part of a connection. [loop]
 */
#ifndef QD_NET_TLS_SENDING_H
#define QD_NET_TLS_SENDING_H

#include <uv.h>

#include "channel.h"

/* The parts of a connection that sending uses. */
typedef struct qd_tls_socket {
    uv_stream_t *stream;
    uv_write_t *write;
    uv_write_cb written; /* calls qd_tls_channel_written, then qd_tls_send_kept */
    bool *writing;       /* a write is going on */
} qd_tls_socket;

/* Each returns 0, UV_EAGAIN if a part is sent by a write that is going on, or another error: then the connection must be
 * closed. */

/* What is sealed. */
int qd_tls_send(qd_tls_channel *channel, const qd_tls_socket *socket);
/* What is kept, if no write is going on. */
int qd_tls_send_kept(qd_tls_channel *channel, const qd_tls_socket *socket);
/* Seals the vectors, together QD_TLS_SEAL_BYTES at most, and sends them. `plain` has room for them. */
int qd_tls_send_vectors(qd_tls_channel *channel, const qd_tls_socket *socket, const uv_buf_t *vectors, uint32_t count,
                        uint8_t plain[QD_TLS_SEAL_BYTES], size_t *size);

#endif
