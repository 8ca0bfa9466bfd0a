/* SPDX-License-Identifier: Apache-2.0
 *
 * The messages about views: which columns may be absent, which must be of equal length, and the text of the errors.
 */
#include <string.h>

#include "proto/codec.h"
#include "proto/framing.h"
#include "tests/support/test.h"

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])
#define FRAME_BYTES_MAX 1024u

static const uint32_t numbers[] = {1, 2, 3};
static const uint64_t longs[] = {1, 2, 3};
static const float values[] = {1, 2, 3};
static const double doubles[] = {1, 2, 3};
static const uint8_t bytes_of_one[] = {1, 1, 1};

/* ---- frames that no encoder writes ---- */

/* The size of the varint at `bytes`. */
static size_t skip_number(const uint8_t *bytes)
{
    size_t size = 1;

    while (bytes[size - 1] & 0x80) {
        size++;
    }
    return size;
}

/* Splits an encoded frame without seq into the tag and the body of its message. */
static size_t strip(const uint8_t *encoded, size_t size, uint8_t *tag, size_t *tag_size, uint8_t *body)
{
    size_t at = skip_number(encoded);

    *tag_size = skip_number(encoded + at);
    memcpy(tag, encoded + at, *tag_size);
    at += *tag_size;
    at += skip_number(encoded + at);
    memcpy(body, encoded + at, size - at);
    return size - at;
}

/* Joins two encoded messages of one kind: each column is the first one's, then the second one's. */
static size_t join(const uint8_t *first, size_t first_size, const uint8_t *second, size_t second_size, uint8_t *frame)
{
    uint8_t body[2 * FRAME_BYTES_MAX], tag[5];
    size_t tag_size;
    size_t size = strip(first, first_size, tag, &tag_size, body);

    size += strip(second, second_size, tag, &tag_size, body + size);
    size_t at = tag_size;
    memcpy(frame, tag, tag_size);
    at += qd_frame_prefix_write((uint32_t)size, frame + at);
    memcpy(frame + at, body, size);
    return at + size;
}

static qd_decode_result decode_joined_client(const qd_client_message *first, const qd_client_message *second,
                                             qd_decoded_client *decoded)
{
    uint8_t a[FRAME_BYTES_MAX], b[FRAME_BYTES_MAX], frame[2 * FRAME_BYTES_MAX];
    size_t a_size = qd_client_message_encode(first, a, qd_client_message_size(first));
    size_t b_size = qd_client_message_encode(second, b, qd_client_message_size(second));

    return qd_decode_client(frame, join(a, a_size, b, b_size, frame), NULL, decoded);
}

static qd_decode_result decode_joined_server(const qd_server_message *first, const qd_server_message *second)
{
    uint8_t a[FRAME_BYTES_MAX], b[FRAME_BYTES_MAX], frame[2 * FRAME_BYTES_MAX];
    size_t a_size = qd_server_message_encode(first, a, qd_server_message_size(first));
    size_t b_size = qd_server_message_encode(second, b, qd_server_message_size(second));
    qd_decoded_server decoded;
    qd_decode_result result = qd_decode_server(frame, join(a, a_size, b, b_size, frame), NULL, &decoded);

    qd_decoded_server_release(&decoded, NULL);
    return result;
}

/* ---- columns of clients ---- */

typedef struct column_case {
    const char *name;
    size_t offset;
    const void *values;
} column_case;

#define COLUMN(type, name, values)                                                                                     \
    {                                                                                                                  \
        #name, offsetof(type, name), values                                                                            \
    }

static const column_case observe_columns[] = {
    COLUMN(qd_msg_observers, region, bytes_of_one),
    COLUMN(qd_msg_observers, anchored, bytes_of_one),
    COLUMN(qd_msg_observers, entity, numbers),
    COLUMN(qd_msg_observers, x, values),
    COLUMN(qd_msg_observers, y, values),
    COLUMN(qd_msg_observers, z, values),
    COLUMN(qd_msg_observers, range, values),
    COLUMN(qd_msg_observers, half_x, values),
    COLUMN(qd_msg_observers, half_y, values),
    COLUMN(qd_msg_observers, half_z, values),
    COLUMN(qd_msg_observers, direction_x, values),
    COLUMN(qd_msg_observers, direction_y, values),
    COLUMN(qd_msg_observers, direction_z, values),
    COLUMN(qd_msg_observers, angle, values),
    COLUMN(qd_msg_observers, leave_margin, values),
    COLUMN(qd_msg_observers, mask, numbers),
    COLUMN(qd_msg_observers, limit, numbers),
    COLUMN(qd_msg_observers, enter_budget, numbers),
    COLUMN(qd_msg_observers, team, numbers),
    COLUMN(qd_msg_observers, sees_self, bytes_of_one),
};

