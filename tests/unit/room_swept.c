/* SPDX-License-Identifier: Apache-2.0
 *
 * Swept rooms: which subscriptions get pairs that passed, when, and in which order.
 */
#include "room_fixture.h"
#include "tests/support/test.h"

/* Boxes of half extent 1 at y 50: 1 at x 10, and 2, 3, ... from x 50 on, 10 apart. Ticked once. */
static void open_lane(room_fixture *fixture, uint32_t count, uint32_t events_max)
{
    qd_room_config config = *default_config();

    config.space.swept = true;
    config.events_max = events_max;
    open_room(fixture, &config);
    spawn(fixture->room, fixture->me, 1, 10);
    for (uint32_t id = 2; id <= count; id++) {
        spawn(fixture->room, fixture->me, id, 30 + 10 * (float)id);
    }
    tick(fixture->room);
}

/* Past 2 and 3, in a room whose subscriptions have had their reset. */
TEST(passed_pairs_are_reported_outside_the_set)
{
    room_fixture fixture;

    (void)state;
    open_lane(&fixture, 3, 1000);
    subscribe(fixture.room, fixture.me);
    catch_up(fixture.room);
    (void)next_report(fixture.room);
    move(fixture.room, fixture.me, 1, 90);
    tick(fixture.room);
    qd_room_report report = next_report(fixture.room);
    expect_pairs(report.ends, 0);
    expect_pairs(report.begins, 0);
    expect_pairs(report.passed, 2, 1, 2, 1, 3);
    no_report(fixture.room);
    qd_room_stats stats = stats_of(fixture.room);
    assert_true(stats.passed == 2 && stats.begins == 0 && stats.ends == 0 && stats.pairs == 0);

    tick(fixture.room);
    no_report(fixture.room);
    close_room(&fixture);
}

TEST(room_that_is_not_swept_reports_no_passed_pairs)
{
    room_fixture fixture;

    (void)state;
    open_room(&fixture, default_config());
    spawn(fixture.room, fixture.me, 1, 10);
    spawn(fixture.room, fixture.me, 2, 50);
    subscribe(fixture.room, fixture.me);
    tick(fixture.room);
    (void)next_report(fixture.room);
    move(fixture.room, fixture.me, 1, 90);
    tick(fixture.room);
    no_report(fixture.room);
    close_room(&fixture);
}

/* Pairs that begin or end did not pass, and teleported entities pass nothing. */
TEST(passed_pair_neither_begins_nor_ends)
{
    float x = 10, y = 50;
    const uint32_t id = 1;
    const qd_room_batch jump = {.count = 1, .id = &id, .x = &x, .y = &y};
    qd_room_refusals refusals;
    room_fixture fixture;

    (void)state;
    open_lane(&fixture, 4, 1000);
    subscribe(fixture.room, fixture.me);
    catch_up(fixture.room);
    (void)next_report(fixture.room);
    move(fixture.room, fixture.me, 1, 60);
    tick(fixture.room);
    qd_room_report report = next_report(fixture.room);
    expect_pairs(report.begins, 1, 1, 3);
    expect_pairs(report.passed, 1, 1, 2);

    move(fixture.room, fixture.me, 1, 95);
    tick(fixture.room);
    report = next_report(fixture.room);
    expect_pairs(report.ends, 1, 1, 3);
    expect_pairs(report.passed, 1, 1, 4);

    qd_room_teleport(fixture.room, fixture.me, &jump, &refusals);
    tick(fixture.room);
    no_report(fixture.room);
    close_room(&fixture);
}

TEST(own_passed_pairs_are_pairs_of_own_entities)
{
    room_fixture fixture;

    (void)state;
    open_lane(&fixture, 2, 1000);
    uint32_t other = join(fixture.room);
    spawn(fixture.room, other, 7, 60);
    qd_room_subscribe(fixture.room, fixture.me, (qd_room_interest){.own_only = true});
    qd_room_subscribe(fixture.room, other, (qd_room_interest){.own_only = true, .stays = true});
    tick(fixture.room);
    (void)next_report(fixture.room);
    (void)next_report(fixture.room);
    move(fixture.room, fixture.me, 1, 90);
    tick(fixture.room);
    expect_pairs(next_report(fixture.room).passed, 2, 1, 2, 1, 7);
    qd_room_report report = next_report(fixture.room);
    assert_int_equal(report.member, other);
    expect_pairs(report.passed, 1, 1, 7);
    no_report(fixture.room);
    close_room(&fixture);
}

TEST(reset_has_no_passed_pairs)
{
    room_fixture fixture;

    (void)state;
    open_lane(&fixture, 3, 1000);
    uint32_t live = join(fixture.room);
    subscribe(fixture.room, live);
    catch_up(fixture.room);
    (void)next_report(fixture.room);
    subscribe(fixture.room, fixture.me);
    move(fixture.room, fixture.me, 1, 90);
    tick(fixture.room);
    qd_room_report report = next_report(fixture.room);
    assert_true(report.reset);
    expect_pairs(report.passed, 0);
    report = next_report(fixture.room);
    assert_int_equal(report.member, live);
    expect_pairs(report.passed, 2, 1, 2, 1, 3);
    close_room(&fixture);
}

TEST(passed_pairs_count_for_events_max)
{
    room_fixture fixture;

    (void)state;
    open_lane(&fixture, 4, 2);
    subscribe(fixture.room, fixture.me);
    catch_up(fixture.room);
    (void)next_report(fixture.room);
    move(fixture.room, fixture.me, 1, 95);
    tick(fixture.room);
    qd_room_report report = next_report(fixture.room);
    assert_true(report.suspended && report.suspended_count == 3);
    expect_pairs(report.passed, 0);
    assert_true(stats_of(fixture.room).passed == 0);

    tick(fixture.room);
    assert_true(next_report(fixture.room).reset);
    close_room(&fixture);
}

TEST_MAIN()
