/* SPDX-License-Identifier: Apache-2.0 */
#include "policy.h"

#include <string.h>

/* What is fast in OpenSSL: a peer must not choose how much its handshake costs. */
#define GROUPS     "X25519:P-256"
#define CIPHERS_12 "ECDHE+AESGCM:ECDHE+CHACHA20"

/* Of a client's certificates: links of the chain, and bytes. */
#define CHAIN_MAX       4
#define CHAIN_BYTES_MAX 32768

/* A client that offers no ALPN at all does not reach choose_protocol. */
static int check_hello(SSL *ssl, int *alert, void *unused)
{
    const unsigned char *bytes;
    size_t size;

    (void)unused;
    if (SSL_client_hello_get0_ext(ssl, TLSEXT_TYPE_application_layer_protocol_negotiation, &bytes, &size) == 1) {
        return SSL_CLIENT_HELLO_SUCCESS;
    }
    *alert = SSL_AD_NO_APPLICATION_PROTOCOL;
    return SSL_CLIENT_HELLO_ERROR;
}

static int choose_protocol(SSL *ssl, const unsigned char **chosen, unsigned char *chosen_size,
                           const unsigned char *offered, unsigned offered_size, void *unused)
{
    (void)ssl, (void)unused;
    unsigned char *found;

    if (SSL_select_next_proto(&found, chosen_size, (const unsigned char *)QD_TLS_ALPN, sizeof QD_TLS_ALPN - 1, offered,
                              offered_size) != OPENSSL_NPN_NEGOTIATED) {
        return SSL_TLSEXT_ERR_ALERT_FATAL;
    }
    *chosen = found;
    return SSL_TLSEXT_ERR_OK;
}

SSL_CTX *qd_tls_policy_context(void)
{
    SSL_CTX *context = SSL_CTX_new(TLS_server_method());

    if (context == NULL) {
        return NULL;
    }
    if (SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) != 1 ||
        SSL_CTX_set_cipher_list(context, CIPHERS_12) != 1 || SSL_CTX_set1_groups_list(context, GROUPS) != 1 ||
        SSL_CTX_set_num_tickets(context, 0) != 1) {
        SSL_CTX_free(context);
        return NULL;
    }
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_NO_TICKET |
                                     SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_PRIORITIZE_CHACHA);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_security_level(context, 2);
    SSL_CTX_set_verify_depth(context, CHAIN_MAX);
    SSL_CTX_set_max_cert_list(context, CHAIN_BYTES_MAX);
    SSL_CTX_set_client_hello_cb(context, check_hello, NULL);
    SSL_CTX_set_alpn_select_cb(context, choose_protocol, NULL);
    /* One record at a time, so that the channel sees each of them. The outbox may move between two writes. */
    SSL_CTX_clear_mode(context, SSL_MODE_AUTO_RETRY);
    return context;
}
