/* SPDX-License-Identifier: Apache-2.0 */
#include "channel.h"

#include <openssl/err.h>
#include <openssl/x509.h>
#include <string.h>

#include "../../base/assert.h"
#include "../../base/memory/alloc.h"
#include "bytes.h"

/* A peer changes its keys after some gigabytes, so two changes in one receive are an attack: each costs as much as many
 * records. */
#define KEY_UPDATES_MAX 1u

/* The most that is kept. One seal is; answers to a peer that does not read them come on top. */
#define KEPT_BYTES_MAX (2 * QD_TLS_SEALED_BYTES)

/* Bytes of the channel's own. */
typedef struct own_bytes {
    uint8_t *bytes;
    size_t size, capacity;
} own_bytes;

struct qd_tls_channel {
    SSL *ssl;
    qd_tls_bytes bytes;
    uint32_t key_updates; /* in this receive */
    bool failed, ended;
    const char *problem;
    own_bytes kept, writing;
};

static void free_bytes(own_bytes *own)
{
    qd_shared_free(own->bytes, own->capacity);
    *own = (own_bytes){0};
}

static void on_message(int written, int version, int type, const void *bytes, size_t size, SSL *ssl, void *argument)
{
    qd_tls_channel *channel = argument;

    (void)version, (void)ssl;
    if (!written && type == SSL3_RT_HANDSHAKE && size > 0 && *(const uint8_t *)bytes == SSL3_MT_KEY_UPDATE) {
        channel->key_updates++;
    }
}

qd_tls_channel *qd_tls_channel_open(qd_tls *tls)
{
    qd_tls_channel *channel = qd_shared_alloc(sizeof *channel);

    if (channel == NULL) {
        return NULL;
    }
    SSL_CTX *context = qd_tls_acquire(tls);
    *channel = (qd_tls_channel){.ssl = SSL_new(context), .problem = "unknown"};
    SSL_CTX_free(context);
    BIO *bio = channel->ssl != NULL ? qd_tls_bytes_bio(&channel->bytes) : NULL;
    if (bio == NULL) {
        ERR_clear_error();
        qd_tls_channel_close(channel);
        return NULL;
    }
    SSL_set_bio(channel->ssl, bio, bio);
    SSL_set_accept_state(channel->ssl);
    SSL_set_msg_callback(channel->ssl, on_message);
    SSL_set_msg_callback_arg(channel->ssl, channel);
    return channel;
}

void qd_tls_channel_close(qd_tls_channel *channel)
{
    if (channel == NULL) {
        return;
    }
    SSL_free(channel->ssl);
    free_bytes(&channel->kept);
    free_bytes(&channel->writing);
    qd_shared_free(channel, sizeof *channel);
}

bool qd_tls_channel_is_open(const qd_tls_channel *channel)
{
    return SSL_is_init_finished(channel->ssl) == 1 && !channel->failed;
}

void qd_tls_channel_lend(qd_tls_channel *channel, uint8_t *memory)
{
    channel->bytes.out = memory;
    channel->bytes.out_size = 0;
    channel->bytes.out_capacity = QD_TLS_SEALED_BYTES;
}

const char *qd_tls_channel_problem(const qd_tls_channel *channel)
{
    return channel->problem;
}

/* ---- receiving ---- */

static const char *problem_of(const SSL *ssl)
{
    const long verified = SSL_get_verify_result(ssl);
    const unsigned long error = ERR_peek_error();
    const char *text = ERR_reason_error_string(error);

    if (verified != X509_V_OK) {
        return X509_verify_cert_error_string(verified);
    }
    switch (ERR_GET_REASON(error)) {
    case SSL_R_CALLBACK_FAILED:
        return "the client offers no ALPN; must offer quadrille/1";
    case SSL_R_NO_APPLICATION_PROTOCOL:
        return "the client offers another ALPN; must offer quadrille/1";
    case SSL_R_WRONG_VERSION_NUMBER:
        return "the client does not speak TLS";
    default:
        return text != NULL ? text : "unknown";
    }
}

