/* SPDX-License-Identifier: Apache-2.0
 *
 * A run queue: actors that wait for a worker, oldest first. Each worker has one; anybody may push and anybody take.
 */
#ifndef QD_WORK_QUEUE_H
#define QD_WORK_QUEUE_H

#include <pthread.h>
#include <stdbool.h>

#include "../base/executor.h"

typedef struct qd_queue {
    pthread_mutex_t lock;
    qd_actor *head, *tail; /* linked by `next`; tail is only meaningful while head is set */
    _Atomic size_t count;  /* written under the lock; read without it as a hint */
} qd_queue;

void qd_queue_init(qd_queue *queue);
void qd_queue_deinit(qd_queue *queue);

/* [any] */
void qd_queue_push(qd_queue *queue, qd_actor *actor);
/* [any] NULL: it is empty, or was a moment ago. */
qd_actor *qd_queue_take(qd_queue *queue);
/* [any] A hint: may be out of date both ways. */
bool qd_queue_looks_empty(qd_queue *queue);
/* [any] The truth at one moment: a push either came before, and is seen, or comes after, and then the pusher sees all
 * that the caller wrote before. */
bool qd_queue_is_empty(qd_queue *queue);

#endif
