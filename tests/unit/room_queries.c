/* SPDX-License-Identifier: Apache-2.0
 *
 * Snapshots show the present: order, limit, owner, regions. Queries show the last tick: ids and their order, limits, the
 * category filter.
 */
#include "room/scenario.h"

/* ---- snapshots ---- */

SCENARIO(ids_ascend_and_end_at_the_limit,
         "snapshot; snapshot limit 0;"
         "spawn 4294967295 10, 5 10, 70000 10, 0 10, 2000000000 10;"
         "snapshot limit 5 -> 0 5 70000 2000000000 4294967295;"
         "snapshot limit 4 -> 0 5 70000 2000000000 more;"
         "snapshot limit 2 -> 0 5 more; snapshot limit 1 -> 0 more; snapshot limit 0 -> more")

SCENARIO(snapshot_of_one_owner_lists_its_entities,
         "join -> B; spawn 1 10; B spawn 2 10; spawn 2000000000 30; B spawn 2000000001 10; B spawn owned 3 10;"
         "snapshot of A -> 1 2000000000; snapshot of B limit 1 -> 2 more;"
         "snapshot of A in 20 100 0 100 -> 2000000000")

SCENARIO(snapshot_shows_the_present,
         "spawn 1 10, 2 10; tick; move 1 30; despawn 2; snapshot -> 1; body 1 -> 30 50 half 1 1")

/* A circle reaches as far as its radius on both axes. */
SCENARIO(region_selects_entities_that_touch_it,
         "spawn 1 10, 2 20, 3 30, 4 40, 9 90 50 shape 2 radius 2;"
         "snapshot in 11 19 0 100 -> 1 2; snapshot limit 1 in 11 19 0 100 -> 1 more;"
         "snapshot in 11.5 18.5 0 100; snapshot in 0 100 51.5 60 -> 9")

/* ---- queries ---- */

#define EVERYWHERE "query box -1e9 1e9 -1e9 1e9"

SCENARIO(query_before_the_first_tick_finds_nothing, EVERYWHERE "; spawn 1 10;" EVERYWHERE "; tick;" EVERYWHERE " -> 1")

/* 2 is another one of that id afterwards. */
SCENARIO(query_shows_the_last_tick,
         "spawn 1 10, 2 20, 3 30; tick; move 1 90; despawn 2; spawn 2 21, 4 10; reshape 3 category 0;"
         "query nearest 10 50 limit 10 categories 1 -> 1 at 0 2 at 9 3 at 19;"
         "tick;"
         "query nearest 10 50 limit 10 categories 1 -> 4 at 0 2 at 10 1 at 79;"
         "query nearest 10 50 limit 10 -> 4 at 0 2 at 10 3 at 19 1 at 79")

/* Slots are given out in another order than ids. */
SCENARIO(equal_hits_are_ordered_by_id_and_cut_at_the_limit,
         "spawn 4294967295 10, 7 10, 70000 10, 0 10, 2000000000 10; tick;" EVERYWHERE
         " -> 0 7 70000 2000000000 4294967295;" EVERYWHERE " limit 5 -> 0 7 70000 2000000000 4294967295;" EVERYWHERE
         " limit 4 -> 0 7 70000 2000000000 more;"
         "query nearest 50 50 limit 2 -> 0 at 39 7 at 39 more")

/* Touching counts. */
SCENARIO(each_kind_finds_its_entities,
         "spawn 1 10, 2 20, 3 30, 4 40, 5 50, 6 60, 7 70, 8 80, 9 90; tick;"
         "query box 11 29 0 49 -> 1 2 3;                      query box 11 29 0 48.5;"
         "query circle 55 50 4 -> 5 6;                        query circle 55 50 3.5;"
         "query nearest 52 50 reach 7 limit 10 -> 5 at 1 6 at 7;"
         "query ray 95 50 -3 0 limit 2 -> 9 at 4 8 at 14 more;"
         "query ray 95 50 -3 0 reach 14 limit 2 -> 9 at 4 8 at 14;"
         "query ray 95 50 -3 0 reach 13.5 -> 9 at 4;          query ray 95 50 -3 3 reach 13.5")

TEST_MAIN()
