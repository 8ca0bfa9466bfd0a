/* SPDX-License-Identifier: Apache-2.0
 *
 * Fork and join: the executor of a pool.
 *
 * Splits. A split is on its caller's stack, in a list while it may have tasks left. A helper counts itself in under the
 * lock, takes tasks, and counts itself out under the lock; the caller takes tasks too, takes the split off the list,
 * and waits for the helpers to be out. Whoever waits has finished its own part, and each helper is at work on a task; a
 * task that splits is itself a caller that takes part: so waits end, however they nest. The end is near then, so the
 * caller looks out for it for a while before it sleeps. It may go as soon as it sees the last helper counted out, which
 * is therefore the last thing that a helper does to a split.
 *
 * Calling. Who forks calls some workers, and each that comes while there are tasks left calls some more: so neither is
 * one held up by calling all, nor are all called for what a few have done by then. Each is sent to another core than
 * its caller's (core.h).
 *
 * Staying. A run that expects more forks has a PARTY from its first fork to when it expects none. While there is one,
 * a worker that has come to a split stays for a while when it finds nothing more to do: it does not count itself idle,
 * but watches for the next split, and goes by the queues and the timers all the time. So the forks of a tick cost one
 * call of each hand, not one each; without a party nobody stays.
 */
#ifndef QD_WORK_FORK_H
#define QD_WORK_FORK_H

#include "workers.h"

/* What the executor does; the context is the pool. */
void qd_fork_run(void *context, size_t count, qd_task_fn task, void *argument);
void qd_fork_expect(void *context, bool forks);

/* A worker that finds nothing to run: */

/* [not under the lock] Whether it stays, and saw nothing yet: then it goes by the queues and the timers again. */
bool qd_fork_watches(qd_worker *me);
/* [lock, which it may leave meanwhile] Helps with a split that has tasks left, or goes on staying; false: neither, and
 * it may be idle. */
bool qd_fork_helps(qd_worker *me);
/* [lock] It was called from sleep: to a split, for all it knows. */
void qd_fork_called(qd_worker *me);
/* [not under the lock] It has something to run, and stays no more. */
void qd_fork_leaves(qd_worker *me);

#endif
