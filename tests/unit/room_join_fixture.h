/* SPDX-License-Identifier: Apache-2.0
 *
 * For the tests of the spatial join: a crowd in a grid, with observers of range 10 at the first of its entities. So many
 * entities and observers bring the join into use when they move.
 */
#ifndef QD_TESTS_UNIT_ROOM_JOIN_FIXTURE_H
#define QD_TESTS_UNIT_ROOM_JOIN_FIXTURE_H

#include "server/room/room_views.h"
#include "server/room/state.h"
#include "tests/support/test.h"

enum { CROWD = 4000, OBSERVERS = 400, NEW_OBSERVERS = 100, SIDE = 100 };

typedef struct crowd {
    qd_heap heap;
    qd_room *room;
    uint32_t member;
} crowd;

/* So far from each other along both axes, and all of them so far to one side. */
static inline void move(crowd *c, uint32_t count, float apart, float by)
{
    static uint32_t id[CROWD];
    static float x[CROWD], y[CROWD];
    const qd_room_batch batch = {.count = count, .id = id, .x = x, .y = y};
    qd_room_refusals refusals;

    for (uint32_t i = 0; i < CROWD; i++) {
        id[i] = i;
        x[i] = (float)(i % SIDE) * apart + by;
        y[i] = (float)(i / SIDE) * apart;
    }
    if (c->room->entities.ids.count == 0) {
        qd_room_spawn(c->room, c->member, &batch, false, &refusals);
    } else {
        qd_room_move(c->room, c->member, &batch, &refusals);
    }
    assert_int_equal(refusals.count, 0);
}

/* Moves the first `count` entities. Each row goes along y, every other row to the right, and the rest to the left. */
static inline void shear(crowd *c, uint32_t count, float by)
{
    for (uint32_t id = 0; id < count; id++) {
        const float y = (float)(id / SIDE) + by, x = (float)(id % SIDE) + (id / SIDE % 2 == 0 ? by : -by);
        const qd_room_batch batch = {.count = 1, .id = &id, .x = &x, .y = &y};
        qd_room_refusals refusals;

        qd_room_move(c->room, c->member, &batch, &refusals);
        assert_int_equal(refusals.count, 0);
    }
}

static inline void observe(crowd *c, qd_msg_observers batch)
{
    qd_room_refusals refusals;

    batch.count = 1;
    qd_room_observe(c->room, c->member, &batch, &refusals);
    assert_int_equal(refusals.count, 0);
}

/* With observers of range 10, anchored at the first of them. */
static inline void begin(crowd *c, uint32_t visible_entries_max, float apart)
{
    const qd_room_config config = {
        .space = {.max_x = SIDE, .max_y = SIDE, .index = QD_SPACE_AUTO},
        .entities_max = CROWD,
        .events_max = 1u << 20,
        .observers_max = OBSERVERS + NEW_OBSERVERS,
        .visible_entries_max = visible_entries_max,
    };
    const float range = 10;

    qd_heap_init(&c->heap);
    assert_int_equal(qd_room_create(&config, &c->heap, 1, &c->room), QD_OK);
    assert_int_equal(qd_room_join(c->room, &c->member), QD_OK);
    move(c, CROWD, apart, 0);
    for (uint32_t i = 0; i < OBSERVERS; i++) {
        observe(c, (qd_msg_observers){.id = &i, .entity = &i, .range = &range});
    }
}

static inline void end(crowd *c)
{
    qd_room_destroy(c->room);
    assert_int_equal(c->heap.bytes, 0);
    qd_heap_deinit(&c->heap);
}

static inline uint64_t seen_of(const crowd *c)
{
    qd_room_view_stats stats;

    qd_room_view_stats_get(c->room, &stats);
    assert_int_equal(stats.seen, stats.enters - stats.leaves);
    return stats.seen;
}

static inline qd_room_view_report tick(crowd *c, const qd_executor *executor)
{
    qd_room_view_report report = {0}, other;

    qd_room_tick(c->room, executor, 0);
    (void)qd_room_next_view(c->room, &report);
    assert_false(qd_room_next_view(c->room, &other));
    return report;
}

#endif
