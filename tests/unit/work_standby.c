/* SPDX-License-Identifier: Apache-2.0
 *
 * The standby: while all workers are in a run that does not end, other actors still run.
 */
#include "work_posted.h"

#include "tests/support/test.h"

#define WORKERS_MAX 8u

static qd_actor holders[WORKERS_MAX];
static _Atomic uint32_t held, may_end, runs, yielding_runs;

/* On a slow machine the standby may be faster than the last workers. */
static void hold_worker(qd_actor *actor)
{
    if (is_standby()) {
        scheduler->wake(scheduler->context, actor);
        return;
    }
    atomic_fetch_add(&held, 1);
    wait_for(&may_end, 1);
}

static void reset(void)
{
    atomic_store(&held, 0);
    atomic_store(&may_end, 0);
    atomic_store(&runs, 0);
    atomic_store(&yielding_runs, 0);
}

static void hold_all(uint32_t workers)
{
    reset();
    start(workers);
    for (uint32_t i = 0; i < workers; i++) {
        qd_actor_init(&holders[i], hold_worker);
        scheduler->wake(scheduler->context, &holders[i]);
        wait_for(&held, i + 1);
    }
}

static void let_all_end(void)
{
    atomic_store(&may_end, 1);
    stop();
}

static void count_run(qd_actor *actor)
{
    (void)actor;
    atomic_fetch_add(&runs, 1);
}

static void count_yielding_run(qd_actor *actor)
{
    (void)actor;
    atomic_fetch_add(&yielding_runs, 1);
}

TEST(actors_run_while_all_workers_are_held)
{
    FOR_EACH_WORKERS(workers)
    {
        qd_actor actors[50];

        hold_all(workers);
        for (uint32_t i = 0; i < 50; i++) {
            qd_actor_init(&actors[i], count_run);
            if (i % 2 == 0) {
                scheduler->wake(scheduler->context, &actors[i]);
            } else {
                scheduler->wake_behind(scheduler->context, &actors[i]);
            }
        }
        wait_for(&runs, 50);
        let_all_end();
    }
}

/* Its run may be as long as those that hold the workers. */
TEST(an_actor_that_yields_waits_for_a_worker)
{
    FOR_EACH_WORKERS(workers)
    {
        qd_actor yielding, other;

        hold_all(workers);
        qd_actor_init(&yielding, count_yielding_run);
        qd_actor_init(&other, count_run);
        atomic_store(&yielding.yields, true);
        scheduler->wake(scheduler->context, &yielding);
        scheduler->wake_behind(scheduler->context, &other);
        wait_for(&runs, 1);
        assert_int_equal(atomic_load(&yielding_runs), 0);
        atomic_store(&may_end, 1);
        wait_for(&yielding_runs, 1);
        stop();
    }
}

/* The standby is for short runs, so that there is always a thread for them. */
TEST(a_long_actor_waits_for_a_worker)
{
    FOR_EACH_WORKERS(workers)
    {
        qd_actor long_one, behind, other;

        hold_all(workers);
        qd_actor_init(&long_one, count_yielding_run);
        qd_actor_init(&behind, count_yielding_run);
        qd_actor_init(&other, count_run);
        qd_actor_set_long(&long_one, true);
        qd_actor_set_long(&behind, true);
        scheduler->wake(scheduler->context, &long_one);
        scheduler->wake_behind(scheduler->context, &behind);
        scheduler->wake(scheduler->context, &other);
        wait_for(&runs, 1);
        assert_int_equal(atomic_load(&yielding_runs), 0);
        atomic_store(&may_end, 1);
        wait_for(&yielding_runs, 2);
        stop();
    }
}

static void set_timer(qd_actor *actor)
{
    if (atomic_fetch_add(&runs, 1) == 0) {
        scheduler->wake_at(scheduler->context, actor, scheduler->now_ns(scheduler->context) + 2000000);
    }
}

TEST(a_timer_fires_while_all_workers_are_held)
{
    FOR_EACH_WORKERS(workers)
    {
        qd_actor timed;

        hold_all(workers);
        qd_actor_init(&timed, set_timer);
        scheduler->wake(scheduler->context, &timed);
        wait_for(&runs, 2);
        let_all_end();
    }
}

/* It has been asleep, because a worker was idle for long. */
TEST(standby_wakes_up_when_the_last_worker_becomes_busy)
{
    const struct timespec long_enough = {0, 300000000};
    qd_actor one;

    reset();
    start(2);
    nanosleep(&long_enough, NULL);
    for (uint32_t i = 0; i < 2; i++) {
        qd_actor_init(&holders[i], hold_worker);
        scheduler->wake(scheduler->context, &holders[i]);
    }
    wait_for(&held, 2);
    qd_actor_init(&one, count_run);
    scheduler->wake(scheduler->context, &one);
    wait_for(&runs, 1);
    let_all_end();
}

/* The workers end their runs while the standby is in one that wakes its own actor. Then none of them looks at the
 * standby's queue by itself. */
static void wake_itself(qd_actor *actor)
{
    if (atomic_fetch_add(&runs, 1) == 0) {
        scheduler->wake(scheduler->context, actor);
        atomic_store(&may_end, 1);
        for (uint32_t i = 0; i < 200; i++) {
            rest();
        }
    }
}

TEST(actor_that_the_standby_leaves_is_run)
{
    FOR_EACH_WORKERS(workers)
    {
        qd_actor one;

        hold_all(workers);
        qd_actor_init(&one, wake_itself);
        scheduler->wake(scheduler->context, &one);
        wait_for(&runs, 2);
        let_all_end();
    }
}

TEST_MAIN()
