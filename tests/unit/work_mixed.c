/* SPDX-License-Identifier: Apache-2.0
 *
 * Everything at once, as rooms do it: actors set their own timers, fork, take long, are woken and run inline by other
 * threads, and retire. Only the timer or the wake of its last run makes an actor run again, so the test never ends if
 * one is lost.
 */
#include "tests/support/test.h"
#include "work_posted.h"

#include <stdlib.h>

#define ROOMS     12u
#define RUNS      300u
#define CALLERS   2u
#define CALLS     2000u
#define TASKS_MAX 20u

typedef struct room {
    qd_actor actor;
    rng_stream random;
    uint32_t runs;
    _Atomic bool running;
    uint32_t cells[TASKS_MAX]; /* not atomic: TSan reports a race if a join does not make them visible */
} room;

static room *rooms[ROOMS];
static _Atomic uint32_t callers, retired;

static void count_in_cell(size_t index, void *argument)
{
    ((room *)argument)->cells[index]++;
}

static void fork_some(room *me)
{
    uint32_t forks = 1 + rng_below(&me->random, 3);

    qd_executor_expect_forks(scheduler->executor, rng_one_in(&me->random, 2));
    for (uint32_t fork = 0; fork < forks; fork++) {
        uint32_t tasks = rng_below(&me->random, TASKS_MAX + 1), before = me->cells[0];

        scheduler->executor->run(scheduler->executor->context, tasks, count_in_cell, me);
        atomic_fetch_add(&wrong, me->cells[0] != before + (tasks > 0));
    }
    qd_executor_expect_forks(scheduler->executor, false);
}

/* Some timers are due at once, some when all workers sleep. */
static void set_timer(room *me)
{
    uint64_t ahead_ns = rng_below(&me->random, rng_one_in(&me->random, 4) ? 1000000 : 50000);

    scheduler->wake_at(scheduler->context, &me->actor, scheduler->now_ns(scheduler->context) + ahead_ns);
}

/* A timer left of the actor would touch freed memory. */
static void free_retired(qd_actor *actor)
{
    free(actor);
    atomic_fetch_add(&retired, 1);
}

static void enter(room *me)
{
    atomic_fetch_add(&wrong, atomic_exchange(&me->running, true));
    me->runs++;
}

static void run_room(qd_actor *actor)
{
    room *me = (room *)actor;

    enter(me);
    if (rng_one_in(&me->random, 2)) {
        set_timer(me);
    }
    if (rng_one_in(&me->random, 4)) {
        fork_some(me);
    }
    if (rng_one_in(&me->random, 8)) {
        rest();
    }
    if (rng_one_in(&me->random, 8)) {
        scheduler->wake(scheduler->context, actor);
    } else {
        set_timer(me);
    }
    bool over = me->runs >= RUNS && atomic_load(&callers) == 0;
    atomic_store(&me->running, false);
    if (over) {
        scheduler->retire(scheduler->context, actor, free_retired);
    }
}

static void run_room_inline(qd_actor *actor)
{
    room *me = (room *)actor;

    enter(me);
    set_timer(me);
    atomic_store(&me->running, false);
}

static void *call_rooms(void *argument)
{
    rng_stream random = {(uintptr_t)argument};

    for (uint32_t i = 0; i < CALLS; i++) {
        qd_actor *actor = &rooms[rng_below(&random, ROOMS)]->actor;

        if (rng_one_in(&random, 2)) {
            scheduler->run_inline(scheduler->context, actor, run_room_inline, true);
        } else {
            scheduler->wake(scheduler->context, actor);
        }
        if (rng_one_in(&random, 8)) {
            rest();
        }
    }
    atomic_fetch_sub(&callers, 1);
    return NULL;
}

TEST(no_wake_and_no_timer_is_lost_under_mixed_load)
{
    static const uint32_t counts[] = {1, 2, 3, 8, 64};

    (void)state;
    for (uint32_t turn = 0; turn < sizeof counts / sizeof *counts; turn++) {
        pthread_t threads[CALLERS];

        start(counts[turn]);
        atomic_store(&callers, CALLERS);
        atomic_store(&retired, 0);
        for (uint32_t i = 0; i < ROOMS; i++) {
            rooms[i] = malloc(sizeof *rooms[i]);
            assert_non_null(rooms[i]);
            *rooms[i] = (room){.random = {turn * ROOMS + i}};
            qd_actor_init(&rooms[i]->actor, run_room);
            scheduler->wake_at(scheduler->context, &rooms[i]->actor, i);
        }
        for (uintptr_t i = 0; i < CALLERS; i++) {
            assert_int_equal(pthread_create(&threads[i], NULL, call_rooms, (void *)(i + 1)), 0);
        }
        for (uint32_t i = 0; i < CALLERS; i++) {
            pthread_join(threads[i], NULL);
        }
        wait_for(&retired, ROOMS);
        stop();
    }
}

TEST_MAIN()
