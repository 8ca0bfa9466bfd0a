/* SPDX-License-Identifier: Apache-2.0
 *
 * Decoding of frames that our encoders never write, and the rules for columns and strings. The frames here are written
 * by hand. proto_golden.c tests how each message is encoded.
 */
#include <stdlib.h>
#include <string.h>

#include "proto/codec.h"
#include "support/counted_memory.h"
#include "tests/support/test.h"

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

/* ---- frames ---- */

/* The bytes of a string literal, including zero bytes in it. */
#define DECODE_CLIENT(bytes, decoded) qd_decode_client(bytes, sizeof(bytes) - 1, NULL, decoded)
#define DECODE_SERVER(bytes, decoded) qd_decode_server(bytes, sizeof(bytes) - 1, NULL, decoded)

static void expect_client(qd_decode_result expected, const char *bytes, size_t size)
{
    qd_decoded_client decoded;

    assert_int_equal(qd_decode_client(bytes, size, NULL, &decoded), expected);
    qd_decoded_client_release(&decoded, NULL);
}

#define EXPECT_CLIENT(expected, bytes) expect_client(expected, bytes, sizeof(bytes) - 1)

TEST(empty_frame_decodes_to_nothing)
{
    qd_decoded_client client;

    assert_int_equal(qd_decode_client(NULL, 0, NULL, &client), QD_DECODE_OK);
    assert_int_equal(client.message.kind, QD_CLIENT_NOTHING);
    assert_int_equal(client.message.seq, 0);
    qd_decoded_client_release(&client, NULL);

    qd_decoded_server server;
    assert_int_equal(qd_decode_server(NULL, 0, NULL, &server), QD_DECODE_OK);
    assert_int_equal(server.message.kind, QD_SERVER_NOTHING);
    qd_decoded_server_release(&server, NULL);
}

TEST(unknown_message_decodes_to_nothing)
{
    qd_decoded_client decoded;

    /* Field 100 of the envelope, 3 bytes long. */
    assert_int_equal(DECODE_CLIENT("\x08\x07\xa2\x06\x03zzz", &decoded), QD_DECODE_OK);
    assert_int_equal(decoded.message.kind, QD_CLIENT_NOTHING);
    assert_int_equal(decoded.message.seq, 7);
    qd_decoded_client_release(&decoded, NULL);
}

TEST(unknown_fields_are_skipped)
{
    qd_decoded_client decoded;
    /* Step with a varint, a fixed64, a fixed32 and bytes in fields 50 to 53. */
    const char bytes[] = "\x7a\x1d"
                         "\x08\x05\x10\x06"
                         "\x90\x03\x01"
                         "\x99\x03"
                         "12345678"
                         "\xa5\x03"
                         "1234"
                         "\xaa\x03\x03"
                         "abc";

    assert_int_equal(DECODE_CLIENT(bytes, &decoded), QD_DECODE_OK);
    assert_int_equal(decoded.message.kind, QD_CLIENT_STEP);
    assert_int_equal(decoded.message.as.step.room, 5);
    assert_int_equal(decoded.message.as.step.tick, 6);
    qd_decoded_client_release(&decoded, NULL);
}

TEST(last_message_of_an_envelope_counts)
{
    qd_decoded_client decoded;

    assert_int_equal(DECODE_CLIENT("\x12\x05\x12\x03"
                                   "abc"
                                   "\x22\x02\x08\x09",
                                   &decoded),
                     QD_DECODE_OK);
    assert_int_equal(decoded.message.kind, QD_CLIENT_LEAVE_ROOM);
    assert_int_equal(decoded.message.as.room.room, 9);
    qd_decoded_client_release(&decoded, NULL);
}

