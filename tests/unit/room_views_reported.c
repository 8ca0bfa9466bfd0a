/* SPDX-License-Identifier: Apache-2.0
 *
 * The view reports of members: relays, bytes, watchers, losses, suspensions, why, descriptions; and its memory.
 */
#include "server/room/state.h"
#include "server/room/views/changes.h"

#include "room/scenario.h"

/* Skips to the next check of the rounds, `times` times. Nothing happens meanwhile. */
static void wait_long(uint32_t times)
{
    while (times-- > 0) {
        uint32_t *round = &played.room->views.round;

        *round = (*round & ~(QD_VIEW_AGE_ROUNDS - 1)) + QD_VIEW_AGE_ROUNDS - 1;
        play("tick");
    }
}

/* Half of all rounds is a day of some rooms that tick by Step, and a year of others. */
TEST(positions_are_relayed_after_a_long_idle_time)
{
    play("spawn 1 52, 2 60, 3 75; observe 7 range 40 tier 5 1; tick -> A view enter 7:1 7:2 7:3;"
         "move 3 76; tick"); /* not reported yet */
    for (uint32_t times = 1; times < 20; times++) {
        wait_long(times);
        play("move 1 %u; tick -> A view relay 7:1", 52 + times % 2);
    }
    wait_long(10);
    play("observe 7 range 40 tier 30 1; tick -> A view relay 7:3");
    wait_long(10);
    play("observe 7 range 40; tick; move 2 61; tick");
    wait_long(10);
    play("observe 7 range 40 tier 30 1; tick -> A view relay 7:1 7:2 7:3; tick");
    play_end();
}

/* The turn of 4 is at ticks 2, 5, 8, ...; 5 is beyond the last tier. Tick 8 is skipped. */
SCENARIO(positions_are_relayed_by_tier_and_only_if_changed,
         "spawn 3 52, 4 60, 5 75; observe 7 range 40 tier 5 1 tier 20 3; tick -> A view enter 7:3 7:4 7:5; tick;"
         "move 3 53, 4 61, 5 76; tick -> A view relay 7:3; tick; tick -> A view relay 7:4;"
         "move 4 62; tick skip 3 -> A view relay 7:4")

SCENARIO(
    observer_that_gets_tiers_relays_every_position_once,
    "spawn 1 51, 2 52, 3 53; observe 7 range 40; tick -> A view enter 7:1 7:2 7:3; move 2 54; tick;"
    "observe 7 range 40 tier 30 1; tick -> A view relay 7:1 7:2 7:3; tick; observe 7 range 40; tick; move 2 55; tick;"
    "observe 7 range 40 tier 30 1; move 3 50; tick -> A view relay 7:1 7:2 7:3; tick;"
    "observe 7 range 40 tier 30 1 tier 40 1; tick; move 3 51; tick -> A view relay 7:3")

/* What waits when the tiers end waits no longer: the turn of 4 is at ticks 8 and 11. */
SCENARIO(observer_that_loses_its_tiers_relays_nothing_late,
         "spawn 4 52; options bytes 96; observe 7 range 40 tier 30 3; tick -> A view enter 7:4; move 4 53;"
         "options bytes 1; tick; tick; observe 7 range 40; options bytes 0; tick; tick; observe 7 range 40 tier 30 3;"
         "tick; tick; tick -> A view relay 7:4")

/* The turns of 4 are at ticks 2, 5, 8 and 11. It moves before ticks 3 and 9, and the room rests for ticks 7 and 8. */
SCENARIO(
    room_with_tiers_is_quiet_but_for_its_relays,
    "spawn 4 52; observe 7 range 40 tier 30 3; tick -> A view enter 7:4; look -> busy for 3; tick; move 4 53; tick;"
    "tick; look -> quiet for 3; tick -> A view relay 7:4; look -> busy for 3; tick; look -> quiet for 3;"
    "rest 2; move 4 54; tick; tick; tick -> A view relay 7:4; unobserve 7; tick -> A view leave 7:4 observer gone;"
    "tick; look -> quiet")

SCENARIO(room_is_not_quiet_while_entities_enter,
         "spawn 1 51, 2 52; observe 7 range 10 budget 1; tick -> A view enter 7:1; look -> busy;"
         "tick -> A view enter 7:2; look -> busy; tick; look -> quiet; lose view; resume view; look -> busy;"
         "tick -> A view reset merged 1 enter 7:1 7:2")

/* The bytes are those of two enters and a relay, of a relay, and too few. */
SCENARIO(bytes_go_to_leaves_then_enters_then_relays,
         "spawn 1 51, 2 52, 3 53, 4 54; options bytes 148; observe 7 range 10 tier 50 1; tick -> A view enter 7:1 7:2;"
         "move 1 49; move 2 48; tick -> A view enter 7:3 7:4 relay 7:1;"
         "move 1 50; options bytes 20; tick -> A view relay 7:2; tick -> A view relay 7:1; tick;"
         "options bytes 1; unobserve 7;"
         "tick -> A view leave 7:1 observer gone 7:2 observer gone 7:3 observer gone 7:4 observer gone")

