/* SPDX-License-Identifier: Apache-2.0
 *
 * The view reports of members: relays, bytes, watchers, losses, suspensions, why, descriptions; and its memory.
 */
#include "server/room/state.h"
#include "server/room/views/changes.h"

#include "room_views_fixture.h"
#include "tests/support/test.h"

static void options(uint32_t member, uint32_t bytes_max, qd_room_watching watching)
{
    qd_room_view_options_set(room, member,
                             (qd_room_view_options){.bytes_max = bytes_max, .watching = (uint8_t)watching});
}

/* `count` entries follow: entity, member, observer, ... */
static void expect_watchers(uint32_t count, const uint32_t *entity, const uint32_t *member, const uint32_t *observer,
                            uint32_t expected_count, ...)
{
    va_list expected;

    assert_int_equal(count, expected_count);
    va_start(expected, expected_count);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(entity[i], va_arg(expected, uint32_t));
        assert_int_equal(member[i], va_arg(expected, uint32_t));
        assert_int_equal(observer[i], va_arg(expected, uint32_t));
    }
    va_end(expected);
}

/* Skips to the next check of the rounds, `times` times. Nothing happens meanwhile. */
static void wait_long(uint32_t times)
{
    while (times-- > 0) {
        room->views.round = (room->views.round & ~(QD_VIEW_AGE_ROUNDS - 1)) + QD_VIEW_AGE_ROUNDS - 1;
        silent_tick(room);
    }
}

/* Half of all rounds is a day of some rooms that tick by Step, and a year of others. */
TEST_WITH(positions_are_relayed_after_a_long_idle_time, set_up, tear_down)
{
    static const float ranges[] = {5}, wide[] = {30};
    static const uint32_t everys[] = {1};

    (void)state;
    spawn(room, me, 1, 52);
    spawn(room, me, 2, 60);
    spawn(room, me, 3, 75);
    observe(room, me, (watch){.id = 7, .range = 40, .tiers = 1, .relay_range = ranges, .relay_every = everys});
    expect_enters(view_at_tick(room), 3, 7, 1, 7, 2, 7, 3);
    move(room, me, 3, 76); /* not reported yet */
    silent_tick(room);
    for (uint32_t times = 1; times < 20; times++) {
        wait_long(times);
        move(room, me, 1, 52 + (float)(times % 2));
        expect_relays(view_at_tick(room), 1, 7, 1);
    }
    wait_long(10);
    observe(room, me, (watch){.id = 7, .range = 40, .tiers = 1, .relay_range = wide, .relay_every = everys});
    expect_relays(view_at_tick(room), 1, 7, 3);
    wait_long(10);
    observe(room, me, (watch){.id = 7, .range = 40});
    silent_tick(room);
    observe(room, me, (watch){.id = 7, .range = 40, .tiers = 1, .relay_range = wide, .relay_every = everys});
    expect_relays(view_at_tick(room), 3, 7, 1, 7, 2, 7, 3);
    silent_tick(room);
}

TEST_WITH(positions_are_relayed_by_tier_and_only_if_changed, set_up, tear_down)
{
    static const float ranges[] = {5, 20};
    static const uint32_t everys[] = {1, 3};

    (void)state;
    spawn(room, me, 3, 52);
    spawn(room, me, 4, 60); /* its turn is at ticks 2, 5, ... */
    spawn(room, me, 5, 75); /* beyond the last tier */
    observe(room, me, (watch){.id = 7, .range = 40, .tiers = 2, .relay_range = ranges, .relay_every = everys});
    expect_enters(view_at_tick(room), 3, 7, 3, 7, 4, 7, 5);
    silent_tick(room);
    move(room, me, 3, 53);
    move(room, me, 4, 61);
    move(room, me, 5, 76);
    qd_room_view_report report = view_at_tick(room); /* 3 */
    expect_relays(report, 1, 7, 3);
    assert_true(report.relay_x[0] == 53 && report.relay_y[0] == 50 && !report.relay_z);
    silent_tick(room);
    report = view_at_tick(room); /* 5 */
    expect_relays(report, 1, 7, 4);
    assert_true(report.relay_x[0] == 61);

    move(room, me, 4, 62);
    qd_room_tick(room, &qd_executor_serial, 3); /* its turn at 8 was skipped, and this is 9 */
    expect_relays(next_view(room), 1, 7, 4);
}

