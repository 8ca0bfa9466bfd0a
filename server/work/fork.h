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
 */
#ifndef QD_WORK_FORK_H
#define QD_WORK_FORK_H

#include "workers.h"

/* What the executor does; the context is the pool. */
void qd_fork_run(void *context, size_t count, qd_task_fn task, void *argument);
/* [lock, which it leaves meanwhile] A worker that finds nothing to run helps with a split that has tasks left. Returns
 * whether there was one. */
bool qd_fork_helps(qd_worker *me);

#endif
