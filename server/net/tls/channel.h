/* SPDX-License-Identifier: Apache-2.0
 *
 * A channel: the TLS of one connection. It has no socket: its owner passes in the bytes that arrived, and sends those
 * that the channel has sealed.
 *
 *     socket --sealed bytes--> receive --plain bytes--> intake
 *     outbox --plain bytes--> seal --sealed bytes--> socket
 *
 * Sealed bytes go to memory that the owner lends before each call, and that it may use again after the next flush. What
 * the socket does not take then is kept in the channel's own memory.
 *
 * Part of a connection. [loop]
 */
#ifndef QD_NET_TLS_CHANNEL_H
#define QD_NET_TLS_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tls.h"

/* The most that `receive` takes and that `seal` takes. A hostile peer sends many small records: opening this many bytes
 * of them must not take much longer than a turn. */
#define QD_TLS_RECEIVE_BYTES 16384u
#define QD_TLS_SEAL_BYTES    65536u

/* What `receive` may write, with the rest of an earlier record; and what the owner lends. */
#define QD_TLS_PLAIN_BYTES  (QD_TLS_RECEIVE_BYTES + 32768u)
#define QD_TLS_SEALED_BYTES (QD_TLS_SEAL_BYTES + 65536u)

typedef struct qd_tls_channel qd_tls_channel;

/* NULL: no memory. */
qd_tls_channel *qd_tls_channel_open(qd_tls *tls) QD_MUST_USE;
/* Accepts NULL. */
void qd_tls_channel_close(qd_tls_channel *channel);

/* Whether the handshake is over: before, nothing can be sealed. */
bool qd_tls_channel_is_open(const qd_tls_channel *channel);

/* From now on, sealed bytes go to `memory`, of QD_TLS_SEALED_BYTES. */
void qd_tls_channel_lend(qd_tls_channel *channel, uint8_t *memory);

typedef enum qd_tls_received {
    QD_TLS_MORE = 0, /* all bytes were taken */
    QD_TLS_ENDED,    /* the peer ended its side */
    QD_TLS_FAILED,   /* an alert is sealed; the connection must be closed. qd_tls_channel_problem says why */
} qd_tls_received;

/* Takes bytes that arrived, and writes what was in them. May seal an answer. */
qd_tls_received qd_tls_channel_receive(qd_tls_channel *channel, const uint8_t *bytes, size_t size,
                                       uint8_t plain[QD_TLS_PLAIN_BYTES], size_t *plain_size);
/* Seals at most QD_TLS_SEAL_BYTES. false: no memory; the connection must be closed. */
bool qd_tls_channel_seal(qd_tls_channel *channel, const uint8_t *plain, size_t size) QD_MUST_USE;
/* Seals the end of this side, once. */
void qd_tls_channel_end(qd_tls_channel *channel);
/* Why it failed, for the log. */
const char *qd_tls_channel_problem(const qd_tls_channel *channel);

/* The sealed bytes in the lent memory; *size may be 0. */
const uint8_t *qd_tls_channel_sealed(const qd_tls_channel *channel, size_t *size);
/* The socket has taken the first `sent` of them. Copies the rest behind what is kept. false: no memory, or the peer lets
 * too much wait that nobody asked for. */
bool qd_tls_channel_keep(qd_tls_channel *channel, size_t sent) QD_MUST_USE;
/* Whether bytes are kept. They come before those that are sealed later. */
bool qd_tls_channel_keeps(const qd_tls_channel *channel);
/* Takes what is kept for one write, which needs the memory until qd_tls_channel_written. Returns NULL if nothing is. */
uint8_t *qd_tls_channel_write(qd_tls_channel *channel, size_t *size);
void qd_tls_channel_written(qd_tls_channel *channel);

#endif
