/* SPDX-License-Identifier: Apache-2.0
 *
 * Ticks and subscriptions: the report of a subscription in each state.
 */
#include "room_fixture.h"
#include "tests/support/test.h"

/* A room of entities 1 and 2 that touch and 3 that does not, ticked once. */
static void open_crowd(room_fixture *fixture, uint32_t events_max)
{
    qd_room_config config = *default_config();

    config.events_max = events_max;
    open_room(fixture, &config);
    spawn(fixture->room, fixture->me, 1, 10);
    spawn(fixture->room, fixture->me, 2, 11);
    spawn(fixture->room, fixture->me, 3, 40);
    tick(fixture->room);
}

static void expect_reset(const qd_room_report *report, uint64_t tick_number)
{
    assert_true(report->reset);
    assert_false(report->suspended);
    assert_true(report->tick == tick_number);
    assert_int_equal(report->ends.count, 0);
    assert_int_equal(report->stays.count, 0);
}

static void expect_suspended(const qd_room_report *report, uint64_t count)
{
    assert_true(report->suspended);
    assert_false(report->reset);
    assert_true(report->suspended_count == count);
    assert_int_equal(report->ends.count + report->begins.count + report->stays.count, 0);
}

TEST(a_reset_comes_between_ticks)
{
    room_fixture fixture;

    (void)state;
    open_crowd(&fixture, 1000);
    no_report(fixture.room);
    subscribe(fixture.room, fixture.me);
    /* It has no changes since the last tick. */
    move(fixture.room, fixture.me, 1, 90);
    catch_up(fixture.room);
    qd_room_report report = next_report(fixture.room);
    expect_reset(&report, 1);
    expect_pairs(report.begins, 1, 1, 2);
    no_report(fixture.room);

    catch_up(fixture.room);
    no_report(fixture.room);
    tick(fixture.room);
    report = next_report(fixture.room);
    assert_false(report.reset);
    expect_pairs(report.ends, 1, 1, 2);
    assert_int_equal(report.end_reason[0], QD_SPACE_MOVED_APART);
    close_room(&fixture);
}

TEST(a_reset_comes_at_a_tick_with_its_set)
{
    room_fixture fixture;

    (void)state;
    open_crowd(&fixture, 1000);
    subscribe(fixture.room, fixture.me);
    move(fixture.room, fixture.me, 1, 40);
    tick(fixture.room);
    qd_room_report report = next_report(fixture.room);
    expect_reset(&report, 2);
    expect_pairs(report.begins, 1, 1, 3);
    no_report(fixture.room);
    close_room(&fixture);
}

TEST(an_empty_reset_before_the_first_tick)
{
    room_fixture fixture;

    (void)state;
    open_room(&fixture, default_config());
    spawn(fixture.room, fixture.me, 1, 10);
    spawn(fixture.room, fixture.me, 2, 10);
    subscribe(fixture.room, fixture.me);
    catch_up(fixture.room);
    qd_room_report report = next_report(fixture.room);
    expect_reset(&report, 0);
    expect_pairs(report.begins, 0);
    close_room(&fixture);
}

TEST(ticks_without_news_are_silent_unless_some_were_skipped)
{
    room_fixture fixture;

    (void)state;
    open_crowd(&fixture, 1000);
    subscribe(fixture.room, fixture.me);
    catch_up(fixture.room);
    (void)next_report(fixture.room);
    tick(fixture.room);
    no_report(fixture.room);
    qd_room_tick(fixture.room, &qd_executor_serial, 3);
    qd_room_report report = next_report(fixture.room);
    assert_true(report.tick == 6);
    assert_int_equal(report.skipped, 3);
    expect_pairs(report.begins, 0);
    assert_int_equal(stats_of(fixture.room).ticks_skipped, 3);
    close_room(&fixture);
}

