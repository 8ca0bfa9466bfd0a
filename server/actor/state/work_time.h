/* SPDX-License-Identifier: Apache-2.0
 *
 * How long work took: the time on the clock, without the time in which the system ran other threads. Only work that
 * seems long is corrected, because the clock of a thread is slow.
 *
 *     sample ......... start ----- work ----- end      what the thread ran since the last sample bounds the work
 *
 * [any]; each thread has a sample of its own.
 */
#ifndef QD_ACTOR_STATE_WORK_TIME_H
#define QD_ACTOR_STATE_WORK_TIME_H

#include "../service/service.h"

/* Before work; now_ns is the time. Takes a sample if the last one is old. */
void qd_work_time_begin(const qd_service *service, uint64_t now_ns);
/* After work that took so long on the clock until now_ns: how long it ran, at most a millisecond too much. */
uint64_t qd_work_time_of(const qd_service *service, uint64_t now_ns, uint64_t took_ns);

#endif
