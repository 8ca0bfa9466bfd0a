/* SPDX-License-Identifier: Apache-2.0
 *
 * A client's side of TLS in memory, for tests of server/net/tls: what it seals, the test passes on as it likes.
 */
#ifndef QD_TESTS_TLS_CLIENT_H
#define QD_TESTS_TLS_CLIENT_H

#include <openssl/ssl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct tls_client {
    SSL *ssl;
    BIO *in, *out;
} tls_client;

/* It trusts every server. `alpn` has its length before it; NULL: none. */
static inline tls_client tls_client_open(const char *alpn)
{
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    tls_client client = {.ssl = SSL_new(context), .in = BIO_new(BIO_s_mem()), .out = BIO_new(BIO_s_mem())};

    SSL_CTX_free(context);
    if (client.ssl == NULL || client.in == NULL || client.out == NULL) {
        abort();
    }
    if (alpn != NULL) {
        (void)SSL_set_alpn_protos(client.ssl, (const unsigned char *)alpn, (unsigned)alpn[0] + 1);
    }
    SSL_set_bio(client.ssl, client.in, client.out);
    SSL_set_connect_state(client.ssl);
    return client;
}

static inline void tls_client_close(tls_client *client)
{
    SSL_free(client->ssl);
    *client = (tls_client){0};
}

/* Goes on with the handshake. Returns whether it is over. */
static inline bool tls_client_shake(tls_client *client)
{
    return SSL_do_handshake(client->ssl) == 1;
}

/* Takes at most `capacity` sealed bytes out. */
static inline size_t tls_client_take(tls_client *client, void *bytes, size_t capacity)
{
    const int size = BIO_read(client->out, bytes, (int)capacity);

    return size > 0 ? (size_t)size : 0;
}

static inline void tls_client_give(tls_client *client, const void *bytes, size_t size)
{
    if (size > 0 && BIO_write(client->in, bytes, (int)size) != (int)size) {
        abort();
    }
}

#endif
