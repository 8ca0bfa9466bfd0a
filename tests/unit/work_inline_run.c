/* SPDX-License-Identifier: Apache-2.0
 *
 * Visits to actors of the pool: here and now where they are idle, a wake where they are not; never two at once.
 */
#include "work_posted.h"

typedef struct visited {
    qd_actor actor;
    pthread_t visitor;
    bool wakes_itself;
    _Atomic uint32_t visits, runs, may_end;
} visited;

static void run(qd_actor *actor)
{
    visited *me = (visited *)actor;
    uint32_t number = atomic_fetch_add(&me->runs, 1) + 1;

    wait_for(&me->may_end, number);
}

static void run_inline(qd_actor *actor)
{
    visited *me = (visited *)actor;

    me->visitor = pthread_self();
    atomic_fetch_add(&me->visits, 1);
    if (me->wakes_itself) {
        scheduler->wake(scheduler->context, actor);
    }
}

static void an_idle_actor_runs_in_the_visitors_thread(void **state)
{
    (void)state;
    visited one = {.may_end = 0};

    start(2);
    qd_actor_init(&one.actor, run);
    for (uint32_t round = 1; round <= 3; round++) {
        scheduler->run_inline(scheduler->context, &one.actor, run_inline);
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

    start(2);
    qd_actor_init(&one.actor, run);
    scheduler->run_inline(scheduler->context, &one.actor, run_inline);
    wait_for(&one.runs, 1);
    stop();
    assert_int_equal(one.visits, 1);
    assert_int_equal(one.runs, 1);
}

static void a_running_actor_is_woken_instead(void **state)
{
    (void)state;
    visited one = {.may_end = 0};

    start(2);
    qd_actor_init(&one.actor, run);
    scheduler->wake(scheduler->context, &one.actor);
    wait_for(&one.runs, 1);
    scheduler->run_inline(scheduler->context, &one.actor, run_inline);
    assert_int_equal(atomic_load(&one.visits), 0);
    atomic_store(&one.may_end, 2);
    wait_for(&one.runs, 2);
    stop();
    assert_int_equal(one.visits, 0);
}

#define LATE 100u

/* The worker has one of many that are due: those that are due last can be visited all the same. */
static void who_is_due_but_far_from_its_turn_is_idle(void **state)
{
    (void)state;
    static visited late[LATE];
    visited before = {.may_end = 0};

    start(1);
    qd_actor_init(&before.actor, run);
    scheduler->wake(scheduler->context, &before.actor);
    wait_for(&before.runs, 1);
    for (uint32_t i = 0; i < LATE; i++) {
        late[i] = (visited){.may_end = i > 0};
        qd_actor_init(&late[i].actor, run);
        scheduler->wake_at(scheduler->context, &late[i].actor, 1 + i);
    }
    atomic_store(&before.may_end, 1);
    wait_for(&late[0].runs, 1);
    scheduler->run_inline(scheduler->context, &late[LATE - 1].actor, run_inline);
    assert_int_equal(atomic_load(&late[LATE - 1].visits), 1);
    assert_true(pthread_equal(late[LATE - 1].visitor, pthread_self()));
    atomic_store(&late[0].may_end, 1);
    for (uint32_t i = 0; i < LATE; i++) {
        wait_for(&late[i].runs, 1);
    }
    stop();
}

/* ---- never two at once ---- */

static void post_a_visit(posted *target, uint32_t seed)
{
    if (seed >> 30 == 0) {
        scheduler->wake(scheduler->context, &target->actor);
    } else {
        scheduler->run_inline(scheduler->context, &target->actor, see_posts);
    }
}

static void visits_and_runs_are_one_at_a_time(void **state)
{
    (void)state;
    FOR_EACH_WORKERS(workers)
    {
        post_from_threads(workers, post_a_visit);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_idle_actor_runs_in_the_visitors_thread),
        cmocka_unit_test(a_wake_during_a_visit_leads_to_a_run),
        cmocka_unit_test(a_running_actor_is_woken_instead),
        cmocka_unit_test(who_is_due_but_far_from_its_turn_is_idle),
        cmocka_unit_test(visits_and_runs_are_one_at_a_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
