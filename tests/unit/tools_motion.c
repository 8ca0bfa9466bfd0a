/* SPDX-License-Identifier: Apache-2.0
 *
 * The bots: they move, they stay inside, the same seed moves them the same way, and a crowd parts where it touches.
 */
#include <string.h>

#include "client/tools/motion.h"
#include "tests/support/test.h"

#define BOTS 100u

static const qd_msg_bounds bounds = {.min_x = -20, .min_y = 5, .max_x = 20, .max_y = 25};
static const qd_msg_bounds deep = {.min_x = -20, .min_y = 5, .min_z = -9, .max_x = 20, .max_y = 25, .max_z = -1};

TEST(bots_move_inside)
{
    for (int kind = 0; kind < QD_MOTION_KINDS; kind++) {
        qd_motion motion, twin;
        float start[BOTS];

        assert_true(qd_motion_init(&motion, (qd_motion_kind)kind, &bounds, BOTS, 7));
        assert_true(qd_motion_init(&twin, (qd_motion_kind)kind, &bounds, BOTS, 7));
        memcpy(start, motion.x, sizeof start);
        for (int tick = 0; tick < 500; tick++) {
            qd_motion_step(&motion, 0.05f, NULL);
            qd_motion_step(&twin, 0.05f, NULL);
            for (uint32_t i = 0; i < BOTS; i++) {
                assert_true(motion.x[i] >= bounds.min_x && motion.x[i] <= bounds.max_x);
                assert_true(motion.y[i] >= bounds.min_y && motion.y[i] <= bounds.max_y);
            }
        }
        assert_memory_not_equal(start, motion.x, sizeof start);
        assert_memory_equal(motion.x, twin.x, sizeof start);
        assert_memory_equal(motion.y, twin.y, sizeof start);
        for (uint32_t i = 0; i < BOTS; i++) {
            assert_int_equal(motion.id[i], i + 1);
        }
        qd_motion_deinit(&motion);
        qd_motion_deinit(&twin);
    }
}

TEST(a_crowd_parts_where_it_touches)
{
    static const uint32_t a[] = {1}, b[] = {2};
    qd_motion motion;

    assert_true(qd_motion_init(&motion, QD_MOTION_CROWD, &bounds, 2, 1));
    qd_pairs *pairs = qd_pairs_create();
    assert_non_null(pairs);
    const qd_msg_tick tick = {.tick = 1, .reset = true, .last = true, .begins = {.count = 1, .a = a, .b = b}};
    assert_int_equal(qd_pairs_apply(pairs, &tick), QD_CLIENT_OK);
    for (int i = 0; i < 2; i++) {
        motion.x[i] = 0;
        motion.y[i] = 15;
    }
    qd_motion_step(&motion, 0, pairs);
    assert_true(motion.x[1] > motion.x[0]);
    qd_pairs_destroy(pairs);
    qd_motion_deinit(&motion);
}

/* In two dimensions nobody leaves the plane; in three they use all of the room, and two on a line along z part along
 * it.
 */
TEST(the_third_axis_is_used_where_there_is_one)
{
    for (int kind = 0; kind < QD_MOTION_KINDS; kind++) {
        qd_motion flat, motion;

        assert_true(qd_motion_init(&flat, (qd_motion_kind)kind, &bounds, BOTS, 7));
        assert_true(qd_motion_init(&motion, (qd_motion_kind)kind, &deep, BOTS, 7));
        float lowest = motion.z[0], highest = motion.z[0];
        for (int tick = 0; tick < 500; tick++) {
            qd_motion_step(&flat, 0.05f, NULL);
            qd_motion_step(&motion, 0.05f, NULL);
            for (uint32_t i = 0; i < BOTS; i++) {
                assert_true(flat.z[i] == 0 && flat.half_z[i] == 0);
                assert_true(motion.z[i] >= deep.min_z && motion.z[i] <= deep.max_z);
                lowest = motion.z[i] < lowest ? motion.z[i] : lowest;
                highest = motion.z[i] > highest ? motion.z[i] : highest;
            }
        }
        assert_true(highest - lowest > 4);
        qd_motion_deinit(&flat);
        qd_motion_deinit(&motion);
    }
    static const uint32_t a[] = {1}, b[] = {2};
    qd_motion motion;
    assert_true(qd_motion_init(&motion, QD_MOTION_CROWD, &deep, 2, 1));
    qd_pairs *pairs = qd_pairs_create();
    assert_non_null(pairs);
    const qd_msg_tick tick = {.tick = 1, .reset = true, .last = true, .begins = {.count = 1, .a = a, .b = b}};
    assert_int_equal(qd_pairs_apply(pairs, &tick), QD_CLIENT_OK);
    for (int i = 0; i < 2; i++) {
        motion.x[i] = 0;
        motion.y[i] = 15;
        motion.z[i] = -5 + 0.25f * (float)i;
    }
    qd_motion_step(&motion, 0, pairs);
    assert_true(motion.z[1] - motion.z[0] > 0.25f && motion.x[0] == 0 && motion.y[1] == 15);
    qd_pairs_destroy(pairs);
    qd_motion_deinit(&motion);
}

TEST_MAIN()