TEST(stays_are_sent_on_request_only)
{
    room_fixture fixture;

    (void)state;
    open_crowd(&fixture, 1000);
    uint32_t keen = join(fixture.room);
    subscribe(fixture.room, fixture.me);
    qd_room_subscribe(fixture.room, keen, (qd_room_interest){.stays = true});
    tick(fixture.room);
    qd_room_report report = next_report(fixture.room);
    expect_reset(&report, 2);
    report = next_report(fixture.room);
    expect_reset(&report, 2);

    move(fixture.room, fixture.me, 3, 11);
    tick(fixture.room);
    report = next_report(fixture.room);
    assert_int_equal(report.member, fixture.me);
    expect_pairs(report.begins, 2, 1, 3, 2, 3);
    expect_pairs(report.stays, 0);
    report = next_report(fixture.room);
    assert_int_equal(report.member, keen);
    expect_pairs(report.begins, 2, 1, 3, 2, 3);
    expect_pairs(report.stays, 1, 1, 2);

    tick(fixture.room);
    report = next_report(fixture.room);
    assert_int_equal(report.member, keen);
    expect_pairs(report.stays, 3, 1, 2, 1, 3, 2, 3);
    no_report(fixture.room);
    close_room(&fixture);
}

TEST(own_pairs_are_pairs_of_own_entities)
{
    room_fixture fixture;

    (void)state;
    open_crowd(&fixture, 1000);
    uint32_t other = join(fixture.room), idle = join(fixture.room);
    spawn(fixture.room, other, 4, 11);
    spawn_room_owned(fixture.room, other, 5, 40);
    qd_room_subscribe(fixture.room, fixture.me, (qd_room_interest){.own_only = true});
    qd_room_subscribe(fixture.room, other, (qd_room_interest){.own_only = true, .stays = true});
    qd_room_subscribe(fixture.room, idle, (qd_room_interest){.own_only = true});
    tick(fixture.room);
    expect_pairs(next_report(fixture.room).begins, 4, 1, 2, 1, 4, 2, 4, 3, 5);
    expect_pairs(next_report(fixture.room).begins, 2, 1, 4, 2, 4);
    expect_pairs(next_report(fixture.room).begins, 0); /* but a reset */
    no_report(fixture.room);

    despawn(fixture.room, other, 4);
    spawn(fixture.room, other, 6, 40);
    tick(fixture.room);
    qd_room_report report = next_report(fixture.room);
    assert_int_equal(report.share, 0);
    expect_pairs(report.ends, 2, 1, 4, 2, 4);
    assert_int_equal(report.end_reason[0], QD_SPACE_DESPAWNED);
    expect_pairs(report.begins, 1, 3, 6);
    report = next_report(fixture.room);
    assert_int_equal(report.member, other);
    expect_pairs(report.ends, 2, 1, 4, 2, 4);
    assert_int_equal(report.end_reason[1], QD_SPACE_DESPAWNED);
    expect_pairs(report.begins, 2, 3, 6, 5, 6);
    expect_pairs(report.stays, 0);
    no_report(fixture.room);
    close_room(&fixture);
}

TEST(id_spawned_again_is_another_entity)
{
    room_fixture fixture;

    (void)state;
    open_crowd(&fixture, 1000);
    qd_room_subscribe(fixture.room, fixture.me, (qd_room_interest){.stays = true});
    catch_up(fixture.room);
    (void)next_report(fixture.room);
    despawn(fixture.room, fixture.me, 1);
    spawn(fixture.room, fixture.me, 1, 10);
    tick(fixture.room);
    qd_room_report report = next_report(fixture.room);
    expect_pairs(report.ends, 1, 1, 2);
    assert_int_equal(report.end_reason[0], QD_SPACE_DESPAWNED);
    expect_pairs(report.begins, 1, 1, 2);
    expect_pairs(report.stays, 0);

    /* Twice more within a tick: the one in between leaves no trace. */
    despawn(fixture.room, fixture.me, 1);
    spawn(fixture.room, fixture.me, 1, 40);
    despawn(fixture.room, fixture.me, 1);
    spawn(fixture.room, fixture.me, 1, 12);
    tick(fixture.room);
    report = next_report(fixture.room);
    expect_pairs(report.ends, 1, 1, 2);
    expect_pairs(report.begins, 1, 1, 2);
    no_report(fixture.room);
    close_room(&fixture);
}

