/* SPDX-License-Identifier: Apache-2.0
 *
 * The spatial join in a room. It is in use only where a crowd moves, and it gives up if it takes too long. The model test
 * checks that it gives the same views as the visibility index.
 */
#include "server/room/room_views.h"
#include "server/room/state.h"
#include "server/room/views/visibility/spatial_join.h"

#include "room_join_fixture.h"
#include "support/backwards.h"
#include "tests/support/test.h"

static void move_one(crowd *c, uint32_t id, float x)
{
    const float y = 0;
    const qd_room_batch batch = {.count = 1, .id = &id, .x = &x, .y = &y};
    qd_room_refusals refusals;

    qd_room_move(c->room, c->member, &batch, &refusals);
    assert_int_equal(refusals.count, 0);
}

/* ---- when it is in use ---- */

TEST(join_is_used_while_a_crowd_moves)
{
    crowd c;

    (void)state;
    begin(&c, 1u << 20, 1);
    /* Enough entities move; then fewer; then too few to go on. */
    static const struct {
        uint32_t moving;
        bool uses_join;
    } ticks[] = {{0, false},    {CROWD / 40, false}, {CROWD / 30, true},
                 {CROWD, true}, {CROWD / 50, true},  {CROWD / 70, false}};
    for (size_t t = 0; t < sizeof ticks / sizeof ticks[0]; t++) {
        move(&c, ticks[t].moving, 1, t % 2 == 0 ? 0 : 0.25f);
        qd_room_tick(c.room, &qd_executor_serial, 0);
        assert_int_equal(c.room->views.uses_join, ticks[t].uses_join);
        assert_true(seen_of(&c) > 65536 - OBSERVERS);
    }
    end(&c);
}

/* A few observers of boxes do not keep the others from the join. */
TEST(join_is_used_beside_boxes_if_many_entities_move)
{
    const uint8_t region = QD_REGION_BOX;
    const float half = 10;
    crowd c;

    (void)state;
    begin(&c, 1u << 20, 1);
    for (uint32_t i = 0; i <= OBSERVERS / 4; i++) {
        observe(&c, (qd_msg_observers){.id = &i, .entity = &i, .region = &region, .half_x = &half, .half_y = &half});
        if (i == OBSERVERS / 8 - 1 || i == OBSERVERS / 4) {
            for (uint32_t share = 1; share <= 16; share *= 16) {
                move(&c, CROWD / share, 1, 0.25f);
                qd_room_tick(c.room, &qd_executor_serial, 0);
                assert_int_equal(c.room->views.uses_join, i < OBSERVERS / 8 || share == 1);
            }
        }
    }
    end(&c);
}

/* Observers with limits cost time without moves, so they use the join at rest. A few of them are not enough. */
TEST(join_is_used_at_rest_by_observers_with_limits)
{
    const float range = 10;
    const uint32_t limit = 5;
    crowd c;

    (void)state;
    begin(&c, 1u << 20, 1);
    for (uint32_t i = 0; i < OBSERVERS; i++) {
        observe(&c, (qd_msg_observers){.id = &i, .entity = &i, .range = &range, .limit = &limit});
        if (i == 20 || i == 30) {
            qd_room_tick(c.room, &qd_executor_serial, 0);
            assert_int_equal(c.room->views.uses_join, i == 30);
        }
    }
    qd_room_tick(c.room, &qd_executor_serial, 0);
    assert_true(c.room->views.uses_join);
    assert_int_equal(seen_of(&c), OBSERVERS * limit);
    end(&c);
}

/* What all observers see if all entities are where that function has put them. */
static uint64_t seen_when_shorn(float by)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < OBSERVERS; i++) {
        for (uint32_t id = 0; id < CROWD; id++) {
            const bool is_other = i / SIDE % 2 != id / SIDE % 2;
            const float x = (float)(id % SIDE) - (float)(i % SIDE), y = (float)(id / SIDE) - (float)(i / SIDE);
            const float apart = x + (is_other ? (i / SIDE % 2 == 0 ? -2 * by : 2 * by) : 0);

            sum += id != i && apart * apart + y * y <= 100;
        }
    }
    return sum;
}

/* Entities drift from the cells that they were sorted into, and are sorted again. The index takes over after that. */
TEST(views_are_exact_while_entities_drift_from_their_cells)
{
    uint32_t sorted = 0, drifted = 0;
    float by = 0;
    crowd c;

    (void)state;
    begin(&c, 1u << 20, 1);
    for (int t = 0; t < 42; t++) {
        by += t > 0 ? 0.25f : 0;
        shear(&c, CROWD, by);
        (void)tick(&c, &qd_executor_serial);
        assert_int_equal(seen_of(&c), seen_when_shorn(by));
        sorted += t > 2 && c.room->views.join->grid.drift <= 0;
        drifted += t > 2 && c.room->views.join->grid.drift >= 1;
    }
    assert_true(sorted > 2 && drifted > 2 && c.room->views.join->grid.drift >= 1);
    assert_true(c.room->views.uses_join && c.room->views.observers[0].is_derived);
    (void)tick(&c, &qd_executor_serial);
    assert_false(c.room->views.uses_join);
    for (int t = 0; t < 20; t++) {
        by -= 0.5f;
        shear(&c, CROWD, by);
        c.room->views.move_count = 0;
        (void)tick(&c, &qd_executor_serial);
        assert_false(c.room->views.uses_join);
        assert_int_equal(seen_of(&c), seen_when_shorn(by));
    }
    end(&c);
}

