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
 * A run from the behind queue has only as many helpers as that queue may use workers. They leave when urgent work waits,
 * between two tasks.
 *
 * The caller calls some workers, and each worker that comes while tasks are left calls some more. So no worker is held
 * up by calling all of them, and a short fork calls few. Each is sent to another core than its caller's (core.h).
 *
 * Spin waiting. A run that expects forks (executor.h) is forking from its first fork until it withdraws. While any run
 * is forking, a worker that came for a fork waits awake for the next one, for a limited time. It is not idle: it looks
 * at the queues and the timers, too. So the forks of a tick wake each helper once. In a room too small to fork, no worker
 * spins.
 *
 * Early call. A run that forked the last time calls its first helper when it says that it expects forks. So the helper
 * wakes while the run does what comes before its first fork.
 */
#ifndef QD_WORK_FORK_H
#define QD_WORK_FORK_H

#include "workers.h"

/* The executor's functions; `context` is the pool. */
void qd_fork_run(void *context, size_t count, qd_task_fn task, void *argument);
void qd_fork_expect(void *context, bool expected);

/* A worker that finds no actor to run: */

/* [not under the lock] Returns true if it goes on spinning and no fork came: it looks at the queues and timers next. */
bool qd_fork_spin(qd_worker *me);
/* [lock, released meanwhile] Helps with a split that has tasks left, or begins to spin. Returns false if it did neither
 * and may sleep. */
bool qd_fork_help(qd_worker *me);
/* [lock] It was called from sleep, perhaps to a split. */
void qd_fork_note_call(qd_worker *me);
/* [not under the lock] It has an actor to run, and stops spinning. */
void qd_fork_leave(qd_worker *me);

#endif
