/* SPDX-License-Identifier: Apache-2.0
 *
 * What TLS costs the server: its part of a handshake with ECDSA on P-256, and sealing and opening records. In memory, on
 * one thread; the client's part is not counted.
 *
 *     build-release/tests/bench_net_tls [HANDSHAKES]
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "server/base/clock.h"
#include "server/net/tls/channel.h"
#include "server/net/tls/policy.h"
#include "support/certificate.h"
#include "support/tls_client.h"

#define ROUNDS       5u
#define STREAM_BYTES ((size_t)256 << 20)

static uint8_t plain[QD_TLS_PLAIN_BYTES > QD_TLS_SEAL_BYTES ? QD_TLS_PLAIN_BYTES : QD_TLS_SEAL_BYTES];
static uint8_t sealed[QD_TLS_SEALED_BYTES];
static uint64_t server_ns;

static void check(bool good, const char *what)
{
    if (!good) {
        fprintf(stderr, "bench_net_tls: %s failed\n", what);
        exit(1);
    }
}

static void feed(qd_tls_channel *channel, tls_client *client)
{
    uint8_t bytes[QD_TLS_RECEIVE_BYTES];
    const size_t size = tls_client_take(client, bytes, sizeof bytes);
    size_t plain_size, answer_size;
    const uint64_t start_ns = qd_clock_now_ns();

    qd_tls_channel_lend(channel, sealed);
    check(qd_tls_channel_receive(channel, bytes, size, plain, &plain_size) == QD_TLS_MORE, "receiving");
    server_ns += qd_clock_now_ns() - start_ns;
    const uint8_t *answer = qd_tls_channel_sealed(channel, &answer_size);
    tls_client_give(client, answer, answer_size);
}

static qd_tls_channel *shake_hands(qd_tls *tls, tls_client *client)
{
    const uint64_t start_ns = qd_clock_now_ns();
    qd_tls_channel *channel = qd_tls_channel_open(tls);

    check(channel != NULL, "opening");
    server_ns += qd_clock_now_ns() - start_ns;
    while (!qd_tls_channel_is_open(channel)) {
        (void)tls_client_shake(client);
        feed(channel, client);
    }
    return channel;
}

static void measure_handshakes(qd_tls *tls, int version, unsigned count)
{
    double least_ns = 1e18;

    for (unsigned round = 0; round < ROUNDS; round++) {
        server_ns = 0;
        for (unsigned i = 0; i < count; i++) {
            tls_client client = tls_client_open(QD_TLS_ALPN);

            SSL_set_max_proto_version(client.ssl, version);
            qd_tls_channel_close(shake_hands(tls, &client));
            tls_client_close(&client);
        }
        const double each_ns = (double)server_ns / count;
        least_ns = each_ns < least_ns ? each_ns : least_ns;
    }
    printf("handshake, TLS %s: %.0f us, %.0f per second and core\n", version == TLS1_3_VERSION ? "1.3" : "1.2",
           least_ns / 1e3, 1e9 / least_ns);
}

static void measure_stream(qd_tls *tls)
{
    static uint8_t bytes[QD_TLS_SEALED_BYTES];
    tls_client client = tls_client_open(QD_TLS_ALPN);
    qd_tls_channel *channel = shake_hands(tls, &client);
    uint64_t seal_ns = 0;

    server_ns = 0;
    for (size_t done = 0; done < STREAM_BYTES; done += QD_TLS_SEAL_BYTES) {
        const uint64_t start_ns = qd_clock_now_ns();

        qd_tls_channel_lend(channel, sealed);
        check(qd_tls_channel_seal(channel, plain, QD_TLS_SEAL_BYTES), "sealing");
        seal_ns += qd_clock_now_ns() - start_ns;
        check(SSL_write(client.ssl, bytes, QD_TLS_SEAL_BYTES) == (int)QD_TLS_SEAL_BYTES, "the client's sealing");
        while (BIO_ctrl_pending(client.out) > 0) {
            feed(channel, &client);
        }
    }
    const uint64_t open_ns = server_ns;
    printf("%s: seals %.2f, opens %.2f GB per second and core\n", SSL_get_cipher(client.ssl),
           (double)STREAM_BYTES / (double)seal_ns, (double)STREAM_BYTES / (double)open_ns);
    qd_tls_channel_close(channel);
    tls_client_close(&client);
}

int main(int argc, char **argv)
{
    const unsigned count = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 1000;
    certificate files;
    char error[400] = "";

    check(certificate_make(&files), "openssl");
    qd_tls *tls = qd_tls_create(&(qd_tls_files){.cert = files.cert, .key = files.key}, error, sizeof error);
    certificate_remove(&files);
    check(tls != NULL && count > 0, error);
    measure_handshakes(tls, TLS1_3_VERSION, count);
    measure_handshakes(tls, TLS1_2_VERSION, count);
    measure_stream(tls);
    qd_tls_destroy(tls);
    return 0;
}
