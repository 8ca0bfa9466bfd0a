/* SPDX-License-Identifier: Apache-2.0
 *
 * The worker pool: threads behind base/executor.h. It knows no room.
 *
 *     worker 0   [run queue] --run actor--> ...      an idle worker takes from its own queue first, then steals from
 *     worker 1   [run queue]                         the others', many at a time, then helps with a split, then sleeps
 *     ...                                            until called or until the next timer is due
 *
 *     fork-join  a run may split into tasks; idle workers help, the caller does what nobody took, and waits
 *
 * A wake from a worker goes to its own queue, one from outside to the queues in turn. Timers stand in one heap.
 */
#ifndef QD_WORK_POOL_H
#define QD_WORK_POOL_H

#include "../base/executor.h"
#include "../base/status.h"

typedef struct qd_pool qd_pool;

/* `workers`: 1 to QD_POOL_WORKERS_MAX threads, more than any machine's cores that a server of rooms is run on. */
#define QD_POOL_WORKERS_MAX 256u
qd_status qd_pool_create(uint32_t workers, qd_pool **pool) QD_MUST_USE;
/* [not a worker] Waits for runs under way, runs nothing more, joins. All actors must be retired, or be left alone by
 * everybody. NULL: nothing. */
void qd_pool_destroy(qd_pool *pool);

/* [any] Valid as long as the pool. */
const qd_scheduler *qd_pool_scheduler(const qd_pool *pool);
uint32_t qd_pool_workers(const qd_pool *pool);

#endif
