/* SPDX-License-Identifier: Apache-2.0
 *
 * Enough events in one tick that several workers sort them. The pairs of two piles of boxes part and meet again, for a
 * member with all pairs and for one with its own. The order of the tasks changes nothing.
 */
#include "room/scenario.h"
#include "support/backwards.h"

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

/* Ids of A are not multiples of 3. */
static uint32_t owner_of(uint32_t id)
{
    return id % 3 == 0;
}

static deed deed_of(uint32_t id)
{
    return is_right(id) && id % 7 == 0 ? DESPAWN : !is_right(id) && id % 5 == 0 ? TELEPORT : MOVE;
}

/* All pairs of the heap and its parts that fit, in order, are those of the list. With `mixed`, deeds were done. */
static void expect_all(bool own, bool across, bool mixed, qd_room_pairs pairs, const uint8_t *reason)
{
    uint32_t at = 0;

    for (uint32_t a = 0; a < BOXES; a++) {
        for (uint32_t b = a + 1; b < BOXES; b++) {
            bool gone = mixed && (deed_of(a) == DESPAWN || deed_of(b) == DESPAWN);

            if ((across && is_right(a) == is_right(b) && !gone) || (own && owner_of(a) != 1 && owner_of(b) != 1)) {
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

static void move_all(bool apart)
{
    for (uint32_t id = 0; id < BOXES; id++) {
        play("%c move %u %g", 'A' + (int)owner_of(id), id, (double)(apart ? side_of(id) : MID));
    }
}

static void do_deeds(void)
{
    static const char *const words[] = {"move", "teleport", "despawn"};

    for (uint32_t id = 0; id < BOXES; id++) {
        play("%c %s %u %g", 'A' + (int)owner_of(id), words[deed_of(id)], id, (double)side_of(id));
    }
}

/* A gets all pairs, B its own. */
static void expect_round(const qd_executor *executor, bool across, bool mixed, bool is_end)
{
    qd_room_report report;

    qd_room_tick(played.room, executor, 0);
    for (uint32_t member = 0; member < 2; member++) {
        assert_true(qd_room_next_report(played.room, &report));
        assert_int_equal(report.member, member);
        expect_all(member == 1, across, mixed, is_end ? report.ends : report.begins, is_end ? report.end_reason : NULL);
        assert_int_equal(is_end ? report.begins.count : report.ends.count, 0);
    }
    assert_false(qd_room_next_report(played.room, &report));
}

static void part_and_meet(const qd_executor *executor)
{
    play("open events_max %u; join -> B", BOXES * BOXES);
    for (uint32_t i = 0; i < BOXES; i++) {
        uint32_t id = i * 7 % BOXES;

        play("%c spawn %u %g", 'A' + (int)owner_of(id), id, (double)MID);
    }
    play("subscribe; B subscribe own");
    expect_round(executor, false, false, false); /* the reset */
    move_all(true);
    expect_round(executor, true, false, true);
    move_all(false);
    expect_round(executor, true, false, false);
    do_deeds();
    expect_round(executor, true, true, true);
    play_end();
}

TEST(events_are_in_order_on_one_worker)
{
    part_and_meet(&qd_executor_serial);
}

TEST(events_are_in_order_on_several_workers)
{
    part_and_meet(&backwards);
}

TEST_MAIN()
