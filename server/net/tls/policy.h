/* SPDX-License-Identifier: Apache-2.0
 *
 * The policy: what the server allows in a handshake, whatever its certificate. TLS 1.2 and 1.3, forward secrecy and
 * authenticated encryption, ALPN `quadrille/1`. Without renegotiation, compression, early data, tickets and resumption.
 */
#ifndef QD_NET_TLS_POLICY_H
#define QD_NET_TLS_POLICY_H

#include <openssl/ssl.h>

/* The protocol in ALPN, behind its length. */
#define QD_TLS_ALPN "\x0bquadrille/1"

/* A context with the policy, without a certificate. NULL: no memory. [any] */
SSL_CTX *qd_tls_policy_context(void);

#endif
