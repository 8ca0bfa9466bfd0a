/* SPDX-License-Identifier: Apache-2.0
 *
 * How much memory decoding a frame takes: never more than the budget, whatever the bytes, and little more than the
 * frame's own size when an encoder wrote it.
 */
#include <stdlib.h>
#include <string.h>

#include "proto/codec.h"
#include "proto/framing.h"
#include "support/counted_memory.h"
#include "tests/support/test.h"

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

/* The memory that an encoder's frame takes in addition to its own size; see codec.h. */
#define PLAIN_EXTRA_BYTES 3072u

/* ---- frames ---- */

typedef struct test_frame {
    uint8_t *bytes;
    size_t size;
} test_frame;

/* Repeats `unit` `count` times after `head`, in the envelope or, if `field` is not 0, in the message of that field. */
static test_frame make_flood(uint32_t field, const char *head, size_t head_size, const char *unit, size_t unit_size,
                             size_t count)
{
    size_t body_size = head_size + unit_size * count;
    test_frame made = {malloc(body_size + 16), 0};

    if (field != 0) {
        made.size += qd_frame_prefix_write(field << 3 | 2, made.bytes);
        made.size += qd_frame_prefix_write((uint32_t)body_size, made.bytes + made.size);
    }
    memcpy(made.bytes + made.size, head, head_size);
    made.size += head_size;
    for (size_t i = 0; i < count; i++) {
        memcpy(made.bytes + made.size, unit, unit_size);
        made.size += unit_size;
    }
    return made;
}

/* Decodes within the budget and releases all of it. */
static qd_decode_result decode_client(test_frame frame, size_t *bytes_peak)
{
    counted_memory counted;

    counted_memory_init(&counted);
    qd_decoded_client decoded;
    qd_decode_result result = qd_decode_client(frame.bytes, frame.size, &counted.memory, &decoded);
    assert_true(counted.bytes_peak <= QD_DECODE_BYTES_MAX(frame.size));
    qd_decoded_client_release(&decoded, &counted.memory);
    assert_int_equal(counted.bytes, 0);
    *bytes_peak = counted.bytes_peak;
    return result;
}

static qd_decode_result decode_server(test_frame frame, size_t *bytes_peak)
{
    counted_memory counted;

    counted_memory_init(&counted);
    qd_decoded_server decoded;
    qd_decode_result result = qd_decode_server(frame.bytes, frame.size, &counted.memory, &decoded);
    assert_true(counted.bytes_peak <= QD_DECODE_SERVER_BYTES_MAX(frame.size));
    qd_decoded_server_release(&decoded, &counted.memory);
    assert_int_equal(counted.bytes, 0);
    *bytes_peak = counted.bytes_peak;
    return result;
}

/* ---- floods ---- */

/* The ways to make protobuf-c allocate much memory for few bytes. `field` 0 is the envelope. */
static const struct {
    const char *what;
    uint32_t field;
    const char *unit;
    size_t unit_size;
} floods[] = {
    {"unknown varints in the envelope", 0, "\xf8\x01\x00", 3},
    {"unknown fields in Hello", 2, "\x78\x00", 2},
    {"unknown fields in Spawn", 7, "\x78\x00", 2},
    {"empty unknown bytes in Move", 8, "\x7a\x00", 2},
    {"unpacked ids", 11, "\x15\x01\x02\x03\x04", 5},
    {"unpacked positions in Move", 8, "\x1d\x01\x02\x03\x04", 5},
    {"empty pieces of a packed column", 8, "\x12\x00", 2},
    {"a Spawn over and over", 0, "\x3a\x00", 2},
    {"a config over and over", 3, "\x12\x00", 2},
    {"bounds over and over", 3, "\x12\x02\x12\x00", 4},
    {"a name over and over", 3, "\x0a\x00", 2},
    {"a shape over and over", 7, "\x4a\x01\x01", 3},
    {"the same number over and over", 15, "\x08\x01", 2},
    {"unpacked ids in Observe", 20, "\x15\x01\x02\x03\x04", 5},
    {"unpacked ids to show", 23, "\x1d\x01\x02\x03\x04", 5},
    {"empty payloads", 19, "\x22\x00", 2},
};

