/* SPDX-License-Identifier: Apache-2.0
 *
 * Rosters: naming them, the meaning of entries as entities come and go, and their memory.
 */
#include "room/scenario.h"

#define ROSTERS "open rosters 10;"

SCENARIO(a_roster_is_named_in_pieces_patched_cut_and_dropped,
         ROSTERS "name 3 0 5 6 7 -> 5 6 7; name 3 3 8 9 -> 5 6 7 8 9; name 3 1 8 9 keep -> 5 8 9 8 9;"
                 "name 3 4 5 6 7 keep -> 5 8 9 8 5 6 7; name 3 2 8 -> 5 8 8; name 3 0 keep -> 5 8 8;"
                 "name 3 4 5 keep -> INVALID; name 2 1 5 keep -> INVALID; name 3 0; name 3 1 5 -> INVALID; name 2 0")

/* Replaced entries do not count. Another member has its own limit. */
SCENARIO(all_rosters_of_a_member_share_one_limit,
         "open rosters 8; name 0 0 1 2 3 4 5 6 -> 1 2 3 4 5 6; name 255 0 1 2 3 -> FULL; name 255 0 1 2 -> 1 2;"
         "name 0 5 1 2 keep -> FULL; name 0 0 1 2 3 4 5 6 keep -> 1 2 3 4 5 6;"
         "name 0 2 -> 1 2; name 255 2 1 2 3 4 -> 1 2 1 2 3 4;"
         "join -> B; B name 0 0 1 2 3 4 5 6 -> 1 2 3 4 5 6; leave")

/* A new entity has another slot than the old one; after the tick a third one has the old slot. Without a tick between,
 * the new one may have the very same slot. */
SCENARIO(an_entry_means_whichever_entity_has_its_id,
         ROSTERS "name 0 0 1 2 -> 1 2; spawn 2 10; place 0 0 20 20 -> 0 UNKNOWN_ID;"
                 "spawn 1 10; place 0 0 30 30; tick; despawn 1; place 0 0 40 40 -> 0 UNKNOWN_ID;"
                 "spawn 1 10; place 0 0 50; where 1 -> 50;"
                 "tick; spawn 3 10; place 0 0 60 60; where 1 2 3 -> 60 60 10;"
                 "despawn 3; spawn 4 10; place 0 0 70 70; where 4 -> 10")

SCENARIO(an_entry_is_refused_once_its_entity_is_anothers,
         ROSTERS "join -> B; spawn 1 10; name 0 0 1 -> 1; place 0 0 20;"
                 "give 1 to B -> 1; place 0 0 30 -> NOT_OWNER; B give 1 to room -> 1; place 0 0 40;"
                 "adopt B; give 1 to B -> 1; adopt B -> 1; place 0 0 50; where 1 -> 50")

/* In two rosters, of two members, and twice in one of them. */
#define PLACED "place 0 0 20; B place 0 0 20 20; place 1 0 20; B place 1 0 20 20; tick;"
#define GONE                                                                                                           \
    "despawn 1; place 0 0 30 -> UNKNOWN_ID; B place 0 0 30 -> UNKNOWN_ID; place 1 0 30 -> UNKNOWN_ID;"                 \
    "B place 1 0 30 -> UNKNOWN_ID;"
SCENARIO(an_entity_of_several_rosters_is_missed_in_all,
         ROSTERS "join -> B; spawn owned 1 10; name 0 0 1 -> 1; B name 0 0 1 1 -> 1 1; name 1 0 1 -> 1;"
                 "B name 1 0 1 1 -> 1 1;" PLACED GONE "spawn owned 1 10;" PLACED GONE "spawn owned 1 10;" PLACED GONE)

SCENARIO(entries_cut_off_do_not_stay,
         ROSTERS "spawn 1 10; name 0 0 1 1 -> 1 1; place 0 0 20 20; name 0 1 -> 1; despawn 1;"
                 "place 0 0 30 -> UNKNOWN_ID")

SCENARIO(refusals_name_entries_of_the_batch, ROSTERS
         "spawn 1 10, 2 10, 3 10; name 0 0 1 2 3 4 -> 1 2 3 4; place 0 1 20 nan 20 -> 1 NOT_FINITE x 2 UNKNOWN_ID;"
         "where 2 3 -> 20 10")

SCENARIO(places_of_no_roster_and_beyond_its_end_change_nothing,
         ROSTERS "spawn 1 10, 2 10; name 1 0 1 2 -> 1 2; place 0 0 20 20 -> NOT_FOUND; place 1 0 20 20 20 -> INVALID;"
                 "place 1 4294967295 20 20 20 -> INVALID; where 1 2 -> 10 10; place 1 1 20; where 1 2 -> 10 20")

