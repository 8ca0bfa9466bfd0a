/* SPDX-License-Identifier: Apache-2.0
 *
 * Inline runs on the pool: an idle actor runs at once on the caller's thread, a busy one is woken, and runs of an actor
 * never overlap.
 */
#include "server/work/workers.h"
#include "tests/support/test.h"
#include "work_posted.h"

typedef struct inline_actor {
    qd_actor actor;
    pthread_t caller;
    bool wakes_itself;
    _Atomic uint32_t inline_runs, runs, may_end;
} inline_actor;

static void run(qd_actor *actor)
{
    inline_actor *me = (inline_actor *)actor;
    uint32_t number = atomic_fetch_add(&me->runs, 1) + 1;

    wait_for(&me->may_end, number);
}

static void run_inline(qd_actor *actor)
{
    inline_actor *me = (inline_actor *)actor;

    me->caller = pthread_self();
    atomic_fetch_add(&me->inline_runs, 1);
    if (me->wakes_itself) {
        scheduler->wake(scheduler->context, actor);
    }
}

TEST(inline_run_of_idle_actor_uses_the_callers_thread)
{
    inline_actor one = {.may_end = 0};

    start(2);
    qd_actor_init(&one.actor, run);
    for (uint32_t round = 1; round <= 3; round++) {
        scheduler->run_inline(scheduler->context, &one.actor, run_inline, true);
        assert_int_equal(atomic_load(&one.inline_runs), round);
        assert_true(pthread_equal(one.caller, pthread_self()));
    }
    stop();
    assert_int_equal(one.runs, 0);
}

TEST(wake_during_inline_run_leads_to_a_run)
{
    inline_actor one = {.wakes_itself = true, .may_end = 1};

    start(2);
    qd_actor_init(&one.actor, run);
    scheduler->run_inline(scheduler->context, &one.actor, run_inline, true);
    wait_for(&one.runs, 1);
    stop();
    assert_int_equal(one.inline_runs, 1);
    assert_int_equal(one.runs, 1);
}

typedef struct sliced_actor {
    qd_actor actor;
    _Atomic uint32_t runs, slice_ns; /* `slice_ns`: of the last run */
} sliced_actor;

static void note_slice(qd_actor *actor)
{
    sliced_actor *me = (sliced_actor *)actor;

    atomic_store(&me->slice_ns, qd_worker_here(pool)->slices.slice_ns);
    atomic_fetch_add(&me->runs, 1);
}

static uint32_t slice_of_run(sliced_actor *of)
{
    const uint32_t runs = atomic_load(&of->runs);

    scheduler->wake(scheduler->context, &of->actor);
    wait_for(&of->runs, runs + 1);
    return atomic_load(&of->slice_ns);
}

TEST(long_run_has_short_slices_after_an_inline_run_of_another_actor)
{
    inline_actor other = {.may_end = 0};
    sliced_actor one = {.runs = 0};

    start(2);
    qd_actor_init(&other.actor, run);
    qd_actor_init(&one.actor, note_slice);
    assert_int_equal(slice_of_run(&one), 0);
    qd_actor_set_long(&one.actor, true);
    assert_int_equal(slice_of_run(&one), QD_SLICE_LONG_NS);
    scheduler->run_inline(scheduler->context, &other.actor, run_inline, true);
    assert_int_equal(slice_of_run(&one), QD_SLICE_NS);
    assert_int_equal(slice_of_run(&one), QD_SLICE_LONG_NS);
    stop();
}

TEST(inline_run_of_running_actor_wakes_it)
{
    inline_actor one = {.may_end = 0};

    start(2);
    qd_actor_init(&one.actor, run);
    scheduler->wake(scheduler->context, &one.actor);
    wait_for(&one.runs, 1);
    scheduler->run_inline(scheduler->context, &one.actor, run_inline, true);
    assert_int_equal(atomic_load(&one.inline_runs), 0);
    atomic_store(&one.may_end, 2);
    wait_for(&one.runs, 2);
    stop();
    assert_int_equal(one.inline_runs, 0);
}

#define DUE 100u

/* Many actors are due, and the only worker runs the first. Those that are due last have not fired yet, so they are
 * idle. */
TEST(inline_run_of_due_actor_precedes_its_timer)
{
    static inline_actor due[DUE];
    inline_actor before = {.may_end = 0};

    start(1);
    qd_actor_init(&before.actor, run);
    scheduler->wake(scheduler->context, &before.actor);
    wait_for(&before.runs, 1);
    for (uint32_t i = 0; i < DUE; i++) {
        due[i] = (inline_actor){.may_end = i > 0};
        qd_actor_init(&due[i].actor, run);
        scheduler->wake_at(scheduler->context, &due[i].actor, 1 + i);
    }
    atomic_store(&before.may_end, 1);
    wait_for(&due[0].runs, 1);
    scheduler->run_inline(scheduler->context, &due[DUE - 1].actor, run_inline, true);
    assert_int_equal(atomic_load(&due[DUE - 1].inline_runs), 1);
    assert_true(pthread_equal(due[DUE - 1].caller, pthread_self()));
    atomic_store(&due[0].may_end, 1);
    for (uint32_t i = 0; i < DUE; i++) {
        wait_for(&due[i].runs, 1);
    }
    stop();
}

/* ---- never two at once ---- */

static void post_inline(posted *target, rng_stream *random)
{
    if (rng_one_in(random, 4)) {
        scheduler->wake(scheduler->context, &target->actor);
    } else {
        scheduler->run_inline(scheduler->context, &target->actor, see_posts, true);
    }
}

TEST(inline_runs_and_runs_never_overlap)
{
    FOR_EACH_WORKERS(workers)
    {
        post_from_threads(workers, post_inline);
    }
}

TEST_MAIN()
