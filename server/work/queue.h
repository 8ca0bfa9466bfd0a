/* SPDX-License-Identifier: Apache-2.0
 *
 * A run queue: actors that wait for a worker, oldest first. Each worker has one; anybody may push and anybody take.
 *
 *     push --> newest --full--> batch, batch, ... -----> oldest --> take
 *                                 |
 *                                 +--bring--> another queue's batches
 *
 * Actors that are pushed one after the other are mostly rooms that were made one after the other, whose memory lies
 * side by side: what is fetched ahead of one room, and the lines of cache in which one ends, are the next one's. Two
 * workers that take such rooms in turn take them from each other all the time. So whoever comes for another's actors
 * brings a BUNCH of them to its own queue, where others find them as before; one by one only where there is none.
 */
#ifndef QD_WORK_QUEUE_H
#define QD_WORK_QUEUE_H

#include <pthread.h>
#include <stdbool.h>

#include "../base/executor.h"

#define QD_QUEUE_BUNCH 32u /* actors: of rooms of a hundred entities as many as tick in a tenth of a millisecond */

/* One that is being filled: its last actor is only meaningful while there is a first. */
typedef struct qd_batch {
    qd_actor *first, *last;
    uint32_t count;
} qd_batch;

typedef struct qd_queue {
    pthread_mutex_t lock;
    qd_actor *oldest;                   /* the first of what is left of a batch, whose actors are linked by `next` */
    qd_actor *batch_first, *batch_last; /* the first actors of full ones, linked by `next_batch` */
    qd_batch newest;
    _Atomic size_t count; /* written under the lock; read without it as a hint */
} qd_queue;

void qd_queue_init(qd_queue *queue);
void qd_queue_deinit(qd_queue *queue);

/* [any] */
void qd_queue_push(qd_queue *queue, qd_actor *actor);
/* [any] NULL: it is empty, or was a moment ago. */
qd_actor *qd_queue_take(qd_queue *queue);
/* [any] A batch that is full goes from one queue to another, and meanwhile stands in neither; false: there is none. */
bool qd_queue_bring(qd_queue *from, qd_queue *to);
/* [any] A hint: may be out of date both ways. */
bool qd_queue_looks_empty(qd_queue *queue);
/* [any] The truth at one moment: a push either came before, and is seen, or comes after, and then the pusher sees all
 * that the caller wrote before. */
bool qd_queue_is_empty(qd_queue *queue);

#endif
