/* SPDX-License-Identifier: Apache-2.0
 *
 * Input that is refused: an Error names the reason. Bytes that are no frame end the connection; a message that makes no
 * sense leaves the session alive; a bad entry is refused alone. No other connection notices.
 */

#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>

#include "support/raw.h"
#include "support/rng.h"
#include "support/session.h"
#include "tests/support/test.h"

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

/* ---- bytes ---- */

#define FIELD_MOVE 8u /* of ClientFrame */

SESSION_TEST(connection_with_malformed_bytes_is_ended)
{
    static const struct {
        qd_error_code code;
        const char *words;
        size_t size;
        uint8_t bytes[12];
        bool without_hello;
    } rows[] = {
        /* lengths that do not end, with and without Hello, and one that is longer than it must be */
        {QD_ERROR_MALFORMED, "varint", 6, {0xff, 0xff, 0xff, 0xff, 0xff, 0x01}, true},
        {QD_ERROR_MALFORMED, "varint", 6, {0xff, 0xff, 0xff, 0xff, 0xff, 0x01}, false},
        {QD_ERROR_MALFORMED, "varint", 2, {0x80, 0x00}, false},
        /* the limit and one, and the largest numbers of 32 and of 35 bits */
        {QD_ERROR_FRAME_TOO_LONG, "--frame-max", 4, {0x81, 0x80, 0x80, 0x02}, false},
        {QD_ERROR_FRAME_TOO_LONG, "--frame-max", 5, {0xff, 0xff, 0xff, 0xff, 0x0f}, false},
        {QD_ERROR_FRAME_TOO_LONG, "--frame-max", 5, {0xff, 0xff, 0xff, 0xff, 0x7f}, false},
        /* a number where the move should be */
        {QD_ERROR_MALFORMED, NULL, 3, {2, FIELD_MOVE << 3, 1}, false},
        /* a column whose size is no multiple of its values' */
        {QD_ERROR_MALFORMED, NULL, 12, {11, 8, 1, FIELD_MOVE << 3 | 2, 7, 0x12, 5, '1', '2', '3', '4', '5'}, false},
        /* a field that reaches beyond its message */
        {QD_ERROR_MALFORMED, NULL, 4, {3, FIELD_MOVE << 3 | 2, 0xe8, 0x07}, false},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        raw_link *raw = rows[i].without_hello ? raw_open(ADDRESS) : raw_open_session(ADDRESS);

        raw_send(raw, rows[i].bytes, rows[i].size);
        raw_expect_end(raw, rows[i].code, rows[i].words);
    }
}

SESSION_TEST(garbage_ends_the_connection)
{
    rng_stream rng = {1};

    for (int round = 0; round < 200; round++) {
        uint8_t bytes[512];

        for (size_t i = 0; i < sizeof bytes; i++) {
            bytes[i] = (uint8_t)rng_draw(&rng);
        }
        raw_link *raw = round % 2 == 0 ? raw_open(ADDRESS) : raw_open_session(ADDRESS);
        raw_send(raw, bytes, 1 + rng_below(&rng, sizeof bytes));
        shutdown(raw->socket, SHUT_WR);
        /* The server may send anything first, but it closes the connection. */
        while (raw_next(raw) != NULL) {
            continue;
        }
        raw_close(raw);
    }
}

/* A truncated frame is logged at level debug; an end between two frames is not. */
SESSION_TEST(truncated_frame_is_logged)
{
    const uint8_t part[] = {200, 1, 0, 0};
    qd_process *server = session_start(QD_ARGS("--log-level", "debug"));

    for (size_t size = 0; size <= sizeof part; size++) {
        raw_link *raw = raw_open_session(qd_server_address(server));

        raw_send(raw, part, size);
        shutdown(raw->socket, SHUT_WR);
        assert_null(raw_next(raw));
    }
    /* The end of the server brings the log's last lines. */
    qd_process_signal(server, SIGTERM);
    assert_int_equal(qd_process_wait(server, DEADLINE_MS), 0);
    size_t count = 0;
    for (const char *at = qd_process_errors(server); (at = strstr(at, "cuts off a frame peer=")) != NULL; at++) {
        count++;
    }
    assert_int_equal(count, sizeof part);
}

SESSION_TEST(message_that_makes_no_sense_is_refused)
{
    static const struct {
        uint64_t seq;
        qd_error_code code;
        const char *words;
        size_t size;
        uint8_t bytes[24];
    } rows[] = {
        /* nothing, no message, and a message of a later protocol */
        {0, QD_ERROR_UNKNOWN_MESSAGE, NULL, 0, {0}},
        {12, QD_ERROR_UNKNOWN_MESSAGE, NULL, 2, {8, 12}},
        {13, QD_ERROR_UNKNOWN_MESSAGE, NULL, 5, {8, 13, 0xa2, 6, 0}},
        /* a Move with one id, one x and no y; an Observe with one id and two regions */
        {3, QD_ERROR_COLUMNS, "y", 16, {8, 3, FIELD_MOVE << 3 | 2, 12, 0x12, 4, 1, 0, 0, 0, 0x1a, 4, 0, 0, 0, 0}},
        {5,
         QD_ERROR_COLUMNS,
         "column region has 2 values, column id has 1; must have equally many. Send one value per entry",
         17,
         {8, 5, 0xa2, 1, 12, 8, 7, 0x12, 4, 1, 0, 0, 0, 0x1a, 2, 1, 1}},
    };
    raw_link *raw = raw_open_session(ADDRESS);

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        raw_send_frame(raw, rows[i].bytes, rows[i].size);
        raw_expect_error(raw, rows[i].seq, rows[i].code, rows[i].words);
    }
}

