/* SPDX-License-Identifier: Apache-2.0
 *
 * Ticks and subscriptions: the report of a subscription in each state, lost reports, and the passed pairs of swept
 * rooms.
 */
#include "room/scenario.h"

/* 1 and 2 touch, 3 does not. */
#define CROWD "spawn 1 10, 2 11, 3 40; tick;"
#define LIVE  CROWD "subscribe; catch up -> A reset begin 1-2;"

/* It has no changes since the last tick. */
SCENARIO(a_reset_comes_between_ticks,
         CROWD "subscribe; move 1 90; catch up -> A reset begin 1-2; catch up; tick -> A end 1-2 moved apart")

SCENARIO(a_reset_comes_at_a_tick_with_its_set, CROWD "subscribe; move 1 40; tick -> A reset begin 1-3")

SCENARIO(an_empty_reset_before_the_first_tick, "spawn 1 10, 2 10; subscribe; catch up -> A reset")

SCENARIO(ticks_without_news_are_silent_unless_some_were_skipped,
         LIVE "tick; tick skip 3 -> A skipped 3; stats -> tick 6, ticks skipped 3")

SCENARIO(stays_are_sent_on_request_only,
         CROWD "join -> B; subscribe; B subscribe stays; tick -> A reset begin 1-2 | B as A;"
               "move 3 11; tick -> A begin 1-3 2-3 | B begin 1-3 2-3 stay 1-2;"
               "tick -> B stay 1-2 1-3 2-3")

SCENARIO(own_pairs_are_pairs_of_own_entities,
         CROWD "join -> B; join -> C; B spawn 4 11; B spawn owned 5 40;"
               "subscribe own; B subscribe own stays; C subscribe own;"
               "tick -> A own reset begin 1-2 1-4 2-4 3-5 | B own reset begin 1-4 2-4 | C own reset;"
               "B despawn 4; B spawn 6 40;"
               "tick -> A own end 1-4 despawned 2-4 despawned begin 3-6"
               " | B own end 1-4 despawned 2-4 despawned begin 3-6 5-6")

/* Twice more within a tick: the one in between leaves no trace. */
SCENARIO(id_spawned_again_is_another_entity,
         CROWD "subscribe stays; catch up -> A reset begin 1-2;"
               "despawn 1; spawn 1 10; tick -> A end 1-2 despawned begin 1-2;"
               "despawn 1; spawn 1 40; despawn 1; spawn 1 12; tick -> A end 1-2 despawned begin 1-2")

SCENARIO(entity_spawned_and_despawned_within_a_tick_is_not_reported,
         LIVE "spawn 9 10; despawn 9; spawn 9 10; despawn 9; tick")

/* Each end has all the causes from its own on, and the first counts. */
TEST(ends_have_their_reason)
{
    static const char *const causes[] = {"move 1 60", "teleport 1 10; move 1 60", "reshape 1 half_x 0",
                                         "reshape 1 mask 0", "despawn 1"};
    static const char *const reasons[] = {"moved apart", "teleported", "resized", "filter changed", "despawned"};

    for (size_t last = 0; last < sizeof causes / sizeof causes[0]; last++) {
        play(LIVE);
        for (size_t i = 0; i <= last; i++) {
            play("%s", causes[i]);
        }
        play("tick -> A end 1-2 %s", reasons[last]);
        play_end();
    }
}

SCENARIO(entity_reshaped_and_back_is_not_resized,
         LIVE "reshape 1 half_x 0; reshape 1 half_x 1; move 1 60; tick -> A end 1-2 moved apart")

/* Catching up is not for suspended subscriptions. */
SCENARIO(too_many_pairs_for_a_reset_suspend_once, "open events_max 2;" CROWD "move 3 11; tick; subscribe;"
                                                  "catch up -> A suspended 3; catch up; tick; stats -> pairs 0;"
                                                  "move 3 40; catch up; tick -> A reset begin 1-2; stats -> pairs 1")

/* An end and a begin are one too many, though the set would fit. */
SCENARIO(too_many_events_suspend_all_until_the_next_tick_that_fits,
         "open events_max 1;" CROWD
         "join -> B; subscribe; B subscribe own; catch up -> A reset begin 1-2 | B own reset;"
         "move 1 40; tick -> A suspended 2 | B as A;"
         "tick -> A reset begin 1-3 | B own reset")

SCENARIO(a_lost_subscription_waits_for_resume,
         CROWD "subscribe; resume; catch up -> A reset begin 1-2; resume; catch up;"
               "lose; stats -> subscriptions 1; move 1 40; tick; catch up;"
               "resume; catch up -> A reset merged 1 begin 1-3")

