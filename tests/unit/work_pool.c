/* SPDX-License-Identifier: Apache-2.0
 *
 * Actors on the pool, with 1, 2, 4 and 8 workers: runs never overlap, wakes are never lost, timers, retiring, stopping.
 */
#include "work_posted.h"

#include <stdlib.h>

#include "server/base/clock.h"
#include "tests/support/test.h"

#define HOUR_NS 3600000000000u

static void wake(qd_actor *actor)
{
    scheduler->wake(scheduler->context, actor);
}
static void wake_at(qd_actor *actor, uint64_t due_ns)
{
    scheduler->wake_at(scheduler->context, actor, due_ns);
}
static uint64_t now_ns(void)
{
    return scheduler->now_ns(scheduler->context);
}

/* ---- wakes ---- */

static void post_a_wake(posted *target, rng_stream *random)
{
    (void)random;
    wake(&target->actor);
}

TEST(wakes_from_many_threads_are_all_seen)
{
    FOR_EACH_WORKERS(workers)
    {
        post_from_threads(workers, post_a_wake);
    }
}

/* Each wake comes when the workers fall asleep, which is when a wake could be lost. */
TEST(wake_reaches_a_worker_that_falls_asleep)
{
    FOR_EACH_WORKERS(workers)
    {
        posted one = {.runs = 0};

        start(workers);
        qd_actor_init(&one.actor, see_posts);
        for (uint32_t round = 1; round <= 20000; round++) {
            atomic_store(&one.posts, round);
            wake(&one.actor);
            while (atomic_load(&one.seen) < round) {
                sched_yield();
            }
        }
        stop();
    }
}

/* The run of each actor wakes the next one, in a ring. */
#define RING 7u

typedef struct passer {
    qd_actor actor;
    uint32_t runs;
} passer;

static passer ring[RING];
static _Atomic uint32_t ring_runs;

static void pass_on(qd_actor *actor)
{
    passer *me = (passer *)actor;

    me->runs++;
    if (atomic_fetch_add(&ring_runs, 1) + 1 < 10000) {
        wake(&ring[(size_t)(me - ring + 1) % RING].actor);
    }
}

TEST(actors_that_wake_each_other_all_run)
{
    FOR_EACH_WORKERS(workers)
    {
        start(workers);
        atomic_store(&ring_runs, 0);
        for (uint32_t index = 0; index < RING; index++) {
            ring[index].runs = 0;
            qd_actor_init(&ring[index].actor, pass_on);
        }
        wake(&ring[0].actor);
        wait_for(&ring_runs, 10000);
        stop();
        for (uint32_t index = 0; index < RING; index++) {
            assert_in_range(ring[index].runs, 10000 / RING, 10000 / RING + 1);
        }
    }
}

/* ---- a wake during a run ---- */

typedef struct gated {
    qd_actor actor;
    _Atomic uint32_t begun, ended, may_end;
} gated;

static void pass_gate(qd_actor *actor)
{
    gated *me = (gated *)actor;
    uint32_t run = atomic_fetch_add(&me->begun, 1) + 1;

    wait_for(&me->may_end, run);
    atomic_fetch_add(&me->ended, 1);
}

TEST(wakes_during_a_run_lead_to_one_more_run)
{
    FOR_EACH_WORKERS(workers)
    {
        gated one = {.begun = 0};

        start(workers);
        qd_actor_init(&one.actor, pass_gate);
        wake(&one.actor);
        wait_for(&one.begun, 1);
        for (uint32_t index = 0; index < 100; index++) {
            wake(&one.actor);
        }
        atomic_store(&one.may_end, 100);
        wait_for(&one.ended, 2);
        stop();
        assert_int_equal(one.begun, 2);
    }
}

/* A run's wakes go to its worker's own queue. This run waits for the woken actors, so other workers must steal them. */
typedef struct waker {
    qd_actor actor;
    _Atomic uint32_t done;
    gated others[8];
    uint32_t other_count;
} waker;

