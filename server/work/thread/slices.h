/* SPDX-License-Identifier: Apache-2.0
 *
 * Slices: a thread in a long run lets the other threads on its core have their turn every 0.1 ms to every millisecond.
 * Otherwise a loop thread that has become ready waits until the next tick of the kernel's clock, up to 4 ms. Short slices
 * cost a large tick a fifth of its time. So life.c chooses them only where others wait.
 *
 *     run --> slice --signal: sched_yield--> slice --signal: sched_yield--> ... end
 *
 * Each thread has a timer of its own, which sends SIGURG to that thread. Without a timer the runs are not sliced.
 */
#ifndef QD_WORK_THREAD_SLICES_H
#define QD_WORK_THREAD_SLICES_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#define QD_SLICE_NS        200000u
#define QD_SLICE_LONG_NS   1000000u
#define QD_SLICE_BEHIND_NS 100000u /* of work that waits behind others */

typedef struct qd_slices {
    timer_t timer;
    bool has_timer;
    uint32_t slice_ns; /* of the run that goes on; 0: it has none */
    uint64_t looked_ns;
} qd_slices;

/* Prepares the calling thread, which blocks all other signals. */
void qd_slices_init(qd_slices *slices);
void qd_slices_deinit(qd_slices *slices);

/* Around a long run with slices of so many nanoseconds, below a second, on the same thread. `end` without `begin` does
 * nothing. */
void qd_slices_begin(qd_slices *slices, uint32_t slice_ns);
void qd_slices_end(qd_slices *slices);

/* Between short runs: ends the slice if it has lasted for so long. */
void qd_slices_look(qd_slices *slices, uint64_t now_ns, uint32_t slice_ns);

#endif