TEST_WITH(bytes_go_to_leaves_then_enters_then_relays, set_up, tear_down)
{
    static const float ranges[] = {50};
    static const uint32_t everys[] = {1};

    (void)state;
    for (uint32_t id = 1; id <= 4; id++) {
        spawn(room, me, id, 50 + (float)id);
    }
    options(me, 2 * QD_VIEW_ENTER_BYTES + QD_VIEW_RELAY_BYTES, QD_ROOM_WATCH_NONE);
    observe(room, me, (watch){.id = 7, .range = 10, .tiers = 1, .relay_range = ranges, .relay_every = everys});
    expect_enters(view_at_tick(room), 2, 7, 1, 7, 2);
    move(room, me, 1, 49);
    move(room, me, 2, 48);
    qd_room_view_report report = view_at_tick(room);
    expect_enters(report, 2, 7, 3, 7, 4);
    expect_relays(report, 1, 7, 1);
    /* The observer that has waited goes first. */
    move(room, me, 1, 50);
    options(me, QD_VIEW_RELAY_BYTES, QD_ROOM_WATCH_NONE);
    expect_relays(view_at_tick(room), 1, 7, 2);
    expect_relays(view_at_tick(room), 1, 7, 1);
    silent_tick(room);
    /* Leaves are always reported, whatever bytes_max is. */
    options(me, 1, QD_ROOM_WATCH_NONE);
    unobserve(room, me, 7);
    assert_int_equal(view_at_tick(room).leave_count, 4);
}

TEST_WITH(watchers_are_reported_to_owners_and_to_sessions_that_watch_all, set_up, tear_down)
{
    uint32_t other = join(room), third = join(room);

    options(other, 0, QD_ROOM_WATCH_OWN);
    options(third, 0, QD_ROOM_WATCH_ALL);
    spawn(room, me, 1, 50);
    spawn(room, other, 2, 51);
    observe(room, me, (watch){.id = 7, .range = 10});
    observe(room, other, (watch){.id = 8, .range = 10});
    tick(room);
    expect_enters(next_view(room), 2, 7, 1, 7, 2);
    qd_room_view_report report = next_view(room);
    assert_true(report.reset_watchers && report.member == other && !report.reset);
    expect_watchers(report.watcher_enter_count, report.watcher_enter_entity, report.watcher_enter_member,
                    report.watcher_enter_observer, 2, 2, me, 7, 2, other, 8);
    report = next_view(room);
    assert_true(report.reset_watchers && report.member == third);
    expect_watchers(report.watcher_enter_count, report.watcher_enter_entity, report.watcher_enter_member,
                    report.watcher_enter_observer, 4, 1, me, 7, 1, other, 8, 2, me, 7, 2, other, 8);
    no_view(room);

    unobserve(room, me, 7);
    tick(room);
    (void)next_view(room);
    report = next_view(room);
    assert_false(report.reset_watchers);
    expect_watchers(report.watcher_leave_count, report.watcher_leave_entity, report.watcher_leave_member,
                    report.watcher_leave_observer, 1, 2, me, 7);
    report = next_view(room);
    expect_watchers(report.watcher_leave_count, report.watcher_leave_entity, report.watcher_leave_member,
                    report.watcher_leave_observer, 2, 1, me, 7, 2, me, 7);
    options(third, 0, QD_ROOM_WATCH_NONE);
    report = view_at_tick(room);
    assert_true(report.reset_watchers && report.watcher_enter_count == 0);
}