/* A relay takes 20 bytes. What comes first in the order waits for those that did not fit. */
SCENARIO(
    relays_go_on_where_bytes_ended,
    "spawn 1 51, 2 52, 3 53; observe 7..8 range 10 tier 50 1; tick -> A view enter 7:1 7:2 7:3 8:1 8:2 8:3;"
    "options bytes 40; move 1 49; move 2 49; tick -> A view relay 7:1 7:2; move 1 50; tick -> A view relay 8:1 8:2;"
    "tick -> A view relay 7:1; move 1 51; move 2 51; move 3 51; tick -> A view relay 7:1 7:2;"
    "move 1 52; tick -> A view relay 7:3 8:1; tick -> A view relay 8:2 8:3; tick -> A view relay 7:1; tick")

/* Its turn is at ticks 2, 5 and 8. Held back at its turn, it does not wait for the next one. */
SCENARIO(relay_that_is_held_back_needs_no_other_turn,
         "spawn 4 52; options bytes 96; observe 7 range 40 tier 30 3; tick -> A view enter 7:4; move 4 53;"
         "options bytes 1; tick; options bytes 20; tick -> A view relay 7:4; tick; tick")

/* The first enter takes 96 bytes, the second 64. */
SCENARIO(enter_that_does_not_fit_stops_all_later_ones,
         "spawn 1 51, 2 52; describe 1 payload abcdefghijklmnopqrstuvwxyzabcdef, 2 tag 1; options bytes 95;"
         "observe 7 range 10; tick; tick; options bytes 96; tick -> A view enter 7:1 payload "
         "abcdefghijklmnopqrstuvwxyzabcdef; tick -> A view enter 7:2 tag 1")

/* The budget of 7 lets 1 try at each tick, never 2 in its place. */
SCENARIO(entity_held_back_by_bytes_uses_up_the_enter_budget,
         "spawn 1 51, 2 52; describe 1 payload a; options bytes 64; observe 7 range 10 budget 1; tick; tick;"
         "options bytes 0; tick -> A view enter 7:1 payload a; tick -> A view enter 7:2")

/* The bytes are those of one enter. */
SCENARIO(
    equally_near_entities_enter_by_observer_and_id,
    "spawn 1 55, 2 45; options bytes 64; observe 7..8 range 10; tick -> A view enter 7:1; tick -> A view enter 7:2;"
    "tick -> A view enter 8:1; tick -> A view enter 8:2; tick")

SCENARIO(watchers_are_reported_to_owners_and_to_sessions_that_watch_all,
         "join -> B; join -> C; B options own; C options all;"
         "spawn 1 50; B spawn 2 51; observe 7 range 10; B observe 8 range 10;"
         "tick -> A view enter 7:1 7:2"
         "  | B view reset watchers enter 8:1 8:2 watch 7:2:A 8:2:B"
         " | C view reset watchers watch 7:1:A 8:1:B 7:2:A 8:2:B;"
         "unobserve 7;"
         "tick -> A view leave 7:1 observer gone 7:2 observer gone | B view unwatch 7:2:A | C view unwatch 7:1:A 7:2:A;"
         "C options; tick -> C view reset watchers")

/* The rest of the round is dropped with the report. Enters wait for a tick, and a reverse view with them. */
SCENARIO(lost_report_is_followed_by_a_reset,
         "spawn 1 50; observe 7 range 10; tick -> A view enter 7:1; spawn 2 51; unread tick; lose view; read all;"
         "despawn 1; tick; resume view; options all; catch up;"
         "tick -> A view reset reset watchers merged 3 enter 7:2 watch 7:2:A; tick")

/* Quiet ticks lose nothing. Skipped ticks go with the one that is lost. A reset that is lost goes on counting. Delivered
 * reports are not repeated, unless the member has missed them. */
SCENARIO(lost_ticks_are_counted,
         "spawn 1 50; observe 7 range 10; tick -> A view enter 7:1; tick;"
         "lose view; spawn 2 51; tick skip 3; resume view; tick -> A view reset merged 5 enter 7:1 7:2;"
         "spawn 3 51; tick skip 3 -> A view enter 7:3; lose view; resume view;"
         "tick -> A view reset merged 5 enter 7:1 7:2 7:3; lose view; resume view;"
         "tick -> A view reset merged 6 enter 7:1 7:2 7:3; lose view; tick;"
         "miss view nothing; miss view 2; resume view; tick -> A view reset merged 13 enter 7:1 7:2 7:3; tick")