/* All entities from `first` on are at the same place. */
static void gather(crowd *c, uint32_t first, uint32_t end, float at)
{
    for (uint32_t id = first; id < end; id++) {
        move_one(c, id, at);
    }
}

/* When the join comes into use, the index keeps old positions. New observers at these positions must see nothing, also
 * at the tick of the first entity with a visible range, at which the index is asked. */
TEST(observer_at_old_positions_of_the_index_sees_nothing)
{
    const uint32_t in_view = OBSERVERS * OBSERVERS, id = 0;
    const float visible_range = 5;
    const qd_msg_set_description beacon = {.count = 1, .id = &id, .visible_range = &visible_range};
    qd_room_refusals refusals;
    crowd c;

    (void)state;
    begin(&c, in_view + OBSERVERS, 1);
    gather(&c, 0, OBSERVERS, 0);
    gather(&c, OBSERVERS, CROWD, 500);
    (void)tick(&c, &qd_executor_serial);
    assert_true(c.room->views.uses_join);
    gather(&c, OBSERVERS, CROWD, 1000);
    assert_int_equal(tick(&c, &qd_executor_serial).leave_count, 0);
    for (uint32_t i = OBSERVERS; i < OBSERVERS + NEW_OBSERVERS; i++) {
        const float x = 500, range = 10;
        const qd_msg_observers batch = {.count = 1, .id = &i, .x = &x, .range = &range};

        qd_room_observe(c.room, c.member, &batch, &refusals);
        assert_int_equal(refusals.count, 0);
    }
    qd_room_describe(c.room, c.member, &beacon, &refusals);
    assert_int_equal(refusals.count, 0);
    for (int t = 0; t < 3; t++) {
        gather(&c, OBSERVERS, CROWD, 1001 + (float)t);
        const qd_room_view_report report = tick(&c, &qd_executor_serial);
        assert_true(!report.suspended && !report.reset && report.enter_count + report.leave_count == 0);
        assert_int_equal(seen_of(&c), in_view - OBSERVERS);
        assert_true(c.room->views.uses_join);
    }
    end(&c);
}

/* The last observer saw nothing, ends, and its row is given back. A new one in that row, whose view gets entries for a
 * visible range, knows nothing of the old region. */
TEST(new_observer_in_a_row_given_back_has_seen_nothing)
{
    const uint32_t id = OBSERVERS, carrier = 0, in_view = OBSERVERS * OBSERVERS;
    const float empty = 500, range = 10, visible_range = 5;
    const qd_msg_set_description beacon = {.count = 1, .id = &carrier, .visible_range = &visible_range};
    qd_room_refusals refusals;
    crowd c;

    (void)state;
    begin(&c, in_view + CROWD, 1);
    gather(&c, 0, OBSERVERS, 0);
    gather(&c, OBSERVERS, CROWD, 250);
    observe(&c, (qd_msg_observers){.id = &id, .x = &empty, .range = &range});
    for (int t = 0; t < 2; t++) {
        gather(&c, OBSERVERS, CROWD, 251);
        (void)tick(&c, &qd_executor_serial);
        assert_true(c.room->views.uses_join);
    }
    qd_room_unobserve(c.room, c.member, 1, &id, &refusals);
    assert_int_equal(refusals.count, 0);
    qd_room_trim(c.room);
    gather(&c, OBSERVERS, CROWD, empty);
    (void)tick(&c, &qd_executor_serial);
    observe(&c, (qd_msg_observers){.id = &id, .range = &range});
    qd_room_describe(c.room, c.member, &beacon, &refusals);
    assert_int_equal(refusals.count, 0);
    gather(&c, OBSERVERS, CROWD, 1000);
    const qd_room_view_report report = tick(&c, &qd_executor_serial);
    assert_int_equal(report.leave_count, 0);
    assert_int_equal(report.enter_count, OBSERVERS);
    assert_int_equal(seen_of(&c), in_view);
    assert_true(c.room->views.uses_join);
    end(&c);
}

/* The first tick reports all that is seen. Later ticks, which report little, need not keep memory for that. */
TEST(memory_of_the_first_tick_is_given_back)
{
    crowd c;

    (void)state;
    begin(&c, 1u << 22, 0.01f);
    for (int t = 0; t < 600; t++) {
        move(&c, CROWD, 0.01f, t % 2 == 0 ? 0 : 0.25f);
        (void)tick(&c, &qd_executor_serial);
    }
    assert_int_equal(seen_of(&c), OBSERVERS * (CROWD - 1));
    assert_in_range(c.heap.bytes, 1, 8 * seen_of(&c));
    end(&c);
}