TEST(flood_of_small_fields_is_refused)
{
    for (size_t i = 0; i < COUNT_OF(floods); i++) {
        print_message("%s\n", floods[i].what);
        test_frame flood = make_flood(floods[i].field, "", 0, floods[i].unit, floods[i].unit_size, 200000);
        size_t bytes_peak;
        assert_int_equal(decode_client(flood, &bytes_peak), QD_DECODE_MALFORMED);
        decode_server(flood, &bytes_peak);
        free(flood.bytes);
    }
}

/* As the count grows, the memory runs out at each of protobuf-c's allocations, in nested messages too. */
TEST(block_exhausted_at_any_allocation_is_refused)
{
    const char open_room[] = "\x0a\x03"
                             "abc"
                             "\x12\x06\x12\x04\x7a\x02xy";

    for (size_t i = 0; i < COUNT_OF(floods); i++) {
        bool ok = false, refused = false;

        for (size_t count = 0; count < 600; count++) {
            test_frame flood = make_flood(floods[i].field, "", 0, floods[i].unit, floods[i].unit_size, count);
            size_t bytes_peak;
            qd_decode_result result = decode_client(flood, &bytes_peak);

            ok |= result == QD_DECODE_OK || result == QD_DECODE_COLUMNS;
            refused |= result == QD_DECODE_MALFORMED;
            free(flood.bytes);
        }
        /* A few fit. */
        assert_true(ok && refused);
    }
    for (size_t count = 0; count < 600; count++) {
        test_frame flood = make_flood(3, open_room, sizeof open_room - 1, "\x78\x00", 2, count);
        size_t bytes_peak;

        decode_client(flood, &bytes_peak);
        free(flood.bytes);
    }
}

TEST(long_unpacked_column_is_refused)
{
    size_t bytes_peak;
    test_frame few = make_flood(11, "", 0, "\x15\x01\x02\x03\x04", 5, 30);

    assert_int_equal(decode_client(few, &bytes_peak), QD_DECODE_OK);
    free(few.bytes);
    test_frame many = make_flood(11, "", 0, "\x15\x01\x02\x03\x04", 5, 10000);
    assert_int_equal(decode_client(many, &bytes_peak), QD_DECODE_MALFORMED);
    free(many.bytes);
}

/* ---- frames of encoders ---- */

#define ENTITIES 10000u

static uint32_t numbers[ENTITIES];
static float values[ENTITIES];
static uint8_t shapes[ENTITIES];
static uint64_t tags[ENTITIES];

static test_frame encode_client(const qd_client_message *message)
{
    const size_t size = qd_client_message_size(message);
    test_frame encoded = {malloc(size), 0};
    size_t prefix_size = 0;

    (void)qd_client_message_encode(message, encoded.bytes, size);
    while (encoded.bytes[prefix_size++] & 0x80) {
    }
    encoded.size = size - prefix_size;
    memmove(encoded.bytes, encoded.bytes + prefix_size, encoded.size);
    return encoded;
}

static test_frame encode_server(const qd_server_message *message)
{
    const size_t size = qd_server_message_size(message);
    test_frame encoded = {malloc(size), 0};
    size_t prefix_size = 0;

    (void)qd_server_message_encode(message, encoded.bytes, size);
    while (encoded.bytes[prefix_size++] & 0x80) {
    }
    encoded.size = size - prefix_size;
    memmove(encoded.bytes, encoded.bytes + prefix_size, encoded.size);
    return encoded;
}

