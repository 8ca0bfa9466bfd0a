/* SPDX-License-Identifier: Apache-2.0
 *
 * Rosters: naming them, the meaning of entries as entities come and go, and their memory.
 */
#include "room_fixture.h"
#include "tests/support/test.h"

#define MANY   1500u /* several runs of entries */
#define LITTLE 512u

static void open_with_rosters(room_fixture *fixture, uint32_t ids_max)
{
    qd_room_config config = *default_config();

    config.entities_max = 2 * MANY;
    config.roster_ids_max = ids_max;
    open_room(fixture, &config);
}

static qd_status name(room_fixture *fixture, uint32_t number, uint32_t first, const uint32_t *id, uint32_t count,
                      bool keep_rest)
{
    return qd_room_roster_name(
        fixture->room, fixture->me,
        &(qd_room_roster){.number = number, .first = first, .count = count, .id = id, .keep_rest = keep_rest});
}

static void expect_ids(room_fixture *fixture, uint32_t number, uint32_t count, const uint32_t *id)
{
    uint32_t found;
    const uint32_t *ids = qd_room_roster_ids(fixture->room, fixture->me, number, &found);

    assert_int_equal(found, count);
    assert_true((ids != NULL) == (count > 0));
    if (count > 0) {
        assert_memory_equal(ids, id, count * sizeof id[0]);
    }
}

/* All entries from `first` on go to `x`. Returns the refusal, or 0. */
static int place(room_fixture *fixture, uint32_t number, uint32_t first, uint32_t count, float x)
{
    float xs[MANY], ys[MANY];
    qd_room_refusals refusals;

    for (uint32_t i = 0; i < count; i++) {
        xs[i] = x;
        ys[i] = 50;
    }
    const qd_room_roster_positions places = {.number = number, .first = first, .count = count, .x = xs, .y = ys};
    assert_int_equal(qd_room_roster_move(fixture->room, fixture->me, &places, &refusals), QD_OK);
    assert_true(refusals.count <= 1);
    return refusals.count ? refusals.code[0] : 0;
}

static float x_of(qd_room *room, uint32_t id)
{
    qd_room_batch columns;
    bool more;

    assert_int_equal(qd_room_snapshot(room, QD_ROOM_ANYBODY, NULL, UINT32_MAX, &columns, &more), QD_OK);
    for (uint32_t i = 0; i < columns.count; i++) {
        if (columns.id[i] == id) {
            return columns.x[i];
        }
    }
    fail_msg("no entity %u", id);
    return 0;
}

TEST(a_roster_is_named_in_pieces_patched_cut_and_dropped)
{
    static const uint32_t one[] = {5, 6, 7}, other[] = {8, 9};
    room_fixture fixture;

    (void)state;
    open_with_rosters(&fixture, 10);
    expect_ids(&fixture, 3, 0, NULL);
    assert_int_equal(name(&fixture, 3, 0, one, 3, false), QD_OK);
    assert_int_equal(name(&fixture, 3, 3, other, 2, false), QD_OK);
    expect_ids(&fixture, 3, 5, (uint32_t[]){5, 6, 7, 8, 9});
    assert_int_equal(name(&fixture, 3, 1, other, 2, true), QD_OK);
    expect_ids(&fixture, 3, 5, (uint32_t[]){5, 8, 9, 8, 9});
    assert_int_equal(name(&fixture, 3, 4, one, 3, true), QD_OK);
    expect_ids(&fixture, 3, 7, (uint32_t[]){5, 8, 9, 8, 5, 6, 7});
    assert_int_equal(name(&fixture, 3, 2, other, 1, false), QD_OK);
    expect_ids(&fixture, 3, 3, (uint32_t[]){5, 8, 8});
    assert_int_equal(name(&fixture, 3, 0, NULL, 0, true), QD_OK);
    expect_ids(&fixture, 3, 3, (uint32_t[]){5, 8, 8});
    assert_int_equal(name(&fixture, 3, 4, one, 1, true), QD_ERR_INVALID);
    assert_int_equal(name(&fixture, 2, 1, one, 1, true), QD_ERR_INVALID);
    assert_int_equal(name(&fixture, 3, 0, NULL, 0, false), QD_OK);
    expect_ids(&fixture, 3, 0, NULL);
    assert_int_equal(name(&fixture, 2, 0, NULL, 0, false), QD_OK);
    close_room(&fixture);
}

