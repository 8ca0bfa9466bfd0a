/* SPDX-License-Identifier: Apache-2.0
 *
 * Keepers: who looks at the timers while workers sleep. A keeper is an idle worker that sleeps only until a timer is
 * due; the others sleep until they are called.
 *
 *     timers    first     second    ...
 *     keepers   sleeps    sleeps           so when the first one leaves for its timer's actor, the next timer has a
 *               until     until            keeper already, and nobody need be called from sleep
 *
 * The rule: as long as any worker is idle, the first timer has a keeper, or some worker OWES one. That is who set its
 * own actor's timer in a run: it need not fire before the run is over, and then the worker mostly becomes idle, and
 * keeps it itself. It rouses another only if it finds something else to do.
 *
 * A keeper sleeps a little longer than until its timer, the more so the more timers there are, for else it would wake
 * for each. What stands here is called under the pool's lock; who is roused is for the caller to signal without it.
 */
#ifndef QD_WORK_KEEPERS_H
#define QD_WORK_KEEPERS_H

#include "workers.h"

/* This worker is idle, and looks at the timers anew: until when it may sleep, QD_NEVER for until it is called. */
uint64_t qd_keeper_until(qd_worker *me);
/* It is idle no more. */
void qd_keeper_leaves(qd_worker *me);

/* Whether the first timer has no keeper though somebody is idle. */
bool qd_keepers_want(qd_pool *pool);
/* If so, who is to look at the timers again; else NULL. */
qd_worker *qd_keepers_rouse(qd_pool *pool);
/* The same, for a worker that has found something to do, if it owes. */
qd_worker *qd_keepers_paid(qd_worker *me);

#endif
