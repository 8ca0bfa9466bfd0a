/* SPDX-License-Identifier: Apache-2.0
 *
 * Slices: a thread in a long run lets the others on its core have their turn now and then. Otherwise a loop thread that
 * has become ready waits behind the run until the next tick of the kernel's clock, up to 4 ms.
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

/* Of work that waits behind all other; of other long runs. Of short runs in a row: the shorter one. */
#define QD_SLICE_BEHIND_NS 200000u
#define QD_SLICE_NS        1000000u

typedef struct qd_slices {
    timer_t timer;
    bool has_timer;
    uint32_t slice_ns; /* of this run; 0: it is not sliced */
    uint64_t looked_ns;
} qd_slices;

/* Prepares the calling thread, which blocks all other signals. */
void qd_slices_init(qd_slices *slices);
void qd_slices_deinit(qd_slices *slices);

/* Around a long run, on the same thread. `end` without `begin` does nothing. */
void qd_slices_begin(qd_slices *slices, uint32_t slice_ns);
void qd_slices_end(qd_slices *slices);

/* Between short runs: ends the slice if it has lasted for long enough. */
void qd_slices_look(qd_slices *slices, uint64_t now_ns);

#endif
