/* SPDX-License-Identifier: Apache-2.0
 *
 * The worker pool: threads behind base/executor.h. It knows no room.
 *
 *     worker 0   [run queue] --run actor--> ...      an idle worker takes from its own queue first, then steals from
 *     worker 1   [run queue]                         the other queues, a batch at a time, then helps with a fork, then
 *     ...                                            sleeps until it is called or the next timer is due
 *
 *     [behind queue]                                       actors that wait behind all others (behind.h)
 *     fork-join  a run may fork into tasks; idle workers help, the caller runs the remaining tasks, and waits
 *
 * A wake by a worker goes to its own queue, a wake by another thread to the queues in turn. All timers are in one heap.
 */
#ifndef QD_WORK_POOL_H
#define QD_WORK_POOL_H

#include "../base/executor.h"
#include "../base/status.h"

typedef struct qd_pool qd_pool;

#define QD_POOL_WORKERS_MAX 256u /* more than the cores of any machine that runs a game server today */

/* `workers` threads, 1 to QD_POOL_WORKERS_MAX. QD_ERR_INVALID, QD_ERR_NO_MEMORY, or QD_ERR_SYSTEM if a thread cannot be
 * created. */
qd_status qd_pool_create(uint32_t workers, qd_pool **pool) QD_MUST_USE;
/* [not a worker] Waits for current runs, runs nothing more, joins the threads. All actors must be retired, or left
 * alone by every thread. NULL is allowed. */
void qd_pool_destroy(qd_pool *pool);

/* [any] Valid until the pool is destroyed. */
const qd_scheduler *qd_pool_scheduler(const qd_pool *pool);
uint32_t qd_pool_workers(const qd_pool *pool);

#endif
