/* SPDX-License-Identifier: Apache-2.0
 *
 * The raw limit: a bare libuv loop in a process of its own, which moves bytes and does nothing else. What a server
 * makes of the same bytes from the same generator is compared with it.
 *
 * One thread, which starts it before there are others: it is a fork.
 */
#ifndef QD_TOOLS_BENCH_RAW_H
#define QD_TOOLS_BENCH_RAW_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct qd_bench_raw {
    pid_t pid; /* 0: none */
    uint16_t port;
} qd_bench_raw;

typedef enum qd_bench_raw_kind {
    QD_BENCH_RAW_SINK = 1,   /* takes all; at the end of the stream one byte says that it has */
    QD_BENCH_RAW_ECHO = 2,   /* answers each request of so many bytes with so many */
    QD_BENCH_RAW_MEMBER = 3, /* gets what drums send */
    QD_BENCH_RAW_DRUM = 4,   /* each request goes, as an answer, to all members */
} qd_bench_raw_kind;

/* false: the system does not let it. */
bool qd_bench_raw_start(qd_bench_raw *raw);
void qd_bench_raw_stop(qd_bench_raw *raw);

/* A connection as one of the kinds, that answers already; blocking. -1: failed. */
int qd_bench_raw_connect(const qd_bench_raw *raw, qd_bench_raw_kind kind, uint32_t request_bytes,
                         uint32_t answer_bytes);
/* A drum that computes before each answer, what takes so long on a core that it has to itself: what stops a thread of
 * this machine for a while makes it late, too. */
int qd_bench_raw_connect_busy(const qd_bench_raw *raw, uint32_t request_bytes, uint32_t answer_bytes, uint32_t busy_us);

#endif
