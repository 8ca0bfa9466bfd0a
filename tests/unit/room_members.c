/* SPDX-License-Identifier: Apache-2.0
 *
 * Members: their entities after they leave, the grace time, the reuse of their number, and entities that are handed
 * over to another owner.
 */
#include "room/scenario.h"

SCENARIO(entities_stay_for_the_grace_time,
         "join -> B; B spawn 1 10; spawn 2 11; subscribe; tick -> A reset begin 1-2; due -> never;"
         "B leave 1000; due -> 1050; expire 1049; tick; stats -> entities 2, members 1;"
         "expire 1050; due -> never; stats -> entities 1; tick -> A end 1-2 expired")

SCENARIO(without_grace_entities_go_at_the_next_expire,
         "open grace 0; join -> B; B spawn 1 10; B leave 1000; stats -> entities 1; expire 1000; stats -> entities 0")

SCENARIO(endless_grace_never_ends,
         "open grace endless; join -> B; B spawn 1 10; B leave 1000; expire never; stats -> entities 1")

#define EXPIRES(due_ns, id, left)                                                                                      \
    "due -> " due_ns "; expire " due_ns "; stats -> entities " left "; spawn " id " 90; despawn " id ";"
SCENARIO(members_expire_in_the_order_in_which_they_left,
         "join -> B; join -> C; join -> D; join -> E; join -> F;"
         "B spawn 0 10; C spawn 1 10; D spawn 2 10; E spawn 3 10; F spawn 4 10;"
         "E leave 0; B leave 100; F leave 200; C leave 300; D leave 400;" EXPIRES("50", "3", "4")
             EXPIRES("150", "0", "3") EXPIRES("250", "4", "2") EXPIRES("350", "1", "1") EXPIRES("450", "2", "0"))

/* After it has expired, its entity has yet to end its pairs. */
SCENARIO(a_number_is_free_when_nothing_of_its_member_is_left,
         "join -> B; B spawn 1 10; tick; B leave; join -> C; expire 50; join -> D; tick; join -> B")

/* What came and went within a tick, or now belongs to the room, does not hold it either. */
SCENARIO(number_of_a_member_without_entities_is_free_at_once,
         "join -> B; B leave; join -> B;"
         "B spawn 1 10; B despawn 1; B spawn owned 2 10; B leave; due -> never; join -> B")

SCENARIO(room_owned_entities_outlive_their_creator_and_obey_all,
         "join -> B; B spawn owned 1 10; B spawn 2 10;"
         "move 1 20; move 2 20 -> NOT_OWNER; despawn 2 -> NOT_OWNER;"
         "B leave; expire 1000; stats -> entities 1; despawn 1")

/* Whatever happens to them just before. The grace period goes on, although nothing is left to expire. */
SCENARIO(despawn_all_ends_everything_as_closed,
         "join -> B; B spawn 1 10; spawn 2 11; spawn owned 3 12; subscribe; tick -> A reset begin 1-2 1-3 2-3;"
         "despawn 2; despawn 3; B leave; despawn all;"
         "tick -> A end 1-2 room closed 1-3 room closed 2-3 room closed;"
         "stats -> entities 0;"
         "expire 50; due -> never; join -> B")

TEST(the_number_of_members_has_a_limit)
{
    uint32_t member;

    play("open");
    for (uint32_t i = 1; i < QD_ROOM_MEMBERS_MAX; i++) {
        assert_int_equal(qd_room_join(played.room, &member), QD_OK);
    }
    assert_int_equal(qd_room_join(played.room, &member), QD_ERR_FULL);
    qd_room_leave(played.room, 77, 0);
    assert_int_equal(qd_room_join(played.room, &member), QD_OK);
    assert_int_equal(member, 77);
    play("stats -> members 1048576");
    play_end();
}

/* ---- handing over ---- */

/* Boxes 1 and 2 of A on each other, 3 of B apart; after tick 1. */
#define TWO "join -> B; spawn 1 10, 2 11; B spawn 3 50; tick;"

/* Anyone may change the entities of the room, and take them. */
SCENARIO(handed_over_entity_obeys_only_its_receiver,
         TWO "B give 1 to B -> NOT_OWNER; B give 7 to B -> UNKNOWN_ID;"
             "give 1 to B -> 1; move 1 20 -> NOT_OWNER; B move 1 20; give 1 to A -> NOT_OWNER;"
             "B give 1 to room -> 1; move 1 30; give 1 to A -> 1; B despawn 1 -> NOT_OWNER")

/* There is no 7, 3 is B's already and not A's, 2 is handed over twice. */
SCENARIO(handed_over_entities_are_listed,
         TWO "B spawn owned 4 70;"
             "give 7 2 3 1 2 4 to B -> 2 1 4, but 0 UNKNOWN_ID 2 NOT_OWNER 4 NOT_OWNER; owned B -> 4;"
             "B give 1 2 4 to room -> 1 2 4; B give 1 2 4 to room; owned B -> 1")

/* Nothing is left of B at the end: its number is free. */
SCENARIO(handed_over_entity_leaves_with_its_new_owner,
         TWO "give 1 to B -> 1; B give 3 to A -> 3; give 2 to room -> 2; B leave 100; expire 150; stats -> entities 2;"
             "move 1 20 -> UNKNOWN_ID; move 3 20; tick; join -> B")

/* Handing an entity to its owner changes nothing. */
SCENARIO(handover_resets_own_pairs_only,
         TWO "join -> C; subscribe own; B subscribe own; C subscribe;"
             "catch up -> A own reset begin 1-2 | B own reset | C reset begin 1-2; give 2 to B -> 2; give 1 to B -> 1;"
             "catch up -> A own reset | B own reset begin 1-2; B give 1 to B; catch up;"
             "B despawn 1; tick -> B own end 1-2 despawned | C end 1-2 despawned")

SCENARIO(entities_left_behind_can_be_adopted,
         TWO "leave 100; B subscribe own; catch up -> B own reset;"
             "owned A -> 2; B adopt A -> 1 2; owned A -> 0; owned B -> 3; owned Z -> 0; B adopt A;"
             "expire 1000; stats -> entities 3;"
             "tick -> B own reset begin 1-2")

TEST(ids_that_are_handed_over_need_not_be_listed)
{
    const uint32_t id = 1;
    qd_room_refusals refusals;

    play(TWO);
    assert_int_equal(qd_room_hand_over(played.room, 0, &id, 1, 1, NULL, &refusals), 1);
    assert_int_equal(qd_room_adopt(played.room, 1, 0, NULL), 2);
    play("owned A -> 3");
    play_end();
}

TEST_MAIN()
