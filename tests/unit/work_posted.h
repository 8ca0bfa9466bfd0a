/* SPDX-License-Identifier: Apache-2.0
 *
 * For the tests of work/: a pool, and actors that many threads post to at once.
 *
 * wait_for has no timeout of its own: if what must happen does not happen, CTest's timeout fails the test. Actors run
 * on the pool's threads, where cmocka's assertions do not work. They count errors in `wrong`, which `stop` checks.
 */
#ifndef QD_TESTS_WORK_POSTED_H
#define QD_TESTS_WORK_POSTED_H

#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#include "server/base/memory/alloc.h"
#include "server/work/pool.h"
#include "support/rng.h"
#include "tests/support/test.h"

static const uint32_t worker_counts[] = {1, 2, 4, 8};
#define FOR_EACH_WORKERS(workers)                                                                                      \
    for (uint32_t turn_ = 0, workers; turn_ < 4 && (workers = worker_counts[turn_], true); turn_++)

/* The most actors of a test that have timers at once. */
#define TIMERS_MAX 5000u

static qd_pool *pool;
static const qd_scheduler *scheduler;
static _Atomic uint32_t wrong;

static inline void start(uint32_t workers)
{
    assert_int_equal(qd_pool_create(workers, &pool), QD_OK);
    assert_int_equal(qd_pool_workers(pool), workers);
    scheduler = qd_pool_scheduler(pool);
    assert_int_equal(scheduler->executor->width, workers);
    for (uint32_t i = 0; i < TIMERS_MAX; i++) {
        assert_true(scheduler->reserve_timer(scheduler->context));
    }
}

static inline void stop(void)
{
    qd_pool_destroy(pool);
    assert_int_equal(qd_memory_used(), 0);
    assert_int_equal(atomic_load(&wrong), 0);
}

/* Whether the caller runs on the standby, which steps in when all workers are busy. */
static inline bool is_standby(void)
{
    char name[16] = "";

    prctl(PR_GET_NAME, name);
    return strcmp(name, "qd-standby") == 0;
}

static inline void rest(void)
{
    const struct timespec pause = {0, 50000};

    nanosleep(&pause, NULL);
}

static inline void wait_for(_Atomic uint32_t *counter, uint32_t value)
{
    while (atomic_load(counter) < value) {
        rest();
    }
}

#define POSTED_ACTORS 20u
#define POSTERS       4u
#define POSTS         5000u

typedef struct posted {
    qd_actor actor;
    _Atomic uint32_t posts, seen;
    _Atomic bool running;
    uint32_t runs; /* not atomic: TSan reports a race if a run does not see the last run's write */
} posted;

static posted posted_actors[POSTED_ACTORS];

static inline void see_posts(qd_actor *actor)
{
    posted *me = (posted *)actor;

    atomic_fetch_add(&wrong, atomic_exchange(&me->running, true));
    me->runs++;
    atomic_store(&me->seen, atomic_load(&me->posts));
    atomic_store(&me->running, false);
}

static void (*post_one)(posted *target, rng_stream *random);

static inline void *post(void *argument)
{
    rng_stream random = {(uintptr_t)argument};

    for (uint32_t index = 0; index < POSTS; index++) {
        posted *target = &posted_actors[rng_below(&random, POSTED_ACTORS)];

        atomic_fetch_add(&target->posts, 1);
        post_one(target, &random);
        if (rng_one_in(&random, 256)) {
            rest(); /* long enough for the workers to fall asleep */
        }
    }
    return NULL;
}

/* Many threads post to random actors and call `how` for each post. Checks that each actor sees all its posts, and that
 * its runs never overlap. */
static inline void post_from_threads(uint32_t workers, void (*how)(posted *target, rng_stream *random))
{
    pthread_t threads[POSTERS];
    uint32_t posts = 0;

    post_one = how;
    start(workers);
    for (uint32_t index = 0; index < POSTED_ACTORS; index++) {
        posted_actors[index] = (posted){.runs = 0};
        qd_actor_init(&posted_actors[index].actor, see_posts);
    }
    for (uintptr_t index = 0; index < POSTERS; index++) {
        assert_int_equal(pthread_create(&threads[index], NULL, post, (void *)(index + 1)), 0);
    }
    for (uint32_t index = 0; index < POSTERS; index++) {
        pthread_join(threads[index], NULL);
    }
    for (uint32_t index = 0; index < POSTED_ACTORS; index++) {
        posted *target = &posted_actors[index];

        wait_for(&target->seen, atomic_load(&target->posts));
        posts += atomic_load(&target->posts);
    }
    stop();
    assert_int_equal(posts, POSTERS * POSTS);
    for (uint32_t index = 0; index < POSTED_ACTORS; index++) {
        assert_in_range(posted_actors[index].runs, 1, posted_actors[index].posts);
    }
}

#endif