TEST(all_rosters_of_a_member_share_one_limit)
{
    static const uint32_t id[] = {1, 2, 3, 4, 5, 6};
    room_fixture fixture;

    (void)state;
    open_with_rosters(&fixture, 8);
    assert_int_equal(name(&fixture, 0, 0, id, 6, false), QD_OK);
    assert_int_equal(name(&fixture, QD_ROOM_ROSTERS_MAX - 1, 0, id, 3, false), QD_ERR_FULL);
    assert_int_equal(name(&fixture, QD_ROOM_ROSTERS_MAX - 1, 0, id, 2, false), QD_OK);
    /* Replaced entries do not count. */
    assert_int_equal(name(&fixture, 0, 5, id, 2, true), QD_ERR_FULL);
    assert_int_equal(name(&fixture, 0, 0, id, 6, true), QD_OK);
    assert_int_equal(name(&fixture, 0, 2, NULL, 0, false), QD_OK);
    assert_int_equal(name(&fixture, QD_ROOM_ROSTERS_MAX - 1, 2, id, 4, false), QD_OK);
    /* Another member has its own. */
    uint32_t me = fixture.me;
    fixture.me = join(fixture.room);
    assert_int_equal(name(&fixture, 0, 0, id, 6, false), QD_OK);
    qd_room_leave(fixture.room, me, 0);
    close_room(&fixture);
}

TEST(an_entry_means_whichever_entity_has_its_id)
{
    static const uint32_t id[] = {1, 2};
    room_fixture fixture;

    (void)state;
    open_with_rosters(&fixture, 10);
    qd_room *room = fixture.room;
    assert_int_equal(name(&fixture, 0, 0, id, 2, false), QD_OK);
    assert_int_equal(spawn(room, fixture.me, 2, 10), 0);
    assert_int_equal(place(&fixture, 0, 0, 2, 20), QD_ROOM_UNKNOWN_ID);
    assert_int_equal(spawn(room, fixture.me, 1, 10), 0);
    assert_int_equal(place(&fixture, 0, 0, 2, 30), 0);
    tick(room);
    assert_int_equal(despawn(room, fixture.me, 1), 0);
    assert_int_equal(place(&fixture, 0, 0, 2, 40), QD_ROOM_UNKNOWN_ID);
    /* The new entity has another slot; after the tick a third one has the old slot. */
    assert_int_equal(spawn(room, fixture.me, 1, 10), 0);
    assert_int_equal(place(&fixture, 0, 0, 1, 50), 0);
    assert_true(x_of(room, 1) == 50);
    tick(room);
    assert_int_equal(spawn(room, fixture.me, 3, 10), 0);
    assert_int_equal(place(&fixture, 0, 0, 2, 60), 0);
    assert_true(x_of(room, 1) == 60 && x_of(room, 2) == 60 && x_of(room, 3) == 10);
    /* At once, without a tick between: the new one may have the very same slot. */
    assert_int_equal(despawn(room, fixture.me, 3), 0);
    assert_int_equal(spawn(room, fixture.me, 4, 10), 0);
    assert_int_equal(place(&fixture, 0, 0, 2, 70), 0);
    assert_true(x_of(room, 4) == 10);
    close_room(&fixture);
}

TEST(an_entry_is_refused_once_its_entity_is_anothers)
{
    static const uint32_t id[] = {1};
    room_fixture fixture;
    qd_room_refusals refusals;

    (void)state;
    open_with_rosters(&fixture, 10);
    uint32_t other = join(fixture.room);
    assert_int_equal(spawn(fixture.room, fixture.me, 1, 10), 0);
    assert_int_equal(name(&fixture, 0, 0, id, 1, false), QD_OK);
    assert_int_equal(place(&fixture, 0, 0, 1, 20), 0);
    qd_room_hand_over(fixture.room, fixture.me, id, 1, other, NULL, &refusals);
    assert_int_equal(place(&fixture, 0, 0, 1, 30), QD_ROOM_NOT_OWNER);
    qd_room_hand_over(fixture.room, other, id, 1, QD_ROOM_OWNED, NULL, &refusals);
    assert_int_equal(place(&fixture, 0, 0, 1, 40), 0);
    assert_int_equal(qd_room_adopt(fixture.room, other, fixture.me, NULL), 0);
    qd_room_hand_over(fixture.room, fixture.me, id, 1, other, NULL, &refusals);
    assert_int_equal(qd_room_adopt(fixture.room, other, fixture.me, NULL), 1);
    assert_int_equal(place(&fixture, 0, 0, 1, 50), 0);
    assert_true(x_of(fixture.room, 1) == 50);
    close_room(&fixture);
}

