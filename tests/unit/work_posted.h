/* SPDX-License-Identifier: Apache-2.0
 *
 * A pool, and actors that many threads post to at once: what the tests of wakes and of visits have in common.
 *
 * What must happen is waited for without an end of its own: where it does not, CTest's timeout is the failure. Runs
 * happen on other threads, where cmocka's assertions are of no use: they count what is wrong, and the test looks.
 */
#ifndef QD_TESTS_WORK_POSTED_H
#define QD_TESTS_WORK_POSTED_H

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

static const uint32_t worker_counts[] = {1, 2, 4, 8};
#define FOR_EACH_WORKERS(workers)                                                                                      \
    for (uint32_t turn_ = 0, workers; turn_ < 4 && (workers = worker_counts[turn_], true); turn_++)

static qd_pool *pool;
static const qd_scheduler *scheduler;
static _Atomic uint32_t wrong;

static inline void start(uint32_t workers)
{
    assert_int_equal(qd_pool_create(workers, &pool), QD_OK);
    assert_int_equal(qd_pool_workers(pool), workers);
    scheduler = qd_pool_scheduler(pool);
    assert_int_equal(scheduler->executor->width, workers);
}

static inline void stop(void)
{
    qd_pool_destroy(pool);
    assert_int_equal(qd_memory_used(), 0);
    assert_int_equal(atomic_load(&wrong), 0);
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
    uint32_t runs; /* plain on purpose: each run sees the last one's write, or TSan complains */
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

static void (*post_one)(posted *target, uint32_t seed);

static inline void *post(void *argument)
{
    uint32_t seed = (uint32_t)(uintptr_t)argument;

    for (uint32_t index = 0; index < POSTS; index++) {
        seed = seed * 1664525u + 1013904223u;
        posted *target = &posted_actors[(seed >> 16) % POSTED_ACTORS];
        atomic_fetch_add(&target->posts, 1);
        post_one(target, seed);
        if (seed >> 24 == 0) {
            rest(); /* now and then long enough for the workers to fall asleep */
        }
    }
    return NULL;
}

/* Many threads tell actors of their posts by `how`, whose seed is random. Each post is seen, and no actor ever runs
 * twice at once. */
static inline void post_from_threads(uint32_t workers, void (*how)(posted *target, uint32_t seed))
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
