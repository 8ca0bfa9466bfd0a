/* SPDX-License-Identifier: Apache-2.0
 *
 * Connections, readers, and the rooms of a run.
 */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>

/* The server closes the rooms of a killed run after twice this time. */
#define GRACE_MS 1000u

void qd_bench_room_name(const qd_bench *bench, uint32_t room_index, char name[QD_BENCH_NAME_SIZE])
{
    snprintf(name, QD_BENCH_NAME_SIZE, "bench-%016llx-%u", (unsigned long long)bench->run_id, room_index);
}

bool qd_bench_fail_session(qd_bench *bench, const qd_client *client)
{
    qd_bench_fail(bench, "%s", *qd_client_error(client) ? qd_client_error(client) : "the server does not answer");
    return false;
}

qd_client *qd_bench_connect_client(qd_bench *bench)
{
    char name[QD_CLIENT_NAME_BYTES_MAX + 1];
    qd_client *client = qd_client_create();

    snprintf(name, sizeof name, "%s/%s", QD_BENCH, qd_version());
    if (client && bench->tls) {
        (void)qd_client_use_tls(client, bench->tls, NULL);
    }
    if (!client) {
        qd_bench_fail(bench, "out of memory");
    } else if (qd_client_connect(client, bench->server.address, bench->where.token, name, QD_BENCH_ANSWER_MS) < 0) {
        qd_bench_fail(bench, "%s (--server, or QUADRILLE_SERVER, names another)", qd_client_error(client));
        qd_client_destroy(client);
        return NULL;
    }
    return client;
}

bool qd_bench_connect(qd_bench *bench, qd_bench_connection *connection)
{
    connection->client = qd_bench_connect_client(bench);
    if (!connection->client) {
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
            qd_bench_fail_session(bench, connection->client);
        }
    }
    if (!qd_bench_wait(connection, rooms_are_open, "rooms to open")) {
        return false;
    }
    qsort(connection->by_room, connection->lane_count, sizeof(qd_bench_lane *), compare_rooms);
    return true;
}

void qd_bench_reader_init(qd_bench *bench, qd_bench_connection *connection, qd_bench_lane *lane, qd_bench_lane **link,
                          uint32_t index, qd_bench_figures *figures)
{
    *lane = (qd_bench_lane){.connection = connection, .room_index = index % bench->options.rooms};
    *link = lane;
    *connection =
        (qd_bench_connection){.bench = bench, .lanes = lane, .lane_count = 1, .by_room = link, .figures = figures};
}

static bool has_set(const qd_bench_connection *connection)
{
    return connection->lanes[0].has_set;
}

bool qd_bench_reader_subscribe(qd_bench_connection *connection, bool stays)
{
    if (!qd_client_subscribe(connection->client, connection->lanes[0].room, QD_SCOPE_ALL, stays)) {
        qd_bench_fail_session(connection->bench, connection->client);
    }
    return qd_bench_wait(connection, has_set, "the reset of a reader");
}
