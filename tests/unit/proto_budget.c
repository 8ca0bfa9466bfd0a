/* SPDX-License-Identifier: Apache-2.0
 *
 * How much memory decoding a frame takes: never more than the budget, whatever the bytes, and little more than the
 * frame's own size when an encoder wrote it.
 */
#include "proto_random.h"

/* The memory that an encoder's frame takes in addition to its own size; see codec.h. */
#define PLAIN_EXTRA_BYTES 3072u

typedef struct flood {
    uint8_t *bytes;
    size_t size;
} flood;

/* Repeats `unit` `count` times after `head`, in the envelope or, if `field` is not 0, in the message of that field. */
static flood make_flood(uint32_t field, const char *head, size_t head_size, const char *unit, size_t unit_size,
                        size_t count)
{
    size_t body_size = head_size + unit_size * count;
    flood made = {malloc(body_size + 16), 0};

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
        flood made = make_flood(floods[i].field, "", 0, floods[i].unit, floods[i].unit_size, 200000);
        assert_int_equal(result_of(CLIENT, made.bytes, made.size), QD_DECODE_MALFORMED);
        (void)result_of(SERVER, made.bytes, made.size);
        free(made.bytes);
    }
}

/* As the count grows, the memory runs out at each of protobuf-c's allocations, in nested messages too. */
TEST(block_exhausted_at_any_allocation_is_refused)
{
    for (size_t i = 0; i < COUNT_OF(floods); i++) {
        bool ok = false, refused = false;

        for (size_t count = 0; count < 600; count++) {
            flood made = make_flood(floods[i].field, "", 0, floods[i].unit, floods[i].unit_size, count);
            qd_decode_result result = result_of(CLIENT, made.bytes, made.size);

            ok |= result == QD_DECODE_OK || result == QD_DECODE_COLUMNS;
            refused |= result == QD_DECODE_MALFORMED;
            free(made.bytes);
        }
        /* A few fit. */
        assert_true(ok && refused);
    }
    for (size_t count = 0; count < 600; count++) {
        flood made = make_flood(3, RAW("\x0a\x03zzz\x12\x06\x12\x04\x7a\x02zz"), "\x78\x00", 2, count);

        (void)result_of(CLIENT, made.bytes, made.size);
        free(made.bytes);
    }
}

TEST(long_unpacked_column_is_refused)
{
    flood few = make_flood(11, "", 0, "\x15\x01\x02\x03\x04", 5, 30);
    flood many = make_flood(11, "", 0, "\x15\x01\x02\x03\x04", 5, 10000);

    assert_int_equal(result_of(CLIENT, few.bytes, few.size), QD_DECODE_OK);
    assert_int_equal(result_of(CLIENT, many.bytes, many.size), QD_DECODE_MALFORMED);
    free(few.bytes);
    free(many.bytes);
}

TEST(frame_of_encoder_takes_its_own_size)
{
    FOR_EACH_KIND(of, kind)
    {
        for (uint32_t count = 0; count <= 10000; count = count * 3 + 1) {
            filler f = {FILL_ALL, count, {count}};
            const test_message message = random_message(of, kind, &f);
            test_frame frame = encode(&message);
            test_decoded decoded;

            print_message("%s kind %d, columns of %u\n", of == CLIENT ? "client" : "server", kind, count);
            decode(of, frame.body, frame.body_size, &decoded);
            assert_int_equal(decoded.result, QD_DECODE_OK);
            assert_true(decoded.bytes_peak <= frame.body_size + PLAIN_EXTRA_BYTES);
            release(&decoded);
            free(frame.bytes);
        }
    }
}

TEST(longest_room_list_stays_within_budget)
{
    enum { ROOMS = 1000 };
    static qd_msg_room_info rooms[ROOMS];
    static char name[QD_ROOM_NAME_BYTES_MAX + 1];

    /* Short names need the most memory per byte. */
    for (size_t length = 1; length <= QD_ROOM_NAME_BYTES_MAX; length += 21) {
        memset(name, 'a', length);
        for (size_t i = 0; i < ROOMS; i++) {
            rooms[i] = (qd_msg_room_info){.name = name};
        }
        rooms[ROOMS - 1].sessions = 5;
        test_frame frame =
            encode(SERVER_MESSAGE(.kind = QD_SERVER_ROOM_LIST, .as.room_list = {ROOMS, rooms, true, name}));
        test_decoded decoded;
        decode(SERVER, frame.body, frame.body_size, &decoded);
        const qd_msg_room_list *list = &decoded.message.as.server.as.room_list;
        assert_int_equal(decoded.result, QD_DECODE_OK);
        assert_int_equal(list->count, ROOMS);
        assert_string_equal(list->rooms[ROOMS - 1].name, name);
        assert_int_equal(list->rooms[ROOMS - 1].sessions, 5);
        release(&decoded);
        free(frame.bytes);
    }
}

TEST(failed_allocation_is_reported_and_leaks_nothing)
{
    /* Decoding takes two blocks: the first is too small. */
    flood made = make_flood(11, "", 0, "\x15\x01\x02\x03\x04", 5, 60);

    const struct {
        side side;
        const void *bytes;
        size_t size;
        unsigned allocations;
    } cases[] = {
        {CLIENT, made.bytes, made.size, 2},
        {CLIENT, RAW("\x42\x12\x12\x04\1\0\0\0\x1a\x04\0\0\0\0\x22\x04\0\0\0\0"), 1}, /* a Move, on the fast path */
        {SERVER, RAW(""), 1},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        for (unsigned fail_at = 1; fail_at <= cases[i].allocations + 1; fail_at++) {
            test_decoded decoded;

            decode_failing(cases[i].side, cases[i].bytes, cases[i].size, fail_at, &decoded);
            assert_int_equal(decoded.result, fail_at <= cases[i].allocations ? QD_DECODE_NO_MEMORY : QD_DECODE_OK);
            release(&decoded);
        }
    }
    free(made.bytes);
}

TEST_MAIN_WITH(make_values, NULL)