TEST_WITH(lost_report_is_followed_by_a_reset, set_up, tear_down)
{
    spawn(room, me, 1, 50);
    observe(room, me, (watch){.id = 7, .range = 10});
    (void)view_at_tick(room);
    spawn(room, me, 2, 51);
    tick(room);
    qd_room_view_lost(room, me);
    no_view(room); /* the rest of the round was dropped with it */
    despawn(room, me, 1);
    silent_tick(room);
    qd_room_view_resume(room, me);
    /* Enters wait for a tick, and a reverse view with them. */
    options(me, 0, QD_ROOM_WATCH_ALL);
    qd_room_view_catch_up(room);
    no_view(room);
    qd_room_view_report report = view_at_tick(room);
    assert_true(report.reset && report.reset_watchers && report.merged_ticks == 3);
    expect_leaves(report, 0);
    expect_enters(report, 1, 7, 2);
    silent_tick(room);
}

TEST_WITH(lost_ticks_are_counted, set_up, tear_down)
{
    spawn(room, me, 1, 50);
    observe(room, me, (watch){.id = 7, .range = 10});
    (void)view_at_tick(room);
    /* Quiet ticks lose nothing. The reset has the changes made while reports were lost. */
    silent_tick(room);
    qd_room_view_lost(room, me);
    spawn(room, me, 2, 51);
    qd_room_tick(room, &qd_executor_serial, 3);
    no_view(room);
    qd_room_view_resume(room, me);
    assert_int_equal(view_at_tick(room).merged_ticks, 5);
    /* Skipped ticks go with the one that is lost. */
    spawn(room, me, 3, 51);
    qd_room_tick(room, &qd_executor_serial, 3);
    (void)next_view(room);
    qd_room_view_lost(room, me);
    qd_room_view_resume(room, me);
    /* The reset itself is lost: it goes on counting. */
    assert_int_equal(view_at_tick(room).merged_ticks, 5);
    qd_room_view_lost(room, me);
    qd_room_view_resume(room, me);
    assert_int_equal(view_at_tick(room).merged_ticks, 6);
    /* Delivered reports are not repeated, unless the member has missed them. */
    qd_room_view_lost(room, me);
    silent_tick(room);
    qd_room_view_missed(room, me, UINT64_MAX);
    qd_room_view_missed(room, me, 2);
    qd_room_view_resume(room, me);
    qd_room_view_report report = view_at_tick(room);
    assert_int_equal(report.merged_ticks, report.tick - 2);
    silent_tick(room);
}

TEST_WITH(a_reverse_view_begins_between_ticks, set_up, tear_down)
{
    uint32_t other = join(room);

    spawn(room, me, 1, 50);
    spawn(room, other, 2, 51);
    observe(room, me, (watch){.id = 7, .range = 10});
    (void)view_at_tick(room);
    options(other, 0, QD_ROOM_WATCH_ALL);
    spawn(room, me, 3, 52); /* no observer sees it yet, */
    despawn(room, me, 1);   /* and this is seen until the tick */
    qd_room_view_catch_up(room);
    qd_room_view_report report = next_view(room);
    assert_true(report.member == other && report.reset_watchers && !report.reset && report.tick == 1);
    expect_watchers(report.watcher_enter_count, report.watcher_enter_entity, report.watcher_enter_member,
                    report.watcher_enter_observer, 2, 1, me, 7, 2, me, 7);
    no_view(room);
    qd_room_view_catch_up(room);
    no_view(room);
    tick(room);
    (void)next_view(room);
    report = next_view(room);
    assert_true(report.member == other && !report.reset_watchers);
    expect_watchers(report.watcher_leave_count, report.watcher_leave_entity, report.watcher_leave_member,
                    report.watcher_leave_observer, 1, 1, me, 7);
    expect_watchers(report.watcher_enter_count, report.watcher_enter_entity, report.watcher_enter_member,
                    report.watcher_enter_observer, 1, 3, me, 7);
    /* After a hand-over, members that watch their own entities get a reset. */
    static const uint32_t given[] = {3};
    qd_room_refusals refusals;
    options(other, 0, QD_ROOM_WATCH_OWN);
    qd_room_view_catch_up(room);
    assert_int_equal(next_view(room).watcher_enter_count, 1);
    assert_int_equal(qd_room_hand_over(room, me, given, 1, other, NULL, &refusals), 1);
    qd_room_view_catch_up(room);
    report = next_view(room);
    expect_watchers(report.watcher_enter_count, report.watcher_enter_entity, report.watcher_enter_member,
                    report.watcher_enter_observer, 2, 2, me, 7, 3, me, 7);
    no_view(room);
}

