/* SPDX-License-Identifier: Apache-2.0
 *
 * The NEIGHBOR of a load: a session with a small room of its own, which moves its entities and steps 200 times per
 * second on its own thread. Its round trips show what the load costs other users of the same server.
 *
 * The main thread starts and stops it around each measurement. Without --neighbor, it does nothing.
 */
#ifndef QD_TOOLS_BENCH_NEIGHBOR_H
#define QD_TOOLS_BENCH_NEIGHBOR_H

#include "bench_sheet.h"
#include "histogram.h"
#include "motion.h"
#include "quadrille.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

struct qd_bench;

typedef struct qd_bench_neighbor {
    bool is_wanted; /* by --neighbor */
    bool is_running;
    _Atomic bool is_stopping;
    pthread_t thread;
    qd_client *client;
    uint64_t room; /* its handle */
    qd_pairs *pairs;
    qd_motion motion;
    qd_histogram times_ns; /* from a step's due time to its Applied; of all measurements since the last result */
} qd_bench_neighbor;

#define QD_BENCH_NEIGHBOR_COLUMNS 3u
extern const qd_sheet_column qd_bench_neighbor_columns[QD_BENCH_NEIGHBOR_COLUMNS];

/* Opens its room, and starts to step. Returns whether all is well; call stop in any case. */
bool qd_bench_neighbor_start(struct qd_bench *bench);
/* Closes its room. */
void qd_bench_neighbor_stop(struct qd_bench *bench);
/* Milliseconds by column, of all measurements since the last call. `bench` is a qd_bench. */
void qd_bench_neighbor_result(void *bench, double numbers[]);

#endif
