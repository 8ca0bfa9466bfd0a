/* SPDX-License-Identifier: Apache-2.0 */

#include "server/actor/state/lockstep.h"
#include "server/base/executor.h"
#include "tests/support/test.h"

#define DEADLINE_NS 100u

static qd_lockstep lockstep;
static qd_lockstep_writer writers[4];

static void open_lockstep(uint32_t count)
{
    qd_lockstep_init(&lockstep, count, DEADLINE_NS);
    for (int i = 0; i < 4; i++) {
        writers[i] = (qd_lockstep_writer){0};
    }
}

static qd_lockstep_result step(int writer, uint64_t now_ns)
{
    return qd_lockstep_step(&lockstep, &writers[writer], 1, now_ns);
}

static void ticked(void)
{
    qd_lockstep_ticked(&lockstep);
    for (int i = 0; i < 4; i++) {
        writers[i].stepped = false;
    }
}

TEST(last_step_completes_the_tick)
{
    open_lockstep(3);
    assert_true(lockstep.due_ns == QD_NEVER);
    assert_int_equal(step(2, 1000), QD_LOCKSTEP_WAIT);
    assert_int_equal(step(0, 1050), QD_LOCKSTEP_WAIT);
    assert_int_equal(lockstep.due_ns, 1000 + DEADLINE_NS);
    assert_int_equal(step(2, 1060), QD_LOCKSTEP_AGAIN);
    assert_int_equal(step(1, 1070), QD_LOCKSTEP_TICK);
    ticked();
    assert_true(lockstep.due_ns == QD_NEVER);
    assert_int_equal(step(1, 2000), QD_LOCKSTEP_WAIT);
    assert_int_equal(lockstep.due_ns, 2000 + DEADLINE_NS);
}

TEST(single_writer_never_waits)
{
    open_lockstep(1);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(step(i % 2, 0), QD_LOCKSTEP_TICK);
        ticked();
    }
}

TEST(tick_waits_no_longer_for_a_writer_that_left)
{
    open_lockstep(2);
    step(0, 0);
    step(1, 0);
    ticked();
    /* With nobody waiting there is no tick to make. */
    assert_false(qd_lockstep_leave(&lockstep, &writers[0]));
    assert_int_equal(step(1, 0), QD_LOCKSTEP_TICK);
    ticked();
    /* Another takes the place. */
    assert_int_equal(step(2, 0), QD_LOCKSTEP_WAIT);
    assert_true(qd_lockstep_leave(&lockstep, &writers[1]));
    ticked();
    /* All are gone: the first that comes is alone. */
    assert_false(qd_lockstep_leave(&lockstep, &writers[2]));
    assert_int_equal(step(3, 0), QD_LOCKSTEP_TICK);
}

TEST(tick_does_not_wait_for_a_member_without_steps)
{
    open_lockstep(2);
    assert_int_equal(step(0, 0), QD_LOCKSTEP_WAIT);
    assert_false(qd_lockstep_leave(&lockstep, &writers[1]));
    assert_int_equal(lockstep.gone, 0);
    assert_int_equal(lockstep.due_ns, DEADLINE_NS);
}

TEST(step_is_removed_with_its_writer)
{
    open_lockstep(3);
    step(0, 0);
    step(1, 0);
    assert_false(qd_lockstep_leave(&lockstep, &writers[0]));
    assert_int_equal(lockstep.due_ns, DEADLINE_NS);
    assert_false(qd_lockstep_leave(&lockstep, &writers[1]));
    assert_true(lockstep.due_ns == QD_NEVER);
    assert_int_equal(step(2, 7), QD_LOCKSTEP_WAIT);
    assert_int_equal(lockstep.due_ns, 7 + DEADLINE_NS);
}

/* More than are declared: each of them counts, and no more places are free than there are. */
TEST(writers_above_the_declared_number_are_counted)
{
    open_lockstep(1);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(step(i, 0), QD_LOCKSTEP_TICK);
        ticked();
    }
    for (int i = 0; i < 3; i++) {
        assert_false(qd_lockstep_leave(&lockstep, &writers[i]));
    }
    assert_int_equal(lockstep.gone, 1);
    assert_int_equal(step(3, 0), QD_LOCKSTEP_TICK);
}

TEST_MAIN()
