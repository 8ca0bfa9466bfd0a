/* SPDX-License-Identifier: Apache-2.0
 *
 * A connection of a run, and the rooms of its lanes.
 */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>

#define CONNECT_TIMEOUT_MS 5000

/* Rooms that a killed run leaves behind are gone after twice that. */
#define GRACE_MS 1000u

void qd_bench_room_name(const qd_bench *bench, uint32_t room_index, char name[QD_BENCH_NAME_SIZE])
{
    snprintf(name, QD_BENCH_NAME_SIZE, "bench-%016llx-%u", (unsigned long long)bench->run_id, room_index);
}

bool qd_bench_connect(qd_bench *bench, qd_bench_connection *connection)
{
    char name[QD_CLIENT_NAME_BYTES_MAX + 1];

    snprintf(name, sizeof name, "%s/%s", QD_BENCH, qd_version());
    connection->client = qd_client_create();
    if (!connection->client) {
        qd_bench_fail(bench, "out of memory");
        return false;
    }
    if (qd_client_connect(connection->client, bench->server.address, bench->where.token, name, CONNECT_TIMEOUT_MS) <
        0) {
        qd_bench_fail(bench, "%s (--server, or QUADRILLE_SERVER, names another)", qd_client_error(connection->client));
        return false;
    }
    const qd_msg_limits *limits = &qd_client_welcome(connection->client)->limits;
    if (bench->options.entities > limits->entities_max) {
        qd_bench_fail(bench, "--entities %u: this server takes at most %u a room", bench->options.entities,
                      limits->entities_max);
        return false;
    }
    if (bench->options.rooms > limits->rooms_max) {
        qd_bench_fail(bench, "--rooms %u: this server takes at most %u", bench->options.rooms, limits->rooms_max);
        return false;
    }
    return true;
}

static bool rooms_are_open(const qd_bench_connection *connection)
{
    for (uint32_t index = 0; index < connection->lane_count; index++) {
        if (!connection->lanes[index].room) {
            return false;
        }
    }
    return true;
}

static int compare_rooms(const void *left, const void *right)
{
    uint64_t a = (*(qd_bench_lane *const *)left)->room, b = (*(qd_bench_lane *const *)right)->room;

    return (a > b) - (a < b);
}

bool qd_bench_open_rooms(qd_bench *bench, qd_bench_connection *connection)
{
    const uint32_t dimensions = bench->options.dimensions;
    const qd_msg_room_config config = {
        .dimensions = dimensions,
        .has_bounds = true,
        .bounds = {.max_x = bench->side, .max_y = bench->side, .max_z = dimensions == 3 ? bench->side : 0},
        .index = bench->options.index,
        .tick_mode = bench->options.step ? QD_TICK_MODE_STEP : QD_TICK_MODE_CLOCK,
        .tick_hz = bench->options.step ? 0 : bench->options.hz,
        .grace_ms = GRACE_MS,
        .empty_close_ms = GRACE_MS};

    connection->open_seq = qd_client_next_seq(connection->client);
    for (uint32_t index = 0; index < connection->lane_count; index++) {
        char name[QD_BENCH_NAME_SIZE];

        qd_bench_room_name(bench, connection->lanes[index].room_index, name);
        if (!qd_client_open_room(connection->client, name, &config)) {
            qd_bench_fail(bench, "%s", qd_client_error(connection->client));
        }
    }
    if (!qd_bench_wait(connection, rooms_are_open, "rooms to open")) {
        return false;
    }
    qsort(connection->by_room, connection->lane_count, sizeof(qd_bench_lane *), compare_rooms);
    return true;
}
