/* SPDX-License-Identifier: Apache-2.0
 *
 * Slices: a thread whose work waits behind others lets the other threads on its core have their turn every 0.2 ms.
 * Otherwise a loop thread that has become ready waits until the next tick of the kernel's clock, up to 4 ms. Work within
 * its budget is not sliced, because a room's moves wait for its tick.
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

#define QD_SLICE_NS 200000u

typedef struct qd_slices {
    timer_t timer;
    bool has_timer, are_on;
    uint64_t looked_ns;
} qd_slices;

/* Prepares the calling thread, which blocks all other signals. */
void qd_slices_init(qd_slices *slices);
void qd_slices_deinit(qd_slices *slices);

/* Around a long run, on the same thread. `end` without `begin` does nothing. */
void qd_slices_begin(qd_slices *slices);
void qd_slices_end(qd_slices *slices);

/* Between short runs: ends the slice if it has lasted for long enough. */
void qd_slices_look(qd_slices *slices, uint64_t now_ns);

#endif
