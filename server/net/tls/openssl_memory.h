/* SPDX-License-Identifier: Apache-2.0
 *
 * OpenSSL's memory counts in the server's budget (base/memory/alloc.h). If the budget is spent, OpenSSL's allocation
 * fails, and with it the connection that it was for.
 */
#ifndef QD_NET_TLS_OPENSSL_MEMORY_H
#define QD_NET_TLS_OPENSSL_MEMORY_H

#include <stdbool.h>

/* Once, before any other call of OpenSSL in the process. false: OpenSSL has allocated already. */
bool qd_tls_memory_init(void);

#endif