TEST(frame_of_encoder_takes_its_own_size)
{
    const qd_msg_entities full = {
        .id = numbers,
        .x = values,
        .y = values,
        .z = values,
        .half_x = values,
        .half_y = values,
        .half_z = values,
        .radius = values,
        .shape = shapes,
        .category = numbers,
        .mask = numbers,
    };

    for (uint32_t count = 0; count <= ENTITIES; count = count * 3 + 1) {
        qd_client_message spawn = {.seq = 1, .kind = QD_CLIENT_SPAWN, .as.batch = {.room = 7, .entities = full}};

        spawn.as.batch.entities.count = count;
        test_frame client = encode_client(&spawn);
        size_t bytes_peak;
        assert_int_equal(decode_client(client, &bytes_peak), QD_DECODE_OK);
        assert_true(bytes_peak <= client.size + PLAIN_EXTRA_BYTES);
        free(client.bytes);

        qd_server_message tick = {
            .kind = QD_SERVER_TICK,
            .as.tick = {.room = 7,
                        .tick = 9,
                        .ends = {count, numbers, numbers},
                        .end_reason = shapes,
                        .begins = {count, numbers, numbers},
                        .passed = {count, numbers, numbers},
                        .stays = {count, numbers, numbers}},
        };
        test_frame server = encode_server(&tick);
        assert_int_equal(decode_server(server, &bytes_peak), QD_DECODE_OK);
        assert_true(bytes_peak <= server.size + PLAIN_EXTRA_BYTES);
        free(server.bytes);
    }
}

/* The messages with the most columns. */
TEST(view_with_all_columns_takes_its_own_size)
{
    for (uint32_t count = 0; count <= ENTITIES; count = count * 3 + 1) {
        const qd_msg_observers observers = {
            .room = UINT64_MAX,
            .count = count,
            .id = numbers,
            .region = shapes,
            .anchored = shapes,
            .entity = numbers,
            .x = values,
            .y = values,
            .z = values,
            .range = values,
            .half_x = values,
            .half_y = values,
            .half_z = values,
            .direction_x = values,
            .direction_y = values,
            .direction_z = values,
            .angle = values,
            .leave_margin = values,
            .mask = numbers,
            .limit = numbers,
            .enter_budget = numbers,
            .team = numbers,
            .sees_self = shapes,
            .tier_count = 8,
            .relay_range = values,
            .relay_every = numbers,
        };
        qd_client_message observe = {.seq = 1, .kind = QD_CLIENT_OBSERVE, .as.observers = observers};
        test_frame client = encode_client(&observe);
        size_t bytes_peak;

        assert_int_equal(decode_client(client, &bytes_peak), QD_DECODE_OK);
        assert_true(bytes_peak <= client.size + PLAIN_EXTRA_BYTES);
        free(client.bytes);

        const qd_msg_view whole = {
            .room = UINT64_MAX,
            .tick = UINT64_MAX,
            .last = true,
            .reset = true,
            .reset_watchers = true,
            .suspended = true,
            .leave_count = count,
            .leave_observer = numbers,
            .leave_id = numbers,
            .leave_reason = shapes,
            .enter_count = count,
            .enter_observer = numbers,
            .enter = {.count = count,
                      .id = numbers,
                      .x = values,
                      .y = values,
                      .z = values,
                      .half_x = values,
                      .half_y = values,
                      .half_z = values,
                      .radius = values,
                      .shape = shapes,
                      .category = numbers},
            .enter_tag = tags,
            .enter_payload_size = shapes,
            .relay_count = count,
            .relay_observer = numbers,
            .relay_id = numbers,
            .relay_x = values,
            .relay_y = values,
            .relay_z = values,
            .watcher_leave_count = count,
            .watcher_leave_entity = numbers,
            .watcher_leave_session = tags,
            .watcher_leave_observer = numbers,
            .watcher_enter_count = count,
            .watcher_enter_entity = numbers,
            .watcher_enter_session = tags,
            .watcher_enter_observer = numbers,
        };
        qd_server_message view = {.kind = QD_SERVER_VIEW, .as.view = whole};
        test_frame server = encode_server(&view);
        assert_int_equal(decode_server(server, &bytes_peak), QD_DECODE_OK);
        assert_true(bytes_peak <= server.size + PLAIN_EXTRA_BYTES);
        free(server.bytes);
    }
}

