/* SPDX-License-Identifier: Apache-2.0
 *
 * What hostile clients do to a server, and the victim beside them. A part of bench_client_hostile.
 */
#ifndef QD_BENCH_LOADS_H
#define QD_BENCH_LOADS_H

#include <stddef.h>
#include <stdint.h>

/* Each part runs in a process of its own. */
typedef struct load_run {
    const char *address;
    int control; /* readable: it is time to end */
    int ready;   /* takes a byte once the load runs */
} load_run;

typedef struct load {
    const char *name;
    /* Prepares, calls load_started, and runs until `control` is readable. Returns how many connections the server ended,
     * or how many there were. */
    uint64_t (*run)(const load_run *run);
} load;

extern const load loads[];
extern const size_t loads_count;

void load_started(const load_run *run);

/* Uses a share of one core. */
void load_spin(const load_run *run, double share);

typedef struct victim_result {
    double p50_ms, p99_ms;
    uint64_t steps;
} victim_result;

/* A client with a small room that it moves and steps at a fixed rate. It says that it is ready, waits for a byte on
 * `control`, and measures for some seconds: from the time when a step was due to its Applied. */
victim_result victim_run(const load_run *run, double seconds);

#endif
