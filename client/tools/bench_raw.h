/* SPDX-License-Identifier: Apache-2.0
 *
 * The raw limit: a bare libuv loop in its own process, which only moves bytes. The bench compares a server with it, for
 * the same bytes from the same generator.
 *
 * One thread uses it. It is a fork, so the thread starts it before any other thread.
 */
#ifndef QD_TOOLS_BENCH_RAW_H
#define QD_TOOLS_BENCH_RAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct qd_bench_raw {
    pid_t pid; /* 0: none */
    uint16_t port;
} qd_bench_raw;

typedef enum qd_bench_raw_kind {
    QD_BENCH_RAW_SINK = 1,      /* reads all; confirms the end of the stream with one byte */
    QD_BENCH_RAW_ECHO = 2,      /* answers each request of request_bytes with answer_bytes */
    QD_BENCH_RAW_RECEIVER = 3,  /* receives the answers to broadcasts */
    QD_BENCH_RAW_BROADCAST = 4, /* answers each request to all receivers */
} qd_bench_raw_kind;

/* false: the system refused. */
bool qd_bench_raw_start(qd_bench_raw *raw);
void qd_bench_raw_stop(qd_bench_raw *raw);

/* Opens a blocking connection of that kind, which is ready. -1: failed. */
int qd_bench_raw_connect(const qd_bench_raw *raw, qd_bench_raw_kind kind, uint32_t request_bytes,
                         uint32_t answer_bytes);
/* A broadcast that computes before each answer, for busy_us on an idle core. Whatever stops threads of this machine
 * then delays the answer as well. */
int qd_bench_raw_connect_broadcast(const qd_bench_raw *raw, uint32_t request_bytes, uint32_t answer_bytes,
                                   uint32_t busy_us);

/* Sends all bytes. false: the connection is broken. */
bool qd_bench_raw_send(int connected, const uint8_t *bytes, size_t size);

#endif
