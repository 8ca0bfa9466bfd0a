/* SPDX-License-Identifier: Apache-2.0
 *
 * Members: their entities after they leave, the grace time, and the reuse of their number.
 */
#include "room_fixture.h"
#include "tests/support/test.h"

TEST(entities_stay_for_the_grace_time)
{
    room_fixture fixture;

    (void)state;
    open_room(&fixture, default_config());
    qd_room *room = fixture.room;
    uint32_t leaver = join(room);
    spawn(room, leaver, 1, 10);
    spawn(room, fixture.me, 2, 11);
    subscribe(room, fixture.me);
    tick(room);
    expect_pairs(next_report(room).begins, 1, 1, 2);

    assert_true(qd_room_due_ns(room) == QD_NEVER);
    qd_room_leave(room, leaver, 1000);
    assert_true(qd_room_due_ns(room) == 1050);
    qd_room_expire(room, 1049);
    tick(room);
    no_report(room);
    assert_int_equal(stats_of(room).entities, 2);
    assert_int_equal(stats_of(room).members, 1);

    qd_room_expire(room, 1050);
    assert_true(qd_room_due_ns(room) == QD_NEVER);
    assert_int_equal(stats_of(room).entities, 1);
    tick(room);
    qd_room_report report = next_report(room);
    expect_pairs(report.ends, 1, 1, 2);
    assert_int_equal(report.end_reason[0], QD_SPACE_EXPIRED);
    close_room(&fixture);
}

TEST(without_grace_entities_go_at_the_next_expire)
{
    qd_room_config config = *default_config();
    room_fixture fixture;

    (void)state;
    config.grace_ns = 0;
    open_room(&fixture, &config);
    uint32_t leaver = join(fixture.room);
    spawn(fixture.room, leaver, 1, 10);
    qd_room_leave(fixture.room, leaver, 1000);
    assert_int_equal(stats_of(fixture.room).entities, 1);
    qd_room_expire(fixture.room, 1000);
    assert_int_equal(stats_of(fixture.room).entities, 0);
    close_room(&fixture);
}

TEST(endless_grace_never_ends)
{
    qd_room_config config = *default_config();
    room_fixture fixture;

    (void)state;
    config.grace_ns = QD_NEVER;
    open_room(&fixture, &config);
    uint32_t leaver = join(fixture.room);
    spawn(fixture.room, leaver, 1, 10);
    qd_room_leave(fixture.room, leaver, 1000);
    qd_room_expire(fixture.room, QD_NEVER - 1);
    assert_int_equal(stats_of(fixture.room).entities, 1);
    close_room(&fixture);
}

TEST(members_expire_in_the_order_in_which_they_left)
{
    room_fixture fixture;
    uint32_t members[5];

    (void)state;
    open_room(&fixture, default_config());
    for (uint32_t i = 0; i < 5; i++) {
        members[i] = join(fixture.room);
        spawn(fixture.room, members[i], i, 10);
    }
    static const uint32_t order[] = {3, 0, 4, 1, 2};
    for (uint32_t i = 0; i < 5; i++) {
        qd_room_leave(fixture.room, members[order[i]], 100 * i);
    }
    for (uint32_t i = 0; i < 5; i++) {
        assert_true(qd_room_due_ns(fixture.room) == 100 * i + 50);
        qd_room_expire(fixture.room, 100 * i + 50);
        assert_int_equal(stats_of(fixture.room).entities, 4 - i);
        assert_int_equal(spawn(fixture.room, fixture.me, order[i], 90), 0);
        assert_int_equal(despawn(fixture.room, fixture.me, order[i]), 0);
    }
    close_room(&fixture);
}

