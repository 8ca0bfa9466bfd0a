/* SPDX-License-Identifier: Apache-2.0
 *
 * The ends of a channel: memory that OpenSSL reads from and writes to as if it were a socket (a BIO). Nothing is copied
 * besides what OpenSSL copies itself.
 *
 * Part of a channel. [loop]
 */
#ifndef QD_NET_TLS_BYTES_H
#define QD_NET_TLS_BYTES_H

#include <openssl/bio.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct qd_tls_bytes {
    const uint8_t *in; /* what arrived and is not read yet */
    size_t in_size;
    uint8_t *out; /* of out_capacity; NULL: nothing can be written */
    size_t out_size, out_capacity;
} qd_tls_bytes;

/* `bytes` must outlive the BIO. NULL: no memory. */
BIO *qd_tls_bytes_bio(qd_tls_bytes *bytes);

#endif