TEST(entity_spawned_and_despawned_within_a_tick_is_not_reported)
{
    room_fixture fixture;

    (void)state;
    open_crowd(&fixture, 1000);
    subscribe(fixture.room, fixture.me);
    catch_up(fixture.room);
    (void)next_report(fixture.room);
    spawn(fixture.room, fixture.me, 9, 10);
    despawn(fixture.room, fixture.me, 9);
    spawn(fixture.room, fixture.me, 9, 10);
    despawn(fixture.room, fixture.me, 9);
    tick(fixture.room);
    no_report(fixture.room);
    close_room(&fixture);
}

TEST(ends_have_their_reason)
{
    uint32_t id = 1, mask = 0;
    float half = 0, x = 60, y = 50, near = 10;
    qd_room_batch filter = {.count = 1, .id = &id, .mask = &mask}, size = {.count = 1, .id = &id, .half_x = &half};
    qd_room_batch jump = {.count = 1, .id = &id, .x = &x, .y = &y}, back = {.count = 1, .id = &id, .x = &near, .y = &y};
    qd_room_refusals refusals;

    (void)state;
    /* Each end has all the causes from its own on, and the first counts. */
    for (int reason = QD_SPACE_DESPAWNED; reason <= QD_SPACE_MOVED_APART; reason++) {
        room_fixture fixture;

        open_crowd(&fixture, 1000);
        subscribe(fixture.room, fixture.me);
        catch_up(fixture.room);
        (void)next_report(fixture.room);
        qd_room_move(fixture.room, fixture.me, &jump, &refusals);
        if (reason <= QD_SPACE_TELEPORTED) {
            qd_room_teleport(fixture.room, fixture.me, &back, &refusals);
            qd_room_move(fixture.room, fixture.me, &jump, &refusals);
        }
        if (reason <= QD_SPACE_RESIZED) {
            qd_room_reshape(fixture.room, fixture.me, &size, &refusals);
        }
        if (reason <= QD_SPACE_FILTERED) {
            qd_room_reshape(fixture.room, fixture.me, &filter, &refusals);
        }
        if (reason <= QD_SPACE_DESPAWNED) {
            despawn(fixture.room, fixture.me, 1);
        }
        tick(fixture.room);
        qd_room_report report = next_report(fixture.room);
        expect_pairs(report.ends, 1, 1, 2);
        assert_int_equal(report.end_reason[0], reason);
        close_room(&fixture);
    }
}

TEST(too_many_pairs_for_a_reset_suspend_once)
{
    room_fixture fixture;

    (void)state;
    open_crowd(&fixture, 2);
    move(fixture.room, fixture.me, 3, 11);
    tick(fixture.room);
    subscribe(fixture.room, fixture.me);
    catch_up(fixture.room);
    qd_room_report report = next_report(fixture.room);
    expect_suspended(&report, 3);
    catch_up(fixture.room);
    no_report(fixture.room);
    tick(fixture.room);
    no_report(fixture.room);
    assert_int_equal(stats_of(fixture.room).pairs, 0);

    move(fixture.room, fixture.me, 3, 40);
    catch_up(fixture.room); /* suspended ones are for ticks */
    no_report(fixture.room);
    tick(fixture.room);
    report = next_report(fixture.room);
    expect_reset(&report, 4);
    expect_pairs(report.begins, 1, 1, 2);
    assert_int_equal(stats_of(fixture.room).pairs, 1);
    close_room(&fixture);
}

