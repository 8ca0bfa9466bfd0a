/* SPDX-License-Identifier: Apache-2.0
 *
 * The views of observers: regions, margins, masks, teams, hidden entities, and the reasons of leaves.
 */
#include "room_views_fixture.h"
#include "tests/support/test.h"

TEST_WITH(a_circle_sees_what_is_within_its_range, set_up, tear_down)
{
    spawn(room, me, 1, 60);
    spawn(room, me, 2, 60.5f);
    spawn(room, me, 3, 40);
    assert_int_equal(observe(room, me, (watch){.id = 7, .range = 10}), 0);
    qd_room_view_report report = view_at_tick(room);
    assert_int_equal(report.member, me);
    assert_int_equal(report.tick, 1);
    assert_false(report.reset);
    expect_enters(report, 2, 7, 1, 7, 3);
    assert_true(report.enter.x[0] == 60 && report.enter.y[0] == 50 && report.enter.half_x[0] == 1);
    assert_int_equal(report.enter.category[0], 1);
    no_view(room);
    silent_tick(room);

    move(room, me, 1, 61);
    move(room, me, 2, 59);
    report = view_at_tick(room);
    expect_leaves(report, 1, 7, 1, QD_ROOM_LEFT_RANGE);
    expect_enters(report, 1, 7, 2);
}

TEST_WITH(entity_in_view_stays_within_the_margin, set_up, tear_down)
{
    spawn(room, me, 1, 60);
    spawn(room, me, 2, 62);
    observe(room, me, (watch){.id = 7, .range = 10, .leave_margin = 5});
    expect_enters(view_at_tick(room), 1, 7, 1);
    move(room, me, 1, 65);
    silent_tick(room);
    move(room, me, 1, 65.5f);
    expect_leaves(view_at_tick(room), 1, 7, 1, QD_ROOM_LEFT_RANGE);
    move(room, me, 1, 62);
    silent_tick(room);
}

TEST_WITH(a_box_has_its_own_extents, set_up, tear_down)
{
    spawn(room, me, 1, 60);
    spawn(room, me, 2, 61);
    observe(room, me, (watch){.id = 7, .region = QD_ROOM_BOX, .half_x = 10, .half_y = 0.5f, .leave_margin = 2});
    expect_enters(view_at_tick(room), 1, 7, 1);
    move(room, me, 1, 62);
    silent_tick(room);
    move(room, me, 1, 63);
    expect_leaves(view_at_tick(room), 1, 7, 1, QD_ROOM_LEFT_RANGE);
}

TEST_WITH(an_anchored_observer_goes_with_its_entity_and_does_not_see_it, set_up, tear_down)
{
    spawn(room, me, 1, 10);
    spawn(room, me, 2, 15);
    spawn(room, me, 3, 90);
    observe(room, me, (watch){.id = 7, .anchored = 1, .entity = 1, .range = 10});
    expect_enters(view_at_tick(room), 1, 7, 2);
    move(room, me, 1, 85);
    qd_room_view_report report = view_at_tick(room);
    expect_leaves(report, 1, 7, 2, QD_ROOM_LEFT_RANGE);
    expect_enters(report, 1, 7, 3);

    observe(room, me, (watch){.id = 7, .anchored = 1, .sees_self = 1, .entity = 1, .range = 10});
    expect_enters(view_at_tick(room), 1, 7, 1);
    despawn(room, me, 1);
    expect_leaves(view_at_tick(room), 2, 7, 1, QD_ROOM_LEFT_OBSERVER, 7, 3, QD_ROOM_LEFT_OBSERVER);
    assert_int_equal(unobserve(room, me, 7), QD_ROOM_UNKNOWN_OBSERVER);
}

TEST_WITH(category_and_mask_filter, set_up, tear_down)
{
    spawn(room, me, 1, 50);
    spawn(room, me, 2, 51);
    recategorise(room, me, 2, 2);
    observe(room, me, (watch){.id = 7, .range = 10, .mask = 2});
    expect_enters(view_at_tick(room), 1, 7, 2);
    recategorise(room, me, 1, 3);
    recategorise(room, me, 2, 4);
    qd_room_view_report report = view_at_tick(room);
    expect_leaves(report, 1, 7, 2, QD_ROOM_LEFT_FILTERED);
    expect_enters(report, 1, 7, 1);
    observe(room, me, (watch){.id = 7, .range = 10, .mask = 4});
    report = view_at_tick(room);
    expect_leaves(report, 1, 7, 1, QD_ROOM_LEFT_FILTERED);
    expect_enters(report, 1, 7, 2);
}

TEST_WITH(despawned_entity_leaves_and_may_enter_in_the_same_report, set_up, tear_down)
{
    spawn(room, me, 1, 50);
    spawn(room, me, 2, 51);
    observe(room, me, (watch){.id = 7, .range = 10});
    (void)view_at_tick(room);
    despawn(room, me, 1);
    despawn(room, me, 2);
    spawn(room, me, 1, 52);
    qd_room_view_report report = view_at_tick(room);
    expect_leaves(report, 2, 7, 1, QD_ROOM_LEFT_DESPAWNED, 7, 2, QD_ROOM_LEFT_DESPAWNED);
    expect_enters(report, 1, 7, 1);
}

TEST_WITH(unobserve_leaves_everything, set_up, tear_down)
{
    spawn(room, me, 1, 50);
    observe(room, me, (watch){.id = 7, .range = 10});
    (void)view_at_tick(room);
    assert_int_equal(unobserve(room, me, 7), 0);
    assert_int_equal(observe(room, me, (watch){.id = 7, .range = 20}), 0);
    qd_room_view_report report = view_at_tick(room);
    expect_leaves(report, 1, 7, 1, QD_ROOM_LEFT_OBSERVER);
    expect_enters(report, 1, 7, 1);
    assert_int_equal(unobserve(room, me, 7), 0);
    expect_leaves(view_at_tick(room), 1, 7, 1, QD_ROOM_LEFT_OBSERVER);
    silent_tick(room);
}

TEST_WITH(a_closed_room_leaves_everything, set_up, tear_down)
{
    spawn(room, me, 1, 50);
    spawn(room, me, 2, 51);
    observe(room, me, (watch){.id = 7, .range = 10});
    observe(room, me, (watch){.id = 8, .anchored = 1, .entity = 1, .range = 10});
    (void)view_at_tick(room);
    qd_room_despawn_all(room);
    expect_leaves(view_at_tick(room), 3, 7, 1, QD_ROOM_LEFT_ROOM_CLOSED, 7, 2, QD_ROOM_LEFT_ROOM_CLOSED, 8, 2,
                  QD_ROOM_LEFT_ROOM_CLOSED);
}

TEST_MAIN()
