/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls in, bytes out: every request as the server reads it, their numbers, and output that goes in pieces.
 */

#include <stdlib.h>
#include <string.h>

#include "proto/codec.h"
#include "proto/framing.h"
#include "quadrille.h"
#include "tests/support/test.h"

#define FRAME_BYTES_MAX (4u << 20)

/* The server's end: it takes pieces of output and has the last message read. */
struct peer {
    qd_client *client;
    qd_frame_reader reader;
    qd_decoded_client decoded;
};

static void open_peer(struct peer *peer)
{
    memset(peer, 0, sizeof *peer);
    peer->client = qd_client_create();
    qd_frame_reader_init(&peer->reader, FRAME_BYTES_MAX, NULL);
}

static void close_peer(struct peer *peer)
{
    qd_decoded_client_release(&peer->decoded, NULL);
    qd_frame_reader_deinit(&peer->reader);
    qd_client_destroy(peer->client);
}

/* The next request, taking at most `piece` bytes at a time; NULL when all output is read. */
static const qd_client_message *read_request(struct peer *peer, size_t piece)
{
    size_t size;
    const uint8_t *output;

    while ((output = qd_client_output(peer->client, &size)) != NULL) {
        size_t left = size < piece ? size : piece, given = left;
        const uint8_t *frame;
        size_t frame_size;
        qd_frame_result result = qd_frame_reader_next(&peer->reader, &output, &left, &frame, &frame_size);

        if (result == QD_FRAME_OK) {
            qd_decoded_client_release(&peer->decoded, NULL);
            assert_int_equal(qd_decode_client(frame, frame_size, NULL, &peer->decoded), QD_DECODE_OK);
            qd_client_sent(peer->client, given - left);
            return &peer->decoded.message;
        }
        assert_int_equal(result, QD_FRAME_MORE);
        qd_client_sent(peer->client, given - left);
    }
    return NULL;
}

/* The one request that is waiting: its number is `seq`. */
static const qd_client_message *expect(struct peer *peer, uint32_t seq, qd_client_kind kind)
{
    assert_int_not_equal(seq, 0);
    const qd_client_message *message = read_request(peer, SIZE_MAX);
    assert_non_null(message);
    assert_int_equal(message->seq, seq);
    assert_int_equal(message->kind, kind);
    size_t size;
    assert_null(qd_client_output(peer->client, &size));
    return message;
}

TEST(session_and_room_requests_encode_their_arguments)
{
    struct peer peer;

    open_peer(&peer);
    const qd_client_message *message = expect(&peer, qd_client_hello(peer.client, NULL, "me/1"), QD_CLIENT_HELLO);
    assert_int_equal(message->as.hello.version, QD_PROTOCOL_VERSION);
    assert_string_equal(message->as.hello.token, "");
    assert_string_equal(message->as.hello.client, "me/1");

    qd_msg_room_config config = {.has_bounds = true,
                                 .bounds = {.min_x = -1, .min_y = -2, .max_x = 3, .max_y = 4},
                                 .tick_mode = QD_TICK_MODE_STEP,
                                 .grace_ms = 7,
                                 .index = QD_INDEX_HASH,
                                 .swept = true,
                                 .cell_size = 3};
    message = expect(&peer, qd_client_open_room(peer.client, "arena", &config), QD_CLIENT_OPEN_ROOM);
    assert_string_equal(message->as.open_room.name, "arena");
    assert_true(message->as.open_room.has_config);
    assert_true(message->as.open_room.config.has_bounds);
    assert_true(message->as.open_room.config.bounds.min_y == -2);
    assert_int_equal(message->as.open_room.config.tick_mode, QD_TICK_MODE_STEP);
    assert_int_equal(message->as.open_room.config.grace_ms, 7);
    assert_int_equal(message->as.open_room.config.index, QD_INDEX_HASH);
    assert_true(message->as.open_room.config.swept && message->as.open_room.config.cell_size == 3);
    message = expect(&peer, qd_client_open_room(peer.client, "arena", NULL), QD_CLIENT_OPEN_ROOM);
    assert_false(message->as.open_room.has_config);

    const uint64_t room = (UINT64_C(1) << 53) - 1;
    message = expect(&peer, qd_client_leave_room(peer.client, room), QD_CLIENT_LEAVE_ROOM);
    assert_int_equal(message->as.room.room, room);
    message = expect(&peer, qd_client_close_room(peer.client, room), QD_CLIENT_CLOSE_ROOM);
    assert_int_equal(message->as.room.room, room);
    message = expect(&peer, qd_client_list_rooms(peer.client, NULL, 3), QD_CLIENT_LIST_ROOMS);
    assert_string_equal(message->as.list_rooms.after, "");
    assert_int_equal(message->as.list_rooms.limit, 3);
    message = expect(&peer, qd_client_list_rooms(peer.client, "b", 0), QD_CLIENT_LIST_ROOMS);
    assert_string_equal(message->as.list_rooms.after, "b");
    message = expect(&peer, qd_client_get_stats(peer.client, room), QD_CLIENT_GET_STATS);
    assert_int_equal(message->as.room.room, room);
    message = expect(&peer, qd_client_ping(peer.client, 42), QD_CLIENT_PING);
    assert_int_equal(message->as.ping.data, 42);
    close_peer(&peer);
}

