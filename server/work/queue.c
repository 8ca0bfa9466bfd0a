/* SPDX-License-Identifier: Apache-2.0 */
#include "queue.h"

void qd_queue_init(qd_queue *queue)
{
    pthread_mutex_init(&queue->lock, NULL);
    queue->head = queue->tail = NULL;
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

void qd_queue_push(qd_queue *queue, qd_actor *actor)
{
    actor->next = NULL;
    pthread_mutex_lock(&queue->lock);
    if (queue->head)
        queue->tail->next = actor;
    else
        queue->head = actor;
    queue->tail = actor;
    count_to(queue, count_of(queue) + 1);
    pthread_mutex_unlock(&queue->lock);
}

qd_actor *qd_queue_take(qd_queue *queue)
{
    if (qd_queue_looks_empty(queue))
        return NULL;
    pthread_mutex_lock(&queue->lock);
    qd_actor *actor = queue->head;
    if (actor) {
        queue->head = actor->next;
        count_to(queue, count_of(queue) - 1);
    }
    pthread_mutex_unlock(&queue->lock);
    return actor;
}

bool qd_queue_looks_empty(qd_queue *queue)
{
    return count_of(queue) == 0;
}

bool qd_queue_is_empty(qd_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    bool empty = queue->head == NULL;
    pthread_mutex_unlock(&queue->lock);
    return empty;
}
