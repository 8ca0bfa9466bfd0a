/* SPDX-License-Identifier: Apache-2.0
 *
 * The TLS of one client, without its socket: sealed bytes go out and come in. Not installed.
 */
#ifndef QD_CLIENT_TLS_H
#define QD_CLIENT_TLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "quadrille.h"

typedef struct qd_client_channel qd_client_channel;

/* A reference more; the tls stays valid after qd_client_tls_destroy. */
qd_client_tls *qd_client_tls_acquire(qd_client_tls *tls);

/* The server must have a certificate for `host`, a name or an IP address. NULL: out of memory. */
qd_client_channel *qd_client_channel_open(qd_client_tls *tls, const char *host);
/* Accepts NULL. */
void qd_client_channel_close(qd_client_channel *channel);

/* The sealed bytes to send; NULL: none. If none wait and the handshake is over, seals the first of the plain bytes. */
const void *qd_client_channel_output(qd_client_channel *channel, const uint8_t *plain, size_t plain_size, size_t *size);
/* So many of them are sent. Returns how many plain bytes are sent now. */
size_t qd_client_channel_sent(qd_client_channel *channel, size_t size);

/* Takes sealed bytes. false: out of memory. */
bool qd_client_channel_input(qd_client_channel *channel, const void *bytes, size_t size);
/* Writes what was in them. Returns the number of plain bytes; 0: there are no more. */
size_t qd_client_channel_read(qd_client_channel *channel, uint8_t *plain, size_t capacity);
/* Why TLS has failed; NULL: it has not. */
const char *qd_client_channel_problem(const qd_client_channel *channel);

#endif