/* No observer sees 3 yet, and 1 is seen until the tick. After a hand-over, members that watch their own entities get a
 * reset. */
SCENARIO(a_reverse_view_begins_between_ticks,
         "join -> B; spawn 1 50; B spawn 2 51; observe 7 range 10; tick -> A view enter 7:1 7:2;"
         "B options all; spawn 3 52; despawn 1; catch up -> B view reset watchers watch 7:1:A 7:2:A; catch up;"
         "tick -> A view leave 7:1 despawned enter 7:3 | B view unwatch 7:1:A watch 7:3:A;"
         "B options own; catch up -> B view reset watchers watch 7:2:A;"
         "give 3 to B -> 3; catch up -> B view reset watchers watch 7:2:A 7:3:A")

SCENARIO(too_many_visible_entries_suspend_views_until_they_are_fewer,
         "spawn 0..99 50; observe 0..9 range 10; tick -> A view 1000 enters;"
         "spawn 100 51; tick -> A view suspended; tick;"
         "despawn 0; tick -> A view reset 1000 enters; stats -> seen 1000, enters 2000, leaves 1000")

/* Wherever they are, and whether they are there or not: else lists would be a way around the limit. */
TEST(entities_on_show_lists_count_as_visible_entries)
{
    uint32_t ids[1000];

    for (uint32_t i = 0; i < 1000; i++) {
        ids[i] = i;
    }
    play("spawn 1 50; observe 7..8 range 10 x 500");
    assert_int_equal(qd_room_except(played.room, 0, 7, 1000, ids, 0, NULL), QD_OK);
    play("tick -> A view enter 7:1; except 8 show 1 hide 0; tick -> A view suspended; tick");
    assert_int_equal(qd_room_except(played.room, 0, 7, 999, ids, 1, ids), QD_OK);
    play("tick -> A view reset enter 7:1 8:1;"
         "spawn 2 500; tick -> A view suspended;" /* in both regions */
         "unobserve 7; tick -> A view reset enter 8:1 8:2");
    play_end();
}

SCENARIO(unobserve_while_views_are_suspended_is_reported,
         "join -> B; spawn 0..100 50; B observe 1 range 10; tick -> B view 101 enters;"
         "B unobserve 1; observe 0..9 range 10; tick -> A view suspended | B view suspended")

SCENARIO(why_names_the_rule, "spawn 1 51, 2 52, 3 90, 4 90, 5 55, 6 56, 7 57, 8 58;"
                             "describe 6 hidden 1; reshape 7 category 2; describe 8 team 2;"
                             "observe 9 entity 1 range 10 mask 1 team 1 margin 2; except 9 show 4 hide 5;"
                             "why 9 2 -> 9 at 1 of 10 + 2 has 0: not seen: since the last tick;"
                             "tick -> A view enter 9:2 9:4;"
                             "why all 1 1 -> 9 at 0 of 10 + 2 has 2: not seen: the anchor itself;"
                             "why all 1 2 -> 9 at 1 of 10 + 2 has 2: seen;"
                             "why all 1 3 -> 9 at 39 of 10 + 2 has 2: not seen: out of range;"
                             "why all 1 4 -> 9 at 39 of 10 + 2 has 2: seen: always shown;"
                             "why all 1 5 -> 9 at 4 of 10 + 2 has 2: not seen: excepted;"
                             "why all 1 6 -> 9 at 5 of 10 + 2 has 2: not seen: hidden;"
                             "why all 1 7 -> 9 at 6 of 10 + 2 has 2: not seen: not in the mask;"
                             "why all 1 8 -> 9 at 7 of 10 + 2 has 2: not seen: another team;"
                             "move 2 62; tick; why 9 2 -> 9 at 11 of 10 + 2 has 2: seen: within the margin;"
                             "why 8 2 -> nothing; why all 1 99 -> nothing; why all 2 1")

SCENARIO(why_after_changes_describes_the_last_tick,
         "spawn 1 51, 2 52, 3 90; describe 2 visible 20; observe 9 entity 1 range 10 mask 1 margin 2;"
         "observe 8 range 10 x 50 mask 1; tick -> A view enter 8:1 8:2 9:2;"
         "move 2 62; why 9 2 -> 9 at 1 of 20 + 2 has 1: seen;"
         "describe 2 visible 0 hidden 1; reshape 2 category 2; why 9 2 -> 9 at 1 of 20 + 2 has 1: seen;"
         "move 1 80; why all 1 2 -> 9 at 1 of 20 + 2 has 1: seen; why 9 3 -> 9 at 39 of 10 + 2 has 1: not seen: out "
         "of range;"
         "observe 9 entity 1 range 50 mask 2 margin 3; except 9 show 3 hide 2; except 9 show 0 hide 0;"
         "why 9 2 -> 9 at 1 of 20 + 2 has 1: seen; why 9 3 -> 9 at 39 of 10 + 2 has 1: not seen: out of range;"
         "spawn 4 51; why 9 4 -> 9 at 29 of 50 + 3 has 1: not seen: since the last tick;"
         "observe 7 range 10 x 60; why 7 2 -> 7 at 2 of 10 + 0 has 0: not seen: since the last tick;"
         "unobserve 7; observe 7 range 4 x 60; why 7 2 -> 7 at 2 of 4 + 0 has 0: not seen: since the last tick;"
         "despawn 2; spawn 2 51; why 9 2 -> 9 at 29 of 50 + 3 has 1: not seen: since the last tick")