TEST(rosters_of_many_runs_are_moved_from_any_entry)
{
    room_fixture fixture;
    uint32_t id[MANY];

    (void)state;
    open_with_rosters(&fixture, MANY);
    for (uint32_t i = 0; i < MANY; i++) {
        id[i] = i * 7;
        assert_int_equal(spawn(fixture.room, fixture.me, id[i], 10), 0);
    }
    assert_int_equal(name(&fixture, 0, 0, id, 1000, false), QD_OK);
    assert_int_equal(name(&fixture, 0, 1000, id + 1000, 500, false), QD_OK);
    expect_ids(&fixture, 0, MANY, id);
    assert_int_equal(place(&fixture, 0, 0, MANY, 20), 0);
    assert_int_equal(place(&fixture, 0, 300, 1100, 30), 0);
    assert_true(x_of(fixture.room, id[299]) == 20 && x_of(fixture.room, id[300]) == 30);
    assert_true(x_of(fixture.room, id[1399]) == 30 && x_of(fixture.room, id[1400]) == 20);
    /* An entry without an entity does not affect the others. */
    assert_int_equal(despawn(fixture.room, fixture.me, id[700]), 0);
    assert_int_equal(place(&fixture, 0, 0, MANY, 40), QD_ROOM_UNKNOWN_ID);
    assert_true(x_of(fixture.room, id[0]) == 40 && x_of(fixture.room, id[701]) == 40);
    assert_true(x_of(fixture.room, id[MANY - 1]) == 40);
    assert_int_equal(stats_of(fixture.room).updates, MANY + MANY + 1100 + 1 + MANY - 1);
    close_room(&fixture);
}

/* In two rosters, of two members, and twice in one of them. */
TEST(an_entity_of_several_rosters_is_missed_in_all)
{
    static const uint32_t id[] = {1, 1};
    room_fixture fixture;

    (void)state;
    open_with_rosters(&fixture, 10);
    uint32_t me = fixture.me, other = join(fixture.room);
    for (uint32_t round = 0; round < 3; round++) {
        assert_int_equal(spawn_room_owned(fixture.room, me, 1, 10), 0);
        for (uint32_t i = 0; i < 4; i++) {
            fixture.me = i % 2 ? other : me;
            if (round == 0) {
                assert_int_equal(name(&fixture, i / 2, 0, id, 1 + i % 2, false), QD_OK);
            }
            assert_int_equal(place(&fixture, i / 2, 0, 1 + i % 2, 20), 0);
        }
        tick(fixture.room);
        assert_int_equal(despawn(fixture.room, me, 1), 0);
        for (uint32_t i = 0; i < 4; i++) {
            fixture.me = i % 2 ? other : me;
            assert_int_equal(place(&fixture, i / 2, 0, 1, 30), QD_ROOM_UNKNOWN_ID);
        }
    }
    close_room(&fixture);
}

TEST(entries_cut_off_do_not_stay)
{
    static const uint32_t id[] = {1, 1};
    room_fixture fixture;

    (void)state;
    open_with_rosters(&fixture, 10);
    assert_int_equal(spawn(fixture.room, fixture.me, 1, 10), 0);
    assert_int_equal(name(&fixture, 0, 0, id, 2, false), QD_OK);
    assert_int_equal(place(&fixture, 0, 0, 2, 20), 0);
    assert_int_equal(name(&fixture, 0, 1, NULL, 0, false), QD_OK);
    assert_int_equal(despawn(fixture.room, fixture.me, 1), 0);
    assert_int_equal(place(&fixture, 0, 0, 1, 30), QD_ROOM_UNKNOWN_ID);
    close_room(&fixture);
}

/* From any entry on; the moves end in the next run, or in the one after it. */
TEST(entry_of_a_despawned_entity_is_missed_from_anywhere)
{
    room_fixture fixture;
    uint32_t id[MANY];

    (void)state;
    open_with_rosters(&fixture, MANY);
    for (uint32_t i = 0; i < MANY; i++) {
        id[i] = i;
        assert_int_equal(spawn(fixture.room, fixture.me, id[i], 10), 0);
    }
    assert_int_equal(name(&fixture, 0, 0, id, MANY, false), QD_OK);
    for (uint32_t gone = 100; gone < 700; gone += 97) {
        for (uint32_t first = gone - 99; first < gone; first += 7) {
            assert_int_equal(place(&fixture, 0, 0, MANY, 20), 0);
            assert_int_equal(despawn(fixture.room, fixture.me, gone), 0);
            assert_int_equal(place(&fixture, 0, first, gone - first + 1, 30), QD_ROOM_UNKNOWN_ID);
            assert_int_equal(spawn(fixture.room, fixture.me, gone, 10), 0);
        }
    }
    close_room(&fixture);
}