/* A number that another session has had begins with none. */
SCENARIO(a_new_member_has_no_rosters,
         ROSTERS "name 0 0 1 -> 1; leave; join -> A; place 0 0 20 -> NOT_FOUND; name 0 1 1 -> INVALID; name 0 0 keep")

/* ---- rosters of many runs of entries ---- */

#define MANY   1500u
#define LITTLE 512u

static uint32_t id[MANY];

static void name(uint32_t member, uint32_t number, uint32_t first, uint32_t count)
{
    const qd_room_roster roster = {.number = number, .first = first, .count = count, .id = id + first};
    uint32_t found;

    assert_int_equal(qd_room_roster_name(played.room, member, &roster), QD_OK);
    const uint32_t *ids = qd_room_roster_ids(played.room, member, number, &found);
    assert_int_equal(found, first + count);
    assert_true((ids != NULL) == (found > 0));
    if (found > 0) {
        assert_memory_equal(ids, id, found * sizeof id[0]);
    }
}

/* All entries from `first` on go to `x`. Returns the refusal, or 0. */
static int place(uint32_t first, uint32_t count, float x)
{
    float xs[MANY], ys[MANY];
    qd_room_refusals refusals;

    for (uint32_t i = 0; i < count; i++) {
        xs[i] = x;
        ys[i] = 50;
    }
    const qd_room_roster_positions places = {.first = first, .count = count, .x = xs, .y = ys};
    assert_int_equal(qd_room_move_roster(played.room, 0, &places, &refusals), QD_OK);
    assert_true(refusals.count <= 1);
    return refusals.count ? refusals.code[0] : 0;
}

static void open_many(uint32_t id_step)
{
    play("open rosters 1500 entities_max 3000");
    for (uint32_t i = 0; i < MANY; i++) {
        id[i] = i * id_step;
        play("spawn %u 10", id[i]);
    }
}

/* An entry without an entity does not affect the others. */
TEST(rosters_of_many_runs_are_moved_from_any_entry)
{
    open_many(7);
    name(0, 0, 0, 1000);
    name(0, 0, 1000, 500);
    assert_int_equal(place(0, MANY, 20), 0);
    assert_int_equal(place(300, 1100, 30), 0);
    play("where 2093 2100 9793 9800 -> 20 30 30 20; despawn 4900");
    assert_int_equal(place(0, MANY, 40), QD_ROOM_UNKNOWN_ID);
    play("where 0 4907 10493 -> 40 40 40; stats -> updates 5600");
    play_end();
}

/* From any entry on; the moves end in the next run, or in the one after it. */
TEST(entry_of_a_despawned_entity_is_missed_from_anywhere)
{
    open_many(1);
    name(0, 0, 0, MANY);
    for (uint32_t gone = 100; gone < 700; gone += 97) {
        for (uint32_t first = gone - 99; first < gone; first += 7) {
            assert_int_equal(place(0, MANY, 20), 0);
            play("despawn %u", gone);
            assert_int_equal(place(first, gone - first + 1, 30), QD_ROOM_UNKNOWN_ID);
            play("spawn %u 10", gone);
        }
    }
    play_end();
}

/* The roster remembers slots that the room has no memory for any more. */
TEST(entries_of_despawned_entities_are_missed_after_a_trim)
{
    open_many(1);
    name(0, 0, 0, MANY);
    assert_int_equal(place(0, MANY, 20), 0);
    for (uint32_t i = 1; i < MANY; i++) {
        play("despawn %u", i);
    }
    play("tick; trim");
    for (uint32_t i = 1; i < MANY; i += 53) {
        assert_int_equal(place(i, 1, 30), QD_ROOM_UNKNOWN_ID);
    }
    assert_int_equal(place(0, 1, 30), 0);
    play_end();
}

/* Except for a little memory about runs. */
TEST(memory_goes_with_the_roster_and_with_its_member)
{
    play("open rosters 15000; join -> B");
    name(0, 9, 0, 1);
    size_t before = played.heap.bytes;
    name(0, 9, 0, MANY);
    assert_in_range(played.heap.bytes, before + (MANY - 200) * 8, before + MANY * 12);
    name(0, 9, 0, 1);
    assert_true(played.heap.bytes <= before + LITTLE);
    for (uint32_t i = 0; i < 100; i++) {
        name(0, 8, 0, MANY);
        name(0, 8, 0, 0);
    }
    name(1, 0, 0, MANY);
    play("B leave; name 9 1 -> 0");
    assert_true(played.heap.bytes <= before + LITTLE);
    play_end();
}

TEST_MAIN()
