/* SPDX-License-Identifier: Apache-2.0
 *
 * Which Moves are joined, and what becomes of their columns.
 */
#include <stdlib.h>
#include <string.h>

#include "server/room/common/room_types.h"
#include "server/session/joined_moves.h"
#include "tests/support/test.h"

#define ROOM 77u

static qd_waiting_moves waiting;
static qd_membership in_room;

static int setup(void **state)
{
    (void)state;
    TAILQ_INIT(&waiting);
    in_room = (qd_membership){0};
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    qd_request_destroy(in_room.moves.request);
    return 0;
}

#define MOVES_TEST(name) TEST_WITH(name, setup, teardown)

static void encode(const qd_client_message *message, uint8_t **frame, size_t *size)
{
    uint8_t bytes[2048];
    const size_t encoded = qd_client_message_size(message);

    assert_true(encoded <= sizeof bytes);
    (void)qd_client_message_encode(message, bytes, encoded);
    const size_t prefix = bytes[0] < 0x80 ? 1 : 2;
    *size = encoded - prefix;
    *frame = malloc(*size); /* of its own, so that a read beyond its end is found */
    assert_non_null(*frame);
    memcpy(*frame, bytes + prefix, *size);
}

/* A Move of entities `first` on, at x = id, y = id / 2, and z = -id if it has that; valid until the next one. */
static qd_client_message move_of(uint64_t number, uint32_t first, uint32_t count, bool has_z)
{
    static uint32_t id[64];
    static float x[64], y[64], z[64];

    for (uint32_t i = 0; i < count; i++) {
        id[i] = first + i;
        x[i] = (float)id[i];
        y[i] = x[i] / 2;
        z[i] = -x[i];
    }
    return (qd_client_message){
        .seq = number,
        .kind = QD_CLIENT_MOVE,
        .as.batch = {.room = ROOM, .entities = {.count = count, .id = id, .x = x, .y = y, .z = has_z ? z : NULL}}};
}

static bool hold(const qd_client_message *message)
{
    uint8_t *frame;
    size_t size;
    qd_request *request = qd_request_create(&qd_request_memory);

    assert_non_null(request);
    encode(message, &frame, &size);
    assert_int_equal(qd_decode_client(frame, size, &qd_request_memory, &request->decoded), QD_DECODE_OK);
    free(frame);
    const bool is_held = qd_joined_moves_hold(&waiting, &in_room, request);
    assert_true(is_held == !TAILQ_EMPTY(&waiting));
    if (!is_held) {
        qd_request_destroy(request);
    }
    return is_held;
}

static bool add(const qd_client_message *message)
{
    uint8_t *frame;
    size_t size;

    encode(message, &frame, &size);
    qd_move_frame move;
    const bool is_added = qd_read_move_frame(frame, size, &move) && qd_joined_moves_add(&in_room, &move, size);
    free(frame);
    return is_added;
}

static void expect_entries(uint32_t count, bool has_z)
{
    const qd_msg_entities *batch = &in_room.moves.request->decoded.message.as.batch.entities;

    assert_int_equal(batch->count, count);
    assert_true((batch->z != NULL) == has_z);
    for (uint32_t i = 0; i < count; i++) {
        const float x = (float)(i + 1);

        assert_int_equal(batch->id[i], i + 1);
        assert_true(batch->x[i] == x && batch->y[i] == x / 2 && (!has_z || batch->z[i] == -x));
    }
}

MOVES_TEST(moves_are_joined_until_the_request_is_full)
{
    for (uint32_t has_z = 0; has_z < 2; has_z++) {
        uint32_t count = 1, frames = 1;
        qd_joined_move each[QD_ROOM_MOVE_ALL_MAX] = {{.seq = 10, .end = 1}};
        qd_client_message next = move_of(10, 1, 1, has_z);

        setup(NULL);
        assert_true(hold(&next));
        for (;;) {
            const uint32_t more = 1 + frames % 3;
            const uint64_t seq = frames % 5 == 2 ? 0 : 10 + frames * frames % 100;

            next = move_of(seq, count + 1, more, has_z);
            if (!add(&next)) {
                break;
            }
            count += more;
            each[frames++] = (qd_joined_move){seq, count};
        }
        assert_true(count > QD_ROOM_MOVE_ALL_MAX - 3 && count <= QD_ROOM_MOVE_ALL_MAX);
        expect_entries(count, has_z);
        const qd_request *request = in_room.moves.request;
        const qd_joined_move *last = &each[frames - 1];
        assert_int_equal(request->joined, frames);
        assert_int_equal(request->decoded.message.seq, last->seq != 0 ? last->seq : (last - 1)->seq);
        for (uint32_t i = 0; i < frames; i++) {
            assert_int_equal(request->joined_each[i].seq, each[i].seq);
            assert_int_equal(request->joined_each[i].end, each[i].end);
        }
        qd_request_destroy(in_room.moves.request);
        in_room.moves.request = NULL;
    }
}

MOVES_TEST(frame_that_does_not_suit_is_not_joined)
{
    qd_client_message other = move_of(5, 1, 1, false);

    assert_false(add(&other)); /* nothing waits */
    assert_true(hold(&other));
    assert_false(add((other = move_of(6, 2, 1, true), &other)));
    assert_false(add((other = move_of(QD_SEQ_MAX + 1, 2, 1, false), &other)));
    const qd_client_message good = move_of(6, 2, 1, false);
    assert_false(add((other = good, other.confirm = true, &other)));
    assert_false(add((other = good, other.kind = QD_CLIENT_TELEPORT, &other)));
    assert_false(add((other = (qd_client_message){.seq = 6, .kind = QD_CLIENT_PING}, &other)));
    expect_entries(1, false);
    assert_int_equal(in_room.moves.request->joined, 0);
    assert_true(add(&good));
    expect_entries(2, false);
}

MOVES_TEST(only_small_moves_wait)
{
    qd_client_message other = move_of(1, 1, 17, false);

    assert_false(hold(&other));
    assert_false(hold((other = move_of(1, 1, 1, false), other.confirm = true, &other)));
    assert_false(
        hold((other = move_of(1, 1, 1, false), other.kind = QD_CLIENT_DESPAWN,
              other.as.batch.entities = (qd_msg_entities){.count = 1, .id = other.as.batch.entities.id}, &other)));
    assert_null(in_room.moves.request);
    assert_true(TAILQ_EMPTY(&waiting));
    assert_true(hold((other = move_of(1, 1, 16, false), &other)));
}

TEST_MAIN()