/* OpenSSL sends no alert to a peer that does not speak TLS; but clients of Quadrille understand it. */
static void ensure_alert(qd_tls_bytes *bytes)
{
    static const uint8_t unexpected_message[] = {0x15, 0x03, 0x01, 0x00, 0x02, 0x02, 0x0a};

    if (bytes->out_size == 0) {
        memcpy(bytes->out, unexpected_message, sizeof unexpected_message);
        bytes->out_size = sizeof unexpected_message;
    }
}

static qd_tls_received fail(qd_tls_channel *channel, const char *problem)
{
    if (SSL_is_init_finished(channel->ssl) != 1) {
        ensure_alert(&channel->bytes);
    }
    channel->failed = true;
    channel->problem = problem != NULL ? problem : problem_of(channel->ssl);
    ERR_clear_error();
    return QD_TLS_FAILED;
}

qd_tls_received qd_tls_channel_receive(qd_tls_channel *channel, const uint8_t *bytes, size_t size,
                                       uint8_t plain[QD_TLS_PLAIN_BYTES], size_t *plain_size)
{
    QD_VALIDATE(size <= QD_TLS_RECEIVE_BYTES);
    *plain_size = 0;
    if (channel->failed) {
        return QD_TLS_FAILED;
    }
    channel->bytes.in = bytes;
    channel->bytes.in_size = size;
    channel->key_updates = 0;
    ERR_clear_error();
    for (;;) {
        size_t got = 0;
        const int result = SSL_read_ex(channel->ssl, plain + *plain_size, QD_TLS_PLAIN_BYTES - *plain_size, &got);

        *plain_size += got;
        if (channel->key_updates > KEY_UPDATES_MAX) {
            return fail(channel, "the keys change too often");
        }
        if (result == 1) {
            continue;
        }
        switch (SSL_get_error(channel->ssl, result)) {
        case SSL_ERROR_WANT_READ:
            if (channel->bytes.in_size == 0) {
                return QD_TLS_MORE;
            }
            break;
        case SSL_ERROR_ZERO_RETURN:
            return QD_TLS_ENDED;
        default:
            return fail(channel, NULL);
        }
    }
}

/* ---- sealing ---- */

bool qd_tls_channel_seal(qd_tls_channel *channel, const uint8_t *plain, size_t size)
{
    size_t written = 0;

    QD_VALIDATE(size <= QD_TLS_SEAL_BYTES && qd_tls_channel_is_open(channel));
    ERR_clear_error();
    if (SSL_write_ex(channel->ssl, plain, size, &written) == 1 && written == size) {
        return true;
    }
    (void)fail(channel, NULL);
    return false;
}

void qd_tls_channel_end(qd_tls_channel *channel)
{
    if (!channel->ended && qd_tls_channel_is_open(channel)) {
        ERR_clear_error();
        (void)SSL_shutdown(channel->ssl);
    }
    channel->ended = true;
}

/* ---- sending ---- */

const uint8_t *qd_tls_channel_sealed(const qd_tls_channel *channel, size_t *size)
{
    *size = channel->bytes.out_size;
    return channel->bytes.out;
}

bool qd_tls_channel_keep(qd_tls_channel *channel, size_t sent)
{
    own_bytes *kept = &channel->kept;
    const size_t rest = channel->bytes.out_size - sent, size = kept->size + rest;

    if (size > kept->capacity) {
        uint8_t *bytes = size <= KEPT_BYTES_MAX ? qd_shared_alloc(size) : NULL;

        if (bytes == NULL) {
            return false;
        }
        if (kept->size > 0) {
            memcpy(bytes, kept->bytes, kept->size);
        }
        qd_shared_free(kept->bytes, kept->capacity);
        kept->bytes = bytes;
        kept->capacity = size;
    }
    if (rest > 0) {
        memcpy(kept->bytes + kept->size, channel->bytes.out + sent, rest);
    }
    kept->size = size;
    channel->bytes.out_size = 0;
    return true;
}

bool qd_tls_channel_keeps(const qd_tls_channel *channel)
{
    return channel->kept.size > 0;
}

uint8_t *qd_tls_channel_write(qd_tls_channel *channel, size_t *size)
{
    QD_VALIDATE(channel->writing.bytes == NULL);
    channel->writing = channel->kept;
    channel->kept = (own_bytes){0};
    *size = channel->writing.size;
    return channel->writing.bytes;
}

void qd_tls_channel_written(qd_tls_channel *channel)
{
    free_bytes(&channel->writing);
}