TEST_WITH(too_many_visible_entries_suspend_views_until_they_are_fewer, set_up, tear_down)
{
    for (uint32_t id = 0; id < 100; id++) {
        spawn(room, me, id, 50);
    }
    for (uint32_t id = 0; id < 10; id++) {
        observe(room, me, (watch){.id = id, .range = 10});
    }
    assert_int_equal(view_at_tick(room).enter_count, 1000);
    spawn(room, me, 100, 51);
    qd_room_view_report report = view_at_tick(room);
    assert_true(report.suspended && !report.reset && report.leave_count == 0 && report.enter_count == 0);
    silent_tick(room);
    despawn(room, me, 0);
    report = view_at_tick(room);
    assert_true(report.reset && !report.suspended && report.leave_count == 0 && report.enter_count == 1000);
    qd_room_view_stats stats;
    qd_room_view_stats_get(room, &stats);
    assert_int_equal(stats.seen, 1000);
    assert_int_equal(stats.enters - stats.leaves, 1000);
}

/* Wherever they are, and whether they are there or not: else lists would be a way around the limit. */
TEST_WITH(entities_on_show_lists_count_as_visible_entries, set_up, tear_down)
{
    uint32_t ids[1000];

    (void)state;
    for (uint32_t i = 0; i < 1000; i++) {
        ids[i] = i;
    }
    spawn(room, me, 1, 50);
    observe(room, me, (watch){.id = 7, .range = 10, .x = 500});
    observe(room, me, (watch){.id = 8, .range = 10, .x = 500});
    assert_int_equal(qd_room_except(room, me, 7, 1000, ids, 0, NULL), QD_OK);
    assert_int_equal(view_at_tick(room).enter_count, 1);
    assert_int_equal(qd_room_except(room, me, 8, 1, ids + 1, 1, ids), QD_OK);
    assert_true(view_at_tick(room).suspended);
    silent_tick(room);
    assert_int_equal(qd_room_except(room, me, 7, 999, ids, 1, ids), QD_OK);
    qd_room_view_report report = view_at_tick(room);
    assert_true(report.reset && !report.suspended && report.enter_count == 2);
    spawn(room, me, 2, 500); /* in both regions */
    assert_true(view_at_tick(room).suspended);
    unobserve(room, me, 7);
    report = view_at_tick(room);
    assert_true(report.reset && report.enter_count == 2);
}

TEST_WITH(unobserve_while_views_are_suspended_is_reported, set_up, tear_down)
{
    uint32_t other = join(room);

    for (uint32_t id = 0; id < 101; id++) {
        spawn(room, me, id, 50);
    }
    observe(room, other, (watch){.id = 1, .range = 10});
    assert_int_equal(view_at_tick(room).enter_count, 101);
    unobserve(room, other, 1);
    for (uint32_t id = 0; id < 10; id++) {
        observe(room, me, (watch){.id = id, .range = 10});
    }
    tick(room);
    assert_true(next_view(room).suspended);
    qd_room_view_report report = next_view(room);
    assert_true(report.member == other && report.suspended && report.leave_count == 0);
}

