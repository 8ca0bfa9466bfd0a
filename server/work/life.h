/* SPDX-License-Identifier: Apache-2.0
 *
 * The life of a worker: it takes actors and runs them, fires timers, steals, and sleeps.
 *
 * Sleeping. A worker that finds no work marks itself idle, looks into every queue again under that queue's lock, and
 * only then sleeps. A push takes the same queue's lock, and looks for idle workers afterwards. One of the two comes
 * first: either the worker sees the actor or the pusher sees the idle worker. So no wake is lost. A worker spins only
 * between forks (fork.h).
 * A worker that steals a batch locks both queues in turn, takes one actor, and looks for idle workers if more are left.
 *
 * Timers. One idle worker sleeps until the first timer is due (timer_waiter.h). A busy worker looks at the timers when
 * its own queue is empty, and once per TAKES_OF_OWN runs. A few timers fire at a time, the earliest first. An actor
 * that has not fired can still be run inline. Taking a timer and retiring an actor both happen under the pool's lock,
 * so no worker holds a retired actor.
 */
#ifndef QD_WORK_LIFE_H
#define QD_WORK_LIFE_H

#include "workers.h"

/* The threads of a worker and of the standby; each gets its qd_worker and ends when the pool stops. */
void *qd_worker_live(void *worker);
void *qd_worker_stand_by(void *worker);

#endif