/* ---- requests ---- */

static const uint32_t ids[] = {1, 2};
static const float numbers[] = {1, 2};
static const qd_msg_entities flat = {2, ids, .x = numbers, .y = numbers};

SESSION_TEST(request_for_unknown_room_is_refused)
{
    qd_client *client = session_open(ADDRESS), *other = session_open(ADDRESS);
    const qd_msg_entities shape = {2, ids, .half_x = numbers};
    /* None, one that never was, and one that is open but that this session is not in. */
    const uint64_t rooms[] = {0, 12345, session_open_room(other, "another's", NULL), UINT64_MAX};

    for (int i = 0; i < 4; i++) {
        const uint64_t room = rooms[i];
        const uint64_t seqs[] = {
            qd_client_leave_room(client, room),
            qd_client_close_room(client, room),
            qd_client_spawn(client, room, &flat, false),
            qd_client_move(client, room, &flat),
            qd_client_teleport(client, room, &flat),
            qd_client_reshape(client, room, &shape),
            qd_client_despawn(client, room, ids, 2),
            qd_client_subscribe(client, room, QD_SCOPE_ALL, false),
            qd_client_unsubscribe(client, room),
            qd_client_get_snapshot(client, room, NULL, 0),
            qd_client_query(client, &(qd_msg_query){.room = room, .kind = QD_QUERY_NEAREST}),
            qd_client_step(client, room, 0),
        };

        for (size_t k = 0; k < COUNT_OF(seqs); k++) {
            assert_int_equal(session_expect_error(client, seqs[k], QD_ERROR_UNKNOWN_ROOM, NULL)->room, room);
        }
        if (room != 0) {
            session_expect_error(client, qd_client_get_stats(client, room), QD_ERROR_UNKNOWN_ROOM, NULL);
        }
    }
    session_expect_error(client, qd_client_open_room(client, "nobody made it", NULL), QD_ERROR_UNKNOWN_ROOM,
                         "nobody made it");
    session_expect_quiet(client);
}

static uint64_t spawn(qd_client *client, uint64_t room, const qd_msg_entities *entities)
{
    return qd_client_spawn(client, room, entities, false);
}

SESSION_TEST(batch_with_wrong_columns_is_refused)
{
    static const qd_msg_entities no_x = {2, ids, .y = numbers}, no_y = {2, ids, .x = numbers};
    static const qd_msg_entities z = {2, ids, .x = numbers, .y = numbers, .z = numbers};
    static const qd_msg_entities half_z = {2, ids, .x = numbers, .y = numbers, .half_z = numbers};
    static const qd_msg_entities only_half_z = {2, ids, .half_z = numbers};
    static const qd_msg_entities axis_z = {2, ids, .x = numbers, .y = numbers, .axis_z = numbers};

    static const struct {
        uint32_t dimensions;
        uint64_t (*send)(qd_client *client, uint64_t room, const qd_msg_entities *entities);
        const qd_msg_entities *entities;
        qd_error_code code;
        const char *words;
    } rows[] = {
        {2, spawn, &no_x, QD_ERROR_COLUMNS, "x"},
        {2, qd_client_move, &no_y, QD_ERROR_COLUMNS, "y"},
        {2, qd_client_teleport, &no_x, QD_ERROR_COLUMNS, "x"},
        {2, spawn, &z, QD_ERROR_INVALID, "z"},
        {2, spawn, &half_z, QD_ERROR_INVALID, "half_z"},
        {2, spawn, &axis_z, QD_ERROR_INVALID, "axis_z"},
        {2, qd_client_move, &z, QD_ERROR_INVALID, "z"},
        {2, qd_client_teleport, &z, QD_ERROR_INVALID, "z"},
        {2, qd_client_reshape, &only_half_z, QD_ERROR_INVALID, "half_z"},
        {3, spawn, &flat, QD_ERROR_COLUMNS, "column z is missing"},
        {3, qd_client_move, &flat, QD_ERROR_COLUMNS, "column z is missing"},
        {3, qd_client_teleport, &flat, QD_ERROR_COLUMNS, "column z is missing"},
    };
    const qd_msg_entities none = {0};
    qd_client *client = session_open(ADDRESS);
    qd_msg_room_config config = session_step_room;

    config.dimensions = 3;
    config.bounds.max_z = 1000;
    const uint64_t rooms[] = {session_open_room(client, "flat", NULL), session_open_room(client, "deep", &config)};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        session_expect_error(client, rows[i].send(client, rooms[rows[i].dimensions - 2], rows[i].entities),
                             rows[i].code, rows[i].words);
    }
    /* A batch of nothing is a batch. */
    qd_client_move(client, rooms[0], &none);
    session_step(client, rooms[0]);
    session_expect_quiet(client);
}