SCENARIO(loss_without_a_subscription_changes_nothing, CROWD "lose; resume; catch up; stats -> subscriptions 0")

/* In the middle of a round A loses its report, B subscribes again, and C leaves. */
SCENARIO(changes_within_a_round_concern_only_their_member,
         CROWD "join -> B; join -> C; join -> D; subscribe; B subscribe; C subscribe; D subscribe;"
               "unread tick; read -> A reset begin 1-2;"
               "lose; B subscribe; C leave; join -> C;"
               "read all -> D reset begin 1-2; catch up -> B reset begin 1-2")

SCENARIO(unread_reports_count_as_delivered,
         CROWD "subscribe; unread catch up; tick; move 1 40; unread tick; catch up; tick")

SCENARIO(a_second_subscribe_replaces_the_first,
         LIVE "subscribe stays; stats -> subscriptions 1; tick -> A reset begin 1-2; tick -> A stay 1-2;"
              "unsubscribe; tick; stats -> subscriptions 0")

SCENARIO(equal_reports_share_a_number,
         CROWD "join -> B; join -> C; join -> D; join -> E; join -> F; join -> G;"
               "B subscribe; C subscribe stays; D subscribe; E subscribe stays; F subscribe; G subscribe stays;"
               "F unsubscribe; G unsubscribe;"
               "catch up -> B reset begin 1-2 | C as B | D as B | E as B;"
               "F subscribe; G subscribe; move 3 12;"
               "tick -> B begin 1-3 2-3 | C begin 1-3 2-3 stay 1-2 | D as B | E as C"
               " | F reset begin 1-2 1-3 2-3 | G as F")

SCENARIO(figures_count_while_a_subscription_is_live,
         CROWD "stats -> tick 1, entities 3, members 1, updates 3, begins 0, ends 0, pairs 0;"
               "subscribe; catch up -> A reset begin 1-2; stats -> pairs 1;"
               "move 3 12; tick -> A begin 1-3 2-3; stats -> begins 2, ends 0, pairs 3;"
               "despawn 1; tick -> A end 1-2 despawned 1-3 despawned; stats -> begins 2, ends 2, pairs 1;"
               "unsubscribe; stats -> pairs 0")

SCENARIO(requested_depth_is_kept, "open depth 4; spawn 1 10; tick; stats -> depth 4")

/* ---- lost reports: the reset that follows has the number of lost ticks, and whether pairs may have passed ---- */

#define SWEPT "open swept; spawn 1 10, 2 50; tick; subscribe; catch up -> A reset;"

/* A delivered reset is not repeated. */
SCENARIO(lost_tick_counts, SWEPT "move 1 51; tick -> A begin 1-2; lose; resume; catch up -> A reset merged 1 begin 1-2;"
                                 "move 1 10; tick -> A end 1-2 moved apart; subscribe; catch up -> A reset")

SCENARIO(
    subscribe_while_ticks_are_missing_counts_them, SWEPT
    "move 1 51; tick -> A begin 1-2; lose; tick; tick; subscribe; catch up -> A reset merged 3 passed lost begin 1-2")

/* From tick 2 to tick 10; from 7 on, pairs may have passed unseen. */
SCENARIO(skipped_ticks_count,
         SWEPT "tick skip 4 -> A skipped 4; lose; tick skip 2; resume; tick -> A reset merged 9 passed lost")

/* With another subscription that is live it is known what passed. */
#define LOSES(x, news, later_x, later_news, reset)                                                                     \
    play(SWEPT "join -> B; B subscribe; catch up -> B reset; move 1 " x "; tick skip 1 -> A skipped 1" news            \
               " | B as A; lose; move 1 " later_x "; tick" later_news "; resume; catch up -> A reset merged 3" reset); \
    play_end()
TEST(passed_pairs_are_lost_where_some_may_have_passed)
{
    LOSES("49", " begin 1-2", "48", "", " begin 1-2");
    LOSES("90", " passed 1-2", "91", "", " passed lost");
    LOSES("49", " begin 1-2", "90", " -> B end 1-2 moved apart", "");
    LOSES("40", "", "90", " -> B passed 1-2", " passed lost");
}

