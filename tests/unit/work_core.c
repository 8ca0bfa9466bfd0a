/* SPDX-License-Identifier: Apache-2.0
 *
 * Who is sent off wakes on another core than its caller's, if there is another, and may run where it could before.
 */
#define _GNU_SOURCE /* sched_getcpu, CPU_SET */

#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "server/work/core.h"

#define TRIES 100

typedef struct sleeper {
    sem_t call, answer;
    bool is_over, was_sent;
    cpu_set_t before, after;
    int core; /* that it woke on */
} sleeper;

static cpu_set_t allowed(void)
{
    cpu_set_t set;

    assert_int_equal(pthread_getaffinity_np(pthread_self(), sizeof set, &set), 0);
    return set;
}

static void set_allowed(const cpu_set_t *set)
{
    assert_int_equal(pthread_setaffinity_np(pthread_self(), sizeof *set, set), 0);
}

static void *sleep_on(void *argument)
{
    sleeper *s = argument;

    for (;;) {
        sem_wait(&s->call);
        if (s->is_over)
            return NULL;
        s->core = sched_getcpu();
        if (s->was_sent)
            qd_core_settle(&s->before);
        pthread_getaffinity_np(pthread_self(), sizeof s->after, &s->after);
        sem_post(&s->answer);
    }
}

static void is_elsewhere(void **state)
{
    (void)state;
    const cpu_set_t all = allowed();
    sleeper s = {.is_over = false};
    pthread_t thread;

    sem_init(&s.call, 0, 0);
    sem_init(&s.answer, 0, 0);
    pthread_create(&thread, NULL, sleep_on, &s);
    for (int i = 0; i < TRIES; i++) {
        /* The caller stays where it is. */
        cpu_set_t here;
        int core = sched_getcpu();

        CPU_ZERO(&here);
        CPU_SET((size_t)core, &here);
        if (CPU_ISSET((size_t)core, &all))
            set_allowed(&here);
        s.was_sent = qd_core_send(thread, &s.before);
        assert_int_equal(s.was_sent, CPU_COUNT(&all) > 1);
        sem_post(&s.call);
        sem_wait(&s.answer);
        assert_true(!s.was_sent || s.core != core);
        assert_true(CPU_EQUAL(&s.after, &all));
        set_allowed(&all);
    }
    s.is_over = true;
    sem_post(&s.call);
    pthread_join(thread, NULL);
    sem_destroy(&s.call);
    sem_destroy(&s.answer);
}

/* Whoever may run on one core alone stays there. */
static void stays_where_there_is_no_other(void **state)
{
    (void)state;
    const cpu_set_t all = allowed();
    cpu_set_t one, before;

    CPU_ZERO(&one);
    CPU_SET((size_t)sched_getcpu(), &one);
    set_allowed(&one);
    assert_false(qd_core_send(pthread_self(), &before));
    cpu_set_t after = allowed();
    assert_true(CPU_EQUAL(&one, &after));
    set_allowed(&all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(is_elsewhere), cmocka_unit_test(stays_where_there_is_no_other)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
