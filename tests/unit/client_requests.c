/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls in, bytes out: every request as the codec writes it, their numbers, and output that goes in pieces.
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

/* The only waiting output is `expected`, with that seq. */
static void expect(qd_client *client, uint64_t seq, qd_client_message expected)
{
    uint8_t bytes[1024];
    size_t size;
    const uint8_t *output = qd_client_output(client, &size);

    assert_int_not_equal(seq, 0);
    assert_non_null(output);
    expected.seq = seq;
    assert_true(qd_client_message_size(&expected) <= sizeof bytes);
    assert_int_equal(size, qd_client_message_encode(&expected, bytes, qd_client_message_size(&expected)));
    assert_memory_equal(output, bytes, size);
    qd_client_sent(client, size);
}

#define EXPECT(call, kind_, ...)                                                                                       \
    expect(client, call, (qd_client_message){.kind = QD_CLIENT_##kind_, .as = {__VA_ARGS__}})

static const uint32_t ids[] = {4, UINT32_MAX}, bits[] = {1, 1u << 31};
static const float x[] = {1, 2}, y[] = {3, 4}, half_x[] = {5, 6}, half_y[] = {7, 8};

TEST(session_and_room_requests_encode_their_arguments)
{
    const uint64_t room = (UINT64_C(1) << 53) - 1;
    const qd_msg_room_config config = {.has_bounds = true,
                                       .bounds = {.min_x = -1, .min_y = -2, .max_x = 3, .max_y = 4},
                                       .tick_mode = QD_TICK_MODE_STEP,
                                       .grace_ms = 7,
                                       .index = QD_INDEX_HASH,
                                       .swept = true,
                                       .cell_size = 3};
    qd_client *client = qd_client_create();

    EXPECT(qd_client_hello(client, NULL, "me/1"), HELLO, .hello = {.version = QD_PROTOCOL_VERSION, .client = "me/1"});
    EXPECT(qd_client_hello(client, "token", NULL), HELLO, .hello = {.version = QD_PROTOCOL_VERSION, .token = "token"});
    EXPECT(qd_client_open_room(client, "arena", &config), OPEN_ROOM,
           .open_room = {.name = "arena", .has_config = true, .config = config});
    EXPECT(qd_client_open_room(client, "arena", NULL), OPEN_ROOM, .open_room = {.name = "arena"});
    EXPECT(qd_client_leave_room(client, room), LEAVE_ROOM, .room = {room});
    EXPECT(qd_client_close_room(client, room), CLOSE_ROOM, .room = {room});
    EXPECT(qd_client_list_rooms(client, NULL, 3), LIST_ROOMS, .list_rooms = {.limit = 3});
    EXPECT(qd_client_list_sessions(client, 7, 300, 5), LIST_SESSIONS,
           .list_sessions = {.room = 7, .after = 300, .limit = 5});
    EXPECT(qd_client_list_rooms(client, "b", 0), LIST_ROOMS, .list_rooms = {.after = "b"});
    EXPECT(qd_client_get_stats(client, room), GET_STATS, .room = {room});
    EXPECT(qd_client_ping(client, 42), PING, .ping = {.data = 42});
    qd_client_destroy(client);
}

TEST(batches_encode_their_columns)
{
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
    qd_client *client = qd_client_create();

    EXPECT(qd_client_spawn(client, 9, &whole, true), SPAWN,
           .batch = {.room = 9, .room_owned = true, .entities = whole});
    EXPECT(qd_client_move(client, 9, &places), MOVE, .batch = {.room = 9, .entities = places});
    EXPECT(qd_client_teleport(client, 9, &places), TELEPORT, .batch = {.room = 9, .entities = places});
    EXPECT(qd_client_reshape(client, 9, &sizes), RESHAPE, .batch = {.room = 9, .entities = sizes});
    EXPECT(qd_client_despawn(client, 9, ids, 2), DESPAWN, .batch = {.room = 9, .entities = {.count = 2, .id = ids}});
    qd_client_destroy(client);
}

TEST(subscriptions_and_snapshots_encode_their_arguments)
{
    const qd_msg_bounds region = {.min_x = 1, .max_x = 2, .max_y = 3};
    const qd_msg_query query = {
        .room = 9, .kind = QD_QUERY_RAY, .where.ray = {.x = 1, .direction_y = 2, .length = 3}, .categories = 4};
    qd_client *client = qd_client_create();

    EXPECT(qd_client_subscribe(client, 9, QD_SCOPE_OWN, true), SUBSCRIBE,
           .subscribe = {.room = 9, .scope = QD_SCOPE_OWN, .stays = true});
    EXPECT(qd_client_unsubscribe(client, 9), UNSUBSCRIBE, .room = {9});
    EXPECT(qd_client_step(client, 9, 12), STEP, .step = {9, 12});
    EXPECT(qd_client_get_snapshot(client, 9, &region, 5), GET_SNAPSHOT,
           .get_snapshot = {.room = 9, .has_region = true, .region = region, .limit = 5});
    EXPECT(qd_client_get_snapshot(client, 9, NULL, 0), GET_SNAPSHOT, .get_snapshot = {.room = 9});
    EXPECT(qd_client_get_own_snapshot(client, 9, &region, 6), GET_SNAPSHOT,
           .get_snapshot = {.room = 9, .has_region = true, .region = region, .limit = 6, .own = true});
    EXPECT(qd_client_query(client, &query), QUERY, .query = query);
    qd_client_destroy(client);
}

TEST(view_requests_encode_their_arguments)
{
    const qd_msg_set_description described = {.room = 9, .count = 2, .id = ids, .team = bits};
    const qd_msg_observers made = {.room = 9, .count = 2, .id = ids, .entity = bits, .range = x};
    const qd_msg_observers moved = {.room = 9, .count = 2, .id = ids, .x = x, .y = y};
    const qd_msg_set_exceptions except = {.room = 9, .observer = 7, .show_count = 2, .show = ids};
    qd_client *client = qd_client_create();

    EXPECT(qd_client_set_description(client, &described), SET_DESCRIPTION, .set_description = described);
    EXPECT(qd_client_observe(client, &made), OBSERVE, .observers = made);
    EXPECT(qd_client_move_observers(client, &moved), MOVE_OBSERVERS, .observers = moved);
    EXPECT(qd_client_unobserve(client, 9, ids, 2), UNOBSERVE, .observers = {.room = 9, .count = 2, .id = ids});
    EXPECT(qd_client_set_exceptions(client, &except), SET_EXCEPTIONS, .set_exceptions = except);
    EXPECT(qd_client_set_view_options(client, 9, 1000, QD_WATCH_OWN), SET_VIEW_OPTIONS,
           .set_view_options = {.room = 9, .bytes_max = 1000, .watch = QD_WATCH_OWN});
    EXPECT(qd_client_ack(client, 9, 7), ACK, .step = {9, 7});
    EXPECT(qd_client_why(client, 9, 7, 8), WHY, .why = {.room = 9, .a = 7, .b = 8});
    EXPECT(qd_client_why_observer(client, 9, 7, 8), WHY, .why = {.room = 9, .a = 7, .b = 8, .observer = true});
    qd_client_destroy(client);
}

TEST(requests_of_owners_and_rosters_encode_their_arguments)
{
    const qd_msg_set_roster change = {.room = 9, .roster = 3, .first = 5, .count = 1, .id = ids, .keep_rest = true};
    const qd_msg_move_roster move = {.room = 9, .roster = 3, .first = 5, .count = 2, .x = x, .y = y};
    qd_client *client = qd_client_create();

    EXPECT(qd_client_hand_over(client, 9, ids, 2, 7), HAND_OVER,
           .hand_over = {.room = 9, .count = 2, .id = ids, .session = 7});
    EXPECT(qd_client_hand_over(client, 9, ids, 2, 0), HAND_OVER,
           .hand_over = {.room = 9, .count = 2, .id = ids, .room_owned = true});
    EXPECT(qd_client_adopt(client, 9, 7), ADOPT, .adopt = {.room = 9, .session = 7});
    EXPECT(qd_client_set_roster(client, 9, 3, ids, 2), SET_ROSTER,
           .set_roster = {.room = 9, .roster = 3, .count = 2, .id = ids});
    EXPECT(qd_client_change_roster(client, &change), SET_ROSTER, .set_roster = change);
    EXPECT(qd_client_move_roster(client, &move), MOVE_ROSTER, .move_roster = move);
    qd_client_destroy(client);
}

TEST(each_part_of_a_move_in_many_rooms_has_a_number)
{
    const uint64_t rooms[] = {9, 10, 9};
    const uint32_t sizes[] = {1, 0, 1};
    const qd_msg_move_rooms move = {
        .part_count = 3, .part_room = rooms, .part_size = sizes, .count = 2, .id = ids, .x = x, .y = y};
    qd_client *client = qd_client_create();

    EXPECT(qd_client_move_rooms(client, &move), MOVE_ROOMS, .move_rooms = move);
    assert_int_equal(qd_client_next_seq(client), 4);
    qd_client_confirm(client, true);
    assert_int_equal(qd_client_move_rooms(client, &move), 4);
    assert_int_equal(qd_client_ping(client, 0), 7);
    qd_client_destroy(client);
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
    message.seq = QD_SEQ_MAX - 1;
    assert_true(qd_client_send(client, &message));
    assert_true(qd_client_ping(client, 0) == QD_SEQ_MAX);
    assert_int_equal(qd_client_ping(client, 0), 1);
    qd_client_destroy(client);
}

TEST(request_above_the_frame_limit_is_refused_and_the_session_continues)
{
    static uint32_t many[4000];
    const qd_server_message welcome = {.kind = QD_SERVER_WELCOME,
                                       .as.welcome = {.version = 1, .server = "", .limits.frame_bytes_max = 10000}};
    uint8_t bytes[200];
    qd_client *client = qd_client_create();
    size_t size = qd_server_message_encode(&welcome, bytes, qd_server_message_size(&welcome)), before, after;

    assert_int_equal(qd_client_input(client, bytes, size), QD_CLIENT_OK);
    assert_int_not_equal(qd_client_despawn(client, 1, many, 2400), 0);
    qd_client_output(client, &before);
    assert_int_equal(qd_client_despawn(client, 1, many, 2600), 0);
    assert_non_null(strstr(qd_client_error(client), "at most 10000"));
    qd_client_output(client, &after);
    assert_int_equal(before, after);
    assert_int_equal(qd_client_state(client), QD_CLIENT_OK);
    assert_int_equal(qd_client_ping(client, 0), 2);
    assert_string_equal(qd_client_error(client), "");
    qd_client_destroy(client);
}

/* Requests are made while output goes in pieces of all sizes: nothing is lost, doubled or out of order. */
TEST(output_can_be_sent_in_pieces)
{
    uint32_t many[500];

    for (uint32_t i = 0; i < 500; i++) {
        many[i] = i;
    }
    for (size_t piece = 1; piece < 5000; piece = piece * 3 / 2 + 1) {
        struct peer peer;

        open_peer(&peer);
        uint32_t read = 0;
        for (uint32_t i = 1; i <= 60; i++) {
            assert_int_equal(qd_client_despawn(peer.client, 1, many, i % 500), i);
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
