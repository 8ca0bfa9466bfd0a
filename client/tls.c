/* SPDX-License-Identifier: Apache-2.0 */
#include "tls.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "memory.h"

#define ALPN "\x0bquadrille/1"

/* The most that is sealed at once. */
#define SEAL_BYTES 65536u

#define PROBLEM_BYTES 480u

struct qd_client_tls {
    _Atomic unsigned references;
    SSL_CTX *context;
};

struct qd_client_channel {
    qd_client_tls *tls;
    SSL *ssl;
    BIO *in, *out;       /* the SSL owns them */
    size_t out_sent;     /* of the bytes in `out` */
    size_t sealed_plain; /* which are in `out` */
    bool open;           /* the handshake is over */
    char host[256];
    char problem[PROBLEM_BYTES]; /* empty: none */
};

/* ---- files ---- */

static const char *reason(void)
{
    const unsigned long error = ERR_peek_error();
    const char *text = ERR_SYSTEM_ERROR(error) ? strerror((int)ERR_GET_REASON(error)) : ERR_reason_error_string(error);

    return text != NULL ? text : "unknown reason";
}

static bool read_files(SSL_CTX *context, const qd_client_tls_files *files, char *error, size_t error_size)
{
    if (files->ca != NULL ? SSL_CTX_load_verify_file(context, files->ca) != 1
                          : SSL_CTX_set_default_verify_paths(context) != 1) {
        snprintf(error, error_size, "%s cannot be read: %s; must have the certificate of a CA in PEM",
                 files->ca != NULL ? files->ca : "the system's list of CAs", reason());
        return false;
    }
    if ((files->cert == NULL) != (files->key == NULL)) {
        snprintf(error, error_size, "the %s is missing; must be given with the %s",
                 files->cert == NULL ? "cert" : "key", files->cert == NULL ? "key" : "cert");
        return false;
    }
    if (files->cert != NULL && SSL_CTX_use_certificate_chain_file(context, files->cert) != 1) {
        snprintf(error, error_size, "%s cannot be read: %s; must have a certificate in PEM", files->cert, reason());
        return false;
    }
    if (files->key != NULL && SSL_CTX_use_PrivateKey_file(context, files->key, SSL_FILETYPE_PEM) != 1) {
        snprintf(error, error_size, "%s cannot be read: %s; must have the private key of %s in PEM", files->key,
                 reason(), files->cert);
        return false;
    }
    return true;
}

/* The library has no terminal to ask for a passphrase. */
static int no_passphrase(char *text, int text_size, int writing, void *unused)
{
    (void)text, (void)text_size, (void)writing, (void)unused;
    return -1;
}

static bool set_policy(SSL_CTX *context)
{
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_NO_TICKET);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_default_passwd_cb(context, no_passphrase);
    /* Plain bytes may move while sealed ones wait. */
    SSL_CTX_set_mode(context, SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    return SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) == 1 &&
           SSL_CTX_set_alpn_protos(context, (const unsigned char *)ALPN, sizeof ALPN - 1) == 0;
}

qd_client_tls *qd_client_tls_create(const qd_client_tls_files *files, char *error, size_t error_size)
{
    static const qd_client_tls_files none = {0};
    char unused[1];

    error = error != NULL ? error : unused;
    error_size = error != unused ? error_size : sizeof unused;
    ERR_clear_error();
    qd_client_tls *tls = qd_memory_zeroed(1, sizeof *tls);
    SSL_CTX *context = tls != NULL ? SSL_CTX_new(TLS_client_method()) : NULL;
    if (context == NULL || !set_policy(context)) {
        snprintf(error, error_size, "out of memory");
    } else if (read_files(context, files != NULL ? files : &none, error, error_size)) {
        atomic_init(&tls->references, 1);
        tls->context = context;
        return tls;
    }
    SSL_CTX_free(context);
    if (tls != NULL) {
        qd_memory_free(tls);
    }
    return NULL;
}

void qd_client_tls_destroy(qd_client_tls *tls)
{
    if (tls == NULL || atomic_fetch_sub_explicit(&tls->references, 1, memory_order_acq_rel) != 1) {
        return;
    }
    SSL_CTX_free(tls->context);
    qd_memory_free(tls);
}

qd_client_tls *qd_client_tls_acquire(qd_client_tls *tls)
{
    atomic_fetch_add_explicit(&tls->references, 1, memory_order_relaxed);
    return tls;
}

/* ---- channels ---- */

