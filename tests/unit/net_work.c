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

    for (loop.turns.pass = 1; loop.turns.pass < 10; loop.turns.pass++) {
        assert_true(qd_loop_may_work(&loop, &one));
        assert_true(qd_loop_may_work(&loop, &one));
    }
}

TEST(second_object_in_a_pass_is_for_other_threads)
{
    qd_loop loop = {.turns.pass = 1};

    assert_true(qd_loop_may_work(&loop, &one));
    assert_false(qd_loop_may_work(&loop, &other));
    assert_false(qd_loop_may_work(&loop, &other));
    assert_false(qd_loop_may_work(&loop, &one));
}

TEST(pass_after_a_crowded_one_leaves_work_to_other_threads)
{
    qd_loop loop = {.turns.pass = 5};

    assert_true(qd_loop_may_work(&loop, &one));
    assert_false(qd_loop_may_work(&loop, &other));
    loop.turns.pass = 6;
    assert_false(qd_loop_may_work(&loop, &one));
    loop.turns.pass = 7;
    assert_true(qd_loop_may_work(&loop, &one));
}

TEST(objects_in_different_passes_take_turns)
{
    qd_loop loop = {0};

    for (loop.turns.pass = 1; loop.turns.pass < 10; loop.turns.pass++) {
        assert_true(qd_loop_may_work(&loop, loop.turns.pass % 2 == 0 ? &one : &other));
    }
}

TEST_MAIN()
