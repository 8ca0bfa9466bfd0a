/* SPDX-License-Identifier: Apache-2.0
 *
 * The real clock, for main, work/ and net/. All other code gets the time as an argument or from its scheduler.
 */
#ifndef QD_BASE_CLOCK_H
#define QD_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Monotonic nanoseconds from any origin. [any] */
static inline uint64_t qd_clock_now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

#endif