/* The certificate must name the host: as an IP address if it is one, else as a DNS name. */
static bool set_host(SSL *ssl, const char *host)
{
    X509_VERIFY_PARAM *rule = SSL_get0_param(ssl);

    if (X509_VERIFY_PARAM_set1_ip_asc(rule, host) == 1) {
        return true;
    }
    ERR_clear_error();
    X509_VERIFY_PARAM_set_hostflags(rule, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    return X509_VERIFY_PARAM_set1_host(rule, host, 0) == 1 && SSL_set_tlsext_host_name(ssl, host) == 1;
}

qd_client_channel *qd_client_channel_open(qd_client_tls *tls, const char *host)
{
    qd_client_channel *channel = qd_memory_zeroed(1, sizeof *channel);

    if (channel == NULL) {
        return NULL;
    }
    channel->tls = qd_client_tls_acquire(tls);
    snprintf(channel->host, sizeof channel->host, "%s", host);
    channel->ssl = SSL_new(tls->context);
    channel->in = BIO_new(BIO_s_mem());
    channel->out = BIO_new(BIO_s_mem());
    if (channel->ssl == NULL || channel->in == NULL || channel->out == NULL || !set_host(channel->ssl, host)) {
        SSL_free(channel->ssl);
        BIO_free(channel->in);
        BIO_free(channel->out);
        channel->ssl = NULL;
        qd_client_channel_close(channel);
        return NULL;
    }
    SSL_set_bio(channel->ssl, channel->in, channel->out);
    SSL_set_connect_state(channel->ssl);
    return channel;
}

void qd_client_channel_close(qd_client_channel *channel)
{
    if (channel == NULL) {
        return;
    }
    SSL_free(channel->ssl);
    qd_client_tls_destroy(channel->tls);
    qd_memory_free(channel);
}

const char *qd_client_channel_problem(const qd_client_channel *channel)
{
    return channel->problem[0] != '\0' ? channel->problem : NULL;
}

/* ---- failures ---- */

static void fail(qd_client_channel *channel)
{
    const long verified = SSL_get_verify_result(channel->ssl);
    const unsigned long error = ERR_peek_error();
    const int code = ERR_GET_REASON(error);

    if (channel->problem[0] != '\0') {
        return;
    }
    if (verified != X509_V_OK) {
        snprintf(channel->problem, sizeof channel->problem,
                 "the server's certificate is refused: %s; must be valid, be for %s, and lead to a trusted CA",
                 X509_verify_cert_error_string(verified), channel->host);
    } else if (code == SSL_R_WRONG_VERSION_NUMBER) {
        snprintf(channel->problem, sizeof channel->problem,
                 "the server answers without TLS; must encrypt. Connect without TLS, or start it with --tls-cert");
    } else if (code == SSL_R_TLSV1_ALERT_INTERNAL_ERROR) {
        snprintf(channel->problem, sizeof channel->problem,
                 "the server refuses connections now: it is full, or this address has too many. Try again later");
    } else {
        snprintf(channel->problem, sizeof channel->problem, "TLS failed: %s", reason());
    }
    ERR_clear_error();
}

/* After a handshake: what the server agreed on. */
static void check_protocol(qd_client_channel *channel)
{
    const unsigned char *protocol;
    unsigned size;

    SSL_get0_alpn_selected(channel->ssl, &protocol, &size);
    if (size == 0) {
        snprintf(channel->problem, sizeof channel->problem,
                 "the server did not agree on quadrille/1 (ALPN); is it a Quadrille server?");
    }
}

static void shake_hands(qd_client_channel *channel)
{
    if (channel->open || channel->problem[0] != '\0') {
        return;
    }
    ERR_clear_error();
    const int result = SSL_do_handshake(channel->ssl);
    if (result == 1) {
        channel->open = true;
        check_protocol(channel);
    } else if (SSL_get_error(channel->ssl, result) != SSL_ERROR_WANT_READ) {
        fail(channel);
    }
}

/* ---- bytes ---- */

static size_t waiting(const qd_client_channel *channel)
{
    return (size_t)BIO_ctrl_pending(channel->out) - channel->out_sent;
}

const void *qd_client_channel_output(qd_client_channel *channel, const uint8_t *plain, size_t plain_size, size_t *size)
{
    size_t written = 0;
    char *bytes;

    shake_hands(channel);
    if (waiting(channel) == 0 && channel->open && plain_size > 0 && channel->problem[0] == '\0') {
        ERR_clear_error();
        if (SSL_write_ex(channel->ssl, plain, plain_size < SEAL_BYTES ? plain_size : SEAL_BYTES, &written) != 1) {
            fail(channel);
        }
        channel->sealed_plain += written;
    }
    *size = waiting(channel);
    if (*size == 0) {
        return NULL;
    }
    (void)BIO_get_mem_data(channel->out, &bytes);
    return bytes + channel->out_sent;
}

size_t qd_client_channel_sent(qd_client_channel *channel, size_t size)
{
    const size_t left = waiting(channel);

    channel->out_sent += size < left ? size : left;
    if (waiting(channel) > 0) {
        return 0;
    }
    const size_t plain = channel->sealed_plain;
    (void)BIO_reset(channel->out);
    channel->out_sent = channel->sealed_plain = 0;
    return plain;
}

bool qd_client_channel_input(qd_client_channel *channel, const void *bytes, size_t size)
{
    size_t written;

    return BIO_write_ex(channel->in, bytes, size, &written) == 1;
}

size_t qd_client_channel_read(qd_client_channel *channel, uint8_t *plain, size_t capacity)
{
    size_t got = 0;

    shake_hands(channel);
    if (!channel->open || channel->problem[0] != '\0') {
        return 0;
    }
    ERR_clear_error();
    const int result = SSL_read_ex(channel->ssl, plain, capacity, &got);
    if (result == 1) {
        return got;
    }
    const int error = SSL_get_error(channel->ssl, result);
    if (error != SSL_ERROR_WANT_READ && error != SSL_ERROR_ZERO_RETURN) {
        fail(channel);
    }
    return 0;
}
