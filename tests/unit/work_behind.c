/* SPDX-License-Identifier: Apache-2.0
 *
 * Actors that wait behind all others: the queue alone with a time of the test's, then on the pool.
 */
#include "work_posted.h"

#include "server/work/queues/behind.h"
#include "tests/support/test.h"

#define MS_NS UINT64_C(1000000)

/* ---- the queue ---- */

static bool put(qd_behind *behind, qd_actor *actor, uint64_t now_ns)
{
    pthread_mutex_lock(&behind->lock);
    bool ready = qd_behind_put(behind, actor, now_ns);
    pthread_mutex_unlock(&behind->lock);
    return ready;
}

TEST(queue_keeps_order_and_lets_any_actor_out)
{
    qd_actor actors[5];
    qd_behind behind;

    qd_behind_init(&behind, 1);
    for (uint32_t removed = 0; removed < 5; removed++) {
        for (uint32_t i = 0; i < 5; i++) {
            qd_actor_init(&actors[i], NULL);
            put(&behind, &actors[i], 0);
        }
        assert_true(qd_behind_remove(&behind, &actors[removed]));
        assert_false(qd_behind_remove(&behind, &actors[removed]));
        for (uint32_t i = 0; i < 5; i++) {
            if (i != removed) {
                assert_ptr_equal(qd_behind_take(&behind, 0), &actors[i]);
                assert_false(qd_behind_remove(&behind, &actors[i]));
                qd_behind_done(&behind);
            }
        }
        assert_true(qd_behind_looks_empty(&behind));
        assert_null(qd_behind_take(&behind, 0));
    }
    qd_behind_deinit(&behind);
}

TEST(one_worker_stays_free_until_it_was_quiet_for_long)
{
    qd_actor actors[3];
    qd_behind behind;
    uint64_t now_ns = 1000 * MS_NS;

    qd_behind_init(&behind, 2);
    for (uint32_t i = 0; i < 3; i++) {
        qd_actor_init(&actors[i], NULL);
    }
    qd_behind_note_urgent(&behind);
    assert_true(put(&behind, &actors[0], now_ns));
    assert_non_null(qd_behind_take(&behind, now_ns));
    assert_false(put(&behind, &actors[1], now_ns));
    assert_null(qd_behind_take(&behind, now_ns + QD_BEHIND_QUIET_NS - 1));
    qd_behind_note_urgent(&behind);
    now_ns += QD_BEHIND_QUIET_NS;
    assert_false(qd_behind_is_ready(&behind, now_ns));
    now_ns += QD_BEHIND_QUIET_NS;
    assert_true(qd_behind_is_ready(&behind, now_ns));
    assert_non_null(qd_behind_take(&behind, now_ns));
    assert_false(put(&behind, &actors[2], now_ns)); /* both workers run one */
    qd_behind_done(&behind);
    assert_true(qd_behind_is_ready(&behind, now_ns));
    qd_behind_deinit(&behind);
}

TEST(helpers_count_as_workers)
{
    qd_behind behind;
    qd_actor actor;
    uint64_t now_ns = 1000 * MS_NS;

    qd_behind_init(&behind, 4);
    qd_actor_init(&actor, NULL);
    qd_behind_note_urgent(&behind);
    assert_true(put(&behind, &actor, now_ns));
    assert_non_null(qd_behind_take(&behind, now_ns));
    assert_int_equal(qd_behind_helpers(&behind, now_ns), 2);
    assert_true(qd_behind_help(&behind, now_ns));
    assert_true(qd_behind_help(&behind, now_ns));
    assert_int_equal(qd_behind_helpers(&behind, now_ns), 0);
    assert_false(qd_behind_help(&behind, now_ns));
    assert_false(put(&behind, &actor, now_ns));
    now_ns += QD_BEHIND_QUIET_NS;
    assert_int_equal(qd_behind_helpers(&behind, now_ns), 1);
    assert_true(qd_behind_help(&behind, now_ns));
    assert_false(qd_behind_is_ready(&behind, now_ns));
    qd_behind_done(&behind);
    assert_true(qd_behind_is_ready(&behind, now_ns));
    qd_behind_deinit(&behind);
}

TEST(actors_are_starved_when_none_was_taken_for_long)
{
    qd_actor actors[2];
    qd_behind behind;

    qd_behind_init(&behind, 1);
    for (uint32_t i = 0; i < 2; i++) {
        qd_actor_init(&actors[i], NULL);
        put(&behind, &actors[i], 500 * MS_NS + i);
    }
    assert_false(qd_behind_is_starved(&behind, 500 * MS_NS + QD_BEHIND_SHARE_NS - 1));
    assert_true(qd_behind_is_starved(&behind, 500 * MS_NS + QD_BEHIND_SHARE_NS));
    assert_non_null(qd_behind_take(&behind, 600 * MS_NS));
    assert_false(qd_behind_is_starved(&behind, 600 * MS_NS));
    qd_behind_deinit(&behind);
}

/* ---- on the pool ---- */

static void wake(qd_actor *actor)
{
    scheduler->wake(scheduler->context, actor);
}

static void wake_behind(qd_actor *actor)
{
    scheduler->wake_behind(scheduler->context, actor);
}

static void post_any_wake(posted *target, rng_stream *random)
{
    switch (rng_below(random, 4)) {
    case 0:
        wake(&target->actor);
        break;
    case 1:
        scheduler->run_inline(scheduler->context, &target->actor, see_posts, rng_one_in(random, 2));
        break;
    default:
        wake_behind(&target->actor);
        break;
    }
}

TEST(wakes_of_both_kinds_are_all_seen)
{
    FOR_EACH_WORKERS(workers)
    {
        post_from_threads(workers, post_any_wake);
    }
}

