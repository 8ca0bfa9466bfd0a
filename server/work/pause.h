/* SPDX-License-Identifier: Apache-2.0
 *
 * For loops that wait for another thread without sleeping: leaves the core's resources to whoever shares them.
 */
#ifndef QD_WORK_PAUSE_H
#define QD_WORK_PAUSE_H

static inline void qd_pause(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

#endif
