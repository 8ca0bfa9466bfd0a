/* SPDX-License-Identifier: Apache-2.0
 *
 * Visits to actors of the pool: here and now where they are idle, a wake where they are not; never two at once.
 *
 * What must happen is waited for without an end of its own: where it does not, CTest's timeout is the failure.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#include "server/base/alloc.h"
#include "server/work/pool.h"

static qd_pool *pool;
static const qd_scheduler *scheduler;

typedef struct visited {
    qd_actor actor;
    pthread_t visitor;
    bool wakes_itself;
    _Atomic uint32_t visits, runs, may_end;
} visited;

static void start(void)
{
    assert_int_equal(qd_pool_create(2, &pool), QD_OK);
    scheduler = qd_pool_scheduler(pool);
}

static void stop(void)
{
    qd_pool_destroy(pool);
    assert_int_equal(qd_memory_used(), 0);
}

static void rest(void)
{
    const struct timespec pause = {0, 50000};

    nanosleep(&pause, NULL);
}

static void wait_for(_Atomic uint32_t *counter, uint32_t value)
{
    while (atomic_load(counter) < value)
        rest();
}

static void run(qd_actor *actor)
{
    visited *me = (visited *)actor;
    uint32_t number = atomic_fetch_add(&me->runs, 1) + 1;

    wait_for(&me->may_end, number);
}

static void visit(qd_actor *actor)
{
    visited *me = (visited *)actor;

    me->visitor = pthread_self();
    atomic_fetch_add(&me->visits, 1);
    if (me->wakes_itself)
        scheduler->wake(scheduler->context, actor);
}

static void an_idle_actor_runs_in_the_visitors_thread(void **state)
{
    (void)state;
    visited one = {.may_end = 0};

    start();
    qd_actor_init(&one.actor, run);
    for (uint32_t round = 1; round <= 3; round++) {
        scheduler->visit(scheduler->context, &one.actor, visit);
        assert_int_equal(atomic_load(&one.visits), round);
        assert_true(pthread_equal(one.visitor, pthread_self()));
    }
    stop();
    assert_int_equal(one.runs, 0);
}

static void a_wake_during_a_visit_leads_to_a_run(void **state)
{
    (void)state;
    visited one = {.wakes_itself = true, .may_end = 1};

    start();
    qd_actor_init(&one.actor, run);
    scheduler->visit(scheduler->context, &one.actor, visit);
    wait_for(&one.runs, 1);
    stop();
    assert_int_equal(one.visits, 1);
    assert_int_equal(one.runs, 1);
}

static void a_running_actor_is_woken_instead(void **state)
{
    (void)state;
    visited one = {.may_end = 0};

    start();
    qd_actor_init(&one.actor, run);
    scheduler->wake(scheduler->context, &one.actor);
    wait_for(&one.runs, 1);
    scheduler->visit(scheduler->context, &one.actor, visit);
    assert_int_equal(atomic_load(&one.visits), 0);
    atomic_store(&one.may_end, 2);
    wait_for(&one.runs, 2);
    stop();
    assert_int_equal(one.visits, 0);
}

/* ---- never two at once ---- */

#define POSTED_ACTORS 20u
#define POSTERS       4u
#define POSTS         5000u

typedef struct posted {
    qd_actor actor;
    _Atomic uint32_t posts, seen, wrong;
    _Atomic bool running;
    uint32_t runs; /* plain on purpose: each run sees the last one's write, or TSan complains */
} posted;

static posted posted_actors[POSTED_ACTORS];

static void see_posts(qd_actor *actor)
{
    posted *me = (posted *)actor;

    atomic_fetch_add(&me->wrong, atomic_exchange(&me->running, true));
    me->runs++;
    atomic_store(&me->seen, atomic_load(&me->posts));
    atomic_store(&me->running, false);
}

static void *post(void *argument)
{
    uint32_t seed = (uint32_t)(uintptr_t)argument;

    for (uint32_t index = 0; index < POSTS; index++) {
        seed = seed * 1664525u + 1013904223u;
        posted *target = &posted_actors[(seed >> 16) % POSTED_ACTORS];
        atomic_fetch_add(&target->posts, 1);
        if (seed >> 30 == 0)
            scheduler->wake(scheduler->context, &target->actor);
        else
            scheduler->visit(scheduler->context, &target->actor, see_posts);
        if (seed >> 24 == 0)
            rest(); /* now and then long enough for the workers to fall asleep */
    }
    return NULL;
}

static void visits_and_runs_are_one_at_a_time(void **state)
{
    (void)state;
    pthread_t threads[POSTERS];

    start();
    for (uint32_t index = 0; index < POSTED_ACTORS; index++) {
        posted_actors[index] = (posted){.runs = 0};
        qd_actor_init(&posted_actors[index].actor, see_posts);
    }
    for (uintptr_t index = 0; index < POSTERS; index++)
        assert_int_equal(pthread_create(&threads[index], NULL, post, (void *)(index + 1)), 0);
    for (uint32_t index = 0; index < POSTERS; index++)
        pthread_join(threads[index], NULL);
    for (uint32_t index = 0; index < POSTED_ACTORS; index++)
        wait_for(&posted_actors[index].seen, atomic_load(&posted_actors[index].posts));
    stop();
    for (uint32_t index = 0; index < POSTED_ACTORS; index++) {
        assert_int_equal(posted_actors[index].wrong, 0);
        assert_in_range(posted_actors[index].runs, 1, posted_actors[index].posts);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_idle_actor_runs_in_the_visitors_thread),
        cmocka_unit_test(a_wake_during_a_visit_leads_to_a_run),
        cmocka_unit_test(a_running_actor_is_woken_instead),
        cmocka_unit_test(visits_and_runs_are_one_at_a_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