TEST(too_many_events_suspend_all_until_the_next_tick_that_fits)
{
    room_fixture fixture;

    (void)state;
    open_crowd(&fixture, 1);
    uint32_t second = join(fixture.room);
    subscribe(fixture.room, fixture.me);
    qd_room_subscribe(fixture.room, second, (qd_room_interest){.own_only = true});
    catch_up(fixture.room);
    (void)next_report(fixture.room);
    (void)next_report(fixture.room);

    /* An end and a begin are one too many, though the set would fit. */
    move(fixture.room, fixture.me, 1, 40);
    tick(fixture.room);
    qd_room_report report = next_report(fixture.room);
    expect_suspended(&report, 2);
    uint32_t share = report.share;
    report = next_report(fixture.room);
    expect_suspended(&report, 2);
    assert_int_equal(report.share, share);
    assert_int_not_equal(share, 0);
    no_report(fixture.room);

    tick(fixture.room);
    report = next_report(fixture.room);
    expect_reset(&report, 3);
    expect_pairs(report.begins, 1, 1, 3);
    report = next_report(fixture.room);
    expect_reset(&report, 3);
    expect_pairs(report.begins, 0);
    close_room(&fixture);
}

TEST(a_lost_subscription_waits_for_resume)
{
    room_fixture fixture;

    (void)state;
    open_crowd(&fixture, 1000);
    subscribe(fixture.room, fixture.me);
    qd_room_resume(fixture.room, fixture.me); /* not lost: no effect */
    catch_up(fixture.room);
    (void)next_report(fixture.room);
    qd_room_resume(fixture.room, fixture.me);
    catch_up(fixture.room);
    no_report(fixture.room);

    qd_room_lost(fixture.room, fixture.me);
    assert_int_equal(stats_of(fixture.room).subscriptions, 1);
    move(fixture.room, fixture.me, 1, 40);
    tick(fixture.room);
    catch_up(fixture.room);
    no_report(fixture.room);
    qd_room_resume(fixture.room, fixture.me);
    catch_up(fixture.room);
    qd_room_report report = next_report(fixture.room);
    expect_reset(&report, 2);
    expect_pairs(report.begins, 1, 1, 3);
    close_room(&fixture);
}

TEST(loss_without_a_subscription_changes_nothing)
{
    room_fixture fixture;

    (void)state;
    open_crowd(&fixture, 1000);
    qd_room_lost(fixture.room, fixture.me);
    qd_room_resume(fixture.room, fixture.me);
    catch_up(fixture.room);
    no_report(fixture.room);
    assert_int_equal(stats_of(fixture.room).subscriptions, 0);
    close_room(&fixture);
}

/* In the middle of a round one reader loses its report, another subscribes again, a third leaves. */
TEST(changes_within_a_round_concern_only_their_member)
{
    room_fixture fixture;

    (void)state;
    open_crowd(&fixture, 1000);
    uint32_t again = join(fixture.room), leaver = join(fixture.room), last = join(fixture.room);
    subscribe(fixture.room, fixture.me);
    subscribe(fixture.room, again);
    subscribe(fixture.room, leaver);
    subscribe(fixture.room, last);
    tick(fixture.room);
    qd_room_report report = next_report(fixture.room);
    assert_int_equal(report.member, fixture.me);
    qd_room_lost(fixture.room, fixture.me);
    subscribe(fixture.room, again);
    qd_room_leave(fixture.room, leaver, 0);
    assert_int_equal(join(fixture.room), leaver);
    report = next_report(fixture.room);
    assert_int_equal(report.member, last);
    expect_pairs(report.begins, 1, 1, 2);
    no_report(fixture.room);

    catch_up(fixture.room);
    report = next_report(fixture.room);
    assert_int_equal(report.member, again);
    expect_reset(&report, 2);
    no_report(fixture.room);
    close_room(&fixture);
}

TEST(unread_reports_count_as_delivered)
{
    room_fixture fixture;

    (void)state;
    open_crowd(&fixture, 1000);
    subscribe(fixture.room, fixture.me);
    catch_up(fixture.room);
    tick(fixture.room);
    no_report(fixture.room);
    move(fixture.room, fixture.me, 1, 40);
    tick(fixture.room);
    catch_up(fixture.room); /* a round of its own, without reports */
    no_report(fixture.room);
    tick(fixture.room);
    no_report(fixture.room);
    close_room(&fixture);
}

