/* SPDX-License-Identifier: Apache-2.0
 *
 * The cores that threads run on. Linux tends to wake a thread on its caller's core even while another core sleeps, and
 * may leave both there for milliseconds. So the caller first sends the thread to another core.
 */
#ifndef QD_WORK_THREAD_CORE_H
#define QD_WORK_THREAD_CORE_H

#include <stdbool.h>

#include <pthread.h>
#include <sched.h>

/* Makes a sleeping thread, which the caller is about to signal, wake on another core than the caller's, if the process
 * may run on another one. Returns true if it did; the thread must then call qd_core_settle with `process`.
 *
 * `process` is the set of cores that the process's first thread may use now. A thread that was sent keeps an older set
 * until it is sent again. It loses an affinity that somebody gave to this thread alone from outside. */
bool qd_core_send(pthread_t thread, cpu_set_t *process);
/* Lets the calling thread run on every core of its process. */
void qd_core_settle(const cpu_set_t *process);

/* In a loop that waits awake: leaves the core's resources to the thread that shares them. */
static inline void qd_core_pause(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

#endif
