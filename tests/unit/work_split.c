/* SPDX-License-Identifier: Apache-2.0
 *
 * Fork and join on the pool: every index exactly once, shared with idle workers, from several actors, nested,
 * and one after the other.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "server/work/pool.h"
#include "server/work/split.h"

#define TASKS_MAX 1000u
#define ACTORS    5u
#define NESTED    12u

static const uint32_t worker_counts[] = {1, 2, 4, 8};

static const qd_executor *executor;
static _Atomic uint32_t done, wrong;

static void rest(void)
{
    const struct timespec pause = {0, 50000};

    nanosleep(&pause, NULL);
}

static void wait_for(_Atomic uint32_t *counter, uint32_t value)
{
    while (atomic_load(counter) < value) {
        rest();
    }
}

/* Runs `count` actors of the function on a pool of `workers`, until each has counted itself done. */
typedef struct forker {
    qd_actor actor;
    uint32_t hits[TASKS_MAX]; /* plain: the join makes them visible, or TSan complains */
} forker;

static forker forkers[ACTORS];

static void run_actors(uint32_t workers, uint32_t count, qd_actor_fn function)
{
    qd_pool *pool;

    assert_int_equal(qd_pool_create(workers, &pool), QD_OK);
    const qd_scheduler *scheduler = qd_pool_scheduler(pool);
    executor = scheduler->executor;
    atomic_store(&done, 0);
    for (uint32_t index = 0; index < count; index++) {
        qd_actor_init(&forkers[index].actor, function);
    }
    for (uint32_t index = 0; index < count; index++) {
        scheduler->wake(scheduler->context, &forkers[index].actor);
    }
    wait_for(&done, count);
    qd_pool_destroy(pool);
    assert_int_equal(atomic_load(&wrong), 0);
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
            executor->run(executor->context, counts[choice], hit, me->hits);
            for (size_t index = 0; index < TASKS_MAX; index++) {
                if (me->hits[index] != (index < counts[choice])) {
                    atomic_fetch_add(&wrong, 1);
                }
            }
        }
    }
    atomic_fetch_add(&done, 1);
}

static void covers_each_index_once(void **state)
{
    (void)state;
    for (uint32_t turn = 0; turn < 4; turn++) {
        run_actors(worker_counts[turn], 1, split_in_many_sizes);
    }
}

static void several_actors_split_at_once(void **state)
{
    (void)state;
    for (uint32_t turn = 0; turn < 4; turn++) {
        run_actors(worker_counts[turn], ACTORS, split_in_many_sizes);
    }
}

/* ---- nested ---- */

static void split_again(size_t index, void *argument)
{
    uint32_t *row = (uint32_t *)argument + index * NESTED;

    executor->run(executor->context, NESTED, hit, row);
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
        executor->run(executor->context, NESTED, split_again, me->hits);
        for (size_t index = 0; index < TASKS_MAX; index++) {
            if (me->hits[index] != (index < NESTED * NESTED)) {
                atomic_fetch_add(&wrong, 1);
            }
        }
    }
    atomic_fetch_add(&done, 1);
}

static void splits_nest(void **state)
{
    (void)state;
    for (uint32_t turn = 0; turn < 4; turn++) {
        run_actors(worker_counts[turn], ACTORS, split_nested);
    }
}

/* ---- shares ---- */

typedef struct trail {
    uint32_t steps;
    size_t index[TASKS_MAX];
} trail;

static void note(size_t index, void *argument)
{
    trail *done_so_far = argument;

    done_so_far->index[done_so_far->steps++] = index;
}

/* Its own share from the front, what others have left from the back. */
static void a_worker_begins_with_its_own_share(void **state)
{
    static const size_t expected[3][8] = {{0, 1, 4, 3, 2, 7, 6, 5}, {2, 3, 4, 7, 6, 5, 1, 0}, {5, 6, 7, 1, 0, 4, 3, 2}};

    (void)state;
    for (uint32_t worker = 0; worker < 3; worker++) {
        trail way = {0};
        qd_split split;

        qd_split_init(&split, 8, note, &way, 3);
        qd_split_work(&split, worker);
        qd_split_deinit(&split);
        assert_int_equal(way.steps, 8);
        assert_memory_equal(way.index, expected[worker], sizeof expected[worker]);
    }
}

/* ---- really shared ---- */

static _Atomic uint32_t arrived;

/* Ends only when as many tasks run at once as the executor is wide. */
static void meet(size_t index, void *argument)
{
    (void)index, (void)argument;
    atomic_fetch_add(&arrived, 1);
    wait_for(&arrived, (uint32_t)executor->width);
}

static void split_to_meet(qd_actor *actor)
{
    (void)actor;
    for (uint32_t round = 0; round < 20; round++) {
        atomic_store(&arrived, 0);
        executor->run(executor->context, executor->width, meet, NULL);
    }
    atomic_fetch_add(&done, 1);
}

static void idle_workers_help(void **state)
{
    (void)state;
    for (uint32_t turn = 0; turn < 4; turn++) {
        run_actors(worker_counts[turn], 1, split_to_meet);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(covers_each_index_once),
        cmocka_unit_test(several_actors_split_at_once),
        cmocka_unit_test(splits_nest),
        cmocka_unit_test(a_worker_begins_with_its_own_share),
        cmocka_unit_test(idle_workers_help),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