TEST(broken_bytes_are_malformed)
{
    EXPECT_CLIENT(QD_DECODE_MALFORMED, "\x00");         /* field 0 */
    EXPECT_CLIENT(QD_DECODE_MALFORMED, "\x08");         /* no value */
    EXPECT_CLIENT(QD_DECODE_MALFORMED, "\x08\x80");     /* half a varint */
    EXPECT_CLIENT(QD_DECODE_MALFORMED, "\x12\x05");     /* longer than the frame */
    EXPECT_CLIENT(QD_DECODE_MALFORMED, "\x0b\x0c");     /* a group */
    EXPECT_CLIENT(QD_DECODE_MALFORMED, "\x0e");         /* wire type 6 */
    EXPECT_CLIENT(QD_DECODE_MALFORMED, "\x10\x01");     /* hello is not a varint */
    EXPECT_CLIENT(QD_DECODE_MALFORMED, "\x0a\x01\x01"); /* seq is not bytes */
    EXPECT_CLIENT(QD_DECODE_MALFORMED, "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
    /* Despawn with an id of 3 bytes, and one whose ids are varints. */
    EXPECT_CLIENT(QD_DECODE_MALFORMED, "\x5a\x05\x12\x03\x01\x02\x03");
    EXPECT_CLIENT(QD_DECODE_MALFORMED, "\x5a\x02\x10\x01");
    /* A length of 2^31 and more. */
    EXPECT_CLIENT(QD_DECODE_MALFORMED, "\x12\xff\xff\xff\xff\x0f");
}

TEST(frame_above_2_gib_is_malformed)
{
    /* The size alone is refused: no byte is read, and nothing is allocated. */
    counted_memory counted;

    counted_memory_init(&counted);
    qd_decoded_client decoded;
    qd_decode_result result = qd_decode_client("", (size_t)INT32_MAX + 1, &counted.memory, &decoded);
    assert_int_equal(result, QD_DECODE_MALFORMED);
    assert_int_equal(counted.calls, 0);
    qd_decoded_client_release(&decoded, &counted.memory);
}

/* ---- strings ---- */

TEST(zero_byte_in_a_string_is_malformed)
{
    EXPECT_CLIENT(QD_DECODE_OK, "\x1a\x05\x0a\x03"
                                "abc");
    EXPECT_CLIENT(QD_DECODE_MALFORMED, "\x1a\x05\x0a\x03"
                                       "a\0c");
    EXPECT_CLIENT(QD_DECODE_MALFORMED, "\x1a\x05\x0a\x03"
                                       "ab\0");
    EXPECT_CLIENT(QD_DECODE_MALFORMED, "\x1a\x03\x0a\x01\0"); /* OpenRoom.name */
    EXPECT_CLIENT(QD_DECODE_MALFORMED, "\x12\x03\x12\x01\0"); /* Hello.token */
    EXPECT_CLIENT(QD_DECODE_MALFORMED, "\x12\x03\x1a\x01\0"); /* Hello.client */
    EXPECT_CLIENT(QD_DECODE_MALFORMED, "\x32\x03\x0a\x01\0"); /* ListRooms.after */
    EXPECT_CLIENT(QD_DECODE_OK, "\x1a\x02\x0a\x00");          /* present and empty */
    EXPECT_CLIENT(QD_DECODE_OK, "\x1a\x06\x0a\x01\0\x0a\x01"
                                "a"); /* the last one counts */
    static const char *const server[] = {
        "\x12\x03\x12\x01\0",         /* Welcome.server */
        "\x1a\x03\x12\x01\0",         /* RoomOpened.name */
        "\x32\x05\x0a\x03\x0a\x01\0", /* RoomInfo.name */
        "\x62\x03\x12\x01\0",         /* Error.text */
        "\x6a\x03\x12\x01\0",         /* GoAway.text */
    };
    for (size_t i = 0; i < COUNT_OF(server); i++) {
        qd_decoded_server decoded;
        size_t size = 2 + (size_t)server[i][1];

        assert_int_equal(qd_decode_server(server[i], size, NULL, &decoded), QD_DECODE_MALFORMED);
        qd_decoded_server_release(&decoded, NULL);
    }
}

TEST(absent_string_decodes_to_empty)
{
    qd_decoded_client client;

    assert_int_equal(DECODE_CLIENT("\x12\x00", &client), QD_DECODE_OK);
    assert_string_equal(client.message.as.hello.token, "");
    assert_string_equal(client.message.as.hello.client, "");
    qd_decoded_client_release(&client, NULL);
    assert_int_equal(DECODE_CLIENT("\x1a\x00", &client), QD_DECODE_OK);
    assert_string_equal(client.message.as.open_room.name, "");
    qd_decoded_client_release(&client, NULL);
    assert_int_equal(DECODE_CLIENT("\x32\x00", &client), QD_DECODE_OK);
    assert_string_equal(client.message.as.list_rooms.after, "");
    qd_decoded_client_release(&client, NULL);

    qd_decoded_server server;
    assert_int_equal(DECODE_SERVER("\x12\x00", &server), QD_DECODE_OK);
    assert_string_equal(server.message.as.welcome.server, "");
    qd_decoded_server_release(&server, NULL);
    assert_int_equal(DECODE_SERVER("\x1a\x00", &server), QD_DECODE_OK);
    assert_string_equal(server.message.as.room_opened.name, "");
    assert_false(server.message.as.room_opened.config.has_bounds);
    qd_decoded_server_release(&server, NULL);
    assert_int_equal(DECODE_SERVER("\x32\x02\x0a\x00", &server), QD_DECODE_OK);
    assert_int_equal(server.message.as.room_list.count, 1);
    assert_string_equal(server.message.as.room_list.rooms[0].name, "");
    qd_decoded_server_release(&server, NULL);
    assert_int_equal(DECODE_SERVER("\x52\x00", &server), QD_DECODE_OK);
    assert_int_equal(server.message.as.stats.server.workers, 0);
    assert_false(server.message.as.stats.has_room);
    qd_decoded_server_release(&server, NULL);
    assert_int_equal(DECODE_SERVER("\x62\x00", &server), QD_DECODE_OK);
    assert_string_equal(server.message.as.error.text, "");
    qd_decoded_server_release(&server, NULL);
    assert_int_equal(DECODE_SERVER("\x6a\x00", &server), QD_DECODE_OK);
    assert_string_equal(server.message.as.go_away.text, "");
    qd_decoded_server_release(&server, NULL);
}

/* ---- enums ---- */

TEST(unspecified_scope_decodes_to_all)
{
    const struct {
        const char *bytes;
        int scope;
    } cases[] = {
        {"\x62\x02\x08\x01", QD_SCOPE_ALL}, /* absent, padded by the room */
        {"\x62\x02\x10\x01", QD_SCOPE_ALL},
        {"\x62\x02\x10\x02", QD_SCOPE_OWN},
        {"\x62\x02\x10\x63", 99},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        qd_decoded_client decoded;

        assert_int_equal(qd_decode_client(cases[i].bytes, 4, NULL, &decoded), QD_DECODE_OK);
        assert_int_equal(decoded.message.as.subscribe.scope, cases[i].scope);
        qd_decoded_client_release(&decoded, NULL);
    }
}

TEST(unknown_enum_value_is_kept)
{
    qd_decoded_client client;

    assert_int_equal(DECODE_CLIENT("\x1a\x04\x12\x02\x18\x63", &client), QD_DECODE_OK);
    assert_int_equal(client.message.as.open_room.config.tick_mode, 99);
    qd_decoded_client_release(&client, NULL);
    /* -1 */
    assert_int_equal(DECODE_CLIENT("\x1a\x0d\x12\x0b\x18\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", &client),
                     QD_DECODE_OK);
    assert_int_equal((int)client.message.as.open_room.config.tick_mode, -1);
    qd_decoded_client_release(&client, NULL);

    qd_decoded_server server;
    assert_int_equal(DECODE_SERVER("\x62\x03\x08\xe8\x07", &server), QD_DECODE_OK);
    assert_int_equal(server.message.as.error.code, 1000);
    assert_string_equal(qd_error_code_name(server.message.as.error.code), "UNKNOWN");
    qd_decoded_server_release(&server, NULL);
}

/* ---- columns ---- */

static const uint32_t numbers[] = {1, 2, 3};
static const float values[] = {1, 2, 3};
static const uint8_t shapes[] = {1, 2, 1};

/* One column of a batch: its name and its place in the struct. */
typedef struct column_case {
    const char *name;
    size_t offset;
    const void *values;
} column_case;

#define COLUMN(name, values)                                                                                           \
    {                                                                                                                  \
        #name, offsetof(qd_msg_entities, name), values                                                                 \
    }

static const column_case all_columns[] = {
    COLUMN(id, numbers),    COLUMN(x, values),         COLUMN(y, values),      COLUMN(z, values),
    COLUMN(half_x, values), COLUMN(half_y, values),    COLUMN(half_z, values), COLUMN(shape, shapes),
    COLUMN(mask, numbers),  COLUMN(category, numbers), COLUMN(radius, values),
};

static const struct {
    qd_client_kind kind;
    const char *needed, *optional;
} batches[] = {
    {QD_CLIENT_SPAWN, " id x y ", " z half_x half_y half_z radius shape category mask "},
    {QD_CLIENT_MOVE, " id x y ", " z "},
    {QD_CLIENT_TELEPORT, " id x y ", " z "},
    {QD_CLIENT_RESHAPE, " id ", " half_x half_y half_z radius shape category mask "},
    {QD_CLIENT_DESPAWN, " id ", " "},
};

static bool is_in(const char *names, const char *name)
{
    char padded[16];

    snprintf(padded, sizeof padded, " %s ", name);
    return strstr(names, padded) != NULL;
}

static const void **place_of(qd_msg_entities *entities, const column_case *column)
{
    return (const void **)((char *)entities + column->offset);
}

/* A batch of `count` entities with all columns except `absent`. */
static qd_client_message make_batch(size_t batch, uint32_t count, const char *absent)
{
    qd_client_message message = {.seq = 3, .kind = batches[batch].kind, .as.batch.room = 7};

    message.as.batch.entities.count = count;
    for (size_t i = 0; i < COUNT_OF(all_columns); i++) {
        const char *name = all_columns[i].name;

        if ((is_in(batches[batch].needed, name) || is_in(batches[batch].optional, name)) && strcmp(name, absent) != 0) {
            *place_of(&message.as.batch.entities, &all_columns[i]) = all_columns[i].values;
        }
    }
    return message;
}

/* Encodes a frame without its length prefix. */
static size_t encode_frame(const qd_client_message *message, uint8_t *frame)
{
    uint8_t bytes[600];

    assert_true(qd_client_message_size(message) <= sizeof bytes);
    size_t size = qd_client_message_encode(message, bytes, qd_client_message_size(message));
    size_t prefix_size = bytes[0] < 0x80 ? 1 : 2;
    memcpy(frame, bytes + prefix_size, size - prefix_size);
    return size - prefix_size;
}

TEST(absent_column_is_refused_if_needed)
{
    for (size_t batch = 0; batch < COUNT_OF(batches); batch++) {
        for (size_t i = 0; i < COUNT_OF(all_columns); i++) {
            const column_case *column = &all_columns[i];
            bool needed = is_in(batches[batch].needed, column->name);

            if ((!needed && !is_in(batches[batch].optional, column->name)) || strcmp(column->name, "id") == 0) {
                continue;
            }
            qd_client_message message = make_batch(batch, 3, column->name);
            uint8_t frame[600];
            size_t size = encode_frame(&message, frame);
            qd_decoded_client decoded;
            qd_decode_result result = qd_decode_client(frame, size, NULL, &decoded);
            assert_int_equal(decoded.message.seq, 3);
            assert_int_equal(decoded.message.kind, batches[batch].kind);
            assert_int_equal(decoded.message.as.batch.room, 7);
            if (needed) {
                char fault[120];

                snprintf(fault, sizeof fault, "column %s has 0 values, column id has 3", column->name);
                assert_int_equal(result, QD_DECODE_COLUMNS);
                assert_string_equal(decoded.fault, fault);
                assert_int_equal(decoded.message.as.batch.entities.count, 0);
            } else {
                assert_int_equal(result, QD_DECODE_OK);
                assert_string_equal(decoded.fault, "");
                assert_int_equal(decoded.message.as.batch.entities.count, 3);
                assert_null(*place_of(&decoded.message.as.batch.entities, column));
            }
            qd_decoded_client_release(&decoded, NULL);
        }
    }
}

/* A RosterMove has no ids: x determines the count. */
TEST(absent_column_of_roster_move_is_refused_if_needed)
{
    static const struct {
        bool y, z;
        qd_decode_result result;
        const char *fault;
    } cases[] = {
        {true, true, QD_DECODE_OK, ""},
        {true, false, QD_DECODE_OK, ""},
        {false, true, QD_DECODE_COLUMNS, "column y has 0 values, column x has 3"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const qd_client_message message = {.seq = 3,
                                           .kind = QD_CLIENT_ROSTER_MOVE,
                                           .as.roster_move = {.room = 7,
                                                              .roster = 5,
                                                              .count = 3,
                                                              .x = values,
                                                              .y = cases[i].y ? values : NULL,
                                                              .z = cases[i].z ? values : NULL}};
        uint8_t frame[600];
        size_t size = encode_frame(&message, frame);
        qd_decoded_client decoded;

        assert_int_equal(qd_decode_client(frame, size, NULL, &decoded), cases[i].result);
        assert_string_equal(decoded.fault, cases[i].fault);
        const qd_msg_roster_move *move = &decoded.message.as.roster_move;
        assert_true(decoded.message.kind == QD_CLIENT_ROSTER_MOVE && move->room == 7);
        assert_int_equal(move->count, cases[i].result == QD_DECODE_OK ? 3 : 0);
        assert_true((move->z != NULL) == (cases[i].z && cases[i].result == QD_DECODE_OK));
        qd_decoded_client_release(&decoded, NULL);
    }
}

/* A second batch of fewer entities after the first appends to its columns. For bytes the last value counts. */
TEST(unequal_column_is_refused_by_name)
{
    for (size_t i = 0; i < COUNT_OF(all_columns); i++) {
        const column_case *column = &all_columns[i];

        if (strcmp(column->name, "id") == 0) {
            continue;
        }
        qd_client_message spawn = make_batch(0, 3, "");
        qd_client_message more = {.kind = QD_CLIENT_SPAWN, .as.batch.entities.count = 1};
        *place_of(&more.as.batch.entities, column) = column->values;
        uint8_t frame[600], extra[32];
        size_t size = encode_frame(&spawn, frame);
        size_t extra_size = encode_frame(&more, extra);
        /* The body of `more`, without its tag and length, at the end of the body of `spawn`: seq 3 is 2 bytes, the tag
         * one, the length two. */
        memcpy(frame + size, extra + 2, extra_size - 2);
        size += extra_size - 2;
        size_t body_size = size - 5;
        frame[3] = (uint8_t)(body_size | 0x80);
        frame[4] = (uint8_t)(body_size >> 7);

        qd_decoded_client decoded;
        char fault[120];
        snprintf(fault, sizeof fault, "column %s has %d values, column id has 3", column->name,
                 column->values == shapes ? 1 : 4);
        assert_int_equal(qd_decode_client(frame, size, NULL, &decoded), QD_DECODE_COLUMNS);
        assert_string_equal(decoded.fault, fault);
        assert_int_equal(decoded.message.kind, QD_CLIENT_SPAWN);
        assert_int_equal(decoded.message.as.batch.room, 7);
        qd_decoded_client_release(&decoded, NULL);
    }
}

TEST(column_without_ids_is_refused)
{
    qd_decoded_client decoded;

    /* Reshape with one half_x and no id. */
    assert_int_equal(DECODE_CLIENT("\x52\x06\x1a\x04\x00\x00\x80\x3f", &decoded), QD_DECODE_COLUMNS);
    assert_string_equal(decoded.fault, "column half_x has 1 values, column id has 0");
    qd_decoded_client_release(&decoded, NULL);
}

TEST(empty_batch_decodes)
{
    for (size_t batch = 0; batch < COUNT_OF(batches); batch++) {
        qd_client_message message = make_batch(batch, 0, "");
        uint8_t frame[64];
        size_t size = encode_frame(&message, frame);
        qd_decoded_client decoded;

        assert_int_equal(qd_decode_client(frame, size, NULL, &decoded), QD_DECODE_OK);
        assert_int_equal(decoded.message.kind, batches[batch].kind);
        assert_int_equal(decoded.message.as.batch.entities.count, 0);
        for (size_t i = 0; i < COUNT_OF(all_columns); i++) {
            assert_null(*place_of(&decoded.message.as.batch.entities, &all_columns[i]));
        }
        qd_decoded_client_release(&decoded, NULL);
    }
}

TEST(unequal_column_of_server_is_refused)
{
    const struct {
        const char *bytes;
        size_t size;
        qd_decode_result result;
    } cases[] = {
#define BYTES(bytes) bytes, sizeof(bytes) - 1
        {BYTES("\x3a\x0f\x42\x04zzzz\x4a\x04zzzz\x52\x01\x07"), QD_DECODE_OK},
        {BYTES("\x3a\x0c\x42\x04zzzz\x4a\x04zzzz"), QD_DECODE_COLUMNS}, /* no end_reason */
        {BYTES("\x3a\x06\x42\x04zzzz"), QD_DECODE_COLUMNS},             /* end_a alone */
        {BYTES("\x3a\x06\x62\x04zzzz"), QD_DECODE_COLUMNS},             /* begin_b alone */
        {BYTES("\x3a\x06\x6a\x04zzzz"), QD_DECODE_COLUMNS},             /* stay_a alone */
        {BYTES("\x3a\x06\x7a\x04zzzz"), QD_DECODE_COLUMNS},             /* passed_a alone */
        {BYTES("\x3a\x0d\x7a\x04zzzz\x82\x01\x04zzzz"), QD_DECODE_OK},
        {BYTES("\x4a\x06\x1a\x04zzzz"), QD_DECODE_COLUMNS}, /* SnapshotResult.id alone */
        {BYTES("\x4a\x12\x1a\x04zzzz\x22\x04zzzz\x2a\x04zzzz"), QD_DECODE_OK},
        {BYTES("\x62\x06\x2a\x04zzzz"), QD_DECODE_COLUMNS}, /* Error.entry_index alone */
#undef BYTES
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        qd_decoded_server decoded;

        assert_int_equal(qd_decode_server(cases[i].bytes, cases[i].size, NULL, &decoded), cases[i].result);
        qd_decoded_server_release(&decoded, NULL);
    }
}

TEST(error_with_too_many_entries_is_refused)
{
    static const uint32_t indices[QD_ERROR_ENTRIES_MAX + 1];
    static const uint8_t codes[QD_ERROR_ENTRIES_MAX + 1];

    for (uint32_t count = QD_ERROR_ENTRIES_MAX; count <= QD_ERROR_ENTRIES_MAX + 1; count++) {
        qd_server_message message = {
            .kind = QD_SERVER_ERROR,
            .as.error = {.entry_count = count, .entry_index = indices, .entry_code = codes},
        };
        uint8_t bytes[600];
        size_t size = qd_server_message_encode(&message, bytes, qd_server_message_size(&message));
        qd_decoded_server decoded;
        qd_decode_result result = qd_decode_server(bytes + 2, size - 2, NULL, &decoded);

        assert_int_equal(result, count <= QD_ERROR_ENTRIES_MAX ? QD_DECODE_OK : QD_DECODE_COLUMNS);
        qd_decoded_server_release(&decoded, NULL);
    }
}

/* Packed values, unpacked values and a column in several pieces decode to the same. */
TEST(unpacked_column_decodes_as_packed)
{
    qd_decoded_client decoded;

    assert_int_equal(DECODE_CLIENT("\x5a\x15"
                                   "\x15\x01\x00\x00\x00"
                                   "\x12\x04\x02\x00\x00\x00"
                                   "\x15\x03\x00\x00\x00"
                                   "\x15\x04\x00\x00\x00",
                                   &decoded),
                     QD_DECODE_OK);
    assert_int_equal(decoded.message.as.batch.entities.count, 4);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(decoded.message.as.batch.entities.id[i], i + 1);
    }
    qd_decoded_client_release(&decoded, NULL);
}

/* ---- names ---- */

TEST(number_has_a_name)
{
    assert_string_equal(qd_error_code_name(QD_ERROR_ID_TAKEN), "ID_TAKEN");
    assert_string_equal(qd_error_code_name(QD_ERROR_MALFORMED), "MALFORMED");
    assert_string_equal(qd_error_code_name(QD_ERROR_NONE), "UNKNOWN");
    assert_string_equal(qd_error_code_name((qd_error_code)6), "UNKNOWN");
    assert_string_equal(qd_end_reason_name(QD_END_MOVED_APART), "moved apart");
    assert_string_equal(qd_end_reason_name(QD_END_ROOM_CLOSED), "room closed");
    assert_string_equal(qd_end_reason_name((qd_end_reason)0), "UNKNOWN");
    assert_string_equal(qd_end_reason_name((qd_end_reason)255), "UNKNOWN");
    assert_string_equal(qd_index_name(QD_INDEX_QUADTREE), "quadtree");
    assert_string_equal(qd_index_name(QD_INDEX_DEFAULT), "UNKNOWN");
    assert_string_equal(qd_index_name((qd_index_kind)8), "UNKNOWN");
    assert_string_equal(qd_prune_name(QD_PRUNE_LAZY), "lazy");
    assert_string_equal(qd_prune_name(QD_PRUNE_DEFAULT), "UNKNOWN");
    assert_string_equal(qd_prune_name((qd_prune_kind)5), "UNKNOWN");
}

TEST(name_has_a_number)
{
    for (int index = QD_INDEX_AUTO; index <= QD_INDEX_BRUTE; index++) {
        assert_int_equal(qd_index_of_name(qd_index_name((qd_index_kind)index)), index);
    }
    for (int prune = QD_PRUNE_AUTO; prune <= QD_PRUNE_LAZY; prune++) {
        assert_int_equal(qd_prune_of_name(qd_prune_name((qd_prune_kind)prune)), prune);
    }
    assert_int_equal(qd_index_of_name("Quadtree"), QD_INDEX_DEFAULT);
    assert_int_equal(qd_index_of_name(""), QD_INDEX_DEFAULT);
    assert_int_equal(qd_index_of_name("UNKNOWN"), QD_INDEX_DEFAULT);
    assert_int_equal(qd_prune_of_name("hash"), QD_PRUNE_DEFAULT);
}

TEST_MAIN()
