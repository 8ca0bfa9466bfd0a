/* SPDX-License-Identifier: Apache-2.0
 *
 * The columns of messages: which ones may be absent, which must be of equal length, the longest lists, and the text of
 * the errors. The frames are written field by field, since no encoder writes unequal columns.
 */
#include "proto_fixture.h"
#include "quadrille.pb-c.h"

/* Columns of equal length. The first one determines the length, the other needed ones have it, and the optional ones
 * have it or are empty. The order is the codec's: the first column that does not fit names the error. */
typedef struct column_group {
    side side;
    const char *message; /* the field of the envelope */
    const char *needed, *optional;
    unsigned max; /* the most values; 0: no limit */
} column_group;

#define SHAPES "half_x half_y half_z radius axis_x axis_y axis_z shape category mask"

static const column_group groups[] = {
    {CLIENT, "spawn", "id x y", "z " SHAPES, 0},
    {CLIENT, "move", "id x y", "z", 0},
    {CLIENT, "teleport", "id x y", "z", 0},
    {CLIENT, "reshape", "id", SHAPES, 0},
    {CLIENT, "despawn", "id", "", 0},
    {CLIENT, "set_description", "id", "tag payload_size visible_range team hidden", 0},
    {CLIENT, "observe", "id",
     "region anchored entity x y z range half_x half_y half_z direction_x direction_y direction_z angle leave_margin "
     "mask limit enter_budget team sees_self",
     0},
    {CLIENT, "observe", "relay_range relay_every", "", 0},
    {CLIENT, "move_observers", "id", "x y z direction_x direction_y direction_z", 0},
    {CLIENT, "unobserve", "id", "", 0},
    {CLIENT, "set_exceptions", "show", "", 0},
    {CLIENT, "set_exceptions", "hide", "", 0},
    {CLIENT, "hand_over", "id", "", 0},
    {CLIENT, "set_roster", "id", "", 0},
    {CLIENT, "move_roster", "x y", "z", 0},
    {SERVER, "tick", "end_a end_b end_reason", "", 0},
    {SERVER, "tick", "begin_a begin_b", "", 0},
    {SERVER, "tick", "stay_a stay_b", "", 0},
    {SERVER, "tick", "passed_a passed_b", "", 0},
    {SERVER, "applied", "late", "", QD_APPLIED_LATE_MAX},
    {SERVER, "snapshot_result", "id x y", "z " SHAPES, 0},
    {SERVER, "accepted", "refused_index refused_code", "refused_field", 0},
    {SERVER, "query_result", "id", "distance", 0},
    {SERVER, "view", "leave_observer leave_id leave_reason", "", 0},
    {SERVER, "view", "enter_observer enter_id enter_x enter_y",
     "enter_z enter_half_x enter_half_y enter_half_z enter_radius enter_axis_x enter_axis_y enter_axis_z "
     "enter_shape enter_category enter_tag enter_payload_size",
     0},
    {SERVER, "view", "relay_observer relay_id relay_x relay_y", "relay_z", 0},
    {SERVER, "view", "watcher_leave_entity watcher_leave_session watcher_leave_observer", "", 0},
    {SERVER, "view", "watcher_enter_entity watcher_enter_session watcher_enter_observer", "", 0},
    {SERVER, "why_result", "session observer visibility distance range leave_margin limit seen", "", 0},
    {SERVER, "handed_over", "id", "", 0},
    {SERVER, "handed_over", "connected", "", QD_CONNECTED_MAX},
};

/* ---- frames ---- */

#define FRAME_BYTES_MAX 8192u
#define COLUMNS_MAX     24u

typedef struct column_set {
    const ProtobufCFieldDescriptor *columns[COLUMNS_MAX];
    unsigned lengths[COLUMNS_MAX];
    size_t count, needed_count;
} column_set;

static const ProtobufCFieldDescriptor *message_of(const column_group *group)
{
    return protobuf_c_message_descriptor_get_field_by_name(
        group->side == CLIENT ? &quadrille__v1__client_frame__descriptor : &quadrille__v1__server_frame__descriptor,
        group->message);
}

static void add_columns(column_set *set, const ProtobufCMessageDescriptor *message, const char *names)
{
    char name[32];
    int size;

    for (; sscanf(names, " %31s%n", name, &size) == 1; names += size) {
        assert_true(set->count < COLUMNS_MAX);
        set->columns[set->count] = protobuf_c_message_descriptor_get_field_by_name(message, name);
        assert_non_null(set->columns[set->count]);
        set->count++;
    }
}