TEST(batches_encode_their_columns)
{
    const uint32_t ids[] = {4, UINT32_MAX}, bits[] = {1, 1u << 31};
    const float x[] = {1, 2}, y[] = {3, 4}, half_x[] = {5, 6}, half_y[] = {7, 8};
    const uint8_t shapes[] = {QD_SHAPE_CIRCLE, QD_SHAPE_BOX};
    const qd_msg_entities whole = {.count = 2,
                                   .id = ids,
                                   .x = x,
                                   .y = y,
                                   .half_x = half_x,
                                   .half_y = half_y,
                                   .shape = shapes,
                                   .category = bits,
                                   .mask = ids};
    const qd_msg_entities places = {.count = 2, .id = ids, .x = x, .y = y};
    const qd_msg_entities sizes = {.count = 2, .id = ids, .half_x = half_x, .mask = bits};
    struct peer peer;

    open_peer(&peer);

    const qd_msg_batch *batch =
        &expect(&peer, qd_client_spawn(peer.client, 9, &whole, true), QD_CLIENT_SPAWN)->as.batch;
    assert_int_equal(batch->room, 9);
    assert_true(batch->room_owned);
    assert_int_equal(batch->entities.count, 2);
    assert_memory_equal(batch->entities.id, ids, sizeof ids);
    assert_memory_equal(batch->entities.x, x, sizeof x);
    assert_memory_equal(batch->entities.y, y, sizeof y);
    assert_memory_equal(batch->entities.half_x, half_x, sizeof half_x);
    assert_memory_equal(batch->entities.half_y, half_y, sizeof half_y);
    assert_memory_equal(batch->entities.shape, shapes, sizeof shapes);
    assert_memory_equal(batch->entities.category, bits, sizeof bits);
    assert_memory_equal(batch->entities.mask, ids, sizeof ids);
    assert_null(batch->entities.z);

    batch = &expect(&peer, qd_client_move(peer.client, 9, &places), QD_CLIENT_MOVE)->as.batch;
    assert_memory_equal(batch->entities.y, y, sizeof y);
    assert_null(batch->entities.half_x);
    batch = &expect(&peer, qd_client_teleport(peer.client, 9, &places), QD_CLIENT_TELEPORT)->as.batch;
    assert_memory_equal(batch->entities.x, x, sizeof x);
    batch = &expect(&peer, qd_client_reshape(peer.client, 9, &sizes), QD_CLIENT_RESHAPE)->as.batch;
    assert_memory_equal(batch->entities.half_x, half_x, sizeof half_x);
    assert_memory_equal(batch->entities.mask, bits, sizeof bits);
    assert_null(batch->entities.half_y);
    assert_null(batch->entities.category);
    batch = &expect(&peer, qd_client_despawn(peer.client, 9, ids, 2), QD_CLIENT_DESPAWN)->as.batch;
    assert_int_equal(batch->entities.count, 2);
    assert_memory_equal(batch->entities.id, ids, sizeof ids);
    close_peer(&peer);
}

