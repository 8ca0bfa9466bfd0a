/* SPDX-License-Identifier: Apache-2.0
 *
 * Decoding of frames that our encoders never write, and the rules for strings and enums. The frames here are written by
 * hand. proto_golden.c tests how each message is encoded, proto_columns.c the rules for columns.
 */
#include "proto_fixture.h"

TEST(frame_decodes_to_its_last_known_message)
{
    static const struct {
        side side;
        const char *bytes;
        size_t size;
        uint32_t kind, seq;
        uint64_t room, tick;
    } cases[] = {
        {CLIENT, RAW(""), QD_CLIENT_NOTHING, 0, 0, 0},
        {SERVER, RAW(""), QD_SERVER_NOTHING, 0, 0, 0},
        /* Field 100 of the envelope, 3 bytes long. */
        {CLIENT, RAW("\x08\x07\xa2\x06\x03zzz"), QD_CLIENT_NOTHING, 7, 0, 0},
        /* Step with a varint, a fixed64, a fixed32 and bytes in fields 50 to 53. */
        {CLIENT,
         RAW("\x7a\x1d\x08\x05\x10\x06\x90\x03\x01\x99\x03"
             "12345678\xa5\x03"
             "1234\xaa\x03\x03zzz"),
         QD_CLIENT_STEP, 0, 5, 6},
        /* Hello, then LeaveRoom. */
        {CLIENT, RAW("\x12\x05\x12\x03zzz\x22\x02\x08\x09"), QD_CLIENT_LEAVE_ROOM, 0, 9, 0},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        test_decoded decoded;

        decode(cases[i].side, cases[i].bytes, cases[i].size, &decoded);
        assert_int_equal(decoded.result, QD_DECODE_OK);
        assert_int_equal(decoded.kind, cases[i].kind);
        if (cases[i].side == CLIENT) {
            assert_int_equal(decoded.message.as.client.seq, cases[i].seq);
            assert_int_equal(decoded.message.as.client.as.step.room, cases[i].room);
            assert_int_equal(decoded.message.as.client.as.step.tick, cases[i].tick);
        }
        release(&decoded);
    }
}

