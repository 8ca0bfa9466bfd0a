/* SPDX-License-Identifier: Apache-2.0
 *
 * The states of an actor in a pool, and the queues that a wake puts it into.
 *
 * An actor's state is four bits, changed by read-modify-writes only:
 *
 *     HELD    it is in a queue or runs               idle 0 --wake--> HELD|WOKEN (queued) --run--> HELD (running)
 *     WOKEN   no run has answered the last wake      HELD --done--> 0;  woken while running: HELD|WOKEN, and after the
 *                                                    run it is queued again
 *     URGENT  with WOKEN: a wake was a plain one
 *     BEHIND  it is in the behind queue (behind.h), or just going in or out
 *
 * A plain wake that finds BEHIND takes the actor out of the behind queue, unless a worker was faster, and queues it.
 * BEHIND is set under that queue's lock, so the wake either comes before, and the actor does not go in, or finds it.
 *
 * The thread that sets HELD queues the actor or runs it inline, and only that thread, or the worker that takes it from
 * the queue, clears HELD. So an actor is in one place at most. A wake is a read-modify-write even if it changes
 * nothing: either it comes before the run clears WOKEN, and the run sees everything that the waker wrote (release,
 * acquire), or it comes after, and another run follows. An inline run goes from 0 to HELD in one step and ends like
 * any other run.
 */
#ifndef QD_WORK_ACTOR_STATE_H
#define QD_WORK_ACTOR_STATE_H

#include "workers.h"

/* [any] Notes a wake. Returns whether the caller has to queue the actor. */
bool qd_actor_hold(qd_pool *pool, qd_actor *actor, bool urgent);
/* [any] Queues an actor that is HELD and in no queue. */
void qd_actor_queue(qd_pool *pool, qd_actor *actor);
/* [any] The same, behind all others, unless an urgent wake has come. */
void qd_actor_queue_behind(qd_pool *pool, qd_actor *actor);

/* [any] Holds an idle actor, for an inline run. False: it is not idle. */
bool qd_actor_hold_idle(qd_actor *actor);
/* [the run's thread] The run sees what every waker so far wrote. Of an actor that is HELD and in no queue. */
void qd_actor_begin_run(qd_actor *actor);
/* [the run's thread] Makes the actor idle, unless a wake came meanwhile; returns whether it is idle. */
bool qd_actor_let_go(qd_actor *actor);

#endif