static column_set columns_of(const column_group *group)
{
    const ProtobufCMessageDescriptor *message = message_of(group)->descriptor;
    column_set set = {.count = 0};

    add_columns(&set, message, group->needed);
    set.needed_count = set.count;
    add_columns(&set, message, group->optional);
    return set;
}

static void set_lengths(column_set *set, unsigned length)
{
    for (size_t i = 0; i < set->count; i++) {
        set->lengths[i] = length;
    }
}

static unsigned value_bytes(const ProtobufCFieldDescriptor *column)
{
    switch (column->type) {
    case PROTOBUF_C_TYPE_BYTES:
        return 1;
    case PROTOBUF_C_TYPE_FIXED64:
    case PROTOBUF_C_TYPE_DOUBLE:
        return 8;
    default:
        return 4;
    }
}

/* Appends a field of zero bytes. */
static size_t append_zeros(uint8_t *bytes, size_t at, uint32_t field, size_t size)
{
    at += qd_frame_prefix_write(field << 3 | 2, bytes + at);
    at += qd_frame_prefix_write((uint32_t)size, bytes + at);
    memset(bytes + at, 0, size);
    return at + size;
}

/* Decodes a frame with seq 3, room 7 and columns of these lengths. */
static void decode_columns(const column_group *group, const column_set *set, test_decoded *decoded)
{
    uint8_t body[FRAME_BYTES_MAX] = {0x08, 7}, frame[FRAME_BYTES_MAX] = {0x08, 3};
    size_t body_size = strcmp(group->message, "error") != 0 ? 2 : 0, size = 2;

    for (size_t i = 0; i < set->count; i++) {
        size_t bytes = set->lengths[i] * value_bytes(set->columns[i]);

        body_size = bytes > 0 ? append_zeros(body, body_size, set->columns[i]->id, bytes) : body_size;
    }
    size = append_zeros(frame, size, message_of(group)->id, body_size);
    memcpy(frame + size - body_size, body, body_size);
    decode(group->side, frame, size, decoded);
    assert_int_equal(decoded->kind, message_of(group)->id - 1);
}

/* All that is left of a client's refused message: its seq, kind and room. */
static void expect_only_room(const test_decoded *decoded)
{
    qd_client_message message;

    memset(&message, 0, sizeof message);
    message.seq = 3;
    message.kind = (qd_client_kind)decoded->kind;
    message.as.room.room = 7;
    assert_memory_equal(&decoded->client.message, &message, sizeof message);
}

/* ---- lengths ---- */

#define LENGTH 3u

TEST(column_of_another_length_is_refused_by_name)
{
    for (const column_group *group = groups; group < groups + COUNT_OF(groups); group++) {
        column_set set = columns_of(group);

        for (size_t i = 1; i < set.count; i++) {
            for (unsigned length = 0; length <= LENGTH + 1; length++) {
                const bool fits = length == LENGTH || (length == 0 && i >= set.needed_count);
                test_decoded decoded;
                char fault[160] = "";

                print_message("%s: %u of %s\n", group->message, length, set.columns[i]->name);
                set_lengths(&set, LENGTH);
                set.lengths[i] = length;
                decode_columns(group, &set, &decoded);
                assert_int_equal(decoded.result, fits ? QD_DECODE_OK : QD_DECODE_COLUMNS);
                if (!fits && group->side == CLIENT) {
                    snprintf(
                        fault, sizeof fault,
                        "column %s has %u values, column %s has %u; must have equally many. Send one value per entry",
                        set.columns[i]->name, length, set.columns[0]->name, LENGTH);
                    expect_only_room(&decoded);
                }
                assert_string_equal(decoded.fault, fault);
                release(&decoded);
            }
        }
    }
}

TEST(columns_without_the_first_are_refused)
{
    for (const column_group *group = groups; group < groups + COUNT_OF(groups); group++) {
        column_set set = columns_of(group);
        test_decoded decoded;
        char fault[160];

        if (set.count == 1) {
            continue;
        }
        set_lengths(&set, LENGTH);
        set.lengths[0] = 0;
        decode_columns(group, &set, &decoded);
        assert_int_equal(decoded.result, QD_DECODE_COLUMNS);
        snprintf(fault, sizeof fault,
                 "column %s has %u values, column %s has 0; must have equally many. Send one value per entry",
                 set.columns[1]->name, LENGTH, set.columns[0]->name);
        assert_string_equal(decoded.fault, group->side == CLIENT ? fault : "");
        release(&decoded);
    }
}

/* A message's groups are independent: the others are empty here. Without a limit, a column takes more values than with
 * the highest of the limits. */