/* A lost first reset replaced no ticks. */
SCENARIO(lost_reset_covers_the_ticks_before_it,
         SWEPT "move 1 90; tick -> A passed 1-2; lose; resume; catch up -> A reset merged 1 passed lost;"
               "lose; tick; resume; tick -> A reset merged 3 passed lost;"
               "unsubscribe; subscribe; catch up -> A reset; lose; tick; resume;"
               "catch up -> A reset merged 1 passed lost")

/* Members that missed the same ticks share a reset; others do not. */
SCENARIO(shares_report_missed_ticks_separately,
         SWEPT "join -> B; join -> C; join -> D; B subscribe; C subscribe; catch up -> B reset | C as B;"
               "move 1 50; tick -> A begin 1-2 | B as A | C as A; lose; B lose;"
               "move 1 10; tick -> C end 1-2 moved apart; C lose;"
               "move 1 50; tick; D subscribe; resume; B resume; C resume;"
               "catch up -> A reset merged 3 passed lost begin 1-2 | B as A | C reset merged 2 passed lost begin 1-2"
               " | D reset begin 1-2")

/* ---- swept rooms ---- */

#define LANE_2 "open swept; spawn 1 10, 2 50; tick;"
#define LANE_3 "open swept; spawn 1 10, 2 50, 3 60; tick;"
#define LANE_4 "spawn 1 10, 2 50, 3 60, 4 70; tick;"

SCENARIO(passed_pairs_are_reported_outside_the_set,
         LANE_3 "subscribe; catch up -> A reset; move 1 90; tick -> A passed 1-2 1-3;"
                "stats -> passed 2, begins 0, ends 0, pairs 0; tick")

SCENARIO(room_that_is_not_swept_reports_no_passed_pairs,
         "spawn 1 10, 2 50; subscribe; tick -> A reset; move 1 90; tick")

/* At its old place, its new shape touches 3. */
SCENARIO(entity_passes_what_its_new_shape_touches_at_the_start,
         "open swept; spawn 1 10, 3 5; tick; subscribe; catch up -> A reset;"
         "reshape 1 half_x 4; move 1 90; tick -> A passed 1-3; reshape 1 half_x 9; reshape 1 half_x 4; move 1 95; tick")

/* Pairs that begin or end did not pass, and teleported entities pass nothing. */
SCENARIO(passed_pair_neither_begins_nor_ends, "open swept;" LANE_4 "subscribe; catch up -> A reset;"
                                              "move 1 60; tick -> A begin 1-3 passed 1-2;"
                                              "move 1 95; tick -> A end 1-3 moved apart passed 1-4;"
                                              "teleport 1 10; tick")

SCENARIO(own_passed_pairs_are_pairs_of_own_entities,
         LANE_2 "join -> B; B spawn 7 60; subscribe own; B subscribe own stays; tick -> A own reset | B own reset;"
                "move 1 90; tick -> A own passed 1-2 1-7 | B own passed 1-7")

SCENARIO(reset_has_no_passed_pairs, LANE_3 "join -> B; B subscribe; catch up -> B reset;"
                                           "subscribe; move 1 90; tick -> A reset | B passed 1-2 1-3")

SCENARIO(passed_pairs_count_for_events_max, "open swept events_max 2;" LANE_4 "subscribe; catch up -> A reset;"
                                            "move 1 95; tick -> A suspended 3; stats -> passed 0; tick -> A reset")

/* ---- rest ---- */

SCENARIO(room_is_quiet_after_a_tick_without_events,
         "spawn 1 10, 2 11; tick; look -> quiet; subscribe; look -> busy; catch up -> A reset begin 1-2; look -> quiet;"
         "tick; look -> quiet; move 1 50; tick -> A end 1-2 moved apart; look -> busy; tick; look -> quiet")

SCENARIO(room_with_pairs_that_stay_is_not_quiet,
         "spawn 1 10, 2 11; subscribe stays; tick -> A reset begin 1-2; tick -> A stay 1-2; look -> busy;"
         "unsubscribe; tick; look -> quiet")

SCENARIO(suspended_room_is_not_quiet,
         "open events_max 2; spawn 1..4 10; subscribe; tick -> A suspended 3; tick; look -> busy;"
         "despawn 3, 4; tick -> A reset begin 1-2; tick; look -> quiet")

/* Ticks 1 and 2, three at rest, and tick 6; the last reported one is tick 1. */
SCENARIO(ticks_at_rest_count, "spawn 1 10, 2 11; subscribe; tick -> A reset begin 1-2; tick; rest 3;"
                              "miss 1; resume; catch up -> A reset merged 4 begin 1-2;"
                              "move 1 50; tick -> A end 1-2 moved apart")

TEST_MAIN()
