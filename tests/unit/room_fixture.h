/* SPDX-License-Identifier: Apache-2.0
 *
 * A room to test, with short forms of common commands.
 */
#ifndef QD_TESTS_UNIT_ROOM_FIXTURE_H
#define QD_TESTS_UNIT_ROOM_FIXTURE_H

#include <math.h>
#include <string.h>

#include "server/room/room.h"
#include "tests/support/test.h"

typedef struct room_fixture {
    qd_heap heap;
    qd_room *room;
    uint32_t me; /* a member */
} room_fixture;

static inline uint32_t join(qd_room *room)
{
    uint32_t member;

    assert_int_equal(qd_room_join(room, &member), QD_OK);
    return member;
}

static inline const qd_room_config *default_config(void)
{
    static const qd_room_config config = {
        .space = {.max_x = 100, .max_y = 100}, .entities_max = 1000, .events_max = 1000, .grace_ns = 50};

    return &config;
}

static inline void open_room(room_fixture *fixture, const qd_room_config *config)
{
    qd_heap_init(&fixture->heap);
    assert_int_equal(qd_room_create(config, &fixture->heap, 42, &fixture->room), QD_OK);
    fixture->me = join(fixture->room);
}

static inline void close_room(room_fixture *fixture)
{
    qd_room_destroy(fixture->room);
    assert_int_equal(fixture->heap.bytes, 0);
    qd_heap_deinit(&fixture->heap);
}

/* ---- one entity at a time: the refusal, or 0 ---- */

static inline int only_refusal(const qd_room_refusals *refusals)
{
    assert_int_equal(refusals->count, refusals->listed);
    if (refusals->count == 0) {
        return 0;
    }
    assert_int_equal(refusals->count, 1);
    assert_int_equal(refusals->index[0], 0);
    return refusals->code[0];
}

/* A box of half extents 1 at (x, 50). */
static inline int spawn(qd_room *room, uint32_t member, uint32_t id, float x)
{
    float y = 50, half = 1;
    qd_room_batch batch = {.count = 1, .id = &id, .x = &x, .y = &y, .half_x = &half, .half_y = &half};
    qd_room_refusals refusals;

    qd_room_spawn(room, member, &batch, false, &refusals);
    return only_refusal(&refusals);
}

static inline int spawn_room_owned(qd_room *room, uint32_t member, uint32_t id, float x)
{
    float y = 50, half = 1;
    qd_room_batch batch = {.count = 1, .id = &id, .x = &x, .y = &y, .half_x = &half, .half_y = &half};
    qd_room_refusals refusals;

    qd_room_spawn(room, member, &batch, true, &refusals);
    return only_refusal(&refusals);
}

static inline int move(qd_room *room, uint32_t member, uint32_t id, float x)
{
    float y = 50;
    qd_room_batch batch = {.count = 1, .id = &id, .x = &x, .y = &y};
    qd_room_refusals refusals;

    qd_room_move(room, member, &batch, &refusals);
    return only_refusal(&refusals);
}

static inline int despawn(qd_room *room, uint32_t member, uint32_t id)
{
    qd_room_batch batch = {.count = 1, .id = &id};
    qd_room_refusals refusals;

    qd_room_despawn(room, member, &batch, &refusals);
    return only_refusal(&refusals);
}

/* ---- rounds ---- */

static inline void subscribe(qd_room *room, uint32_t member)
{
    qd_room_subscribe(room, member, (qd_room_interest){0});
}

static inline void tick(qd_room *room)
{
    qd_room_tick(room, &qd_executor_serial, 0);
}

static inline void catch_up(qd_room *room)
{
    qd_room_catch_up(room, &qd_executor_serial);
}

static inline qd_room_report next_report(qd_room *room)
{
    qd_room_report report;

    assert_true(qd_room_next_report(room, &report));
    return report;
}

static inline void no_report(qd_room *room)
{
    qd_room_report report;

    assert_false(qd_room_next_report(room, &report));
}

/* `count` pairs follow, as a, b, a, b, ... */
static inline void expect_pairs(qd_room_pairs pairs, uint32_t count, ...)
{
    va_list expected;

    assert_int_equal(pairs.count, count);
    va_start(expected, count);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(pairs.a[i], va_arg(expected, uint32_t));
        assert_int_equal(pairs.b[i], va_arg(expected, uint32_t));
    }
    va_end(expected);
}

static inline qd_room_stats stats_of(const qd_room *room)
{
    qd_room_stats stats;

    qd_room_stats_get(room, &stats);
    return stats;
}

#endif