TEST(a_second_subscribe_replaces_the_first)
{
    room_fixture fixture;

    (void)state;
    open_crowd(&fixture, 1000);
    subscribe(fixture.room, fixture.me);
    catch_up(fixture.room);
    (void)next_report(fixture.room);
    qd_room_subscribe(fixture.room, fixture.me, (qd_room_interest){.stays = true});
    assert_int_equal(stats_of(fixture.room).subscriptions, 1);
    tick(fixture.room);
    qd_room_report report = next_report(fixture.room);
    expect_reset(&report, 2);
    tick(fixture.room);
    expect_pairs(next_report(fixture.room).stays, 1, 1, 2);
    qd_room_unsubscribe(fixture.room, fixture.me);
    tick(fixture.room);
    no_report(fixture.room);
    assert_int_equal(stats_of(fixture.room).subscriptions, 0);
    close_room(&fixture);
}

TEST(equal_reports_share_a_number)
{
    enum { MEMBERS = 6 };
    room_fixture fixture;
    uint32_t member[MEMBERS], share[MEMBERS];

    (void)state;
    open_crowd(&fixture, 1000);
    for (int i = 0; i < MEMBERS; i++) {
        member[i] = join(fixture.room);
        qd_room_subscribe(fixture.room, member[i], (qd_room_interest){.stays = i % 2 == 1});
    }
    qd_room_unsubscribe(fixture.room, member[4]);
    qd_room_unsubscribe(fixture.room, member[5]);
    catch_up(fixture.room);
    for (int i = 0; i < 4; i++) {
        share[i] = next_report(fixture.room).share;
    }
    assert_true(share[0] != 0 && share[0] == share[1] && share[0] == share[2] && share[0] == share[3]);

    subscribe(fixture.room, member[4]);
    subscribe(fixture.room, member[5]);
    move(fixture.room, fixture.me, 3, 12);
    tick(fixture.room);
    for (int i = 0; i < MEMBERS; i++) {
        share[i] = next_report(fixture.room).share;
    }
    assert_true(share[0] == share[2] && share[1] == share[3] && share[4] == share[5]);
    assert_true(share[0] != 0 && share[1] != 0 && share[4] != 0);
    assert_true(share[0] != share[1] && share[0] != share[4] && share[1] != share[4]);
    close_room(&fixture);
}

TEST(figures_count_while_a_subscription_is_live)
{
    room_fixture fixture;

    (void)state;
    open_crowd(&fixture, 1000);
    qd_room_stats stats = stats_of(fixture.room);
    assert_true(stats.tick == 1 && stats.entities == 3 && stats.members == 1 && stats.updates == 3);
    assert_true(stats.begins == 0 && stats.ends == 0 && stats.pairs == 0);

    subscribe(fixture.room, fixture.me);
    catch_up(fixture.room);
    assert_int_equal(stats_of(fixture.room).pairs, 1);
    move(fixture.room, fixture.me, 3, 12);
    tick(fixture.room);
    stats = stats_of(fixture.room);
    assert_true(stats.begins == 2 && stats.ends == 0 && stats.pairs == 3);
    despawn(fixture.room, fixture.me, 1);
    tick(fixture.room);
    stats = stats_of(fixture.room);
    assert_true(stats.begins == 2 && stats.ends == 2 && stats.pairs == 1);
    qd_room_unsubscribe(fixture.room, fixture.me);
    assert_int_equal(stats_of(fixture.room).pairs, 0);
    close_room(&fixture);
}

TEST(requested_depth_is_kept)
{
    qd_room_config config = *default_config();
    room_fixture fixture;

    (void)state;
    config.space.depth = 4;
    open_room(&fixture, &config);
    spawn(fixture.room, fixture.me, 1, 10);
    tick(fixture.room);
    assert_int_equal(stats_of(fixture.room).depth, 4);
    close_room(&fixture);
}

TEST_MAIN()
