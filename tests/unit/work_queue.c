/* SPDX-License-Identifier: Apache-2.0
 *
 * Run queues: order, whole batches, and that exactly one thread takes each actor.
 */
#include <pthread.h>

#include "server/work/queues/queue.h"
#include "tests/support/test.h"

#define ACTORS  (3 * QD_QUEUE_BATCH + 5)
#define THREADS 3u
#define ROUNDS  300u

static qd_actor actors[ACTORS];

static void push_all(qd_queue *queue)
{
    for (uint32_t i = 0; i < ACTORS; i++) {
        qd_queue_push(queue, &actors[i]);
    }
}

TEST(actors_are_taken_in_push_order)
{
    qd_queue queue;

    qd_queue_init(&queue);
    for (uint32_t round = 0; round < 3; round++) {
        push_all(&queue);
        for (uint32_t i = 0; i < ACTORS; i++) {
            assert_false(qd_queue_is_empty(&queue));
            assert_ptr_equal(qd_queue_take(&queue), &actors[i]);
        }
        assert_true(qd_queue_is_empty(&queue) && qd_queue_looks_empty(&queue));
        assert_null(qd_queue_take(&queue));
    }
    qd_queue_deinit(&queue);
}

/* A batch of which an actor was taken, and a batch that is not full yet, stay. */
TEST(steal_moves_whole_batches_in_order)
{
    qd_queue from, to;

    qd_queue_init(&from);
    qd_queue_init(&to);
    assert_false(qd_queue_steal(&from, &to));
    push_all(&from);
    assert_ptr_equal(qd_queue_take(&from), &actors[0]);
    assert_true(qd_queue_steal(&from, &to));
    assert_true(qd_queue_steal(&from, &to));
    assert_false(qd_queue_steal(&from, &to));
    for (uint32_t i = QD_QUEUE_BATCH; i < 3 * QD_QUEUE_BATCH; i++) {
        assert_ptr_equal(qd_queue_take(&to), &actors[i]);
    }
    assert_null(qd_queue_take(&to));
    for (uint32_t i = 1; i < QD_QUEUE_BATCH; i++) {
        assert_ptr_equal(qd_queue_take(&from), &actors[i]);
    }
    for (uint32_t i = 3 * QD_QUEUE_BATCH; i < ACTORS; i++) {
        assert_ptr_equal(qd_queue_take(&from), &actors[i]);
    }
    assert_null(qd_queue_take(&from));
    qd_queue_deinit(&from);
    qd_queue_deinit(&to);
}

/* ---- several threads ---- */

static qd_queue queues[THREADS];
static uint32_t runs[ACTORS]; /* counted by the thread that has the actor; TSan reports a race if two have it */
static _Atomic uint32_t runs_left;

static void *take_and_push(void *argument)
{
    uint32_t own = (uint32_t)(uintptr_t)argument;

    while (atomic_load(&runs_left) > 0) {
        qd_actor *actor = qd_queue_take(&queues[own]);

        for (uint32_t step = 1; !actor && step < THREADS; step++) {
            qd_queue *other = &queues[(own + step) % THREADS];

            actor = qd_queue_take(qd_queue_steal(other, &queues[own]) ? &queues[own] : other);
        }
        if (!actor) {
            continue;
        }
        uint32_t *count = &runs[actor - actors];
        atomic_fetch_sub(&runs_left, 1);
        if (++*count < ROUNDS) {
            qd_queue_push(&queues[*count % 7 == 0 ? 0 : own], actor);
        }
    }
    return NULL;
}

TEST(actor_leaves_the_queues_once)
{
    pthread_t threads[THREADS];

    for (uint32_t i = 0; i < THREADS; i++) {
        qd_queue_init(&queues[i]);
    }
    push_all(&queues[0]);
    atomic_store(&runs_left, ACTORS * ROUNDS);
    for (uintptr_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, take_and_push, (void *)i), 0);
    }
    for (uint32_t i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    for (uint32_t i = 0; i < ACTORS; i++) {
        assert_int_equal(runs[i], ROUNDS);
    }
    for (uint32_t i = 0; i < THREADS; i++) {
        assert_true(qd_queue_is_empty(&queues[i]));
        qd_queue_deinit(&queues[i]);
    }
}

TEST_MAIN()
