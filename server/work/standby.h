/* SPDX-License-Identifier: Apache-2.0
 *
 * The standby: a thread beside the workers, which steps in when all of them are in long runs. The system then gives each
 * of them a part of the time, so actors wait about a millisecond, however long a tick takes.
 *
 *     asleep --no worker is idle--> looks every millisecond --actors wait, and no worker took any since--> runs them
 *        ^                                  |
 *        +---- a worker has been idle ------+
 *
 * It runs actors whose runs are short: urgent ones, then those behind that do not yield as a whole.
 */
#ifndef QD_WORK_STANDBY_H
#define QD_WORK_STANDBY_H

#include "workers.h"

/* [the standby] Sleeps until it is time to step in. False: the pool is stopping. */
bool qd_standby_wait(qd_worker *me);
/* [the standby] Whether it goes on: no worker has looked for an actor since qd_standby_wait returned, and none is
 * idle. */
bool qd_standby_goes_on(const qd_worker *me);

#endif