TEST_WITH(why_names_the_rule, set_up, tear_down)
{
    static const uint32_t lists[] = {4, 5};

    static const struct {
        uint32_t id;
        qd_room_sight sight;
    } expected[] = {{1, QD_ROOM_NOT_SELF},     {2, QD_ROOM_SEEN},         {3, QD_ROOM_NOT_RANGE},
                    {4, QD_ROOM_SEEN_BY_SHOW}, {5, QD_ROOM_NOT_EXCEPTED}, {6, QD_ROOM_NOT_HIDDEN},
                    {7, QD_ROOM_NOT_MASK},     {8, QD_ROOM_NOT_TEAM}};
    qd_room_reason reason;

    (void)state;
    for (uint32_t id = 1; id <= 8; id++) {
        spawn(room, me, id, id == 3 || id == 4 ? 90 : 50 + (float)id);
    }
    hide(room, me, 6, 1);
    recategorise(room, me, 7, 2);
    set_team(room, me, 8, 2);
    observe(room, me,
            (watch){.id = 9, .anchored = 1, .entity = 1, .range = 10, .mask = 1, .team = 1, .leave_margin = 2});
    assert_int_equal(qd_room_except(room, me, 9, 1, lists, 1, lists + 1), QD_OK);
    assert_int_equal(qd_room_why(room, me, 9, 2, 1, &reason), 1);
    assert_int_equal(reason.sight, QD_ROOM_NOT_YET);
    tick(room);
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        assert_int_equal(qd_room_why(room, UINT32_MAX, 1, expected[i].id, 1, &reason), 1);
        assert_int_equal(reason.sight, expected[i].sight);
        assert_int_equal(reason.observer, 9);
        assert_int_equal(reason.seen, 2);
        assert_true(reason.range == 10 && reason.leave_margin == 2);
    }
    move(room, me, 2, 62);
    tick(room);
    assert_int_equal(qd_room_why(room, me, 9, 2, 1, &reason), 1);
    assert_int_equal(reason.sight, QD_ROOM_SEEN_BY_MARGIN);
    assert_true(reason.distance == 11);
    assert_true(qd_room_why(room, me, 8, 2, 1, &reason) == UINT32_MAX);
    assert_true(qd_room_why(room, UINT32_MAX, 1, 99, 1, &reason) == UINT32_MAX);
    assert_int_equal(qd_room_why(room, UINT32_MAX, 2, 1, 1, &reason), 0);
}

TEST_WITH(descriptions_come_with_enters_and_go_with_their_entity, set_up, tear_down)
{
    static const uint32_t id[] = {1, 2};
    static const uint64_t tag[] = {UINT64_MAX, 5};
    static const uint8_t size[] = {2, 3}, payload[] = {'a', 'b', 'c', 'd', 'e'};
    qd_msg_describe batch = {.count = 2, .id = id, .tag = tag, .payload_size = size, .payload = payload};
    qd_room_refusals refusals;

    (void)state;
    spawn(room, me, 2, 50);
    qd_room_describe(room, me, &batch, &refusals); /* of the first there is no entity */
    assert_int_equal(refusals.count, 1);
    assert_int_equal(refusals.code[0], QD_ROOM_UNKNOWN_ID);
    spawn(room, me, 1, 50);
    observe(room, me, (watch){.id = 7, .range = 10});
    qd_room_view_report report = view_at_tick(room);
    assert_true(report.enter_tag[0] == 0 && report.enter_tag[1] == 5);
    assert_true(report.enter_payload_size[0] == 0 && report.enter_payload_size[1] == 3);
    assert_memory_equal(report.enter_payload, "cde", 3);
    despawn(room, me, 2);
    spawn(room, me, 2, 50);
    report = view_at_tick(room);
    assert_true(report.enter_tag[0] == 0 && report.enter_payload_size[0] == 0);
}

TEST_WITH(member_that_left_the_room_sees_nothing, set_up, tear_down)
{
    uint32_t other = join(room);

    spawn(room, me, 1, 50);
    observe(room, other, (watch){.id = 7, .range = 10});
    tick(room);
    qd_room_leave(room, other, 0);
    assert_int_not_equal(join(room), other); /* its view has yet to end */
    silent_tick(room);
    assert_int_equal(join(room), other);
    silent_tick(room);
    qd_room_view_stats stats;
    qd_room_view_stats_get(room, &stats);
    assert_true(stats.observers == 0 && stats.seen == 0 && stats.enters == 1 && stats.leaves == 1);
}

