/* SPDX-License-Identifier: Apache-2.0
 *
 * The behind queue: actors that wait behind all others, oldest first. Their sessions or rooms have used up their time
 * budget. A pool has one such queue, under a lock of its own.
 *
 *     wake_behind --> [ oldest ... newest ] --take, when no other actor waits--> a worker
 *                          \--remove, when a wake comes--> a run queue
 *
 * Two rules keep the others fast, and two keep these actors going:
 * - A worker takes from here only if the run queues are empty. Otherwise it takes one actor when none was taken for
 *   QD_BEHIND_SHARE_NS.
 * - They never use all workers, also for their forks: one stays free for the others. If no urgent work came for
 *   QD_BEHIND_QUIET_NS, they use that worker as well. So a session that is alone has the whole pool.
 *
 * The caller passes the time.
 */
#ifndef QD_WORK_QUEUES_BEHIND_H
#define QD_WORK_QUEUES_BEHIND_H

#include <pthread.h>
#include <stdalign.h>
#include <stdbool.h>

#include "../../base/executor.h"
#include "../../base/memory/fetch.h"

#define QD_BEHIND_SHARE_NS UINT64_C(20000000)
#define QD_BEHIND_QUIET_NS UINT64_C(20000000)

typedef struct qd_behind {
    pthread_mutex_t lock;
    qd_actor *oldest, *newest;
    uint32_t workers;
    uint32_t running;          /* runs of its actors now, and helpers of their forks */
    uint64_t urgent_ns;        /* when urgent work was last seen */
    _Atomic uint64_t taken_ns; /* when the last actor was taken, or the first one came; a hint without the lock */
    _Atomic uint32_t count;    /* written under the lock; read without it as a hint */
    alignas(QD_LINE_BYTES) _Atomic bool urgent; /* urgent work came since urgent_ns */
} qd_behind;

void qd_behind_init(qd_behind *behind, uint32_t workers);
void qd_behind_deinit(qd_behind *behind);

/* [any] Urgent work came. Costs nothing when repeated. */
static inline void qd_behind_note_urgent(qd_behind *behind)
{
    if (!atomic_load_explicit(&behind->urgent, memory_order_relaxed)) {
        atomic_store_explicit(&behind->urgent, true, memory_order_relaxed);
    }
}

/* [any] A hint that may be out of date. */
static inline bool qd_behind_looks_empty(qd_behind *behind)
{
    return atomic_load_explicit(&behind->count, memory_order_relaxed) == 0;
}

/* [any] Whether no actor was taken for so long that one goes before all others. A hint. */
static inline bool qd_behind_is_starved(qd_behind *behind, uint64_t now_ns)
{
    return now_ns - atomic_load_explicit(&behind->taken_ns, memory_order_relaxed) >= QD_BEHIND_SHARE_NS;
}

/* [lock] Returns whether a worker may take an actor now. */
bool qd_behind_put(qd_behind *behind, qd_actor *actor, uint64_t now_ns);
/* [any] Removes the actor, unless a worker has taken it. Returns whether it was there. */
bool qd_behind_remove(qd_behind *behind, qd_actor *actor);

/* [any] Whether an actor waits that a worker may take. Exact at one moment, as qd_queue_is_empty is. */
bool qd_behind_is_ready(qd_behind *behind, uint64_t now_ns);
/* [any] Takes the oldest actor, if one waits and another worker may run one. The caller calls `done` after its run. */
qd_actor *qd_behind_take(qd_behind *behind, uint64_t now_ns);
/* [any] Whether another worker may help such a run. If so, it calls `done` afterwards. */
bool qd_behind_help(qd_behind *behind, uint64_t now_ns);
void qd_behind_done(qd_behind *behind);
/* [any] How many workers may help such runs now. */
uint32_t qd_behind_helpers(qd_behind *behind, uint64_t now_ns);
/* [any] Takes the oldest actor whose run is short, and that does not yield as a whole, however many workers run others.
 * Without `done`. */
qd_actor *qd_behind_take_short(qd_behind *behind);

#endif
