/* SPDX-License-Identifier: Apache-2.0
 *
 * The rule of views: regions, margins, masks, cones, teams, hidden entities, lists, limits, budgets, visible ranges; the
 * reasons of leaves, and refused observers.
 */
#include "room/scenario.h"

SCENARIO(a_circle_sees_what_is_within_its_range,
         "spawn 1 60, 2 60.5, 3 40; observe 7 range 10; tick -> A view enter 7:1 7:3; tick;"
         "move 1 61; move 2 59; tick -> A view leave 7:1 out of range enter 7:2")

SCENARIO(entity_in_view_stays_within_the_margin,
         "spawn 1 60, 2 62; observe 7 range 10 margin 5; tick -> A view enter 7:1;"
         "move 1 65; tick; move 1 65.5; tick -> A view leave 7:1 out of range; move 1 62; tick")

SCENARIO(a_box_has_its_own_extents,
         "spawn 1 60, 2 61; observe 7 region 2 half_x 10 half_y 0.5 margin 2; tick -> A view enter 7:1;"
         "move 1 62; tick; move 1 63; tick -> A view leave 7:1 out of range")

SCENARIO(an_anchored_observer_goes_with_its_entity_and_does_not_see_it,
         "spawn 1 10, 2 15, 3 90; observe 7 entity 1 range 10; tick -> A view enter 7:2;"
         "move 1 85; tick -> A view leave 7:2 out of range enter 7:3;"
         "observe 7 entity 1 sees_self 1 range 10; tick -> A view enter 7:1;"
         "despawn 1; tick -> A view leave 7:1 observer gone 7:3 observer gone; unobserve 7 -> UNKNOWN_OBSERVER")

SCENARIO(category_and_mask_filter,
         "spawn 1 50, 2 51; reshape 2 category 2; observe 7 range 10 mask 2; tick -> A view enter 7:2;"
         "reshape 1 category 3, 2 category 4; tick -> A view leave 7:2 filter changed enter 7:1;"
         "observe 7 range 10 mask 4; tick -> A view leave 7:1 filter changed enter 7:2")

SCENARIO(despawned_entity_leaves_and_may_enter_in_the_same_report,
         "spawn 1 50, 2 51; observe 7 range 10; tick -> A view enter 7:1 7:2;"
         "despawn 1, 2; spawn 1 52; tick -> A view leave 7:1 despawned 7:2 despawned enter 7:1")

SCENARIO(unobserve_leaves_everything,
         "spawn 1 50; observe 7 range 10; tick -> A view enter 7:1;"
         "unobserve 7; observe 7 range 20; tick -> A view leave 7:1 observer gone enter 7:1;"
         "unobserve 7; tick -> A view leave 7:1 observer gone; tick")

SCENARIO(a_closed_room_leaves_everything,
         "spawn 1 50, 2 51; observe 7 range 10; observe 8 entity 1 range 10; tick -> A view enter 7:1 7:2 8:2;"
         "despawn all; tick -> A view leave 7:1 room closed 7:2 room closed 8:2 room closed")

/* An entity at its very place is inside. */
SCENARIO(a_cone_sees_where_it_looks,
         "spawn 1 55, 2 45, 3 50;"
         "observe 7 region 3 range 10 direction_x 2 angle 0.5; tick -> A view enter 7:1 7:3;"
         "turn 7 -1 0.1; tick -> A view leave 7:1 out of range enter 7:2;"
         "turn 7 0 1; tick -> A view leave 7:2 out of range;"
         "observe 7 region 3 range 10 direction_x 2 angle 3.14159265358979; tick -> A view enter 7:1 7:2")

/* The side passes at 10 sin(0.3 - 0.1) = 1.99 from the entity. The directions are at the angles 0.3 and 0.31. */
SCENARIO(a_cones_margin_is_beside_it_as_well,
         "spawn 1 60; observe 7 region 3 range 20 direction_x 1 angle 0.1; tick -> A view enter 7:1;"
         "observe 7 region 3 range 20 direction_x 1 angle 0.1 margin 2; turn 7 0.955336489 0.295520207; tick;"
         "turn 7 0.952333570 0.305058636; tick -> A view leave 7:1 out of range")

SCENARIO(teams_see_themselves_and_entities_without_a_team,
         "spawn 1..3 50; describe 1 team 1, 2 team 2; observe 7 range 10 team 1; observe 8 range 10;"
         "tick -> A view enter 7:1 7:3 8:1 8:2 8:3;"
         "describe 1 team 2, 2 team 1; tick -> A view leave 7:1 team changed enter 7:2")