static const column_case move_columns[] = {
    COLUMN(qd_msg_observers, x, values),           COLUMN(qd_msg_observers, y, values),
    COLUMN(qd_msg_observers, z, values),           COLUMN(qd_msg_observers, direction_x, values),
    COLUMN(qd_msg_observers, direction_y, values), COLUMN(qd_msg_observers, direction_z, values),
};

static const column_case describe_columns[] = {
    COLUMN(qd_msg_describe, tag, longs),
    COLUMN(qd_msg_describe, visible_range, values),
    COLUMN(qd_msg_describe, team, numbers),
    COLUMN(qd_msg_describe, hidden, bytes_of_one),
};

/* A batch of three entries takes three values or none in each column, and refuses one or two by the column's name. */
static void expect_columns(qd_client_kind kind, const column_case *columns, size_t column_count)
{
    for (size_t i = 0; i < column_count; i++) {
        for (uint32_t count = 0; count <= 3; count++) {
            print_message("kind %d, %u of %s\n", (int)kind, count, columns[i].name);
            qd_client_message ids = {.kind = kind}, column = {.kind = kind};
            if (kind == QD_CLIENT_DESCRIBE) {
                ids.as.describe = (qd_msg_describe){.room = 7, .count = 3, .id = numbers};
                column.as.describe.count = count;
            } else {
                ids.as.observers = (qd_msg_observers){.room = 7, .count = 3, .id = numbers};
                column.as.observers.count = count;
            }
            *(const void **)((char *)&column.as + columns[i].offset) = columns[i].values;
            qd_decoded_client decoded;
            qd_decode_result result = decode_joined_client(&ids, &column, &decoded);
            const void *found = *(const void **)((char *)&decoded.message.as + columns[i].offset);
            assert_int_equal(decoded.message.as.room.room, 7);
            if (count == 0 || count == 3) {
                assert_int_equal(result, QD_DECODE_OK);
                assert_int_equal(found != NULL, count == 3);
            } else {
                char fault[120];

                snprintf(fault, sizeof fault, "column %s has %u values, column id has 3", columns[i].name, count);
                assert_int_equal(result, QD_DECODE_COLUMNS);
                assert_string_equal(decoded.fault, fault);
                assert_null(found);
            }
            qd_decoded_client_release(&decoded, NULL);
        }
    }
}

TEST(unequal_column_of_client_is_refused_by_name)
{
    expect_columns(QD_CLIENT_OBSERVE, observe_columns, COUNT_OF(observe_columns));
    expect_columns(QD_CLIENT_MOVE_OBSERVERS, move_columns, COUNT_OF(move_columns));
    expect_columns(QD_CLIENT_DESCRIBE, describe_columns, COUNT_OF(describe_columns));
}

/* The columns of tiers are as long as each other, whatever the number of observers. */
TEST(unequal_tiers_are_refused)
{
    const qd_client_message three = {
        .kind = QD_CLIENT_OBSERVE,
        .as.observers = {.count = 1, .id = numbers, .tier_count = 3, .relay_range = values, .relay_every = numbers}};
    const qd_client_message more = {.kind = QD_CLIENT_OBSERVE,
                                    .as.observers = {.tier_count = 1, .relay_every = numbers}};
    const qd_client_message none = {.kind = QD_CLIENT_OBSERVE};
    qd_decoded_client decoded;

    assert_int_equal(decode_joined_client(&three, &none, &decoded), QD_DECODE_OK);
    assert_int_equal(decoded.message.as.observers.tier_count, 3);
    qd_decoded_client_release(&decoded, NULL);
    assert_int_equal(decode_joined_client(&three, &more, &decoded), QD_DECODE_COLUMNS);
    assert_string_equal(decoded.fault, "column relay_every has 4 values, column relay_range has 3");
    assert_int_equal(decoded.message.as.observers.count, 0);
    qd_decoded_client_release(&decoded, NULL);
}