/* ---- without hits ---- */

enum { TOO_MANY = 1, WITHOUT_HITS = 2, JOINS_AGAIN = 4 };

/* The outcome when a crowd without visible entries comes together at one tick, and parts again. */
static unsigned come_together(size_t workers, uint32_t visible_entries_max, uint32_t looks_max)
{
    const qd_executor executor = {.run = workers == 1 ? qd_executor_serial.run : backwards.run, .width = workers};
    unsigned outcome;
    crowd c;

    begin(&c, visible_entries_max, 100);
    c.room->views.join_tuning = (qd_join_tuning){.always = true, .looks_without_hits_max = looks_max};
    (void)tick(&c, &executor);
    assert_true(c.room->views.uses_join);
    move(&c, CROWD, 1, 0);
    outcome = (tick(&c, &executor).suspended ? TOO_MANY : 0) | (c.room->views.join->gave_up ? WITHOUT_HITS : 0);
    for (int t = 0; t < 2; t++) {
        move(&c, CROWD, 100, (float)t);
        (void)tick(&c, &executor);
    }
    outcome |= c.room->views.uses_join ? JOINS_AGAIN : 0;
    assert_int_equal(seen_of(&c), 0);
    end(&c);
    return outcome;
}

/* Also if there are too many entries and too few hits, whichever is found first. */
TEST(fruitless_join_is_the_same_with_any_number_of_workers)
{
    static const uint32_t visible_entries_max[] = {500, 5000, 1u << 20}, looks_max[] = {10, 1000, 3000, 1u << 20};
    static const size_t workers[] = {2, 5, 16};
    unsigned met = 0;

    (void)state;
    for (size_t s = 0; s < sizeof visible_entries_max / sizeof visible_entries_max[0]; s++) {
        for (size_t l = 0; l < sizeof looks_max / sizeof looks_max[0]; l++) {
            const unsigned outcome = come_together(1, visible_entries_max[s], looks_max[l]);

            met |= 1u << outcome;
            for (size_t h = 0; h < sizeof workers / sizeof workers[0]; h++) {
                assert_int_equal(come_together(workers[h], visible_entries_max[s], looks_max[l]), outcome);
            }
        }
    }
    assert_int_equal(met, 1u << JOINS_AGAIN | 1u << (TOO_MANY | JOINS_AGAIN) | 1u << (TOO_MANY | WITHOUT_HITS));
}

/* All but the observers come close to the first one, and nobody sees them: 9 and 9 from it. */
static void nearly_touch(crowd *c)
{
    for (uint32_t id = OBSERVERS; id < CROWD; id++) {
        const float at = -9;
        const qd_room_batch batch = {.count = 1, .id = &id, .x = &at, .y = &at};
        qd_room_refusals refusals;

        qd_room_move(c->room, c->member, &batch, &refusals);
        assert_int_equal(refusals.count, 0);
    }
}

static void expect_enter(const qd_room_view_report *report, uint32_t i, uint32_t observer, uint32_t id)
{
    assert_true(i < report->enter_count);
    assert_int_equal(report->enter_observer[i], observer);
    assert_int_equal(report->enter.id[i], id);
}

/* Views are suspended, and at the next tick the visibility index finds what is in view. */
TEST(room_continues_after_a_join_without_hits)
{
    const float apart = 10.5f;
    crowd c;

    (void)state;
    begin(&c, 1u << 20, apart);
    move_one(&c, 1, 9);
    c.room->views.join_tuning.always = true;
    assert_int_equal(tick(&c, &qd_executor_serial).enter_count, 2);
    assert_true(c.room->views.uses_join);
    move(&c, CROWD, apart, 0.25f);
    assert_int_equal(tick(&c, &qd_executor_serial).leave_count, 2);
    move_one(&c, 1, 9);
    assert_int_equal(tick(&c, &qd_executor_serial).enter_count, 2);

    c.room->views.join_tuning.looks_without_hits_max = 1;
    move(&c, CROWD, apart, 0);
    nearly_touch(&c);
    move_one(&c, 1, 9);
    qd_room_view_report report = tick(&c, &qd_executor_serial);
    assert_true(report.suspended && !report.reset && report.enter_count + report.leave_count == 0);
    assert_int_equal(seen_of(&c), 0);
    move_one(&c, 3, 22);
    report = tick(&c, &qd_executor_serial);
    assert_true(report.reset && !report.suspended && report.enter_count == 4 && report.leave_count == 0);
    expect_enter(&report, 0, 0, 1);
    expect_enter(&report, 1, 1, 0);
    expect_enter(&report, 2, 2, 3);
    expect_enter(&report, 3, 3, 2);

    /* It is never in use again, and views stay correct. */
    move_one(&c, 1, apart);
    report = tick(&c, &qd_executor_serial);
    assert_true(!report.reset && report.leave_count == 2 && report.leave_id[0] == 1 && report.leave_id[1] == 0);
    assert_int_equal(seen_of(&c), 2);
    assert_false(c.room->views.uses_join);
    end(&c);
}

TEST_MAIN()
