/* SPDX-License-Identifier: Apache-2.0
 *
 * Stalled readers: extra sessions that subscribe to the rooms and then read nothing. The figures of the measured
 * sessions show what they cost. After the measurement they read, to learn whether their queues were full: a reader gets
 * a reset if the server left out ticks for it, and GoAway if that lasted too long.
 */
#include "bench.h"

#include <stdlib.h>
#include <sys/socket.h>

/* The receive buffer of each: small, so that the server's queue fills. */
#define SOCKET_BYTES 65536

typedef struct qd_bench_stalled_end {
    bool is_reset, is_disconnected;
} qd_bench_stalled_end;

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
    stalled->ends = calloc(count, sizeof *stalled->ends);
    if (!stalled->connections || !stalled->lanes || !stalled->links || !stalled->figures || !stalled->ends) {
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

/* Reads up to the answer of a new request, which follows all that the server sent before. */
static void read_waiting(const qd_bench_connection *connection, qd_bench_stalled_end *end)
{
    qd_client_get_stats(connection->client, connection->lanes[0].room);
    while (!end->is_disconnected) {
        const qd_server_message *message = qd_client_wait(connection->client, QD_BENCH_ANSWER_MS);

        if (message == NULL || message->kind == QD_SERVER_GO_AWAY) {
            end->is_disconnected = true;
        } else if (message->kind == QD_SERVER_TICK) {
            end->is_reset |= message->as.tick.merged_ticks > 0;
        } else if (message->kind == QD_SERVER_STATS) {
            break;
        }
    }
}

void qd_bench_stalled_read(qd_bench *bench, qd_bench_stalled *stalled)
{
    for (uint32_t index = 0; index < bench->options.stalled && !qd_bench_is_stopped(bench); index++) {
        read_waiting(&stalled->connections[index], &stalled->ends[index]);
    }
}

uint32_t qd_bench_stalled_count(const qd_bench *bench, const qd_bench_stalled *stalled, bool disconnected)
{
    uint32_t count = 0;

    for (uint32_t index = 0; index < bench->options.stalled; index++) {
        const qd_bench_stalled_end *end = &stalled->ends[index];

        count += disconnected ? end->is_disconnected : end->is_reset && !end->is_disconnected;
    }
    return count;
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
    free(stalled->ends);
}