TEST(payload_of_another_size_is_refused)
{
    const struct {
        const char *columns; /* payload is field 4, payload_size field 5 */
        size_t size;
        const char *fault; /* empty: the message is valid */
    } cases[] = {
#define BYTES(bytes) bytes, sizeof(bytes) - 1
        {BYTES(""), ""},
        {BYTES("\x22\x05hello\x2a\x03\x02\x00\x03"), ""},
        {BYTES("\x2a\x03\x00\x00\x00"), ""},
        {BYTES("\x22\x04hell\x2a\x03\x02\x00\x03"), "column payload has 4 bytes, column payload_size adds up to 5"},
        {BYTES("\x2a\x03\x02\x00\x03"), "column payload has 0 bytes, column payload_size adds up to 5"},
        {BYTES("\x22\x05hello"), "column payload has 5 bytes, column payload_size adds up to 0"},
        {BYTES("\x22\x02he\x2a\x02\x01\x01"), "column payload_size has 2 values, column id has 3"},
#undef BYTES
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        uint8_t frame[64] = "\x9a\x01\x00\x12\x0ciiiijjjjkkkk";
        size_t head = 3 + 2 + 12;

        memcpy(frame + head, cases[i].columns, cases[i].size);
        frame[2] = (uint8_t)(head - 3 + cases[i].size);
        qd_decoded_client decoded;
        qd_decode_result result = qd_decode_client(frame, head + cases[i].size, NULL, &decoded);
        assert_string_equal(decoded.fault, cases[i].fault);
        assert_int_equal(result, cases[i].fault[0] == '\0' ? QD_DECODE_OK : QD_DECODE_COLUMNS);
        qd_decoded_client_release(&decoded, NULL);
    }
}

TEST(unspecified_watch_decodes_to_none)
{
    const struct {
        const char *bytes;
        int watch;
    } cases[] = {
        {"\xc2\x01\x02\x10\x01", QD_WATCH_NONE}, /* absent, padded by bytes_max */
        {"\xc2\x01\x02\x18\x01", QD_WATCH_NONE},
        {"\xc2\x01\x02\x18\x03", QD_WATCH_ALL},
        {"\xc2\x01\x02\x18\x63", 99},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        qd_decoded_client decoded;

        assert_int_equal(qd_decode_client(cases[i].bytes, 5, NULL, &decoded), QD_DECODE_OK);
        assert_int_equal(decoded.message.kind, QD_CLIENT_VIEW_OPTIONS);
        assert_int_equal(decoded.message.as.view_options.watch, cases[i].watch);
        qd_decoded_client_release(&decoded, NULL);
    }
}

/* ---- columns of the server ---- */

static const qd_msg_view whole_view = {
    .leave_count = 2,
    .leave_observer = numbers,
    .leave_id = numbers,
    .leave_reason = bytes_of_one,
    .enter_count = 2,
    .enter_observer = numbers,
    .enter = {.count = 2,
              .id = numbers,
              .x = values,
              .y = values,
              .z = values,
              .half_x = values,
              .half_y = values,
              .half_z = values,
              .radius = values,
              .shape = bytes_of_one,
              .category = numbers},
    .enter_tag = longs,
    .enter_payload_size = bytes_of_one,
    .enter_payload = bytes_of_one,
    .relay_count = 2,
    .relay_observer = numbers,
    .relay_id = numbers,
    .relay_x = values,
    .relay_y = values,
    .relay_z = values,
    .watcher_leave_count = 2,
    .watcher_leave_entity = numbers,
    .watcher_leave_session = longs,
    .watcher_leave_observer = numbers,
    .watcher_enter_count = 2,
    .watcher_enter_entity = numbers,
    .watcher_enter_session = longs,
    .watcher_enter_observer = numbers,
};

static const struct {
    size_t offset;
    bool needed;
} view_columns[] = {
#define NEEDED(name)                                                                                                   \
    {                                                                                                                  \
        offsetof(qd_msg_view, name), true                                                                              \
    }
#define OPTIONAL(name)                                                                                                 \
    {                                                                                                                  \
        offsetof(qd_msg_view, name), false                                                                             \
    }
    NEEDED(leave_observer),
    NEEDED(leave_id),
    NEEDED(leave_reason),
    NEEDED(enter_observer),
    NEEDED(enter.id),
    NEEDED(enter.x),
    NEEDED(enter.y),
    OPTIONAL(enter.z),
    OPTIONAL(enter.half_x),
    OPTIONAL(enter.half_y),
    OPTIONAL(enter.half_z),
    OPTIONAL(enter.radius),
    OPTIONAL(enter.shape),
    OPTIONAL(enter.category),
    OPTIONAL(enter_tag),
    NEEDED(enter_payload),
    NEEDED(relay_observer),
    NEEDED(relay_id),
    NEEDED(relay_x),
    NEEDED(relay_y),
    OPTIONAL(relay_z),
    NEEDED(watcher_leave_entity),
    NEEDED(watcher_leave_session),
    NEEDED(watcher_leave_observer),
    NEEDED(watcher_enter_entity),
    NEEDED(watcher_enter_session),
    NEEDED(watcher_enter_observer)
#undef NEEDED
#undef OPTIONAL
};

