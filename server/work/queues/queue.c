/* SPDX-License-Identifier: Apache-2.0 */
#include "queue.h"

void qd_queue_init(qd_queue *queue)
{
    pthread_mutex_init(&queue->lock, NULL);
    queue->oldest = queue->batch_first = queue->batch_last = NULL;
    queue->newest = (qd_batch){0};
    atomic_init(&queue->count, 0);
}

void qd_queue_deinit(qd_queue *queue)
{
    pthread_mutex_destroy(&queue->lock);
}

static void count_to(qd_queue *queue, size_t count)
{
    atomic_store_explicit(&queue->count, count, memory_order_relaxed);
}

static size_t count_of(qd_queue *queue)
{
    return atomic_load_explicit(&queue->count, memory_order_relaxed);
}

/* ---- full batches, by their first actors ---- */

/* [lock] Behind the others. */
static void put_batch(qd_queue *queue, qd_actor *first)
{
    first->next_batch = NULL;
    if (queue->batch_first) {
        queue->batch_last->next_batch = first;
    } else {
        queue->batch_first = first;
    }
    queue->batch_last = first;
}

/* [lock] The oldest; NULL: there is none. */
static qd_actor *take_batch(qd_queue *queue)
{
    qd_actor *first = queue->batch_first;

    if (first) {
        queue->batch_first = first->next_batch;
    }
    return first;
}

bool qd_queue_steal(qd_queue *from, qd_queue *to)
{
    if (count_of(from) < QD_QUEUE_BATCH) {
        return false;
    }
    pthread_mutex_lock(&from->lock);
    qd_actor *first = take_batch(from);
    if (first) {
        count_to(from, count_of(from) - QD_QUEUE_BATCH);
    }
    pthread_mutex_unlock(&from->lock);
    if (!first) {
        return false;
    }
    pthread_mutex_lock(&to->lock);
    put_batch(to, first);
    count_to(to, count_of(to) + QD_QUEUE_BATCH);
    pthread_mutex_unlock(&to->lock);
    return true;
}

/* ---- one by one ---- */

void qd_queue_push(qd_queue *queue, qd_actor *actor)
{
    qd_batch *newest = &queue->newest;

    actor->next = NULL;
    pthread_mutex_lock(&queue->lock);
    if (newest->first) {
        newest->last->next = actor;
    } else {
        newest->first = actor;
    }
    newest->last = actor;
    if (++newest->count == QD_QUEUE_BATCH) {
        put_batch(queue, newest->first);
        *newest = (qd_batch){0};
    }
    count_to(queue, count_of(queue) + 1);
    pthread_mutex_unlock(&queue->lock);
}

qd_actor *qd_queue_take(qd_queue *queue)
{
    if (qd_queue_looks_empty(queue)) {
        return NULL;
    }
    pthread_mutex_lock(&queue->lock);
    if (!queue->oldest && !(queue->oldest = take_batch(queue))) {
        queue->oldest = queue->newest.first;
        queue->newest = (qd_batch){0};
    }
    qd_actor *actor = queue->oldest;
    if (actor) {
        queue->oldest = actor->next;
        count_to(queue, count_of(queue) - 1);
    }
    const qd_actor *next = queue->oldest;
    pthread_mutex_unlock(&queue->lock);
    __builtin_prefetch(next, 1); /* for its link, which the next take reads under the lock */
    return actor;
}

bool qd_queue_looks_empty(qd_queue *queue)
{
    return count_of(queue) == 0;
}

bool qd_queue_is_empty(qd_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    bool empty = count_of(queue) == 0;
    pthread_mutex_unlock(&queue->lock);
    return empty;
}
