/* SPDX-License-Identifier: Apache-2.0
 *
 * Sending a thread to another core: it wakes on another core than its caller's, if there is one, and may then run on
 * every core of its process. qd_core_send reads these cores from the main thread, which the tests run on. So the caller
 * that restricts itself to one core is another thread.
 */
#define _GNU_SOURCE /* sched_getcpu, CPU_SET */

#include <pthread.h>
#include <semaphore.h>

#include "server/work/thread/core.h"
#include "tests/support/test.h"

#define TRIES 100

typedef struct sleeper {
    sem_t call, answer;
    bool is_over, was_sent;
    cpu_set_t process, after;
    int core; /* where it woke */
    pthread_t thread;
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
        if (s->is_over) {
            return NULL;
        }
        s->core = sched_getcpu();
        if (s->was_sent) {
            qd_core_settle(&s->process);
        }
        pthread_getaffinity_np(pthread_self(), sizeof s->after, &s->after);
        sem_post(&s->answer);
    }
}

static void begin(sleeper *s)
{
    *s = (sleeper){.is_over = false};
    sem_init(&s->call, 0, 0);
    sem_init(&s->answer, 0, 0);
    assert_int_equal(pthread_create(&s->thread, NULL, sleep_on, s), 0);
}

static void call(sleeper *s)
{
    s->was_sent = qd_core_send(s->thread, &s->process);
    sem_post(&s->call);
    sem_wait(&s->answer);
}

static void end(sleeper *s)
{
    s->is_over = true;
    sem_post(&s->call);
    pthread_join(s->thread, NULL);
    sem_destroy(&s->call);
    sem_destroy(&s->answer);
}

static cpu_set_t only(int core)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET((size_t)core, &set);
    return set;
}

/* Calls the sleeper TRIES times, each time from the current core. Returns NULL if everything was right. */
static void *call_from_here(void *argument)
{
    const cpu_set_t all = allowed();
    bool is_right = true;

    for (int i = 0; i < TRIES; i++) {
        sleeper *s = argument;
        const int core = sched_getcpu();
        const cpu_set_t here = only(core);

        if (CPU_ISSET((size_t)core, &all)) {
            set_allowed(&here);
        }
        call(s);
        is_right &= s->was_sent == (CPU_COUNT(&all) > 1);
        is_right &= !s->was_sent || s->core != core;
        is_right &= CPU_EQUAL(&s->after, &all);
        set_allowed(&all);
    }
    return is_right ? NULL : argument;
}

TEST(sent_thread_wakes_on_another_core)
{
    pthread_t caller;
    void *wrong;
    sleeper s;

    (void)state;
    begin(&s);
    assert_int_equal(pthread_create(&caller, NULL, call_from_here, &s), 0);
    pthread_join(caller, &wrong);
    assert_null(wrong);
    end(&s);
}

/* The process gets more cores between two calls. */
TEST(sent_thread_may_use_cores_added_since)
{
    const cpu_set_t all = allowed(), one = only(sched_getcpu());
    sleeper s;

    (void)state;
    set_allowed(&one);
    begin(&s);
    call(&s);
    assert_true(!s.was_sent && CPU_EQUAL(&s.after, &one));
    set_allowed(&all);
    call(&s);
    assert_true(CPU_EQUAL(&s.after, &all));
    end(&s);
}

TEST(thread_with_one_core_is_not_sent)
{
    const cpu_set_t all = allowed();
    const cpu_set_t one = only(sched_getcpu());
    cpu_set_t process;

    set_allowed(&one);
    assert_false(qd_core_send(pthread_self(), &process));
    cpu_set_t after = allowed();
    assert_true(CPU_EQUAL(&one, &after));
    set_allowed(&all);
}

TEST_MAIN()
