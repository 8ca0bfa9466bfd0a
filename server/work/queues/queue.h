/* SPDX-License-Identifier: Apache-2.0
 *
 * A run queue: actors that wait for a worker, oldest first. Each worker has one; every worker may push and take.
 *
 *     push --> newest --full--> batch, batch, ... -----> oldest --> take
 *                                 |
 *                                 +--steal--> another queue's batches
 *
 * Actors that are pushed in sequence are mostly rooms that were created in sequence, whose memory is adjacent. Two
 * workers that take such rooms alternately take cache lines from each other. So a worker that steals takes a whole
 * batch to its own queue, where other workers can steal it again; single actors only where no batch is full.
 */
#ifndef QD_WORK_QUEUES_QUEUE_H
#define QD_WORK_QUEUES_QUEUE_H

#include <pthread.h>
#include <stdbool.h>

#include "../../base/executor.h"

#define QD_QUEUE_BATCH 32u /* actors; rooms of a hundred entities tick in about 0.1 ms together */

/* `last` is valid only while `first` is not NULL. */
typedef struct qd_batch {
    qd_actor *first, *last;
    uint32_t count;
} qd_batch;

typedef struct qd_queue {
    pthread_mutex_t lock;
    qd_actor *oldest;                   /* the rest of a batch, linked by `next` */
    qd_actor *batch_first, *batch_last; /* first actors of full batches, linked by `next_batch` */
    qd_batch newest;
    _Atomic size_t count; /* written under the lock; read without it as a hint */
} qd_queue;

void qd_queue_init(qd_queue *queue);
void qd_queue_deinit(qd_queue *queue);

/* [any] */
void qd_queue_push(qd_queue *queue, qd_actor *actor);
/* [any] NULL: the queue was empty. */
qd_actor *qd_queue_take(qd_queue *queue);
/* [any] Moves a full batch from one queue to another; in between it is in neither. False: there is none. */
bool qd_queue_steal(qd_queue *from, qd_queue *to);
/* [any] A hint that may be out of date. */
bool qd_queue_looks_empty(qd_queue *queue);
/* [any] Exact at one moment: an earlier push is seen; a later pusher sees everything that the caller wrote before. */
bool qd_queue_is_empty(qd_queue *queue);

#endif