TEST(longest_room_list_stays_within_budget)
{
    enum { ROOMS = 1000 };
    static qd_msg_room_info rooms[ROOMS];
    static char names[ROOMS][QD_ROOM_NAME_BYTES_MAX + 1];
    /* Short names need the most memory per byte. */
    for (size_t length = 1; length <= QD_ROOM_NAME_BYTES_MAX; length += 21) {
        for (size_t i = 0; i < ROOMS; i++) {
            memset(names[i], 'a', length);
            rooms[i] = (qd_msg_room_info){.name = names[i]};
        }
        rooms[ROOMS - 1].sessions = 5;
        qd_server_message list = {.kind = QD_SERVER_ROOM_LIST, .as.room_list = {ROOMS, rooms, true}};
        test_frame encoded = encode_server(&list);
        size_t bytes_peak;
        assert_int_equal(decode_server(encoded, &bytes_peak), QD_DECODE_OK);

        qd_decoded_server decoded;
        assert_int_equal(qd_decode_server(encoded.bytes, encoded.size, NULL, &decoded), QD_DECODE_OK);
        assert_int_equal(decoded.message.as.room_list.count, ROOMS);
        assert_string_equal(decoded.message.as.room_list.rooms[ROOMS - 1].name, names[ROOMS - 1]);
        assert_int_equal(decoded.message.as.room_list.rooms[ROOMS - 1].sessions, 5);
        qd_decoded_server_release(&decoded, NULL);
        free(encoded.bytes);
    }
}

TEST(decoded_columns_are_aligned)
{
    qd_client_message move = {
        .kind = QD_CLIENT_MOVE,
        .as.batch.entities = {.count = 3, .id = numbers, .x = values, .y = values},
    };
    test_frame encoded = encode_client(&move);
    qd_decoded_client decoded;

    assert_int_equal(qd_decode_client(encoded.bytes, encoded.size, NULL, &decoded), QD_DECODE_OK);
    assert_int_equal((uintptr_t)decoded.message.as.batch.entities.id % 16, 0);
    assert_int_equal((uintptr_t)decoded.message.as.batch.entities.x % 16, 0);
    assert_int_equal((uintptr_t)decoded.message.as.batch.entities.y % 16, 0);
    qd_decoded_client_release(&decoded, NULL);
    free(encoded.bytes);
}

/* ---- allocation failure ---- */

TEST(failed_allocation_is_reported_and_leaks_nothing)
{
    /* Decoding takes two blocks: the first is too small. */
    test_frame flood = make_flood(11, "", 0, "\x15\x01\x02\x03\x04", 5, 60);

    for (unsigned fail_at = 1; fail_at <= 3; fail_at++) {
        counted_memory counted;

        counted_memory_init(&counted);
        counted.fail_at = fail_at;
        qd_decoded_client client;
        qd_decode_result result = qd_decode_client(flood.bytes, flood.size, &counted.memory, &client);
        assert_int_equal(result, fail_at <= 2 ? QD_DECODE_NO_MEMORY : QD_DECODE_OK);
        qd_decoded_client_release(&client, &counted.memory);
        assert_int_equal(counted.bytes, 0);

        counted_memory_init(&counted);
        counted.fail_at = fail_at;
        qd_decoded_server server;
        result = qd_decode_server("", 0, &counted.memory, &server);
        assert_int_equal(result, fail_at == 1 ? QD_DECODE_NO_MEMORY : QD_DECODE_OK);
        qd_decoded_server_release(&server, &counted.memory);
        assert_int_equal(counted.bytes, 0);
    }
    free(flood.bytes);
}

TEST_MAIN()