static void wake_others_and_wait(qd_actor *actor)
{
    waker *me = (waker *)actor;

    for (uint32_t index = 0; index < me->other_count; index++) {
        wake(&me->others[index].actor);
    }
    for (uint32_t index = 0; index < me->other_count; index++) {
        wait_for(&me->others[index].begun, 1);
    }
    for (uint32_t index = 0; index < me->other_count; index++) {
        atomic_store(&me->others[index].may_end, 1);
    }
    atomic_store(&me->done, 1);
}

TEST(idle_workers_steal_what_a_long_run_wakes)
{
    FOR_EACH_WORKERS(workers)
    {
        waker one = {.other_count = workers - 1};

        start(workers);
        qd_actor_init(&one.actor, wake_others_and_wait);
        for (uint32_t index = 0; index < one.other_count; index++) {
            qd_actor_init(&one.others[index].actor, pass_gate);
        }
        wake(&one.actor);
        wait_for(&one.done, 1);
        stop();
    }
}

/* ---- timers ---- */

typedef struct timed {
    qd_actor actor;
    uint64_t due_ns;
    uint64_t ran_as;
    bool was_fetched;
} timed;

static _Atomic uint32_t timed_runs, standby_runs;

static void run_timed(qd_actor *actor)
{
    timed *me = (timed *)actor;

    atomic_fetch_add(&wrong, now_ns() < me->due_ns);
    atomic_fetch_add(&standby_runs, is_standby());
    me->ran_as = atomic_fetch_add(&timed_runs, 1);
}

/* The write is a race for TSan if anything else accesses the actor meanwhile. */
static void fetch_timed(qd_actor *actor)
{
    ((timed *)actor)->was_fetched = true;
}

#define TIMERS 200u

/* Sets the timers in a mixed order. Returns whether all were set before the first was due. */
static bool set_mixed(timed *actors, uint64_t base_ns)
{
    for (uint32_t index = 0; index < TIMERS; index++) {
        timed *one = &actors[index];

        one->due_ns = base_ns + (index * 77 % TIMERS) * 20000;
        qd_actor_init(&one->actor, run_timed);
        one->actor.fetch = fetch_timed;
        one->was_fetched = false;
        wake_at(&one->actor, one->due_ns);
    }
    return now_ns() < base_ns;
}

TEST(timers_fire_in_order_and_never_early)
{
    static timed actors[TIMERS];

    FOR_EACH_WORKERS(workers)
    {
        bool set_in_time;

        /* On a busy machine the standby may step in, and then there are two threads. */
        do {
            start(workers);
            atomic_store(&timed_runs, 0);
            atomic_store(&standby_runs, 0);
            set_in_time = set_mixed(actors, now_ns() + 5000000);
            wait_for(&timed_runs, TIMERS);
            stop();
        } while (!set_in_time || atomic_load(&standby_runs) > 0);
        for (uint32_t index = 0; index < TIMERS; index++) {
            assert_true(actors[index].was_fetched);
        }
        /* A single worker runs the actors in the order in which they fire. */
        for (uint32_t index = 0; index < TIMERS && workers == 1; index++) {
            assert_int_equal(actors[index].ran_as, index * 77 % TIMERS);
        }
    }
}

/* Both are due long before a worker checks the timers, so the heap alone decides the order. */
typedef struct order {
    qd_actor actor;
    timed first, second;
} order;

static void set_two_in_the_past(qd_actor *actor)
{
    order *me = (order *)actor;

    atomic_fetch_add(&standby_runs, is_standby());
    wake_at(&me->second.actor, 2);
    wake_at(&me->first.actor, 1);
}

TEST(earlier_of_two_due_timers_fires_first)
{
    order one;

    /* On a busy machine the standby may step in, and then there are two threads. */
    do {
        one = (order){0};
        start(1);
        atomic_store(&timed_runs, 0);
        atomic_store(&standby_runs, 0);
        qd_actor_init(&one.actor, set_two_in_the_past);
        qd_actor_init(&one.first.actor, run_timed);
        qd_actor_init(&one.second.actor, run_timed);
        wake(&one.actor);
        wait_for(&timed_runs, 2);
        stop();
    } while (atomic_load(&standby_runs) > 0);
    assert_int_equal(one.first.ran_as, 0);
    assert_int_equal(one.second.ran_as, 1);
}

