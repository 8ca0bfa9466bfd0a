/* SPDX-License-Identifier: Apache-2.0
 *
 * The server's side of TLS: bytes from the fuzzer, at any point of a handshake and behind it, must end the channel or be
 * taken, and never more than one record's answer may be sealed.
 *
 * The first byte says how many bytes of a real client come first, in steps of 32, and with its highest bit that the
 * handshake is completed before. The second byte chooses the pieces. The rest goes to the server.
 */
#include <string.h>

#include "fuzz/fuzz.h"
#include "server/net/tls/channel.h"
#include "server/net/tls/policy.h"
#include "support/certificate.h"
#include "support/tls_client.h"

static qd_tls *tls;
static uint8_t plain[QD_TLS_PLAIN_BYTES], sealed[QD_TLS_SEALED_BYTES];

static void prepare(void)
{
    certificate files;
    char error[400];

    FUZZ_CHECK(certificate_make(&files));
    tls = qd_tls_create(&(qd_tls_files){.cert = files.cert, .key = files.key}, error, sizeof error);
    certificate_remove(&files);
    FUZZ_CHECK(tls);
}

/* Returns whether the channel goes on. */
static bool feed(qd_tls_channel *channel, const uint8_t *bytes, size_t size, tls_client *client)
{
    size_t plain_size, answer_size;

    qd_tls_channel_lend(channel, sealed);
    const qd_tls_received received = qd_tls_channel_receive(channel, bytes, size, plain, &plain_size);
    const uint8_t *answer = qd_tls_channel_sealed(channel, &answer_size);
    FUZZ_CHECK(plain_size <= size + 16384);
    tls_client_give(client, answer, answer_size);
    return received == QD_TLS_MORE;
}

static bool shake_hands(qd_tls_channel *channel, tls_client *client)
{
    uint8_t bytes[QD_TLS_RECEIVE_BYTES];

    while (!qd_tls_channel_is_open(channel)) {
        (void)tls_client_shake(client);
        const size_t size = tls_client_take(client, bytes, sizeof bytes);

        if (size == 0 || !feed(channel, bytes, size, client)) {
            return false;
        }
    }
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    uint8_t hello[4096];

    if (!tls) {
        prepare();
    }
    if (size < 2) {
        return 0;
    }
    tls_client client = tls_client_open(QD_TLS_ALPN);
    qd_tls_channel *channel = qd_tls_channel_open(tls);
    FUZZ_CHECK(channel);
    bool goes_on = true;
    if (bytes[0] & 0x80) {
        FUZZ_CHECK(shake_hands(channel, &client));
    } else {
        (void)tls_client_shake(&client);
        const size_t whole = tls_client_take(&client, hello, sizeof hello), part = (size_t)bytes[0] * 32;

        goes_on = feed(channel, hello, part < whole ? part : whole, &client);
    }
    const size_t piece = 1 + (size_t)bytes[1] * 16;
    for (size_t at = 2; at < size && goes_on; at += piece) {
        goes_on = feed(channel, bytes + at, size - at < piece ? size - at : piece, &client);
    }
    if (goes_on && qd_tls_channel_is_open(channel)) {
        qd_tls_channel_lend(channel, sealed);
        FUZZ_CHECK(qd_tls_channel_seal(channel, plain, 1000));
    }
    qd_tls_channel_end(channel);
    qd_tls_channel_close(channel);
    tls_client_close(&client);
    return 0;
}
