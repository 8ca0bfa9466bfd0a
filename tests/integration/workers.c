/* SPDX-License-Identifier: Apache-2.0
 *
 * The bytes of the events are the same on 1, 2 and 4 workers: one script for several rooms, small ones and one whose
 * tick is large enough to be split, and a hash over each room's Tick frames as they came.
 */

#include <stdlib.h>

#include "support/raw.h"
#include "support/rng.h"
#include "support/session.h"
#include "tests/support/test.h"

#define ROOMS 6u
#define LARGE 20000u /* entities of room 0 */
#define SMALL 300u   /* of the others */
#define TICKS 25u
#define SIDE  1000.0f

struct batch {
    uint32_t id[LARGE], category[LARGE], mask[LARGE];
    float x[LARGE], y[LARGE], half_x[LARGE], half_y[LARGE], radius[LARGE];
    uint8_t shape[LARGE];
    uint32_t count;
};

/* The result of a room. */
struct stream {
    uint64_t handle;
    uint64_t hash; /* FNV-1a */
    size_t bytes;
    uint64_t tick; /* of the last Applied */
};

/* Every `part`th entity of the room, with new values of all columns. */
static void fill(struct batch *batch, uint32_t room, uint32_t part, rng_stream *rng)
{
    uint32_t all = room == 0 ? LARGE : SMALL;
    float size = room == 0 ? 4.0f : 30.0f;

    batch->count = 0;
    for (uint32_t id = rng_below(rng, part); id < all; id += part) {
        uint32_t i = batch->count++;

        batch->id[i] = id * 2654435761u;
        batch->x[i] = rng_between(rng, 0, (double)SIDE);
        batch->y[i] = rng_between(rng, 0, (double)SIDE);
        const bool is_circle = rng_below(rng, 3) == 0;
        batch->half_x[i] = is_circle ? 0 : rng_between(rng, 0, (double)size);
        batch->half_y[i] = is_circle ? 0 : rng_between(rng, 0, (double)size);
        batch->radius[i] = is_circle ? rng_between(rng, 0, (double)size) : 0;
        batch->shape[i] = is_circle ? QD_SHAPE_CIRCLE : QD_SHAPE_BOX;
        batch->category[i] = 1u << rng_below(rng, 3);
        batch->mask[i] = 1 + rng_below(rng, 7);
    }
}

static void post(raw_link *raw, qd_client_kind kind, uint64_t room, const struct batch *batch)
{
    qd_client_message message = {.kind = kind, .as.batch = {.room = room}};
    qd_msg_entities *entities = &message.as.batch.entities;

    *entities = (qd_msg_entities){.count = batch->count, .id = batch->id};
    if (kind == QD_CLIENT_SPAWN || kind == QD_CLIENT_MOVE || kind == QD_CLIENT_TELEPORT) {
        entities->x = batch->x;
        entities->y = batch->y;
    }
    if (kind == QD_CLIENT_SPAWN || kind == QD_CLIENT_RESHAPE) {
        entities->half_x = batch->half_x;
        entities->half_y = batch->half_y;
        entities->radius = batch->radius;
        entities->shape = batch->shape;
        entities->category = batch->category;
        entities->mask = batch->mask;
    }
    raw_send_message(raw, &message);
}

/* Sends what happens in a room until its next tick, and the step. */
static void script(raw_link *raw, uint32_t room, uint64_t handle, uint64_t tick)
{
    static struct batch batch;
    rng_stream rng = {tick * 1000 + room};

    if (tick == 1) {
        fill(&batch, room, 1, &rng);
        post(raw, QD_CLIENT_SPAWN, handle, &batch);
    }
    fill(&batch, room, 2, &rng);
    post(raw, QD_CLIENT_MOVE, handle, &batch);
    fill(&batch, room, 50, &rng);
    post(raw, QD_CLIENT_TELEPORT, handle, &batch);
    fill(&batch, room, 40, &rng);
    post(raw, QD_CLIENT_RESHAPE, handle, &batch);
    /* Some go and come again as new ones. */
    fill(&batch, room, 60, &rng);
    post(raw, QD_CLIENT_DESPAWN, handle, &batch);
    post(raw, QD_CLIENT_SPAWN, handle, &batch);
    const qd_client_message step = {.seq = (uint32_t)tick, .kind = QD_CLIENT_STEP, .as.step = {handle, tick}};
    raw_send_message(raw, &step);
}