TEST(subscriptions_and_snapshots_encode_their_arguments)
{
    struct peer peer;

    open_peer(&peer);
    const qd_client_message *message =
        expect(&peer, qd_client_subscribe(peer.client, 9, QD_SCOPE_OWN, true), QD_CLIENT_SUBSCRIBE);
    assert_int_equal(message->as.subscribe.room, 9);
    assert_int_equal(message->as.subscribe.scope, QD_SCOPE_OWN);
    assert_true(message->as.subscribe.stays);
    message = expect(&peer, qd_client_unsubscribe(peer.client, 9), QD_CLIENT_UNSUBSCRIBE);
    assert_int_equal(message->as.room.room, 9);
    message = expect(&peer, qd_client_step(peer.client, 9, 12), QD_CLIENT_STEP);
    assert_int_equal(message->as.step.room, 9);
    assert_int_equal(message->as.step.tick, 12);
    const qd_msg_bounds region = {.min_x = 1, .max_x = 2, .max_y = 3};
    message = expect(&peer, qd_client_snapshot(peer.client, 9, &region, 5), QD_CLIENT_SNAPSHOT);
    assert_true(message->as.snapshot.has_region);
    assert_true(message->as.snapshot.region.max_y == 3);
    assert_int_equal(message->as.snapshot.limit, 5);
    message = expect(&peer, qd_client_snapshot(peer.client, 9, NULL, 0), QD_CLIENT_SNAPSHOT);
    assert_true(!message->as.snapshot.has_region && !message->as.snapshot.own);
    message = expect(&peer, qd_client_snapshot_own(peer.client, 9, &region, 6), QD_CLIENT_SNAPSHOT);
    assert_true(message->as.snapshot.own && message->as.snapshot.limit == 6 && message->as.snapshot.region.max_y == 3);
    const qd_msg_query query = {
        .room = 9, .kind = QD_QUERY_RAY, .where.ray = {.x = 1, .direction_y = 2, .length = 3}, .categories = 4};
    message = expect(&peer, qd_client_query(peer.client, &query), QD_CLIENT_QUERY);
    assert_int_equal(message->as.query.room, 9);
    assert_int_equal(message->as.query.kind, QD_QUERY_RAY);
    assert_true(message->as.query.where.ray.direction_y == 2 && message->as.query.where.ray.length == 3);
    assert_int_equal(message->as.query.categories, 4);
    close_peer(&peer);
}