TEST(broken_bytes_are_malformed)
{
    static const struct {
        side side;
        const char *bytes;
        size_t size;
        qd_decode_result result;
    } cases[] = {
        {CLIENT, RAW("\x00"), QD_DECODE_MALFORMED},         /* field 0 */
        {CLIENT, RAW("\x08"), QD_DECODE_MALFORMED},         /* no value */
        {CLIENT, RAW("\x08\x80"), QD_DECODE_MALFORMED},     /* half a varint */
        {CLIENT, RAW("\x12\x05"), QD_DECODE_MALFORMED},     /* longer than the frame */
        {CLIENT, RAW("\x0b\x0c"), QD_DECODE_MALFORMED},     /* a group */
        {CLIENT, RAW("\x0e"), QD_DECODE_MALFORMED},         /* wire type 6 */
        {CLIENT, RAW("\x10\x01"), QD_DECODE_MALFORMED},     /* hello is not a varint */
        {CLIENT, RAW("\x0a\x01\x01"), QD_DECODE_MALFORMED}, /* seq is not bytes */
        {CLIENT, RAW("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), QD_DECODE_MALFORMED},
        {CLIENT, RAW("\x5a\x05\x12\x03\x01\x02\x03"), QD_DECODE_MALFORMED}, /* Despawn with an id of 3 bytes */
        {CLIENT, RAW("\x5a\x02\x10\x01"), QD_DECODE_MALFORMED},             /* and with a varint as id */
        {CLIENT, RAW("\x12\xff\xff\xff\xff\x0f"), QD_DECODE_MALFORMED},     /* a length of 2^31 and more */
        /* Strings: no zero byte. The last of several counts. */
        {CLIENT, RAW("\x1a\x05\x0a\x03zzz"), QD_DECODE_OK},
        {CLIENT, RAW("\x1a\x05\x0a\x03z\0z"), QD_DECODE_MALFORMED},
        {CLIENT, RAW("\x1a\x05\x0a\x03zz\0"), QD_DECODE_MALFORMED},
        {CLIENT, RAW("\x1a\x02\x0a\x00"), QD_DECODE_OK},                  /* present and empty */
        {CLIENT, RAW("\x1a\x06\x0a\x01\0\x0a\x01z"), QD_DECODE_OK},       /* twice */
        {CLIENT, RAW("\x1a\x03\x0a\x01\0"), QD_DECODE_MALFORMED},         /* OpenRoom.name */
        {CLIENT, RAW("\x12\x03\x12\x01\0"), QD_DECODE_MALFORMED},         /* Hello.token */
        {CLIENT, RAW("\x12\x03\x1a\x01\0"), QD_DECODE_MALFORMED},         /* Hello.client */
        {CLIENT, RAW("\x32\x03\x0a\x01\0"), QD_DECODE_MALFORMED},         /* ListRooms.after */
        {SERVER, RAW("\x12\x03\x12\x01\0"), QD_DECODE_MALFORMED},         /* Welcome.server */
        {SERVER, RAW("\x1a\x03\x12\x01\0"), QD_DECODE_MALFORMED},         /* RoomOpened.name */
        {SERVER, RAW("\x32\x05\x0a\x03\x0a\x01\0"), QD_DECODE_MALFORMED}, /* RoomInfo.name */
        {SERVER, RAW("\x62\x03\x12\x01\0"), QD_DECODE_MALFORMED},         /* Error.text */
        {SERVER, RAW("\x6a\x03\x12\x01\0"), QD_DECODE_MALFORMED},         /* GoAway.text */
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        print_message("case %zu\n", i);
        assert_int_equal(result_of(cases[i].side, cases[i].bytes, cases[i].size), cases[i].result);
    }
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

#define MEMBER(field) offsetof(test_message, as.field)

TEST(absent_string_decodes_to_empty)
{
    static const struct {
        side side;
        const char *bytes;
        size_t size, text;
    } cases[] = {
        {CLIENT, RAW("\x12\x00"), MEMBER(client.as.hello.token)},
        {CLIENT, RAW("\x12\x00"), MEMBER(client.as.hello.client)},
        {CLIENT, RAW("\x1a\x00"), MEMBER(client.as.open_room.name)},
        {CLIENT, RAW("\x32\x00"), MEMBER(client.as.list_rooms.after)},
        {SERVER, RAW("\x12\x00"), MEMBER(server.as.welcome.server)},
        {SERVER, RAW("\x1a\x00"), MEMBER(server.as.room_opened.name)},
        {SERVER, RAW("\x62\x00"), MEMBER(server.as.error.text)},
        {SERVER, RAW("\x6a\x00"), MEMBER(server.as.go_away.text)},
    };
    test_decoded decoded;

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        decode(cases[i].side, cases[i].bytes, cases[i].size, &decoded);
        assert_int_equal(decoded.result, QD_DECODE_OK);
        assert_string_equal(*(const char **)((char *)&decoded.message + cases[i].text), "");
        release(&decoded);
    }
    decode(SERVER, RAW("\x32\x02\x0a\x00"), &decoded);
    assert_int_equal(decoded.message.as.server.as.room_list.count, 1);
    assert_string_equal(decoded.message.as.server.as.room_list.rooms[0].name, "");
    release(&decoded);
}

TEST(absent_part_decodes_to_zeros)
{
    test_decoded decoded;

    decode(SERVER, RAW("\x1a\x00"), &decoded);
    assert_int_equal(decoded.message.as.server.as.room_opened.config.dimensions, 0);
    assert_false(decoded.message.as.server.as.room_opened.config.has_bounds);
    release(&decoded);
    decode(SERVER, RAW("\x52\x00"), &decoded);
    assert_int_equal(decoded.message.as.server.as.stats.server.workers, 0);
    assert_false(decoded.message.as.server.as.stats.has_room);
    release(&decoded);
}

TEST(enum_keeps_its_number_or_takes_the_default)
{
    static const struct {
        side side;
        const char *bytes;
        size_t size, member;
        int value;
    } cases[] = {
        {CLIENT, RAW("\x62\x02\x08\x01"), MEMBER(client.as.subscribe.scope), QD_SCOPE_ALL}, /* absent */
        {CLIENT, RAW("\x62\x02\x10\x01"), MEMBER(client.as.subscribe.scope), QD_SCOPE_ALL},
        {CLIENT, RAW("\x62\x02\x10\x02"), MEMBER(client.as.subscribe.scope), QD_SCOPE_OWN},
        {CLIENT, RAW("\x62\x02\x10\x63"), MEMBER(client.as.subscribe.scope), 99},
        {CLIENT, RAW("\xc2\x01\x02\x10\x01"), MEMBER(client.as.set_view_options.watch), QD_WATCH_NONE}, /* absent */
        {CLIENT, RAW("\xc2\x01\x02\x18\x01"), MEMBER(client.as.set_view_options.watch), QD_WATCH_NONE},
        {CLIENT, RAW("\xc2\x01\x02\x18\x03"), MEMBER(client.as.set_view_options.watch), QD_WATCH_ALL},
        {CLIENT, RAW("\xc2\x01\x02\x18\x63"), MEMBER(client.as.set_view_options.watch), 99},
        {CLIENT, RAW("\x1a\x04\x12\x02\x18\x63"), MEMBER(client.as.open_room.config.tick_mode), 99},
        {CLIENT, RAW("\x1a\x0d\x12\x0b\x18\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"),
         MEMBER(client.as.open_room.config.tick_mode), -1},
        {SERVER, RAW("\x62\x03\x08\xe8\x07"), MEMBER(server.as.error.code), 1000},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        test_decoded decoded;

        decode(cases[i].side, cases[i].bytes, cases[i].size, &decoded);
        assert_int_equal(decoded.result, QD_DECODE_OK);
        assert_int_equal(*(const int *)((const char *)&decoded.message + cases[i].member), cases[i].value);
        release(&decoded);
    }
}

TEST_MAIN()
