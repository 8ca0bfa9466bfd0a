/* SPDX-License-Identifier: Apache-2.0
 *
 * Readers that stall: sessions beside the measured ones, subscribed to the rooms like them, that read nothing from then
 * on. What they cost the others is in the others' figures.
 */
#include "bench.h"

#include <stdlib.h>
#include <sys/socket.h>

/* What the system may hold for one of them: little, so that it is the server's queue that fills. */
#define SOCKET_BYTES 65536

static bool is_subscribed(const qd_bench_connection *connection)
{
    return connection->lanes[0].has_set;
}

static bool open_one(qd_bench *bench, qd_bench_connection *connection)
{
    qd_bench_lane *lane = &connection->lanes[0];
    bool stays = bench->options.subscribe == QD_BENCH_STAYS;

    if (!qd_bench_connect(bench, connection)) {
        return false;
    }
    setsockopt(qd_client_socket(connection->client), SOL_SOCKET, SO_RCVBUF, &(int){SOCKET_BYTES}, sizeof(int));
    if (!qd_bench_open_rooms(bench, connection)) {
        return false;
    }
    if (!qd_client_subscribe(connection->client, lane->room, QD_SCOPE_ALL, stays)) {
        qd_bench_fail(bench, "%s", qd_client_error(connection->client));
    }
    return qd_bench_wait(connection, is_subscribed, "the reset of a reader that is to stall");
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
        qd_bench_lane *lane = &stalled->lanes[index];

        *lane = (qd_bench_lane){.connection = connection, .room_index = index % bench->options.rooms};
        stalled->links[index] = lane;
        *connection = (qd_bench_connection){.bench = bench,
                                            .lanes = lane,
                                            .lane_count = 1,
                                            .by_room = &stalled->links[index],
                                            .figures = stalled->figures};
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