TEST(view_requests_encode_their_arguments)
{
    struct peer peer;

    open_peer(&peer);
    const uint32_t ids[] = {7, 8}, teams[] = {1, 2};
    const float ranges[] = {3, 4}, every_x[] = {5, 6};
    const qd_msg_describe described = {.room = 9, .count = 2, .id = ids, .team = teams};
    const qd_client_message *message = expect(&peer, qd_client_describe(peer.client, &described), QD_CLIENT_DESCRIBE);
    assert_int_equal(message->as.describe.room, 9);
    assert_memory_equal(message->as.describe.team, teams, sizeof teams);
    assert_null(message->as.describe.tag);

    const qd_msg_observers made = {.room = 9, .count = 2, .id = ids, .entity = teams, .range = ranges};
    message = expect(&peer, qd_client_observe(peer.client, &made), QD_CLIENT_OBSERVE);
    assert_int_equal(message->as.observers.room, 9);
    assert_memory_equal(message->as.observers.entity, teams, sizeof teams);
    assert_memory_equal(message->as.observers.range, ranges, sizeof ranges);
    const qd_msg_observers moved = {.room = 9, .count = 2, .id = ids, .x = every_x, .y = ranges};
    message = expect(&peer, qd_client_move_observers(peer.client, &moved), QD_CLIENT_MOVE_OBSERVERS);
    assert_memory_equal(message->as.observers.x, every_x, sizeof every_x);
    message = expect(&peer, qd_client_unobserve(peer.client, 9, ids, 2), QD_CLIENT_UNOBSERVE);
    assert_int_equal(message->as.observers.room, 9);
    assert_memory_equal(message->as.observers.id, ids, sizeof ids);

    const qd_msg_except except = {.room = 9, .observer = 7, .show_count = 2, .show = ids};
    message = expect(&peer, qd_client_except(peer.client, &except), QD_CLIENT_EXCEPT);
    assert_int_equal(message->as.except.observer, 7);
    assert_int_equal(message->as.except.show_count, 2);
    assert_int_equal(message->as.except.hide_count, 0);
    message = expect(&peer, qd_client_view_options(peer.client, 9, 1000, QD_WATCH_OWN), QD_CLIENT_VIEW_OPTIONS);
    assert_int_equal(message->as.view_options.room, 9);
    assert_int_equal(message->as.view_options.bytes_max, 1000);
    assert_int_equal(message->as.view_options.watch, QD_WATCH_OWN);
    message = expect(&peer, qd_client_ack(peer.client, 9, 7), QD_CLIENT_ACK);
    assert_true(message->as.step.room == 9 && message->as.step.tick == 7);
    message = expect(&peer, qd_client_handover(peer.client, 9, ids, 2, 7), QD_CLIENT_HANDOVER);
    assert_memory_equal(message->as.handover.id, ids, sizeof ids);
    assert_true(message->as.handover.session == 7 && !message->as.handover.room_owned);
    message = expect(&peer, qd_client_handover(peer.client, 9, ids, 2, 0), QD_CLIENT_HANDOVER);
    assert_true(message->as.handover.count == 2 && message->as.handover.room_owned);
    message = expect(&peer, qd_client_adopt(peer.client, 9, 7), QD_CLIENT_ADOPT);
    assert_true(message->as.adopt.room == 9 && message->as.adopt.session == 7);
    message = expect(&peer, qd_client_roster(peer.client, 9, 3, ids, 2), QD_CLIENT_ROSTER);
    assert_true(message->as.roster.room == 9 && message->as.roster.roster == 3 && message->as.roster.count == 2);
    assert_true(message->as.roster.first == 0 && !message->as.roster.keep_rest);
    assert_memory_equal(message->as.roster.id, ids, sizeof ids);
    const qd_msg_roster change = {.room = 9, .roster = 3, .first = 5, .count = 1, .id = ids, .keep_rest = true};
    message = expect(&peer, qd_client_roster_change(peer.client, &change), QD_CLIENT_ROSTER);
    assert_true(message->as.roster.first == 5 && message->as.roster.count == 1 && message->as.roster.keep_rest);
    const qd_msg_roster_move move = {
        .room = 9, .roster = 3, .first = 5, .count = 2, .x = every_x, .y = every_x, .teleport = true};
    message = expect(&peer, qd_client_roster_move(peer.client, &move), QD_CLIENT_ROSTER_MOVE);
    assert_true(message->as.roster_move.room == 9 && message->as.roster_move.roster == 3);
    assert_true(message->as.roster_move.first == 5 && message->as.roster_move.teleport);
    assert_memory_equal(message->as.roster_move.y, every_x, 2 * sizeof every_x[0]);
    assert_null(message->as.roster_move.z);
    message = expect(&peer, qd_client_why(peer.client, 9, 7, 8), QD_CLIENT_WHY);
    assert_int_equal(message->as.why.room, 9);
    assert_true(message->as.why.a == 7 && message->as.why.b == 8 && !message->as.why.observer);
    message = expect(&peer, qd_client_why_observer(peer.client, 9, 7, 8), QD_CLIENT_WHY);
    assert_true(message->as.why.a == 7 && message->as.why.b == 8 && message->as.why.observer);
    close_peer(&peer);
}

