/* SPDX-License-Identifier: Apache-2.0
 *
 * Fork and join on the pool: each index runs exactly once, idle workers help, forks of several actors run at once, and
 * forks nest.
 */
#include "work_posted.h"

#include <string.h>
#include <unistd.h>

#include "server/work/split.h"
#include "tests/support/test.h"

#define TASKS_MAX 1000u
#define ACTORS    5u
#define NESTED    12u
#define REST_US   400u /* longer than a helper spins */

static _Atomic uint32_t done;

typedef struct forker {
    qd_actor actor;
    uint32_t hits[TASKS_MAX]; /* not atomic: TSan reports a race if a join does not make them visible */
} forker;

static forker forkers[ACTORS];

/* Runs a function as `count` actors until each has counted itself in `done`. */
static void run_actors(uint32_t workers, uint32_t count, qd_actor_fn function)
{
    start(workers);
    atomic_store(&done, 0);
    for (uint32_t index = 0; index < count; index++) {
        qd_actor_init(&forkers[index].actor, function);
    }
    for (uint32_t index = 0; index < count; index++) {
        scheduler->wake(scheduler->context, &forkers[index].actor);
    }
    wait_for(&done, count);
    stop();
}

static void fork_join(size_t count, qd_task_fn task, void *argument)
{
    scheduler->executor->run(scheduler->executor->context, count, task, argument);
}

/* ---- each index once ---- */

static void hit(size_t index, void *argument)
{
    ((uint32_t *)argument)[index]++;
}

static void split_in_many_sizes(qd_actor *actor)
{
    static const size_t counts[] = {0, 1, 2, 3, 7, 64, TASKS_MAX};
    forker *me = (forker *)actor;

    for (uint32_t round = 0; round < 20; round++) {
        for (size_t choice = 0; choice < sizeof counts / sizeof *counts; choice++) {
            memset(me->hits, 0, sizeof me->hits);
            fork_join(counts[choice], hit, me->hits);
            for (size_t index = 0; index < TASKS_MAX; index++) {
                if (me->hits[index] != (index < counts[choice])) {
                    atomic_fetch_add(&wrong, 1);
                }
            }
        }
    }
    atomic_fetch_add(&done, 1);
}

TEST(a_fork_runs_each_index_once)
{
    FOR_EACH_WORKERS(workers)
    {
        run_actors(workers, 1, split_in_many_sizes);
    }
}

TEST(forks_of_several_actors_run_each_index_once)
{
    FOR_EACH_WORKERS(workers)
    {
        run_actors(workers, ACTORS, split_in_many_sizes);
    }
}

/* ---- nested ---- */

static void split_again(size_t index, void *argument)
{
    uint32_t *row = (uint32_t *)argument + index * NESTED;

    fork_join(NESTED, hit, row);
    /* The inner join comes before the outer one. */
    for (size_t column = 0; column < NESTED; column++) {
        if (row[column] != 1) {
            atomic_fetch_add(&wrong, 1);
        }
    }
}

static void split_nested(qd_actor *actor)
{
    forker *me = (forker *)actor;

    for (uint32_t round = 0; round < 50; round++) {
        memset(me->hits, 0, sizeof me->hits);
        fork_join(NESTED, split_again, me->hits);
        for (size_t index = 0; index < TASKS_MAX; index++) {
            if (me->hits[index] != (index < NESTED * NESTED)) {
                atomic_fetch_add(&wrong, 1);
            }
        }
    }
    atomic_fetch_add(&done, 1);
}

TEST(a_nested_fork_joins_before_the_outer_one)
{
    FOR_EACH_WORKERS(workers)
    {
        run_actors(workers, ACTORS, split_nested);
    }
}

/* ---- forks in a row ---- */

/* Forks of like and of different length, with more or less between them, while workers have actors to run, too. */
static void split_as_expected(qd_actor *actor)
{
    static const size_t counts[] = {64, 2, TASKS_MAX, 7, 64};
    forker *me = (forker *)actor;

    for (uint32_t round = 0; round < 40; round++) {
        qd_executor_expect_forks(scheduler->executor, true);
        for (size_t choice = 0; choice < sizeof counts / sizeof *counts; choice++) {
            memset(me->hits, 0, sizeof me->hits);
            fork_join(counts[choice], hit, me->hits);
            for (size_t index = 0; index < TASKS_MAX; index++) {
                if (me->hits[index] != (index < counts[choice])) {
                    atomic_fetch_add(&wrong, 1);
                }
            }
            if ((round + choice) % 16 == 0) {
                usleep(REST_US);
            }
        }
        if (round % 4 != 0) {
            qd_executor_expect_forks(scheduler->executor, false);
        }
    }
    qd_executor_expect_forks(scheduler->executor, false);
    atomic_fetch_add(&done, 1);
}

TEST(expected_forks_run_each_task_once)
{
    FOR_EACH_WORKERS(workers)
    {
        run_actors(workers, 1, split_as_expected);
        run_actors(workers, ACTORS, split_as_expected);
    }
}

/* ---- shares ---- */

typedef struct trail {
    uint32_t steps;
    size_t index[TASKS_MAX];
} trail;

static void note(size_t index, void *argument)
{
    trail *way = argument;

    way->index[way->steps++] = index;
}

/* A worker takes its own share from the front, and the rest of other shares from the back. */
TEST(a_worker_takes_its_own_share_first)
{
    static const size_t expected[3][8] = {{0, 1, 4, 3, 2, 7, 6, 5}, {2, 3, 4, 7, 6, 5, 1, 0}, {5, 6, 7, 1, 0, 4, 3, 2}};

    (void)state;
    for (uint32_t worker = 0; worker < 3; worker++) {
        trail way = {0};
        qd_split split;

        qd_split_init(&split, 8, note, &way, 3);
        qd_split_work(&split, worker, NULL, NULL);
        qd_split_deinit(&split);
        assert_int_equal(way.steps, 8);
        assert_memory_equal(way.index, expected[worker], sizeof expected[worker]);
    }
}

/* ---- help ---- */

static _Atomic uint32_t arrived;

/* Ends only when `width` tasks run at once. */
static void meet(size_t index, void *argument)
{
    (void)index, (void)argument;
    atomic_fetch_add(&arrived, 1);
    wait_for(&arrived, (uint32_t)scheduler->executor->width);
}

static void split_to_meet(qd_actor *actor)
{
    (void)actor;
    for (uint32_t round = 0; round < 20; round++) {
        atomic_store(&arrived, 0);
        fork_join(scheduler->executor->width, meet, NULL);
    }
    atomic_fetch_add(&done, 1);
}

TEST(idle_workers_help_with_a_fork)
{
    FOR_EACH_WORKERS(workers)
    {
        run_actors(workers, 1, split_to_meet);
    }
}

TEST_MAIN()
