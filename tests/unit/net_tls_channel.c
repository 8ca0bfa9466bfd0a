/* SPDX-License-Identifier: Apache-2.0
 *
 * A channel in memory: allocations that fail end it and leave nothing behind, and its memory counts in the budget.
 */
#include <openssl/err.h>

#include "server/base/memory/alloc.h"
#include "server/net/tls/channel.h"
#include "server/net/tls/policy.h"
#include "support/certificate.h"
#include "support/tls_client.h"
#include "tests/support/test.h"

static certificate files;
static qd_tls *tls;
static uint8_t plain[QD_TLS_PLAIN_BYTES], sealed[QD_TLS_SEALED_BYTES];

static int setup_all(void **state)
{
    char error[400];

    (void)state;
    if (!certificate_make(&files)) {
        return -1;
    }
    const qd_tls_files paths = {.cert = files.cert, .key = files.key};
    tls = qd_tls_create(&paths, error, sizeof error);
    return tls != NULL ? 0 : -1;
}

static int teardown_all(void **state)
{
    (void)state;
    qd_tls_destroy(tls);
    certificate_remove(&files);
    return 0;
}

/* ---- failing allocations ---- */

/* Of the server's allocations, the one with this number fails; 0: none. The client's are not counted. */
static uint64_t fail_at, tried;

static void begin_server(void)
{
    (void)qd_memory_fail(fail_at > tried ? fail_at - tried : 0, fail_at > tried);
}

static void end_server(void)
{
    tried += qd_memory_fail(0, 0);
}

/* Plays a handshake and a frame in both directions. Returns whether all went well. */
static bool play(void)
{
    uint8_t bytes[QD_TLS_RECEIVE_BYTES], echo[5];
    tls_client client = tls_client_open(QD_TLS_ALPN);
    size_t size, plain_size = 0;
    bool good = true, sent = false;

    tried = 0;
    begin_server();
    qd_tls_channel *channel = qd_tls_channel_open(tls);
    end_server();
    while (channel != NULL && good && plain_size == 0) {
        if (tls_client_shake(&client) && !sent) {
            assert_int_equal(SSL_write(client.ssl, "frame", 5), 5);
            sent = true;
        }
        size = tls_client_take(&client, bytes, sizeof bytes);
        begin_server();
        qd_tls_channel_lend(channel, sealed);
        good = size > 0 && qd_tls_channel_receive(channel, bytes, size, plain, &plain_size) == QD_TLS_MORE;
        end_server();
        const uint8_t *answer = qd_tls_channel_sealed(channel, &size);
        tls_client_give(&client, answer, size);
    }
    if (plain_size > 0) {
        assert_int_equal(plain_size, 5);
        begin_server();
        qd_tls_channel_lend(channel, sealed);
        good = qd_tls_channel_seal(channel, plain, plain_size);
        end_server();
        const uint8_t *answer = qd_tls_channel_sealed(channel, &size);
        tls_client_give(&client, answer, size);
        good = good && SSL_read(client.ssl, echo, sizeof echo) == 5 && memcmp(echo, "frame", 5) == 0;
    }
    good = good && channel != NULL;
    qd_tls_channel_close(channel);
    tls_client_close(&client);
    ERR_clear_error();
    return good;
}

TEST(each_allocation_that_fails_ends_the_channel_alone)
{
    uint64_t ended = 0;

    fail_at = 0;
    assert_true(play());
    assert_true(play());
    const uint64_t all = tried;
    const size_t before = qd_memory_used();
    assert_true(all > 100);
    for (fail_at = 1; fail_at <= all; fail_at++) {
        const uint64_t failed = fail_at;

        ended += !play();
        fail_at = 0;
        assert_true(play());
        fail_at = failed;
    }
    /* OpenSSL does without some of them. */
    assert_true(ended > all / 2);
    assert_int_equal(qd_memory_used(), before);
}

/* ---- memory ---- */

TEST(what_openssl_allocates_counts_in_the_budget)
{
    fail_at = 0;
    assert_true(play());
    const size_t before = qd_memory_used();
    qd_tls_channel *channel = qd_tls_channel_open(tls);
    assert_non_null(channel);
    assert_true(qd_memory_used() > before + 2000);
    qd_tls_channel_close(channel);
    assert_int_equal(qd_memory_used(), before);
}

TEST(without_memory_there_is_no_channel)
{
    qd_memory_limit_set(qd_memory_used());
    assert_null(qd_tls_channel_open(tls));
    qd_memory_limit_set(0);
    qd_tls_channel *channel = qd_tls_channel_open(tls);
    assert_non_null(channel);
    qd_tls_channel_close(channel);
}

/* ---- files ---- */

static void expect_error(const qd_tls_files *paths, const char *word)
{
    char error[400] = "";

    assert_null(qd_tls_create(paths, error, sizeof error));
    if (strstr(error, word) == NULL) {
        fail_msg("no '%s' in: %s", word, error);
    }
}

TEST(files_that_do_not_fit_are_refused)
{
    certificate other;
    char command[400];

    assert_true(certificate_make(&other));
    const qd_tls_files mixed = {.cert = files.cert, .key = other.key}, swapped = {.cert = files.key, .key = files.key},
                       no_key = {.cert = files.cert, .key = files.cert},
                       bad_ca = {.cert = files.cert, .key = files.key, .client_ca = files.key},
                       open = {.cert = other.cert, .key = other.key};
    expect_error(&mixed, "is not the key of the certificate in");
    expect_error(&swapped, "must have a certificate in PEM");
    expect_error(&no_key, "must have a private key in PEM");
    expect_error(&bad_ca, "must have the certificate of a CA in PEM");
    snprintf(command, sizeof command, "chmod 644 %s", other.key);
    assert_true(certificate_run(command));
    expect_error(&open, "has the mode 644; must not be readable by other users. Run chmod 600");
    snprintf(command, sizeof command,
             "rm %s && openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -aes128 "
             "-pass pass:word -out %s 2>/dev/null",
             other.key, other.key);
    assert_true(certificate_run(command));
    expect_error(&open, "the key has a passphrase");
    certificate_remove(&other);
}

TEST_MAIN_WITH(setup_all, teardown_all)
