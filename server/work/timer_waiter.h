/* SPDX-License-Identifier: Apache-2.0
 *
 * The timer waiter: the one idle worker that sleeps only until the first timer is due. The other idle workers sleep
 * until they are called.
 *
 * Invariant: while any worker is idle, some idle worker waits for the first timer, or has been signaled to do so.
 *
 * The waiter sleeps a little longer than until the timer, the longer the more timers there are; otherwise it would wake
 * once for each of them. All functions are called under the pool's lock; the caller signals the worker that
 * qd_timer_waiter_rouse returns after it has released the lock.
 */
#ifndef QD_WORK_TIMER_WAITER_H
#define QD_WORK_TIMER_WAITER_H

#include "workers.h"

/* [lock] Returns until when this idle worker may sleep, and makes it the waiter if there is no other; QD_NEVER: until
 * it is called. */
uint64_t qd_timer_waiter_until(qd_worker *me);
/* [lock] This worker is not idle any more. */
void qd_timer_waiter_leave(qd_worker *me);
/* [lock] Returns an idle worker that has to be signaled so that it waits for the first timer. NULL: one waits already,
 * or none is idle. */
qd_worker *qd_timer_waiter_rouse(qd_pool *pool);

#endif