TEST(replaced_timer_fires_once_and_cancelled_one_never)
{
    FOR_EACH_WORKERS(workers)
    {
        timed sooner = {0}, cancelled = {0}, never = {0}, last = {0};

        start(workers);
        atomic_store(&timed_runs, 0);
        qd_actor_init(&sooner.actor, run_timed);
        qd_actor_init(&cancelled.actor, run_timed);
        qd_actor_init(&never.actor, run_timed);
        qd_actor_init(&last.actor, run_timed);

        /* The timer waiter sleeps for an hour, so the new time must rouse it. */
        wake_at(&sooner.actor, now_ns() + HOUR_NS);
        rest();
        wake_at(&sooner.actor, now_ns() + 1000000);
        wait_for(&timed_runs, 1);

        wake_at(&never.actor, QD_NEVER);
        wake_at(&cancelled.actor, now_ns() + 50000000);
        wake_at(&cancelled.actor, QD_NEVER);
        wake_at(&last.actor, now_ns() + 60000000);
        wait_for(&timed_runs, 2);
        stop();
        assert_int_equal(sooner.ran_as, 0);
        assert_int_equal(last.ran_as, 1);
    }
}

/* Each run sets the actor's timer again, as a room does. */
static void tick(qd_actor *actor)
{
    run_timed(actor);
    timed *me = (timed *)actor;
    me->due_ns = now_ns() + 100000;
    wake_at(actor, me->due_ns);
}

TEST(actor_that_sets_its_own_timer_keeps_running)
{
    FOR_EACH_WORKERS(workers)
    {
        timed rooms[10] = {0};

        start(workers);
        atomic_store(&timed_runs, 0);
        for (uint32_t index = 0; index < 10; index++) {
            qd_actor_init(&rooms[index].actor, tick);
            wake_at(&rooms[index].actor, 0);
        }
        wait_for(&timed_runs, 500);
        stop();
    }
}

/* The only worker is never idle. */
static void run_until_timer(qd_actor *actor)
{
    if (atomic_load(&timed_runs) == 0) {
        wake(actor);
    }
}

TEST(timer_fires_while_every_worker_is_busy)
{
    timed timer = {0};
    qd_actor busy;

    start(1);
    atomic_store(&timed_runs, 0);
    qd_actor_init(&busy, run_until_timer);
    qd_actor_init(&timer.actor, run_timed);
    wake(&busy);
    timer.due_ns = now_ns() + 2000000;
    wake_at(&timer.actor, timer.due_ns);
    wait_for(&timed_runs, 1);
    stop();
}

/* The timer waiter runs the first timer's actor, which ends only after the second timer has fired. So another worker
 * must have become the timer waiter. */
static void wait_for_the_other_timer(qd_actor *actor)
{
    (void)actor;
    wait_for(&timed_runs, 1);
    atomic_fetch_add(&timed_runs, 1);
}

TEST(timer_fires_while_the_timer_waiter_is_busy)
{
    FOR_EACH_WORKERS(workers)
    {
        if (workers == 1) {
            continue;
        }
        qd_actor held;
        timed second = {0};

        start(workers);
        /* Not once per round: when a round begins, the last round's run may not have returned yet. */
        qd_actor_init(&held, wait_for_the_other_timer);
        qd_actor_init(&second.actor, run_timed);
        for (uint32_t round = 0; round < 20; round++) {
            atomic_store(&timed_runs, 0);
            uint64_t base_ns = now_ns();
            second.due_ns = base_ns + 600000;
            wake_at(&held, base_ns + 300000);
            wake_at(&second.actor, second.due_ns);
            wait_for(&timed_runs, 2);
        }
        stop();
    }
}

/* The run sets its own timer, which cannot fire before the run is over, and continues. A later timer of another actor
 * must fire meanwhile. */
static void set_own_and_wait_for_the_other_timer(qd_actor *actor)
{
    gated *me = (gated *)actor;

    if (atomic_fetch_add(&me->begun, 1) > 0) {
        return;
    }
    wake_at(actor, now_ns());
    atomic_store(&me->may_end, 1);
    wait_for(&timed_runs, 1);
}

