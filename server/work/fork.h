/* SPDX-License-Identifier: Apache-2.0
 *
 * Fork and join: the executor of a pool.
 *
 * A split is on its caller's stack, and in a list while it may have tasks left. A helper counts itself in under the
 * lock, takes tasks, and counts itself out under the lock. The caller takes tasks too, removes the split from the list,
 * and waits for its helpers. A waiting caller has finished its own part and each helper is running a task; a task that
 * forks is itself a caller that takes part. So all waits end, however they nest. Counting itself out is the last thing
 * that a helper does to a split, because the caller may then return.
 *
 * The caller calls some workers, and each worker that comes while tasks are left calls some more. So no worker is held
 * up by calling all of them, and a short fork calls few. Each is sent to another core than its caller's (core.h).
 */
#ifndef QD_WORK_FORK_H
#define QD_WORK_FORK_H

#include "workers.h"

/* The executor's run; `context` is the pool. */
void qd_fork_run(void *context, size_t count, qd_task_fn task, void *argument);
/* [lock, released meanwhile] Helps with a split that has tasks left. Returns false if there is none. */
bool qd_fork_help(qd_worker *me);

#endif