TEST(columns_of_equal_length_decode_up_to_the_limit)
{
    for (const column_group *group = groups; group < groups + COUNT_OF(groups); group++) {
        const unsigned max = group->max > 0 ? group->max : 70;
        column_set set = columns_of(group);
        test_decoded decoded;

        for (unsigned length = 0; length <= max + 1; length += length == 0 ? max : 1) {
            print_message("%s: %u of %s\n", group->message, length, group->needed);
            set_lengths(&set, length);
            decode_columns(group, &set, &decoded);
            assert_int_equal(decoded.result, group->max == 0 || length <= max ? QD_DECODE_OK : QD_DECODE_COLUMNS);
            release(&decoded);
        }
    }
}

/* ---- payloads ---- */

TEST(payload_of_another_size_is_refused)
{
    static const struct {
        side side;
        const char *columns;
        size_t size;
        const char *fault; /* NULL: the message is valid */
    } cases[] = {
        /* SetDescription: payload is field 4, payload_size field 5. */
        {CLIENT, RAW(""), NULL},
        {CLIENT, RAW("\x22\x05hello\x2a\x03\x02\x00\x03"), NULL},
        {CLIENT, RAW("\x2a\x03\x00\x00\x00"), NULL},
        {CLIENT, RAW("\x22\x04hell\x2a\x03\x02\x00\x03"),
         "column payload has 4 bytes, column payload_size adds up to 5; must be equal. Send the sum of the sizes"},
        {CLIENT, RAW("\x2a\x03\x02\x00\x03"),
         "column payload has 0 bytes, column payload_size adds up to 5; must be equal. Send the sum of the sizes"},
        {CLIENT, RAW("\x22\x05hello"),
         "column payload has 5 bytes, column payload_size adds up to 0; must be equal. Send the sum of the sizes"},
        {CLIENT, RAW("\x22\x02he\x2a\x02\x01\x01"),
         "column payload_size has 2 values, column id has 3; must have equally many. Send one value per entry"},
        /* View: enter_payload_size is field 22, enter_payload field 23. */
        {SERVER, RAW("\xba\x01\x00"), NULL},
        {SERVER, RAW("\xb2\x01\x01\x02"), ""},
        {SERVER, RAW("\xba\x01\x01h"), ""},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        uint8_t frame[64] = "\x9a\x01\x00\x12\x0ciiiijjjjkkkk";
        size_t head = 3 + 2 + 12;
        test_decoded decoded;

        if (cases[i].side == SERVER) {
            memcpy(frame, "\x7a\x00", 2);
            head = 2;
        }
        memcpy(frame + head, cases[i].columns, cases[i].size);
        size_t body = cases[i].side == CLIENT ? 3 : 2;
        frame[body - 1] = (uint8_t)(head - body + cases[i].size);
        decode(cases[i].side, frame, head + cases[i].size, &decoded);
        assert_int_equal(decoded.result, cases[i].fault == NULL ? QD_DECODE_OK : QD_DECODE_COLUMNS);
        assert_string_equal(decoded.fault, cases[i].fault == NULL ? "" : cases[i].fault);
        release(&decoded);
    }
}

/* ---- layout ---- */

/* A Despawn with packed values, unpacked values and a column in several pieces. */
TEST(unpacked_column_decodes_as_packed)
{
    test_decoded decoded;

    decode(CLIENT, RAW("\x5a\x15\x15\x01\x00\x00\x00\x12\x04\x02\x00\x00\x00\x15\x03\x00\x00\x00\x15\x04\x00\x00\x00"),
           &decoded);
    assert_int_equal(decoded.result, QD_DECODE_OK);
    assert_int_equal(decoded.message.as.client.as.batch.entities.count, 4);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(decoded.message.as.client.as.batch.entities.id[i], i + 1);
    }
    release(&decoded);
}

TEST(decoded_columns_are_aligned)
{
    static const uint32_t id[3];
    static const float x[3];

    for (qd_client_kind kind = QD_CLIENT_SPAWN; kind <= QD_CLIENT_MOVE; kind++) {
        test_frame frame = encode(CLIENT_MESSAGE(.kind = kind, .as.batch.entities = {3, id, x, x, NULL}));
        test_decoded decoded;

        decode(CLIENT, frame.body, frame.body_size, &decoded);
        assert_int_equal(decoded.result, QD_DECODE_OK);
        const qd_msg_entities *entities = &decoded.message.as.client.as.batch.entities;
        assert_int_equal((uintptr_t)entities->id % 16, 0);
        assert_int_equal((uintptr_t)entities->x % 16, 0);
        assert_int_equal((uintptr_t)entities->y % 16, 0);
        release(&decoded);
        free(frame.bytes);
    }
}

TEST_MAIN()