TEST_WITH(a_room_without_memory_refuses_observers_and_goes_on, set_up, tear_down)
{
    spawn(room, me, 1, 50);
    tick(room);
    size_t bytes = fixture.heap.bytes;
    qd_memory_limit_set(1);
    int refusal = observe(room, me, (watch){.id = 7, .range = 10});
    qd_memory_limit_set(0);
    assert_int_equal(refusal, QD_ROOM_OBSERVERS_FULL);
    silent_tick(room);
    assert_int_equal(observe(room, me, (watch){.id = 7, .range = 10}), 0);
    expect_enters(view_at_tick(room), 1, 7, 1);
    assert_true(fixture.heap.bytes > bytes);
}

/* While views are suspended the last observer ends, and another is refused. Then the entries fit again: at the next
 * tick the members that watch and those that observed get a reset, although there is no observer. */
static void suspended_views_end_without_an_observer(uint32_t entities, uint32_t *refused)
{
    uint32_t watcher = join(room);

    qd_room_view_options_set(room, watcher, (qd_room_view_options){.watching = QD_ROOM_WATCH_ALL});
    for (uint32_t id = 0; id < entities; id++) {
        spawn(room, me, id, 50);
    }
    for (uint32_t id = 0; id < 11; id++) {
        observe(room, me, (watch){.id = id, .range = 10});
    }
    tick(room);
    assert_true(next_view(room).suspended);
    assert_true(next_view(room).suspended);
    no_view(room);
    for (uint32_t id = 0; id < 11; id++) {
        unobserve(room, me, id);
    }
    qd_memory_limit_set(1);
    *refused +=
        observe(room, me, (watch){.id = 100, .range = 10, .leave_margin = 1, .x = 500}) == QD_ROOM_OBSERVERS_FULL;
    qd_memory_limit_set(0);
    tick(room);
    qd_room_view_report report = next_view(room);
    assert_true(report.member == me && report.reset && !report.suspended && report.enter_count == 0);
    report = next_view(room);
    assert_true(report.member == watcher && report.reset_watchers && !report.suspended);
    no_view(room);
}

TEST_WITH(visibility_index_without_observers_is_not_suspended, set_up, tear_down)
{
    uint32_t refused = 0;

    for (uint32_t entities = 100; entities < 164; entities++) {
        suspended_views_end_without_an_observer(entities, &refused);
        tear_down(NULL);
        set_up(NULL);
    }
    assert_true(refused > 0);
}

/* The first entity with a visible range needs bodies of each observer. One that has ended has none to free. */
TEST_WITH(a_room_without_memory_refuses_a_visible_range_and_goes_on, set_up, tear_down)
{
    spawn(room, me, 1, 50);
    spawn(room, me, 2, 52);
    for (uint32_t id = 1; id < 100; id++) {
        observe(room, me, (watch){.id = id, .range = 10});
    }
    observe(room, me, (watch){.id = 100, .range = 10, .x = 500});
    set_team(room, me, 2, 0); /* descriptions have their memory */
    assert_int_equal(view_at_tick(room).enter_count, 2 * 99);
    unobserve(room, me, 100);
    qd_memory_limit_set(1);
    int refusal = set_visible_range(room, me, 1, 60);
    qd_memory_limit_set(0);
    assert_int_equal(refusal, QD_ROOM_FULL);
    silent_tick(room);
    move(room, me, 1, 90);
    assert_int_equal(view_at_tick(room).leave_count, 99);
    assert_int_equal(set_visible_range(room, me, 1, 60), 0);
    assert_int_equal(view_at_tick(room).enter_count, 99);
}

TEST_MAIN()
