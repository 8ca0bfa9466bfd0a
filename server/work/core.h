/* SPDX-License-Identifier: Apache-2.0
 *
 * The cores that threads run on. The system likes to wake a thread on the core of who calls it, who goes on working
 * there, even where another core sleeps; and it may leave both there for milliseconds, while what they were to do side
 * by side is done by one. So who calls a thread sends it elsewhere first.
 */
#ifndef QD_WORK_CORE_H
#define QD_WORK_CORE_H

#include <stdbool.h>

#include <pthread.h>
#include <sched.h>

/* Of a thread that sleeps and is called next, by this one: it wakes on another core than this thread's, if the process
 * may run on any other. Returns whether it was told so; then, awake, it is to settle with `process`.
 *
 * That is where the process's first thread may run now, which is never sent. A thread that was sent once keeps what it
 * was told, also when the process is given more cores; so each time it is told anew. Cores of its own, which somebody
 * outside has given to one thread alone, it loses. Two system calls, and one that is nearly free. */
bool qd_core_send(pthread_t thread, cpu_set_t *process);
/* The calling thread may run where its process may. */
void qd_core_settle(const cpu_set_t *process);

#endif
