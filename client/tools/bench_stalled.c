/* SPDX-License-Identifier: Apache-2.0
 *
 * Stalled readers: extra sessions that subscribe to the rooms and then read nothing. The figures of the measured
 * sessions show what they cost.
 */
#include "bench.h"

#include <stdlib.h>
#include <sys/socket.h>

/* The receive buffer of each: small, so that the server's queue fills. */
#define SOCKET_BYTES 65536

static bool open_one(qd_bench *bench, qd_bench_connection *connection)
{
    if (!qd_bench_connect(bench, connection)) {
        return false;
    }
    setsockopt(qd_client_socket(connection->client), SOL_SOCKET, SO_RCVBUF, &(int){SOCKET_BYTES}, sizeof(int));
    return qd_bench_open_rooms(bench, connection) &&
           qd_bench_reader_subscribe(connection, bench->options.subscribe == QD_BENCH_STAYS);
}

bool qd_bench_stalled_open(qd_bench *bench, qd_bench_stalled *stalled)
{
    uint32_t count = bench->options.stalled;

    if (count == 0) {
        return true;
    }
    stalled->connections = calloc(count, sizeof *stalled->connections);
    stalled->lanes = calloc(count, sizeof *stalled->lanes);
    stalled->links = calloc(count, sizeof(qd_bench_lane *));
    stalled->figures = calloc(1, sizeof *stalled->figures);
    if (!stalled->connections || !stalled->lanes || !stalled->links || !stalled->figures) {
        qd_bench_fail(bench, "out of memory for --stalled %u", count);
        return false;
    }
    for (uint32_t index = 0; index < count && !qd_bench_is_stopped(bench); index++) {
        qd_bench_connection *connection = &stalled->connections[index];

        qd_bench_reader_init(bench, connection, &stalled->lanes[index], &stalled->links[index], index,
                             stalled->figures);
        if (!open_one(bench, connection)) {
            return false;
        }
    }
    return !qd_bench_is_stopped(bench);
}

void qd_bench_stalled_close(const qd_bench *bench, qd_bench_stalled *stalled)
{
    for (uint32_t index = 0; stalled->connections && index < bench->options.stalled; index++) {
        qd_client_destroy(stalled->connections[index].client);
    }
    free(stalled->connections);
    free(stalled->lanes);
    free(stalled->links);
    free(stalled->figures);
}
