/* SPDX-License-Identifier: Apache-2.0
 *
 * Rules of views beyond regions and masks: cones, teams, hidden entities, lists, limits, budgets, visible ranges.
 */
#include "room_views_fixture.h"
#include "tests/support/test.h"

static void except(uint32_t observer, uint32_t show_count, const uint32_t *show, uint32_t hide_count,
                   const uint32_t *hide)
{
    assert_int_equal(qd_room_except(room, me, observer, show_count, show, hide_count, hide), QD_OK);
}

static void turn(uint32_t id, float x, float y)
{
    qd_msg_observers batch = {.count = 1, .id = &id, .direction_x = &x, .direction_y = &y};
    qd_room_refusals refusals;

    qd_room_observers_move(room, me, &batch, &refusals);
    assert_int_equal(only_refusal(&refusals), 0);
}

TEST_WITH(a_cone_sees_where_it_looks, set_up, tear_down)
{
    spawn(room, me, 1, 55);
    spawn(room, me, 2, 45);
    spawn(room, me, 3, 50);
    watch cone = {.id = 7, .region = QD_ROOM_CONE, .range = 10, .direction_x = 2, .angle = 0.5f};
    assert_int_equal(observe(room, me, cone), 0);
    expect_enters(view_at_tick(room), 2, 7, 1, 7, 3); /* an entity at its very place is inside */
    turn(7, -1, 0.1f);
    qd_room_view_report report = view_at_tick(room);
    expect_leaves(report, 1, 7, 1, QD_ROOM_LEFT_RANGE);
    expect_enters(report, 1, 7, 2);
    turn(7, 0, 1);
    expect_leaves(view_at_tick(room), 1, 7, 2, QD_ROOM_LEFT_RANGE);
    cone.angle = (float)M_PI;
    observe(room, me, cone);
    expect_enters(view_at_tick(room), 2, 7, 1, 7, 2);
}

TEST_WITH(a_cones_margin_is_beside_it_as_well, set_up, tear_down)
{
    spawn(room, me, 1, 60);
    observe(room, me, (watch){.id = 7, .region = QD_ROOM_CONE, .range = 20, .direction_x = 1, .angle = 0.1f});
    expect_enters(view_at_tick(room), 1, 7, 1);
    /* The side passes at 10 sin(0.3 - 0.1) = 1.99 from the entity. */
    observe(room, me,
            (watch){.id = 7, .region = QD_ROOM_CONE, .range = 20, .direction_x = 1, .angle = 0.1f, .leave_margin = 2});
    turn(7, cosf(0.3f), sinf(0.3f));
    silent_tick(room);
    turn(7, cosf(0.31f), sinf(0.31f));
    expect_leaves(view_at_tick(room), 1, 7, 1, QD_ROOM_LEFT_RANGE);
}

TEST_WITH(teams_see_themselves_and_entities_without_a_team, set_up, tear_down)
{
    for (uint32_t id = 1; id <= 3; id++) {
        spawn(room, me, id, 50);
    }
    set_team(room, me, 1, 1);
    set_team(room, me, 2, 2);
    observe(room, me, (watch){.id = 7, .range = 10, .team = 1});
    observe(room, me, (watch){.id = 8, .range = 10});
    expect_enters(view_at_tick(room), 5, 7, 1, 7, 3, 8, 1, 8, 2, 8, 3);
    set_team(room, me, 1, 2);
    set_team(room, me, 2, 1);
    qd_room_view_report report = view_at_tick(room);
    expect_leaves(report, 1, 7, 1, QD_ROOM_LEFT_TEAM);
    expect_enters(report, 1, 7, 2);
}

TEST_WITH(hidden_entity_is_seen_only_through_show, set_up, tear_down)
{
    static const uint32_t one[] = {1};

    (void)state;
    spawn(room, me, 1, 50);
    spawn(room, me, 2, 51);
    observe(room, me, (watch){.id = 7, .range = 10});
    observe(room, me, (watch){.id = 8, .range = 10});
    except(8, 1, one, 0, NULL);
    expect_enters(view_at_tick(room), 4, 7, 1, 7, 2, 8, 1, 8, 2);
    hide(room, me, 1, 1);
    hide(room, me, 2, 1);
    expect_leaves(view_at_tick(room), 3, 7, 1, QD_ROOM_LEFT_HIDDEN, 7, 2, QD_ROOM_LEFT_HIDDEN, 8, 2,
                  QD_ROOM_LEFT_HIDDEN);
    hide(room, me, 2, 0);
    expect_enters(view_at_tick(room), 2, 7, 2, 8, 2);
}

TEST_WITH(lists_go_before_everything, set_up, tear_down)
{
    static const uint32_t far_one[] = {3, 9}, near_one[] = {1};

    (void)state;
    spawn(room, me, 1, 50);
    spawn(room, me, 2, 51);
    spawn(room, me, 3, 90);
    observe(room, me, (watch){.id = 7, .range = 10});
    expect_enters(view_at_tick(room), 2, 7, 1, 7, 2);
    except(7, 2, far_one, 1, near_one);
    qd_room_view_report report = view_at_tick(room);
    expect_leaves(report, 1, 7, 1, QD_ROOM_LEFT_EXCEPTED);
    expect_enters(report, 1, 7, 3);
    spawn(room, me, 9, 20); /* named before it was there */
    expect_enters(view_at_tick(room), 1, 7, 9);
    except(7, 0, NULL, 0, NULL);
    report = view_at_tick(room);
    expect_leaves(report, 2, 7, 3, QD_ROOM_LEFT_RANGE, 7, 9, QD_ROOM_LEFT_RANGE);
    expect_enters(report, 1, 7, 1);
    assert_int_equal(qd_room_except(room, me, 8, 0, NULL, 0, NULL), QD_ERR_NOT_FOUND);
    assert_int_equal(qd_room_except(room, me, 7, QD_VIEW_EXCEPTIONS_MAX + 1, NULL, 0, NULL), QD_ERR_INVALID);
}