SCENARIO(hidden_entity_is_seen_only_through_show,
         "spawn 1 50, 2 51; observe 7..8 range 10; except 8 show 1; tick -> A view enter 7:1 7:2 8:1 8:2;"
         "describe 1..2 hidden 1; tick -> A view leave 7:1 hidden 7:2 hidden 8:2 hidden;"
         "describe 2 hidden 0; tick -> A view enter 7:2 8:2")

/* 9 is named before it is there. */
TEST(lists_go_before_everything)
{
    play("spawn 1 50, 2 51, 3 90; observe 7 range 10; tick -> A view enter 7:1 7:2;"
         "except 7 show 3 9 hide 1; tick -> A view leave 7:1 excepted enter 7:3;"
         "spawn 9 20; tick -> A view enter 7:9;"
         "except 7; tick -> A view leave 7:3 out of range 7:9 out of range enter 7:1; except 8 -> NOT_FOUND");
    assert_int_equal(qd_room_except(played.room, 0, 7, QD_VIEW_EXCEPTIONS_MAX + 1, NULL, 0, NULL), QD_ERR_INVALID);
    play_end();
}

/* An entity in the view counts as 1 nearer: a sixteenth of the range. */
SCENARIO(a_limit_keeps_the_nearest_without_flicker,
         "spawn 1 52, 2 53, 3 54; observe 7 range 16 limit 2; tick -> A view enter 7:1 7:2; move 3 52.5; tick;"
         "move 3 51.5; tick -> A view leave 7:2 others are nearer enter 7:3;"
         "except 7 show 2; tick -> A view leave 7:1 others are nearer enter 7:2")

SCENARIO(a_budget_lets_the_nearest_in_first, "spawn 1 59, 2 58, 3 57, 4 56, 5 55; observe 7 range 20 budget 2;"
                                             "tick -> A view enter 7:4 7:5; tick -> A view enter 7:2 7:3;"
                                             "spawn 6 50; tick -> A view enter 7:1 7:6; tick;"
                                             "spawn 7 57, 8 58, 9 59; tick -> A view enter 7:7 7:8")

SCENARIO(visible_range_shows_an_entity_from_afar,
         "spawn 1 80; observe 7 range 10 margin 3; tick; describe 1 visible 30; tick -> A view enter 7:1;"
         "move 1 83; tick; move 1 83.5; tick -> A view leave 7:1 out of range;"
         "move 1 79; tick -> A view enter 7:1; describe 1 visible 0; tick -> A view leave 7:1 out of range")

SCENARIO(bad_observers_are_refused,
         "join -> B; B spawn 1 50;"
         "observe 0 region 4 -> BAD_REGION region;"
         "observe 0 range nan -> NOT_FINITE range;"
         "observe 0 range -1 -> NEGATIVE_SIZE range;"
         "observe 0 margin -1 -> NEGATIVE_SIZE leave_margin;"
         "observe 0 x inf -> NOT_FINITE x;"
         "observe 0 region 3 angle 1 -> BAD_REGION direction_x;"
         "observe 0 region 3 angle 4 direction_x 1 -> BAD_REGION angle;"
         "observe 0 region 3 angle 1 direction_x 1 direction_y nan -> NOT_FINITE direction_y;"
         "observe 0 region 2 half_y -1 -> NEGATIVE_SIZE half_y;"
         "describe 1 visible -1 -> NOT_OWNER; spawn 5 1; describe 5 visible -1"
         " -> NEGATIVE_SIZE visible_range; despawn 5;"
         "observe 0 entity 9 -> UNKNOWN_ID entity;"
         "observe 0 entity 1 -> NOT_OWNER entity;"
         "observe 0 tier 2 1 tier 1 1 -> BAD_REGION; observe 0 tier 2 0 -> BAD_REGION;"
         "observe 0..99; observe 100 -> OBSERVERS_FULL; observe 99 range 1;"
         "tick -> A view 100 enters")

SCENARIO(observe_names_the_first_fault,
         "join -> B; B spawn 1 50; observe 0 region 4 range nan -> BAD_REGION region;"
         "observe 0 region 3 margin -1 range nan angle nan -> NOT_FINITE range;"
         "observe 0 region 3 range -1 angle nan -> NEGATIVE_SIZE range;"
         "observe 0 region 3 angle nan entity 9 -> NOT_FINITE angle;"
         "observe 0 region 3 angle 4 direction_x nan -> BAD_REGION angle;"
         "observe 0 region 3 direction_x nan entity 9 -> NOT_FINITE direction_x;"
         "observe 0 region 3 entity 9 -> BAD_REGION direction_x;"
         "observe 1..100 range 1; observe 0 entity 9 -> UNKNOWN_ID entity; observe 0 entity 1 -> NOT_OWNER entity;"
         "observe 0 range 1 -> OBSERVERS_FULL")

TEST_MAIN()