static struct stream *stream_of(struct stream *streams, uint64_t handle)
{
    for (uint32_t i = 0; i < ROOMS; i++) {
        if (streams[i].handle == handle) {
            return &streams[i];
        }
    }
    fail_msg("a message of another room");
    return NULL;
}

static void read_message(raw_link *raw, struct stream *streams)
{
    const uint8_t *frame;
    size_t frame_size;
    const qd_server_message *message = raw_next_bytes(raw, &frame, &frame_size);

    assert_non_null(message);
    if (message->kind == QD_SERVER_ERROR) {
        fail_msg("%s", message->as.error.text);
    }
    if (message->kind == QD_SERVER_ACCEPTED) {
        assert_int_equal(message->as.accepted.refused_total, 0); /* of Subscribe */
        return;
    }
    if (message->kind == QD_SERVER_APPLIED) {
        stream_of(streams, message->as.applied.room)->tick = message->as.applied.tick;
        return;
    }
    assert_int_equal(message->kind, QD_SERVER_TICK);
    struct stream *stream = stream_of(streams, message->as.tick.room);
    for (size_t i = 0; i < frame_size; i++) {
        stream->hash = (stream->hash ^ frame[i]) * UINT64_C(0x100000001b3);
    }
    stream->bytes += frame_size;
}

static void run(const char *workers, struct stream *streams)
{
    raw_link *raw =
        raw_open_session(qd_server_address(session_start(QD_ARGS("--workers", workers, "--queue-max", "64M"))));

    for (uint32_t i = 0; i < ROOMS; i++) {
        char name[16];

        snprintf(name, sizeof name, "room %u", i);
        const qd_client_message open = {
            .seq = 1,
            .kind = QD_CLIENT_OPEN_ROOM,
            .as.open_room = {.name = name, .has_config = true, .config = session_step_room}};
        raw_send_message(raw, &open);
        const qd_server_message *message = raw_expect(raw, 1, QD_SERVER_ROOM_OPENED);
        streams[i] = (struct stream){.handle = message->as.room_opened.room, .hash = UINT64_C(0xcbf29ce484222325)};
    }
    for (uint32_t i = 0; i < ROOMS; i++) {
        const qd_client_message subscribe = {
            .seq = 2,
            .kind = QD_CLIENT_SUBSCRIBE,
            .as.subscribe = {.room = streams[i].handle, .scope = QD_SCOPE_ALL, .stays = i % 2 == 0}};

        raw_send_message(raw, &subscribe);
    }
    /* All rooms at once, a tick at a time. */
    for (uint64_t tick = 1; tick <= TICKS; tick++) {
        for (uint32_t i = 0; i < ROOMS; i++) {
            script(raw, i, streams[i].handle, tick);
        }
        for (uint32_t i = 0; i < ROOMS; i++) {
            while (streams[i].tick < tick) {
                read_message(raw, streams);
            }
        }
    }
}

SESSION_TEST(frames_are_equal_with_any_number_of_workers)
{
    const char *workers[] = {"1", "2", "4"};
    struct stream streams[3][ROOMS];

    for (int i = 0; i < 3; i++) {
        run(workers[i], streams[i]);
        session_close_all(state);
    }
    for (uint32_t room = 0; room < ROOMS; room++) {
        /* Not empty: the crowd is thick enough for events in each tick. */
        assert_true(streams[0][room].bytes > TICKS * 100);
        for (int i = 1; i < 3; i++) {
            assert_int_equal(streams[i][room].handle, streams[0][room].handle);
            assert_int_equal(streams[i][room].bytes, streams[0][room].bytes);
            assert_true(streams[i][room].hash == streams[0][room].hash);
        }
        /* The rooms differ, so that equal hashes prove something. */
        assert_true(room == 0 || streams[0][room].hash != streams[0][0].hash);
    }
}

TEST_MAIN()
