/* SPDX-License-Identifier: Apache-2.0
 *
 * Enough events in one tick that several workers sort them. The pairs of two piles of boxes part and meet again, for a
 * member with all pairs and for one with its own. The order of the tasks changes nothing.
 */
#include "room_fixture.h"
#include "support/backwards.h"
#include "tests/support/test.h"

#define BOXES 200u /* ids 0 to 199: the even ones are the left heap, the odd ones the right */
#define MID   50.0f
#define STEP  1.5f /* so far to each side, and boxes of half extents 1 are apart */

typedef enum deed { MOVE, TELEPORT, DESPAWN } deed;

static bool is_right(uint32_t id)
{
    return id % 2 != 0;
}

static float side_of(uint32_t id)
{
    return is_right(id) ? MID + STEP : MID - STEP;
}

/* Ids of the first member are not multiples of 3. */
static uint32_t owner_of(const uint32_t member[2], uint32_t id)
{
    return member[id % 3 == 0];
}

static deed deed_of(uint32_t id)
{
    return is_right(id) && id % 7 == 0 ? DESPAWN : !is_right(id) && id % 5 == 0 ? TELEPORT : MOVE;
}

static void teleport(qd_room *room, uint32_t member, uint32_t id, float x)
{
    float y = 50;
    qd_room_batch batch = {.count = 1, .id = &id, .x = &x, .y = &y};
    qd_room_refusals refusals;

    qd_room_teleport(room, member, &batch, &refusals);
    assert_int_equal(refusals.count, 0);
}

/* All pairs of the heap and its parts that fit, in order, are those of the list. With `mixed`, deeds were done. */
static void expect_all(const uint32_t member[2], uint32_t own_of, bool across, bool mixed, qd_room_pairs pairs,
                       const uint8_t *reason)
{
    uint32_t at = 0;

    for (uint32_t a = 0; a < BOXES; a++) {
        for (uint32_t b = a + 1; b < BOXES; b++) {
            bool gone = mixed && (deed_of(a) == DESPAWN || deed_of(b) == DESPAWN);

            if ((across && is_right(a) == is_right(b) && !gone) ||
                (own_of != UINT32_MAX && owner_of(member, a) != own_of && owner_of(member, b) != own_of)) {
                continue;
            }
            assert_true(at < pairs.count);
            assert_int_equal(pairs.a[at], a);
            assert_int_equal(pairs.b[at], b);
            if (reason != NULL) {
                bool jumped = mixed && (deed_of(a) == TELEPORT || deed_of(b) == TELEPORT);

                assert_int_equal(reason[at], gone     ? QD_SPACE_DESPAWNED
                                             : jumped ? QD_SPACE_TELEPORTED
                                                      : QD_SPACE_MOVED_APART);
            }
            at++;
        }
    }
    assert_int_equal(at, pairs.count);
}

static void move_all(qd_room *room, const uint32_t member[2], bool apart)
{
    for (uint32_t id = 0; id < BOXES; id++) {
        assert_int_equal(move(room, owner_of(member, id), id, apart ? side_of(id) : MID), 0);
    }
}

static void do_deeds(qd_room *room, const uint32_t member[2])
{
    for (uint32_t id = 0; id < BOXES; id++) {
        uint32_t owner = owner_of(member, id);

        if (deed_of(id) == DESPAWN) {
            assert_int_equal(despawn(room, owner, id), 0);
        } else if (deed_of(id) == TELEPORT) {
            teleport(room, owner, id, side_of(id));
        } else {
            assert_int_equal(move(room, owner, id, side_of(id)), 0);
        }
    }
}

static void expect_round(qd_room *room, const uint32_t member[2], bool across, bool mixed, bool is_end)
{
    for (int i = 0; i < 2; i++) {
        qd_room_report report = next_report(room);

        assert_int_equal(report.member, member[i]);
        expect_all(member, i == 1 ? member[1] : UINT32_MAX, across, mixed, is_end ? report.ends : report.begins,
                   is_end ? report.end_reason : NULL);
        assert_int_equal(is_end ? report.begins.count : report.ends.count, 0);
    }
    no_report(room);
}

static void play(const qd_executor *executor)
{
    qd_room_config config = *default_config();
    room_fixture fixture;

    config.events_max = BOXES * BOXES;
    open_room(&fixture, &config);
    qd_room *room = fixture.room;
    const uint32_t member[2] = {fixture.me, join(room)};
    for (uint32_t i = 0; i < BOXES; i++) {
        uint32_t id = i * 7 % BOXES;

        assert_int_equal(spawn(room, owner_of(member, id), id, MID), 0);
    }
    qd_room_subscribe(room, member[0], (qd_room_interest){0});
    qd_room_subscribe(room, member[1], (qd_room_interest){.own_only = true});
    qd_room_tick(room, executor, 0);
    expect_round(room, member, false, false, false); /* the reset */
    move_all(room, member, true);
    qd_room_tick(room, executor, 0);
    expect_round(room, member, true, false, true);
    move_all(room, member, false);
    qd_room_tick(room, executor, 0);
    expect_round(room, member, true, false, false);
    do_deeds(room, member);
    qd_room_tick(room, executor, 0);
    expect_round(room, member, true, true, true);
    close_room(&fixture);
}

TEST(events_are_in_order_on_one_worker)
{
    play(&qd_executor_serial);
}

TEST(events_are_in_order_on_several_workers)
{
    play(&backwards);
}

TEST_MAIN()