/* The margin keeps it in the view from the tick on. */
SCENARIO(why_before_the_tick_of_a_move_shows_the_position_before,
         "spawn 1 51; observe 9 range 10 x 50 margin 2; tick -> A view enter 9:1; move 1 61;"
         "why 9 1 -> 9 at 1 of 10 + 2 has 1: seen; move 1 62; tick;"
         "why 9 1 -> 9 at 12 of 10 + 2 has 1: seen: within the margin")

/* Of 1 there is no entity yet. */
SCENARIO(descriptions_come_with_enters_and_go_with_their_entity,
         "spawn 2 50; describe 1 tag 9 payload ab, 2 tag 5 payload cde -> 0 UNKNOWN_ID; spawn 1 50;"
         "observe 7 range 10; tick -> A view enter 7:1 7:2 tag 5 payload cde;"
         "despawn 2; spawn 2 50; tick -> A view leave 7:2 despawned enter 7:2")

/* Its view has yet to end when C joins. */
SCENARIO(member_that_left_the_room_sees_nothing,
         "join -> B; spawn 1 50; B observe 7 range 10; tick -> B view enter 7:1; B leave; join -> C; tick; join -> B;"
         "tick; stats -> observers 0, seen 0, enters 1, leaves 1")

/* An observer at (x, 50) is refused if there is so little memory left. */
static bool refuses(float x, size_t spare)
{
    const uint32_t id = 100;
    const float y = 50, range = 10, margin = 1;
    const qd_msg_observers observer = {
        .count = 1, .id = &id, .x = &x, .y = &y, .range = &range, .leave_margin = &margin};
    qd_room_refusals refusals;

    qd_memory_limit_set(qd_memory_used() + spare);
    qd_room_observe(played.room, 0, &observer, &refusals);
    qd_memory_limit_set(0);
    assert_true(refusals.count == 0 || refusals.code[0] == QD_ROOM_OBSERVERS_FULL);
    return refusals.count > 0;
}

/* The memory runs out at every point there is. */
TEST(a_room_without_memory_refuses_observers_and_goes_on)
{
    bool refused = true;

    for (size_t spare = 1; refused; spare += 50) {
        play("spawn 1 50; tick");
        refused = refuses(50, spare);
        assert_true(refused || spare > 1);
        play(refused ? "tick; observe 7 range 10; tick -> A view enter 7:1" : "tick -> A view enter 100:1");
        play_end();
    }
}

/* While views are suspended the last observer ends, and another is refused. Then the entries fit again: at the next
 * tick the members that watch and those that observed get a reset, although there is no observer. */
TEST(visibility_index_without_observers_is_not_suspended)
{
    uint32_t refused = 0;

    for (uint32_t entities = 100; entities < 164; entities++) {
        play("spawn 1..%u 50", entities);
        play("join -> B; B options all; observe 0..10 range 10;"
             "tick -> A view suspended | B view suspended; unobserve 0..10");
        refused += refuses(500, 1);
        play("tick -> A view reset | B view reset reset watchers");
        play_end();
    }
    assert_true(refused > 0);
}

/* The leaves of a view that ends need memory. Without it, the suspension takes their place. */
SCENARIO(unobserve_at_a_tick_without_memory_is_reported,
         "join -> B; spawn 0..999 50; observe 1 range 10; tick -> A view 1000 enters;"
         "unobserve 1; memory none; tick -> A view suspended without memory; memory 0;"
         "tick -> A view reset")

/* The first entity with a visible range needs bodies of each observer. One that has ended has none to free. */
SCENARIO(a_room_without_memory_refuses_a_visible_range_and_goes_on,
         "spawn 1 50, 2 52; observe 1..99 range 10; observe 100 range 10 x 500; describe 2 team 0;"
         "tick -> A view 198 enters; unobserve 100;"
         "memory 1; describe 1 visible 60 -> ROOM_FULL; memory 0; tick; move 1 90; tick -> A view 99 leaves;"
         "describe 1 visible 60; tick -> A view 99 enters")

TEST_MAIN()
