/* SPDX-License-Identifier: Apache-2.0
 *
 * TLS of a listener: the credentials of new connections, which a reload replaces. Open connections keep those of their
 * handshake.
 *
 * The caller of qd_tls_create owns it, and keeps it until the net has stopped.
 */
#ifndef QD_NET_TLS_TLS_H
#define QD_NET_TLS_TLS_H

#include <stdbool.h>
#include <stddef.h>

#include "../../base/status.h"
#include "credentials.h"

typedef struct qd_tls qd_tls;

/* Prepares OpenSSL, whose memory counts in the server's budget from now on. Call it before anything else uses OpenSSL;
 * the next calls change nothing. false: OpenSSL does not start. */
bool qd_tls_prepare(void) QD_MUST_USE;

/* Prepares OpenSSL and reads the files. NULL: `error` names the file, the problem and the fix. */
qd_tls *qd_tls_create(const qd_tls_files *files, char *error, size_t error_size) QD_MUST_USE;
/* Accepts NULL. */
void qd_tls_destroy(qd_tls *tls);

/* Exchanges the credentials of the two: a reload. [any, if `next` is the caller's alone] */
void qd_tls_exchange(qd_tls *tls, qd_tls *next);

/* The present credentials, with a reference for the caller. [any] */
SSL_CTX *qd_tls_acquire(qd_tls *tls);

#endif
