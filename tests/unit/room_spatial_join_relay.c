/* SPDX-License-Identifier: Apache-2.0
 *
 * What observers relay while the spatial join is in use: the same with any number of workers.
 */
#include "server/room/room_views.h"
#include "server/room/state.h"
#include "server/room/views/visibility/spatial_join.h"

#include <stdlib.h>
#include <string.h>

#include "room_join_fixture.h"
#include "support/backwards.h"
#include "tests/support/test.h"

static void *column(size_t count)
{
    return malloc(count * sizeof(float));
}

typedef struct relayed {
    uint32_t count;
    uint32_t *observer, *id;
    float *x;
} relayed;

/* What the observers relay when a crowd, whose entities see each other, has moved for some ticks. */
static relayed relay(size_t workers, uint32_t limit, bool once)
{
    const qd_executor executor = {.run = workers == 1 ? qd_executor_serial.run : backwards.run, .width = workers};
    const float range = 10, relay_range = 100;
    const uint32_t every = 1;
    qd_room_view_report report;
    qd_room_refusals refusals;
    crowd c;

    begin(&c, 1u << 20, 1);
    qd_room_view_options_set(c.room, c.member, (qd_room_view_options){.relays_once = once});
    for (uint32_t i = 0; i < OBSERVERS; i++) {
        const qd_msg_observers batch = {.count = 1,
                                        .id = &i,
                                        .entity = &i,
                                        .range = &range,
                                        .limit = &limit,
                                        .tier_count = 1,
                                        .relay_range = &relay_range,
                                        .relay_every = &every};

        qd_room_observe(c.room, c.member, &batch, &refusals);
        assert_int_equal(refusals.count, 0);
    }
    for (int t = 0; t < 7; t++) {
        shear(&c, CROWD, 0.25f * (float)t);
        report = tick(&c, &executor);
    }
    assert_true(c.room->views.join->grid.drift >= 1);
    assert_true(c.room->views.uses_join && c.room->views.observers[0].is_derived);
    assert_true(once || report.relay_count == seen_of(&c) - report.enter_count);
    relayed r = {report.relay_count, column(report.relay_count), column(report.relay_count),
                 column(report.relay_count)};
    assert_true(once == (report.relay_observer == NULL));
    if (!once) {
        memcpy(r.observer, report.relay_observer, r.count * sizeof r.observer[0]);
    }
    memcpy(r.id, report.relay_id, r.count * sizeof r.id[0]);
    memcpy(r.x, report.relay_x, r.count * sizeof r.x[0]);
    end(&c);
    return r;
}

static void free_relayed(const relayed *r)
{
    free(r->observer);
    free(r->id);
    free(r->x);
}

TEST(derived_relay_is_the_same_with_any_number_of_workers)
{
    static const uint32_t limits[] = {0, 20};
    static const size_t workers[] = {2, 5, 16};

    (void)state;
    for (size_t l = 0; l < sizeof limits / sizeof limits[0]; l++) {
        const relayed first = relay(1, limits[l], false);

        assert_true(first.count >= OBSERVERS * 15);
        for (size_t w = 0; w < sizeof workers / sizeof workers[0]; w++) {
            const relayed other = relay(workers[w], limits[l], false);

            assert_int_equal(other.count, first.count);
            assert_memory_equal(other.observer, first.observer, first.count * sizeof first.observer[0]);
            assert_memory_equal(other.id, first.id, first.count * sizeof first.id[0]);
            assert_memory_equal(other.x, first.x, first.count * sizeof first.x[0]);
            free_relayed(&other);
        }
        for (uint32_t i = 1; i < first.count; i++) {
            assert_true(first.observer[i - 1] <= first.observer[i]);
        }
        free_relayed(&first);
    }
}

/* Each entity that some observer relays, once, with the position that each of them relays. */
TEST(relay_once_is_the_union_of_all_observers_with_any_number_of_workers)
{
    static const uint32_t limits[] = {0, 20};
    static const size_t workers[] = {1, 2, 5, 16};

    (void)state;
    for (size_t l = 0; l < sizeof limits / sizeof limits[0]; l++) {
        const relayed each = relay(1, limits[l], false), first = relay(1, limits[l], true);

        assert_true(first.count > 0 && first.count < each.count / 4);
        for (uint32_t i = 0; i < first.count; i++) {
            for (uint32_t k = 0; k < i; k++) {
                assert_true(first.id[k] != first.id[i]);
            }
        }
        for (uint32_t i = 0; i < each.count; i++) {
            uint32_t at = 0;

            while (at < first.count && first.id[at] != each.id[i]) {
                at++;
            }
            assert_true(at < first.count && first.x[at] == each.x[i]);
        }
        for (uint32_t i = 0; i < first.count; i++) {
            uint32_t at = 0;

            while (at < each.count && each.id[at] != first.id[i]) {
                at++;
            }
            assert_true(at < each.count);
        }
        for (size_t w = 0; w < sizeof workers / sizeof workers[0]; w++) {
            const relayed other = relay(workers[w], limits[l], true);

            assert_int_equal(other.count, first.count);
            assert_memory_equal(other.id, first.id, first.count * sizeof first.id[0]);
            assert_memory_equal(other.x, first.x, first.count * sizeof first.x[0]);
            free_relayed(&other);
        }
        free_relayed(&each);
        free_relayed(&first);
    }
}

TEST_MAIN()
