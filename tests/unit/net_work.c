/* SPDX-License-Identifier: Apache-2.0
 *
 * Work beside frames: a loop runs that of one object, and leaves it to other threads while several objects wait.
 */
#include "server/net/loop/loop.h"
#include "tests/support/test.h"

static const int one, other;

TEST(loop_works_for_a_single_object)
{
    qd_loop loop = {0};

    for (loop.turns = 1; loop.turns < 10; loop.turns++) {
        assert_true(qd_loop_may_work(&loop, &one));
        assert_true(qd_loop_may_work(&loop, &one));
    }
}

TEST(second_object_in_a_turn_is_for_other_threads)
{
    qd_loop loop = {.turns = 1};

    assert_true(qd_loop_may_work(&loop, &one));
    assert_false(qd_loop_may_work(&loop, &other));
    assert_false(qd_loop_may_work(&loop, &other));
    assert_false(qd_loop_may_work(&loop, &one));
}

TEST(turn_after_a_crowded_one_leaves_work_to_other_threads)
{
    qd_loop loop = {.turns = 5};

    assert_true(qd_loop_may_work(&loop, &one));
    assert_false(qd_loop_may_work(&loop, &other));
    loop.turns = 6;
    assert_false(qd_loop_may_work(&loop, &one));
    loop.turns = 7;
    assert_true(qd_loop_may_work(&loop, &one));
}

TEST(objects_in_different_turns_take_turns)
{
    qd_loop loop = {0};

    for (loop.turns = 1; loop.turns < 10; loop.turns++) {
        assert_true(qd_loop_may_work(&loop, loop.turns % 2 == 0 ? &one : &other));
    }
}

TEST_MAIN()