TEST(refusals_name_entries_of_the_batch)
{
    static const uint32_t id[] = {1, 2, 3, 4};
    static const float x[] = {20, NAN, 20}, y[] = {50, 50, 50};
    room_fixture fixture;
    qd_room_refusals refusals;

    (void)state;
    open_with_rosters(&fixture, 10);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(spawn(fixture.room, fixture.me, id[i], 10), 0);
    }
    assert_int_equal(name(&fixture, 0, 0, id, 4, false), QD_OK);
    const qd_room_roster_positions places = {.number = 0, .first = 1, .count = 3, .x = x, .y = y};
    assert_int_equal(qd_room_roster_move(fixture.room, fixture.me, &places, &refusals), QD_OK);
    assert_int_equal(refusals.count, 2);
    assert_int_equal(refusals.index[0], 1);
    assert_int_equal(refusals.code[0], QD_ROOM_NOT_FINITE);
    assert_int_equal(refusals.index[1], 2);
    assert_int_equal(refusals.code[1], QD_ROOM_UNKNOWN_ID);
    assert_true(x_of(fixture.room, 2) == 20 && x_of(fixture.room, 3) == 10);
    close_room(&fixture);
}

TEST(places_of_no_roster_and_beyond_its_end_change_nothing)
{
    static const uint32_t id[] = {1, 2};
    static const float x[] = {20, 20, 20}, y[] = {50, 50, 50};
    room_fixture fixture;
    qd_room_refusals refusals;

    (void)state;
    open_with_rosters(&fixture, 10);
    assert_int_equal(spawn(fixture.room, fixture.me, 1, 10), 0);
    assert_int_equal(spawn(fixture.room, fixture.me, 2, 10), 0);
    assert_int_equal(name(&fixture, 1, 0, id, 2, false), QD_OK);
    qd_room_roster_positions places = {.number = 0, .count = 2, .x = x, .y = y};
    assert_int_equal(qd_room_roster_move(fixture.room, fixture.me, &places, &refusals), QD_ERR_NOT_FOUND);
    places.number = 1;
    places.count = 3;
    assert_int_equal(qd_room_roster_move(fixture.room, fixture.me, &places, &refusals), QD_ERR_INVALID);
    places.first = UINT32_MAX;
    assert_int_equal(qd_room_roster_move(fixture.room, fixture.me, &places, &refusals), QD_ERR_INVALID);
    assert_true(x_of(fixture.room, 1) == 10 && x_of(fixture.room, 2) == 10);
    places.first = 1;
    places.count = 1;
    assert_int_equal(qd_room_roster_move(fixture.room, fixture.me, &places, &refusals), QD_OK);
    assert_true(refusals.count == 0 && x_of(fixture.room, 1) == 10 && x_of(fixture.room, 2) == 20);
    close_room(&fixture);
}

TEST(memory_goes_with_the_roster_and_with_its_member)
{
    room_fixture fixture;
    uint32_t id[MANY] = {0};

    (void)state;
    open_with_rosters(&fixture, 10 * MANY);
    uint32_t other = join(fixture.room), me = fixture.me;
    assert_int_equal(name(&fixture, 9, 0, id, 1, false), QD_OK);
    size_t before = fixture.heap.bytes;
    assert_int_equal(name(&fixture, 9, 0, id, MANY, false), QD_OK);
    assert_true(fixture.heap.bytes >= before + (MANY - 200) * 8);
    assert_true(fixture.heap.bytes <= before + MANY * 12);
    assert_int_equal(name(&fixture, 9, 0, id, 1, false), QD_OK);
    /* Except for a little memory about runs. */
    assert_true(fixture.heap.bytes <= before + LITTLE);
    for (uint32_t i = 0; i < 100; i++) {
        assert_int_equal(name(&fixture, 8, 0, id, MANY, false), QD_OK);
        assert_int_equal(name(&fixture, 8, 0, NULL, 0, false), QD_OK);
    }
    fixture.me = other;
    assert_int_equal(name(&fixture, 0, 0, id, MANY, false), QD_OK);
    qd_room_leave(fixture.room, other, 0);
    fixture.me = me;
    assert_true(fixture.heap.bytes <= before + LITTLE);
    expect_ids(&fixture, 9, 1, id);
    close_room(&fixture);
}

/* A number that another session has had begins with none. */
TEST(a_new_member_has_no_rosters)
{
    static const uint32_t id[] = {1};
    room_fixture fixture;

    (void)state;
    open_with_rosters(&fixture, 10);
    assert_int_equal(name(&fixture, 0, 0, id, 1, false), QD_OK);
    qd_room_leave(fixture.room, fixture.me, 0);
    fixture.me = join(fixture.room);
    expect_ids(&fixture, 0, 0, NULL);
    close_room(&fixture);
}

TEST_MAIN()
