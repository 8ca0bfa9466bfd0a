/* SPDX-License-Identifier: Apache-2.0
 *
 * The real clock, for main, work/ and net/. All other code gets the time as an argument or from its scheduler.
 */
#ifndef QD_BASE_CLOCK_H
#define QD_BASE_CLOCK_H

#include <stdint.h>

/* Monotonic nanoseconds from any origin. [any] */
uint64_t qd_clock_now_ns(void);

#endif