SESSION_TEST(request_with_value_out_of_range_is_refused)
{
    static const qd_msg_bounds turned = {.min_x = 10, .max_x = 0, .max_y = 10}, nan = {.min_x = NAN, .max_x = 10};
    static const qd_msg_bounds deep = {.max_x = 10, .max_y = 10, .max_z = 10};
    const qd_msg_room_config deeper = {.depth = 4};
    qd_client *client = session_open(ADDRESS);
    uint64_t room = session_open_room(client, "ranges", NULL);

    const struct {
        uint64_t seq;
        qd_error_code code;
        const char *words;
    } rows[] = {
        {qd_client_open_room(client, "tab\there", &session_step_room), QD_ERROR_INVALID, "name"},
        {qd_client_open_room(client, "none", &(qd_msg_room_config){.depth = 11}), QD_ERROR_INVALID, "depth"},
        {qd_client_open_room(client, "none", &(qd_msg_room_config){.depth = 4}), QD_ERROR_INVALID,
         "bounds are missing"},
        {qd_client_open_room(client, "ranges", &deeper), QD_ERROR_CONFIG_MISMATCH, "depth is 4, but the room has 0"},
        {qd_client_subscribe(client, room, 3, false), QD_ERROR_INVALID, "scope"},
        {qd_client_list_rooms(client, NULL, 1001), QD_ERROR_INVALID, "limit"},
        {qd_client_get_snapshot(client, room, NULL, (1u << 20) + 1), QD_ERROR_INVALID, "limit"},
        {qd_client_get_snapshot(client, room, &turned, 0), QD_ERROR_INVALID, "region"},
        {qd_client_get_snapshot(client, room, &nan, 0), QD_ERROR_INVALID, "region"},
        {qd_client_get_snapshot(client, room, &deep, 0), QD_ERROR_INVALID, "Leave z out"},
        {qd_client_query(client, &(qd_msg_query){.room = room, .kind = QD_QUERY_RAY}), QD_ERROR_INVALID,
         "ray.direction"},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        session_expect_error(client, rows[i].seq, rows[i].code, rows[i].words);
    }
    session_expect_quiet(client);
}

/* Each for its own reason, by its index; the rest of the batch is applied. */
SESSION_TEST(bad_entries_are_refused_alone)
{
    static const uint32_t id[] = {1, 2, 3, 4, 5, 6, 1, 100}, refused[] = {1, 2, 3, 4, 5, 6, 7};
    static const float x[] = {1, NAN, 1, 1, 1, INFINITY, 1, 1}, half_x[] = {1, 1, -1, NAN, 1, 1, 1, 0};
    static const uint8_t shape[] = {QD_SHAPE_BOX, QD_SHAPE_BOX,    QD_SHAPE_BOX,    QD_SHAPE_BOX, 4,
                                    QD_SHAPE_BOX, QD_SHAPE_CIRCLE, QD_SHAPE_CAPSULE};
    static const qd_error_code codes[] = {QD_ERROR_NOT_FINITE,    QD_ERROR_NEGATIVE_SIZE, QD_ERROR_NOT_FINITE,
                                          QD_ERROR_UNKNOWN_SHAPE, QD_ERROR_NOT_FINITE,    QD_ERROR_WRONG_COLUMN,
                                          QD_ERROR_ID_TAKEN};
    static const qd_error_code unknown[] = {QD_ERROR_UNKNOWN_ID}, not_owner[] = {QD_ERROR_NOT_OWNER};
    static const uint32_t both[] = {1, 77}, second[] = {1}, first[] = {0};
    static const float y[8];
    const qd_msg_entities rows = {8, id, .x = x, .y = y, .half_x = half_x, .shape = shape};
    qd_client *client = session_open(ADDRESS), *other = session_open(ADDRESS);
    uint64_t room = session_open_room(client, "entries", NULL);

    session_join(other, "entries");
    session_spawn(client, room, 100, 5, 5);
    session_settle(client);
    session_expect_entries(client, qd_client_spawn(client, room, &rows, false), 7, refused, codes);
    session_expect_entries(client, qd_client_despawn(client, room, both, 2), 1, second, unknown);
    session_expect_entries(other, session_move(other, room, 100, 7, 7), 1, first, not_owner);
    uint64_t seq = qd_client_get_snapshot(client, room, NULL, 0);
    const qd_msg_entities *left = &session_expect(client, seq, QD_SERVER_SNAPSHOT_RESULT)->as.snapshot_result.entities;
    assert_true(left->count == 1 && left->id[0] == 100 && left->x[0] == 5);
}

TEST_MAIN_WITH(session_server_setup, session_server_teardown)
