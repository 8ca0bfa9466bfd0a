/* SPDX-License-Identifier: Apache-2.0
 *
 * Limits of views while a crowd walks, which the spatial join keeps as lists: all that enters and leaves is compared
 * with brute force over all entities.
 */
#include "server/room/room_views.h"
#include "server/room/state.h"
#include "server/room/views/join/join_kernel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/rng.h"
#include "tests/support/test.h"

enum { ENTITIES = 1500, OBSERVERS = 150, TICKS = 40 };

static const float side = 60, range = 6; /* about 47 in range */

typedef struct crowd {
    qd_heap heap;
    qd_room *room;
    uint32_t member, limit[OBSERVERS];
    float x[ENTITIES], y[ENTITIES], speed_x[ENTITIES], speed_y[ENTITIES];
    bool seen[OBSERVERS][ENTITIES], reported[OBSERVERS][ENTITIES];
} crowd;

static void spawn(crowd *c, rng_stream *rng)
{
    uint32_t id[ENTITIES];
    qd_room_refusals refusals;

    for (uint32_t i = 0; i < ENTITIES; i++) {
        id[i] = i;
        c->x[i] = rng_between(rng, 0, side);
        c->y[i] = rng_between(rng, 0, side);
        c->speed_x[i] = rng_between(rng, -0.2f, 0.2f);
        c->speed_y[i] = rng_between(rng, -0.2f, 0.2f);
    }
    qd_room_spawn(c->room, c->member, &(qd_room_batch){.count = ENTITIES, .id = id, .x = c->x, .y = c->y}, false,
                  &refusals);
    assert_int_equal(refusals.count, 0);
}

/* Limits that always bind, that bind at times, and that never do. */
static void observe(crowd *c, bool relays)
{
    static const float relay_range = 1000;
    static const uint32_t every = 1;
    qd_room_refusals refusals;

    for (uint32_t i = 0; i < OBSERVERS; i++) {
        static const uint32_t limits[] = {1, 2, 16, 40, 46, 48, 50, 60, 300};

        c->limit[i] = limits[i % (sizeof limits / sizeof limits[0])];
        qd_room_observe(c->room, c->member,
                        &(qd_msg_observers){.count = 1,
                                            .id = &i,
                                            .entity = &i,
                                            .range = &range,
                                            .limit = &c->limit[i],
                                            .tier_count = relays,
                                            .relay_range = &relay_range,
                                            .relay_every = &every},
                        &refusals);
        assert_int_equal(refusals.count, 0);
    }
}

static crowd *begin(rng_stream *rng, bool relays, const qd_join_kernel *kernel)
{
    crowd *c = calloc(1, sizeof *c);
    const qd_room_config config = {
        .space = {.max_x = side, .max_y = side, .index = QD_SPACE_AUTO},
        .entities_max = ENTITIES,
        .events_max = 1u << 20,
        .observers_max = OBSERVERS,
        .visible_entries_max = 1u << 20,
    };

    qd_heap_init(&c->heap);
    assert_int_equal(qd_room_create(&config, &c->heap, 1, &c->room), QD_OK);
    assert_int_equal(qd_room_join(c->room, &c->member), QD_OK);
    spawn(c, rng);
    observe(c, relays);
    c->room->views.join_tuning = (qd_join_tuning){.always = true, .kernel = kernel};
    return c;
}

static void end(crowd *c)
{
    qd_room_destroy(c->room);
    assert_int_equal(c->heap.bytes, 0);
    qd_heap_deinit(&c->heap);
    free(c);
}

/* Positions are multiples of a quarter, so that many are equally far. */
static void walk(crowd *c)
{
    uint32_t id[ENTITIES];
    float x[ENTITIES], y[ENTITIES];
    qd_room_refusals refusals;

    for (uint32_t i = 0; i < ENTITIES; i++) {
        id[i] = i;
        c->x[i] += c->speed_x[i];
        c->y[i] += c->speed_y[i];
        c->speed_x[i] *= c->x[i] < 0 || c->x[i] > side ? -1 : 1;
        c->speed_y[i] *= c->y[i] < 0 || c->y[i] > side ? -1 : 1;
        x[i] = roundf(4 * c->x[i]) / 4;
        y[i] = roundf(4 * c->y[i]) / 4;
    }
    qd_room_move(c->room, c->member, &(qd_room_batch){.count = ENTITIES, .id = id, .x = x, .y = y}, &refusals);
    assert_int_equal(refusals.count, 0);
}

/* ---- brute force ---- */

typedef struct rival {
    double distance;
    uint32_t id;
} rival;

static int by_distance(const void *a, const void *b)
{
    const rival *one = a, *other = b;

    if (one->distance < other->distance || one->distance > other->distance) {
        return one->distance < other->distance ? -1 : 1;
    }
    return one->id < other->id ? -1 : one->id > other->id;
}

static double place_of(float at)
{
    return (double)roundf(4 * at) / 4;
}

static void expect_view(crowd *c, uint32_t observer)
{
    rival rivals[ENTITIES];
    uint32_t count = 0;

    for (uint32_t i = 0; i < ENTITIES; i++) {
        const double x = place_of(c->x[i]) - place_of(c->x[observer]);
        const double y = place_of(c->y[i]) - place_of(c->y[observer]);
        const double distance = sqrt(x * x + y * y);

        if (i != observer && distance <= (double)range) {
            rivals[count++] = (rival){distance - (c->seen[observer][i] ? (double)range / 16 : 0), i};
        }
    }
    qsort(rivals, count, sizeof rivals[0], by_distance);
    memset(c->seen[observer], 0, sizeof c->seen[observer]);
    for (uint32_t i = 0; i < count && i < c->limit[observer]; i++) {
        c->seen[observer][rivals[i].id] = true;
    }
    assert_memory_equal(c->reported[observer], c->seen[observer], sizeof c->seen[observer]);
}

static void read_report(crowd *c)
{
    qd_room_view_report report;

    while (qd_room_next_view(c->room, &report)) {
        for (uint32_t i = 0; i < report.leave_count; i++) {
            bool *is = &c->reported[report.leave_observer[i]][report.leave_id[i]];

            assert_true(*is);
            *is = false;
        }
        for (uint32_t i = 0; i < report.enter_count; i++) {
            bool *is = &c->reported[report.enter_observer[i]][report.enter.id[i]];

            assert_false(*is);
            *is = true;
        }
    }
}

static void walk_with(bool relays, uint32_t kernel)
{
    rng_stream rng = {1 + kernel};
    crowd *c = begin(&rng, relays, qd_join_kernel_at(kernel, 2));

    for (uint32_t tick = 0; tick < TICKS; tick++) {
        walk(c);
        qd_room_tick(c->room, &qd_executor_serial, 0);
        read_report(c);
        for (uint32_t i = 0; i < OBSERVERS; i++) {
            expect_view(c, i);
        }
    }
    assert_true(c->room->views.uses_join && c->room->views.observers[0].is_derived);
    end(c);
}

TEST(limits_choose_as_brute_force_does)
{
    (void)state;
    for (uint32_t kernel = 0; qd_join_kernel_at(kernel, 2); kernel++) {
        walk_with(false, kernel);
    }
}

TEST(limits_choose_as_brute_force_does_for_observers_that_relay)
{
    (void)state;
    for (uint32_t kernel = 0; qd_join_kernel_at(kernel, 2); kernel++) {
        walk_with(true, kernel);
    }
}

TEST_MAIN()