TEST_WITH(a_limit_keeps_the_nearest_without_flicker, set_up, tear_down)
{
    spawn(room, me, 1, 52);
    spawn(room, me, 2, 53);
    spawn(room, me, 3, 54);
    observe(room, me, (watch){.id = 7, .range = 16, .limit = 2});
    expect_enters(view_at_tick(room), 2, 7, 1, 7, 2);
    /* An entity in the view counts as 1 nearer: a sixteenth of the range. */
    move(room, me, 3, 52.5f);
    silent_tick(room);
    move(room, me, 3, 51.5f);
    qd_room_view_report report = view_at_tick(room);
    expect_leaves(report, 1, 7, 2, QD_ROOM_LEFT_LIMIT);
    expect_enters(report, 1, 7, 3);
    static const uint32_t two[] = {2};
    except(7, 1, two, 0, NULL);
    report = view_at_tick(room);
    expect_leaves(report, 1, 7, 1, QD_ROOM_LEFT_LIMIT);
    expect_enters(report, 1, 7, 2);
}

TEST_WITH(a_budget_lets_the_nearest_in_first, set_up, tear_down)
{
    for (uint32_t id = 1; id <= 5; id++) {
        spawn(room, me, id, 60 - (float)id);
    }
    observe(room, me, (watch){.id = 7, .range = 20, .enter_budget = 2});
    expect_enters(view_at_tick(room), 2, 7, 4, 7, 5);
    expect_enters(view_at_tick(room), 2, 7, 2, 7, 3);
    spawn(room, me, 6, 50);
    expect_enters(view_at_tick(room), 2, 7, 1, 7, 6);
    silent_tick(room);
    for (uint32_t id = 7; id <= 9; id++) {
        spawn(room, me, id, 50 + (float)id);
    }
    expect_enters(view_at_tick(room), 2, 7, 7, 7, 8);
}

TEST_WITH(visible_range_shows_an_entity_from_afar, set_up, tear_down)
{
    spawn(room, me, 1, 80);
    observe(room, me, (watch){.id = 7, .range = 10, .leave_margin = 3});
    silent_tick(room);
    set_visible_range(room, me, 1, 30);
    expect_enters(view_at_tick(room), 1, 7, 1);
    move(room, me, 1, 83);
    silent_tick(room);
    move(room, me, 1, 83.5f);
    expect_leaves(view_at_tick(room), 1, 7, 1, QD_ROOM_LEFT_RANGE);
    move(room, me, 1, 79);
    expect_enters(view_at_tick(room), 1, 7, 1);
    set_visible_range(room, me, 1, 0);
    expect_leaves(view_at_tick(room), 1, 7, 1, QD_ROOM_LEFT_RANGE);
}

TEST_WITH(bad_observers_are_refused, set_up, tear_down)
{
    static const float ranges[] = {2, 1};
    static const uint32_t everys[] = {1, 1}, never[] = {0};

    (void)state;
    uint32_t other = join(room);
    spawn(room, other, 1, 50);
    assert_int_equal(observe(room, me, (watch){.region = 4}), QD_ROOM_BAD_REGION);
    assert_int_equal(observe(room, me, (watch){.range = NAN}), QD_ROOM_NOT_FINITE);
    assert_int_equal(observe(room, me, (watch){.range = -1}), QD_ROOM_NEGATIVE_SIZE);
    assert_int_equal(observe(room, me, (watch){.leave_margin = -1}), QD_ROOM_NEGATIVE_SIZE);
    assert_int_equal(observe(room, me, (watch){.x = INFINITY}), QD_ROOM_NOT_FINITE);
    assert_int_equal(observe(room, me, (watch){.region = QD_ROOM_CONE, .angle = 1}), QD_ROOM_BAD_REGION);
    assert_int_equal(observe(room, me, (watch){.region = QD_ROOM_CONE, .angle = 4, .direction_x = 1}),
                     QD_ROOM_BAD_REGION);
    assert_int_equal(observe(room, me, (watch){.anchored = 1, .entity = 9}), QD_ROOM_UNKNOWN_ID);
    assert_int_equal(observe(room, me, (watch){.anchored = 1, .entity = 1}), QD_ROOM_NOT_OWNER);
    assert_int_equal(observe(room, me, (watch){.tiers = 2, .relay_range = ranges, .relay_every = everys}),
                     QD_ROOM_BAD_REGION);
    assert_int_equal(observe(room, me, (watch){.tiers = 1, .relay_range = ranges, .relay_every = never}),
                     QD_ROOM_BAD_REGION);
    for (uint32_t id = 0; id < 100; id++) {
        assert_int_equal(observe(room, me, (watch){.id = id}), 0);
    }
    assert_int_equal(observe(room, me, (watch){.id = 100}), QD_ROOM_OBSERVERS_FULL);
    assert_int_equal(observe(room, me, (watch){.id = 99, .range = 1}), 0);
}

TEST_MAIN()