TEST(a_number_is_free_when_nothing_of_its_member_is_left)
{
    room_fixture fixture;

    (void)state;
    open_room(&fixture, default_config());
    qd_room *room = fixture.room;
    uint32_t leaver = join(room);
    spawn(room, leaver, 1, 10);
    tick(room);
    qd_room_leave(room, leaver, 0);

    uint32_t second = join(room);
    assert_int_not_equal(second, leaver);
    /* Its entity is gone, but has yet to end its pairs. */
    qd_room_expire(room, 50);
    uint32_t third = join(room);
    assert_int_not_equal(third, leaver);
    tick(room);
    assert_int_equal(join(room), leaver);
    close_room(&fixture);
}

TEST(number_of_a_member_without_entities_is_free_at_once)
{
    room_fixture fixture;

    (void)state;
    open_room(&fixture, default_config());
    uint32_t leaver = join(fixture.room);
    qd_room_leave(fixture.room, leaver, 0);
    assert_int_equal(join(fixture.room), leaver);

    /* Nor does what came and went within a tick, or what now belongs to the room. */
    spawn(fixture.room, leaver, 1, 10);
    despawn(fixture.room, leaver, 1);
    spawn_room_owned(fixture.room, leaver, 2, 10);
    qd_room_leave(fixture.room, leaver, 0);
    assert_true(qd_room_due_ns(fixture.room) == QD_NEVER);
    assert_int_equal(join(fixture.room), leaver);
    close_room(&fixture);
}

TEST(room_owned_entities_outlive_their_creator_and_obey_all)
{
    room_fixture fixture;

    (void)state;
    open_room(&fixture, default_config());
    qd_room *room = fixture.room;
    uint32_t maker = join(room);
    spawn_room_owned(room, maker, 1, 10);
    spawn(room, maker, 2, 10);
    assert_int_equal(move(room, fixture.me, 1, 20), 0);
    assert_int_equal(move(room, fixture.me, 2, 20), QD_ROOM_NOT_OWNER);
    assert_int_equal(despawn(room, fixture.me, 2), QD_ROOM_NOT_OWNER);
    qd_room_leave(room, maker, 0);
    qd_room_expire(room, 1000);
    assert_int_equal(stats_of(room).entities, 1);
    assert_int_equal(despawn(room, fixture.me, 1), 0);
    close_room(&fixture);
}

TEST(despawn_all_ends_everything_as_closed)
{
    room_fixture fixture;

    (void)state;
    open_room(&fixture, default_config());
    qd_room *room = fixture.room;
    uint32_t leaver = join(room);
    spawn(room, leaver, 1, 10);
    spawn(room, fixture.me, 2, 11);
    spawn_room_owned(room, fixture.me, 3, 12);
    subscribe(room, fixture.me);
    tick(room);
    expect_pairs(next_report(room).begins, 3, 1, 2, 1, 3, 2, 3);

    /* Whatever happens to them just before. */
    assert_int_equal(despawn(room, fixture.me, 2), 0);
    assert_int_equal(despawn(room, fixture.me, 3), 0);
    qd_room_leave(room, leaver, 0);
    qd_room_despawn_all(room);
    tick(room);
    qd_room_report report = next_report(room);
    expect_pairs(report.ends, 3, 1, 2, 1, 3, 2, 3);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(report.end_reason[i], QD_SPACE_ROOM_CLOSED);
    }
    assert_int_equal(stats_of(room).entities, 0);

    /* The grace period goes on, although nothing is left to expire. */
    qd_room_expire(room, 50);
    assert_true(qd_room_due_ns(room) == QD_NEVER);
    assert_int_equal(join(room), leaver);
    close_room(&fixture);
}

TEST(the_number_of_members_has_a_limit)
{
    room_fixture fixture;
    uint32_t member;

    (void)state;
    open_room(&fixture, default_config());
    for (uint32_t i = 1; i < QD_ROOM_MEMBERS_MAX; i++) {
        join(fixture.room);
    }
    assert_int_equal(qd_room_join(fixture.room, &member), QD_ERR_FULL);
    qd_room_leave(fixture.room, 77, 0);
    assert_int_equal(join(fixture.room), 77);
    assert_int_equal(stats_of(fixture.room).members, QD_ROOM_MEMBERS_MAX);
    close_room(&fixture);
}

TEST_MAIN()