TEST(timer_fires_during_a_run_that_set_its_own)
{
    FOR_EACH_WORKERS(workers)
    {
        if (workers == 1) {
            continue;
        }
        for (uint32_t round = 0; round < 5; round++) {
            gated held = {.begun = 0};
            timed other = {0};

            start(workers);
            atomic_store(&timed_runs, 0);
            qd_actor_init(&held.actor, set_own_and_wait_for_the_other_timer);
            qd_actor_init(&other.actor, run_timed);
            rest();
            wake(&held.actor);
            wait_for(&held.may_end, 1);
            other.due_ns = now_ns() + 100000;
            wake_at(&other.actor, other.due_ns);
            wait_for(&held.begun, 2);
            stop();
        }
    }
}

/* ---- retiring ---- */

static _Atomic uint32_t retired;

static void free_actor(qd_actor *actor)
{
    free(actor);
    atomic_fetch_add(&retired, 1);
}

static void retire_at_second_run(qd_actor *actor)
{
    timed *me = (timed *)actor;

    if (me->ran_as++ == 0) {
        wake(actor);
        return;
    }
    /* A wake or a timer from before the end does not run a retired actor. */
    wake(actor);
    wake_at(actor, now_ns() + 100000);
    scheduler->retire(scheduler->context, actor, free_actor);
}

TEST(retired_actor_can_be_freed)
{
    FOR_EACH_WORKERS(workers)
    {
        enum { ACTORS = 1000 };

        start(workers);
        atomic_store(&retired, 0);
        for (uint32_t index = 0; index < ACTORS; index++) {
            timed *one = calloc(1, sizeof *one);

            assert_non_null(one);
            qd_actor_init(&one->actor, retire_at_second_run);
            if (index % 2) {
                wake_at(&one->actor, now_ns() + index * 1000);
            } else {
                wake(&one->actor);
            }
        }
        wait_for(&retired, ACTORS);
        stop();
        assert_int_equal(atomic_load(&retired), ACTORS);
    }
}

/* ---- creation and destruction ---- */

static void run_long(qd_actor *actor)
{
    gated *me = (gated *)actor;

    atomic_store(&me->begun, 1);
    for (uint32_t index = 0; index < 100; index++) {
        rest();
    }
    atomic_store(&me->ended, 1);
    wake(actor);
}

TEST(destroy_waits_for_runs_and_starts_no_more)
{
    FOR_EACH_WORKERS(workers)
    {
        gated one = {.begun = 0};
        timed later[100] = {0};

        start(workers);
        atomic_store(&timed_runs, 0);
        qd_actor_init(&one.actor, run_long);
        wake(&one.actor);
        wait_for(&one.begun, 1);
        for (uint32_t index = 0; index < 100; index++) {
            qd_actor_init(&later[index].actor, run_timed);
            if (index % 2) {
                wake_at(&later[index].actor, now_ns() + HOUR_NS);
            } else {
                wake(&later[index].actor);
            }
        }
        stop();
        assert_int_equal(atomic_load(&one.ended), 1);
        assert_true(atomic_load(&timed_runs) <= 50);
    }
}

TEST(creation_beyond_a_limit_fails)
{
    assert_int_equal(qd_pool_create(0, &pool), QD_ERR_INVALID);
    assert_int_equal(qd_pool_create(QD_POOL_WORKERS_MAX + 1, &pool), QD_ERR_INVALID);
    qd_memory_limit_set(1);
    assert_int_equal(qd_pool_create(1, &pool), QD_ERR_NO_MEMORY);
    qd_memory_limit_set(4096);
    assert_int_equal(qd_pool_create(QD_POOL_WORKERS_MAX, &pool), QD_ERR_NO_MEMORY);
    qd_memory_limit_set(0);
    assert_int_equal(qd_memory_used(), 0);
    qd_pool_destroy(NULL);
    start(QD_POOL_WORKERS_MAX);
    stop();
}

TEST_MAIN()
