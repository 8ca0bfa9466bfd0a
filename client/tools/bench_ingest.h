/* SPDX-License-Identifier: Apache-2.0
 *
 * A row of quadrille-bench ingest: the same frames, alternately to the server and to a bare libuv sink.
 *
 * The main thread uses it.
 */
#ifndef QD_TOOLS_BENCH_INGEST_H
#define QD_TOOLS_BENCH_INGEST_H

#include "bench.h"

#define QD_INGEST_CONNECTIONS_MAX 1024u

typedef struct qd_ingest_row {
    uint32_t connections, batch;
    uint32_t entities; /* per connection; whole batches */
    bool roster;
    bool once;    /* each connection has its own room, and steps after each pass; else one room steps at `hz` */
    bool shuffle; /* see bench_frames.h */
    uint32_t hz;
} qd_ingest_row;

/* What the server, or the sink, received. */
typedef struct qd_ingest_totals {
    double positions, seconds;
    qd_bench_usage used;
} qd_ingest_totals;

typedef struct qd_ingest_result {
    qd_ingest_totals raw, server;
    uint64_t ticks;   /* of all rooms */
    uint64_t events;  /* begins and ends */
    uint64_t checked; /* comparisons with brute force */
    double copy_ns;   /* of a memcpy, per position */
} qd_ingest_result;

/* Returns whether all is well; else the bench has failed. */
bool qd_ingest_run(qd_bench *bench, const qd_ingest_row *row, qd_ingest_result *result);

#endif