TEST(unequal_column_of_view_is_refused)
{
    const qd_server_message nothing = {.kind = QD_SERVER_VIEW};

    for (size_t i = 0; i < COUNT_OF(view_columns); i++) {
        print_message("column %zu\n", i);
        qd_server_message without = {.kind = QD_SERVER_VIEW, .as.view = whole_view};
        const void **place = (const void **)((char *)&without.as.view + view_columns[i].offset);
        const void *column = *place;
        *place = NULL;
        assert_int_equal(decode_joined_server(&without, &nothing),
                         view_columns[i].needed ? QD_DECODE_COLUMNS : QD_DECODE_OK);
        /* One value is too few in every case. */
        qd_server_message one = {.kind = QD_SERVER_VIEW};
        *(const void **)((char *)&one.as.view + view_columns[i].offset) = column;
        one.as.view.leave_count = one.as.view.enter_count = one.as.view.relay_count = 1;
        one.as.view.watcher_leave_count = one.as.view.watcher_enter_count = 1;
        static const uint8_t size_of_one[] = {1};
        if (view_columns[i].offset == offsetof(qd_msg_view, enter_payload)) {
            one.as.view.enter_payload_size = size_of_one;
        }
        assert_int_equal(decode_joined_server(&without, &one), QD_DECODE_COLUMNS);
    }
    const qd_server_message whole = {.kind = QD_SERVER_VIEW, .as.view = whole_view};
    assert_int_equal(decode_joined_server(&whole, &nothing), QD_DECODE_OK);
}

TEST(absent_column_of_why_result_is_refused)
{
    const qd_msg_why_result result = {.count = 3,
                                      .session = longs,
                                      .observer = numbers,
                                      .sight = bytes_of_one,
                                      .distance = doubles,
                                      .range = values,
                                      .leave_margin = values,
                                      .limit = numbers,
                                      .seen = numbers};
    const size_t columns[] = {
        offsetof(qd_msg_why_result, session), offsetof(qd_msg_why_result, observer),
        offsetof(qd_msg_why_result, sight),   offsetof(qd_msg_why_result, distance),
        offsetof(qd_msg_why_result, range),   offsetof(qd_msg_why_result, leave_margin),
        offsetof(qd_msg_why_result, limit),   offsetof(qd_msg_why_result, seen),
    };
    const qd_server_message nothing = {.kind = QD_SERVER_WHY_RESULT};

    for (size_t i = 0; i < COUNT_OF(columns); i++) {
        qd_server_message without = {.kind = QD_SERVER_WHY_RESULT, .as.why_result = result};

        *(const void **)((char *)&without.as.why_result + columns[i]) = NULL;
        assert_int_equal(decode_joined_server(&without, &nothing), QD_DECODE_COLUMNS);
    }
}

/* ---- names ---- */

TEST(number_has_a_name)
{
    assert_string_equal(qd_leave_reason_name(QD_LEAVE_ROOM_CLOSED), "room closed");
    assert_string_equal(qd_leave_reason_name(QD_LEAVE_LIMIT), "others are nearer");
    assert_string_equal(qd_leave_reason_name((qd_leave_reason)0), "UNKNOWN");
    assert_string_equal(qd_leave_reason_name((qd_leave_reason)11), "UNKNOWN");
    assert_string_equal(qd_sight_name(QD_SIGHT_SEEN), "seen");
    assert_string_equal(qd_sight_name(QD_SIGHT_NOT_YET), "not seen: since the last tick");
    assert_string_equal(qd_sight_name((qd_sight)0), "UNKNOWN");
    assert_string_equal(qd_sight_name((qd_sight)14), "UNKNOWN");
    assert_string_equal(qd_error_code_name(QD_ERROR_OBSERVERS_FULL), "OBSERVERS_FULL");
}

TEST_MAIN()