TEST(requests_are_numbered_in_order)
{
    qd_client *client = qd_client_create();

    assert_int_equal(qd_client_next_seq(client), 1);
    assert_int_equal(qd_client_ping(client, 0), 1);
    assert_int_equal(qd_client_ping(client, 0), 2);
    assert_int_equal(qd_client_next_seq(client), 3);

    /* Numbers of the caller's own: 0 and old ones change nothing, a higher one moves the count. */
    qd_client_message message = {.kind = QD_CLIENT_PING};
    assert_true(qd_client_send(client, &message));
    assert_int_equal(qd_client_next_seq(client), 3);
    message.seq = 1;
    assert_true(qd_client_send(client, &message));
    assert_int_equal(qd_client_next_seq(client), 3);
    message.seq = 100;
    assert_true(qd_client_send(client, &message));
    assert_int_equal(qd_client_ping(client, 0), 101);

    /* 0 is never used. */
    message.seq = UINT32_MAX - 1;
    assert_true(qd_client_send(client, &message));
    assert_int_equal(qd_client_ping(client, 0), UINT32_MAX);
    assert_int_equal(qd_client_ping(client, 0), 1);
    qd_client_destroy(client);
}

/* Requests are made while output goes in pieces of all sizes: nothing is lost, doubled or out of order. */
TEST(output_can_be_sent_in_pieces)
{
    uint32_t ids[500];

    for (uint32_t i = 0; i < 500; i++) {
        ids[i] = i;
    }
    for (size_t piece = 1; piece < 5000; piece = piece * 3 / 2 + 1) {
        struct peer peer;

        open_peer(&peer);
        uint32_t read = 0;
        for (uint32_t i = 1; i <= 60; i++) {
            assert_int_equal(qd_client_despawn(peer.client, 1, ids, i % 500), i);
            /* Now and then the server is a little behind. */
            for (uint32_t k = 0; i % 7 != 0 && k < 1 + i % 2; k++) {
                const qd_client_message *message = read_request(&peer, piece);

                if (message != NULL) {
                    assert_int_equal(message->seq, ++read);
                    assert_int_equal(message->as.batch.entities.count, read % 500);
                }
            }
        }
        for (const qd_client_message *message; (message = read_request(&peer, piece)) != NULL;) {
            assert_int_equal(message->seq, ++read);
        }
        assert_int_equal(read, 60);
        close_peer(&peer);
    }
}

TEST(sent_above_the_output_empties_it)
{
    qd_client *client = qd_client_create();
    size_t size;

    qd_client_ping(client, 1);
    assert_non_null(qd_client_output(client, &size));
    qd_client_sent(client, size + 1000);
    assert_null(qd_client_output(client, &size));
    assert_int_equal(size, 0);
    qd_client_destroy(client);
}

TEST(client_without_a_socket_cannot_wait)
{
    qd_client *client = qd_client_create();

    assert_int_equal(qd_client_socket(client), -1);
    qd_client_ping(client, 1);
    assert_int_equal(qd_client_poll(client, 0), QD_CLIENT_ERR_CONNECT);
    assert_int_equal(qd_client_flush(client, -1), QD_CLIENT_ERR_CONNECT);
    assert_null(qd_client_wait(client, -1));
    assert_null(qd_client_answer(client, 1, -1));
    assert_int_equal(qd_client_state(client), QD_CLIENT_OK);
    qd_client_destroy(client);
    qd_client_destroy(NULL);
}

TEST(malformed_address_is_refused)
{
    const char *addresses[] = {"",
                               "localhost",
                               ":7400",
                               "localhost:",
                               "localhost:0",
                               "localhost:65536",
                               "::1:7400",
                               "[]:7400",
                               "host:74x0",
                               "localhost:99999999999999999999",
                               "[::1]",
                               "host: 7400"};

    for (size_t i = 0; i < sizeof addresses / sizeof addresses[0]; i++) {
        qd_client *client = qd_client_create();

        assert_int_equal(qd_client_connect(client, addresses[i], NULL, NULL, 1000), QD_CLIENT_ERR_ADDRESS);
        assert_non_null(strstr(qd_client_error(client), addresses[i]));
        assert_non_null(strstr(qd_client_error(client), "HOST:PORT"));
        qd_client_destroy(client);
    }
    char endless[1000];
    memset(endless, 'a', sizeof endless);
    memcpy(endless + sizeof endless - 3, ":1", 3);
    qd_client *client = qd_client_create();
    assert_int_equal(qd_client_connect(client, endless, NULL, NULL, 1000), QD_CLIENT_ERR_ADDRESS);
    qd_client_destroy(client);
}

TEST_MAIN()
