/* SPDX-License-Identifier: Apache-2.0
 *
 * Subscriptions whose reports were lost: the reset that follows has the number of lost ticks, and whether pairs may
 * have passed at them.
 */
#include "room_fixture.h"
#include "tests/support/test.h"

/* Boxes 1 at x 10 and 2 at x 50, in a swept room with a live subscription, after tick 1. */
static void open_swept(room_fixture *fixture)
{
    qd_room_config config = *default_config();

    config.space.swept = true;
    open_room(fixture, &config);
    spawn(fixture->room, fixture->me, 1, 10);
    spawn(fixture->room, fixture->me, 2, 50);
    tick(fixture->room);
    subscribe(fixture->room, fixture->me);
    catch_up(fixture->room);
    qd_room_report report = next_report(fixture->room);
    assert_true(report.reset && report.merged_ticks == 0 && !report.passed_lost);
}

/* A tick with news, which is lost. */
static void lose(room_fixture *fixture, float x)
{
    move(fixture->room, fixture->me, 1, x);
    tick(fixture->room);
    assert_int_equal(next_report(fixture->room).member, fixture->me);
    qd_room_lost(fixture->room, fixture->me);
}

static void expect_merged(room_fixture *fixture, uint64_t merged_ticks, bool passed_lost)
{
    qd_room_report report = next_report(fixture->room);

    assert_true(report.reset);
    assert_int_equal(report.merged_ticks, merged_ticks);
    assert_int_equal(report.passed_lost, passed_lost);
}

TEST(lost_tick_counts)
{
    room_fixture fixture;

    (void)state;
    open_swept(&fixture);
    lose(&fixture, 51);
    qd_room_resume(fixture.room, fixture.me);
    catch_up(fixture.room);
    expect_merged(&fixture, 1, false);

    /* A delivered reset is not repeated. */
    move(fixture.room, fixture.me, 1, 10);
    tick(fixture.room);
    assert_int_equal(next_report(fixture.room).merged_ticks, 0);
    subscribe(fixture.room, fixture.me);
    catch_up(fixture.room);
    expect_merged(&fixture, 0, false);
    close_room(&fixture);
}

TEST(skipped_ticks_count)
{
    room_fixture fixture;

    (void)state;
    open_swept(&fixture);
    qd_room_tick(fixture.room, &qd_executor_serial, 4); /* tick 6, which reports the four skipped ticks */
    (void)next_report(fixture.room);
    qd_room_lost(fixture.room, fixture.me);
    qd_room_tick(fixture.room, &qd_executor_serial, 2); /* tick 9 */
    qd_room_resume(fixture.room, fixture.me);
    tick(fixture.room);
    expect_merged(&fixture, 9, true); /* from tick 2 to tick 10; from 7 on, pairs may have passed unseen */
    close_room(&fixture);
}

/* With another subscription that is live it is known what passed. */
TEST(passed_pairs_are_lost_where_some_may_have_passed)
{
    static const struct {
        float lost, later;
        bool passed_lost;
    } cases[] = {{49, 48, false}, {90, 91, true}, {49, 90, false}, {40, 90, true}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        room_fixture fixture;

        open_swept(&fixture);
        uint32_t other = join(fixture.room);
        subscribe(fixture.room, other);
        catch_up(fixture.room);
        move(fixture.room, fixture.me, 1, cases[i].lost);
        qd_room_tick(fixture.room, &qd_executor_serial, 1); /* so that there is news */
        (void)next_report(fixture.room);
        qd_room_lost(fixture.room, fixture.me);
        move(fixture.room, fixture.me, 1, cases[i].later);
        tick(fixture.room);
        qd_room_resume(fixture.room, fixture.me);
        catch_up(fixture.room);
        expect_merged(&fixture, 3, cases[i].passed_lost);
        close_room(&fixture);
    }
}

TEST(lost_reset_covers_the_ticks_before_it)
{
    room_fixture fixture;

    (void)state;
    open_swept(&fixture);
    lose(&fixture, 90); /* tick 2: passed */
    qd_room_resume(fixture.room, fixture.me);
    catch_up(fixture.room);
    expect_merged(&fixture, 1, true);
    qd_room_lost(fixture.room, fixture.me); /* the reset, too */
    tick(fixture.room);
    qd_room_resume(fixture.room, fixture.me);
    tick(fixture.room);
    expect_merged(&fixture, 3, true);

    /* A lost first reset replaced no ticks. */
    qd_room_unsubscribe(fixture.room, fixture.me);
    subscribe(fixture.room, fixture.me);
    catch_up(fixture.room);
    expect_merged(&fixture, 0, false);
    qd_room_lost(fixture.room, fixture.me);
    tick(fixture.room);
    qd_room_resume(fixture.room, fixture.me);
    catch_up(fixture.room);
    expect_merged(&fixture, 1, true);
    close_room(&fixture);
}

/* Members that missed the same ticks share a reset; others do not. */
TEST(shares_report_missed_ticks_separately)
{
    room_fixture fixture;
    uint32_t share[4];

    (void)state;
    open_swept(&fixture);
    uint32_t twin = join(fixture.room), lagging = join(fixture.room), fresh = join(fixture.room);
    subscribe(fixture.room, twin);
    subscribe(fixture.room, lagging);
    catch_up(fixture.room);
    for (int i = 0; i < 3; i++) {
        move(fixture.room, fixture.me, 1, i % 2 ? 10 : 50);
        tick(fixture.room);
        if (i == 0) {
            qd_room_lost(fixture.room, fixture.me);
            qd_room_lost(fixture.room, twin);
        }
        if (i == 1) {
            qd_room_lost(fixture.room, lagging);
        }
    }
    subscribe(fixture.room, fresh);
    qd_room_resume(fixture.room, fixture.me);
    qd_room_resume(fixture.room, twin);
    qd_room_resume(fixture.room, lagging);
    catch_up(fixture.room);
    for (uint32_t member = 0; member < 4; member++) {
        qd_room_report report = next_report(fixture.room);

        assert_int_equal(report.member, member);
        assert_int_equal(report.merged_ticks, member < 2 ? 3 : member == 2 ? 2 : 0);
        share[member] = report.share;
    }
    assert_int_equal(share[0], share[1]);
    assert_true(share[0] != share[2] && share[0] != share[3] && share[2] != share[3]);
    close_room(&fixture);
}

TEST_MAIN()