typedef struct noted {
    qd_actor actor;
    _Atomic uint32_t place; /* among all runs, from 1 */
} noted;

static _Atomic uint32_t runs, may_go, standby_runs;

static void note(qd_actor *actor)
{
    atomic_fetch_add(&standby_runs, is_standby());
    ((noted *)actor)->place = atomic_fetch_add(&runs, 1) + 1;
}

static void hold_worker(qd_actor *actor)
{
    (void)actor;
    atomic_fetch_add(&standby_runs, is_standby());
    atomic_fetch_add(&runs, 1);
    wait_for(&may_go, 1);
}

/* The only worker is busy while actors are woken. One of those that wait behind is woken again, so that it is urgent. */
static void wake_in_order(noted behind[3], noted urgent[3])
{
    qd_actor holder;

    atomic_store(&runs, 0);
    atomic_store(&may_go, 0);
    atomic_store(&standby_runs, 0);
    start(1);
    qd_actor_init(&holder, hold_worker);
    wake(&holder);
    wait_for(&runs, 1);
    for (uint32_t i = 0; i < 3; i++) {
        qd_actor_init(&behind[i].actor, note);
        wake_behind(&behind[i].actor);
    }
    for (uint32_t i = 0; i < 3; i++) {
        qd_actor_init(&urgent[i].actor, note);
        wake(&urgent[i].actor);
    }
    wake(&behind[1].actor);
    atomic_store(&may_go, 1);
    wait_for(&runs, 7);
    stop();
}

TEST(urgent_actors_run_before_those_that_wait_behind)
{
    noted behind[3], urgent[3];

    /* On a slow machine the standby may step in, and then there are two threads. */
    do {
        wake_in_order(behind, urgent);
    } while (atomic_load(&standby_runs) > 0);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(urgent[i].place, 2 + i);
    }
    assert_int_equal(behind[1].place, 5);
    assert_int_equal(behind[0].place, 6);
    assert_int_equal(behind[2].place, 7);
}

static _Atomic bool may_end;

static void go_on(qd_actor *actor)
{
    atomic_fetch_add(&runs, 1);
    if (!atomic_load(&may_end)) {
        wake(actor);
    }
}

/* The urgent actors wake themselves without end, more of them than workers. */
TEST(actors_behind_run_beside_endless_urgent_ones)
{
    FOR_EACH_WORKERS(workers)
    {
        qd_actor urgent[12];
        noted behind[3];

        atomic_store(&runs, 0);
        atomic_store(&may_end, false);
        start(workers);
        for (uint32_t i = 0; i < 12; i++) {
            qd_actor_init(&urgent[i], go_on);
            wake(&urgent[i]);
        }
        for (uint32_t i = 0; i < 3; i++) {
            qd_actor_init(&behind[i].actor, note);
            atomic_store(&behind[i].place, 0);
            wake_behind(&behind[i].actor);
        }
        for (uint32_t i = 0; i < 3; i++) {
            wait_for(&behind[i].place, 1);
        }
        atomic_store(&may_end, true);
        stop();
    }
}

typedef struct yielding {
    qd_actor actor;
    uint64_t due_ns;
} yielding;

static void take_turn(qd_actor *actor)
{
    yielding *me = (yielding *)actor;

    atomic_fetch_add(&wrong, scheduler->now_ns(scheduler->context) < me->due_ns);
    if (atomic_fetch_add(&runs, 1) < 50) {
        me->due_ns += MS_NS;
        atomic_store(&actor->yields, atomic_load(&runs) % 2 == 0);
        scheduler->wake_at(scheduler->context, actor, me->due_ns);
    }
}

TEST(timers_fire_for_actors_that_yield)
{
    FOR_EACH_WORKERS(workers)
    {
        yielding one = {.due_ns = 0};

        atomic_store(&runs, 0);
        start(workers);
        one.due_ns = scheduler->now_ns(scheduler->context);
        qd_actor_init(&one.actor, take_turn);
        wake(&one.actor);
        wait_for(&runs, 51);
        stop();
    }
}

/* ---- a fork of an actor that waits behind ---- */

static _Atomic uint32_t tasks_run, urgent_at;

static void note_urgent(qd_actor *actor)
{
    (void)actor;
    atomic_store(&urgent_at, atomic_load(&tasks_run));
    atomic_fetch_add(&runs, 1);
}

static qd_actor urgent_one;
static pthread_t caller;

/* The caller has to finish its fork, so only the helper can run the urgent one before. On a busy machine it may come late:
 * the caller waits for it. */
static void short_task(size_t index, void *argument)
{
    (void)index, (void)argument;
    const uint32_t before = atomic_fetch_add(&tasks_run, 1);

    if (before == 10) {
        wake(&urgent_one);
    }
    do {
        rest();
    } while (before > 500 && pthread_equal(pthread_self(), caller) && atomic_load(&runs) == 0);
}

static void fork_much(qd_actor *actor)
{
    (void)actor;
    caller = pthread_self();
    scheduler->executor->run(scheduler->executor->context, 2000, short_task, NULL);
    atomic_fetch_add(&runs, 1);
}

TEST(helpers_leave_a_fork_for_urgent_work)
{
    qd_actor forking;

    atomic_store(&runs, 0);
    atomic_store(&tasks_run, 0);
    atomic_store(&urgent_at, 0);
    start(2);
    qd_actor_init(&urgent_one, note_urgent);
    qd_actor_init(&forking, fork_much);
    wake_behind(&forking);
    wait_for(&runs, 2);
    stop();
    assert_in_range(urgent_at, 1, 1500);
}

TEST_MAIN()
