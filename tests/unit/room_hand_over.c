/* SPDX-License-Identifier: Apache-2.0
 *
 * Handing entities over to another owner.
 */
#include "room_fixture.h"
#include "tests/support/test.h"

static int hand_over(qd_room *room, uint32_t member, uint32_t id, uint32_t to)
{
    qd_room_refusals refusals;

    (void)qd_room_hand_over(room, member, &id, 1, to, NULL, &refusals);
    return only_refusal(&refusals);
}

static void subscribe_own(qd_room *room, uint32_t member)
{
    qd_room_subscribe(room, member, (qd_room_interest){.own_only = true});
}

/* Boxes 1 and 2 of `me` on each other, 3 of `other` apart; after tick 1. */
static uint32_t open_two(room_fixture *fixture)
{
    open_room(fixture, default_config());
    uint32_t other = join(fixture->room);
    spawn(fixture->room, fixture->me, 1, 10);
    spawn(fixture->room, fixture->me, 2, 11);
    spawn(fixture->room, other, 3, 50);
    tick(fixture->room);
    return other;
}

TEST(handed_over_entity_obeys_only_its_receiver)
{
    room_fixture fixture;

    (void)state;
    uint32_t other = open_two(&fixture);
    assert_int_equal(hand_over(fixture.room, other, 1, other), QD_ROOM_NOT_OWNER);
    assert_int_equal(hand_over(fixture.room, other, 7, other), QD_ROOM_UNKNOWN_ID);
    assert_int_equal(hand_over(fixture.room, fixture.me, 1, other), 0);
    assert_int_equal(move(fixture.room, fixture.me, 1, 20), QD_ROOM_NOT_OWNER);
    assert_int_equal(move(fixture.room, other, 1, 20), 0);
    assert_int_equal(hand_over(fixture.room, fixture.me, 1, fixture.me), QD_ROOM_NOT_OWNER);
    /* To the room, whose entities anyone may change, and take. */
    assert_int_equal(hand_over(fixture.room, other, 1, QD_ROOM_OWNED), 0);
    assert_int_equal(move(fixture.room, fixture.me, 1, 30), 0);
    assert_int_equal(hand_over(fixture.room, fixture.me, 1, fixture.me), 0);
    assert_int_equal(despawn(fixture.room, other, 1), QD_ROOM_NOT_OWNER);
    close_room(&fixture);
}

TEST(handed_over_entities_are_listed)
{
    static const uint32_t id[] = {7, 2, 3, 1, 2, 4};
    room_fixture fixture;
    qd_room_refusals refusals;
    uint32_t handed_over[6] = {0};

    (void)state;
    uint32_t other = open_two(&fixture);
    spawn_room_owned(fixture.room, other, 4, 70);
    /* There is no 7, 3 is the receiver's already and not the giver's, 2 is handed_over twice. */
    assert_int_equal(qd_room_hand_over(fixture.room, fixture.me, id, 6, other, handed_over, &refusals), 3);
    assert_true(handed_over[0] == 2 && handed_over[1] == 1 && handed_over[2] == 4);
    assert_int_equal(refusals.count, 3);
    assert_int_equal(qd_room_owned_count(fixture.room, other), 4);
    /* To the room, and from the room to the room. */
    assert_int_equal(qd_room_hand_over(fixture.room, other, id + 3, 3, QD_ROOM_OWNED, handed_over, &refusals), 3);
    assert_int_equal(qd_room_hand_over(fixture.room, other, id + 3, 3, QD_ROOM_OWNED, handed_over, &refusals), 0);
    assert_int_equal(refusals.count, 0);
    assert_int_equal(qd_room_owned_count(fixture.room, other), 1);
    close_room(&fixture);
}

TEST(handed_over_entity_leaves_with_its_new_owner)
{
    room_fixture fixture;

    (void)state;
    uint32_t other = open_two(&fixture);
    hand_over(fixture.room, fixture.me, 1, other);
    hand_over(fixture.room, other, 3, fixture.me);
    hand_over(fixture.room, fixture.me, 2, QD_ROOM_OWNED);
    qd_room_leave(fixture.room, other, 100);
    qd_room_expire(fixture.room, 150);
    assert_int_equal(stats_of(fixture.room).entities, 2);
    assert_int_equal(move(fixture.room, fixture.me, 1, 20), QD_ROOM_UNKNOWN_ID);
    assert_int_equal(move(fixture.room, fixture.me, 3, 20), 0);
    tick(fixture.room);
    /* Nothing is left of the member: its number is free. */
    assert_int_equal(join(fixture.room), other);
    close_room(&fixture);
}

TEST(handover_resets_own_pairs_only)
{
    room_fixture fixture;

    (void)state;
    uint32_t other = open_two(&fixture), third = join(fixture.room);
    subscribe_own(fixture.room, fixture.me);
    subscribe_own(fixture.room, other);
    subscribe(fixture.room, third);
    catch_up(fixture.room);
    for (int i = 0; i < 3; i++) {
        (void)next_report(fixture.room);
    }
    hand_over(fixture.room, fixture.me, 2, other);
    hand_over(fixture.room, fixture.me, 1, other);
    catch_up(fixture.room);
    qd_room_report report = next_report(fixture.room);
    assert_true(report.member == fixture.me && report.reset && report.merged_ticks == 0);
    expect_pairs(report.begins, 0);
    report = next_report(fixture.room);
    assert_true(report.member == other && report.reset);
    expect_pairs(report.begins, 1, 1, 2);
    no_report(fixture.room);
    /* Handing an entity to its owner changes nothing. */
    hand_over(fixture.room, other, 1, other);
    catch_up(fixture.room);
    no_report(fixture.room);
    despawn(fixture.room, other, 1);
    tick(fixture.room);
    report = next_report(fixture.room);
    assert_int_equal(report.member, other);
    expect_pairs(report.ends, 1, 1, 2);
    assert_int_equal(next_report(fixture.room).member, third);
    no_report(fixture.room);
    close_room(&fixture);
}

TEST(entities_left_behind_can_be_adopted)
{
    room_fixture fixture;

    (void)state;
    uint32_t other = open_two(&fixture);
    qd_room_leave(fixture.room, fixture.me, 100);
    subscribe_own(fixture.room, other);
    catch_up(fixture.room);
    (void)next_report(fixture.room);
    uint32_t handed_over[2] = {0};
    assert_int_equal(qd_room_owned_count(fixture.room, fixture.me), 2);
    assert_int_equal(qd_room_adopt(fixture.room, fixture.me, other, handed_over), 2);
    assert_int_equal(handed_over[0] + handed_over[1], 3);
    assert_int_equal(qd_room_owned_count(fixture.room, fixture.me), 0);
    assert_int_equal(qd_room_owned_count(fixture.room, other), 3);
    assert_int_equal(qd_room_owned_count(fixture.room, 77), 0);
    assert_int_equal(qd_room_adopt(fixture.room, fixture.me, other, NULL), 0);
    qd_room_expire(fixture.room, 1000);
    assert_int_equal(stats_of(fixture.room).entities, 3);
    tick(fixture.room);
    qd_room_report report = next_report(fixture.room);
    assert_true(report.reset);
    expect_pairs(report.begins, 1, 1, 2);
    close_room(&fixture);
}

TEST_MAIN()
