/* SPDX-License-Identifier: Apache-2.0
 *
 * The credentials: the server's certificate and key, and the CA of its clients, from files in PEM.
 */
#ifndef QD_NET_TLS_CREDENTIALS_H
#define QD_NET_TLS_CREDENTIALS_H

#include <openssl/ssl.h>
#include <stddef.h>

typedef struct qd_tls_files {
    const char *cert;      /* the server's certificate, and those that lead to its CA */
    const char *key;       /* which other users must not read */
    const char *client_ca; /* clients need a certificate of one of these CAs; NULL: they need none */
} qd_tls_files;

/* A context with the policy and these credentials. NULL: `error` names the file, the problem and the fix. Logs a warning
 * if the certificate is not valid at this time. [any] */
SSL_CTX *qd_tls_credentials_read(const qd_tls_files *files, char *error, size_t error_size);

#endif
