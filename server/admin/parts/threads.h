/* SPDX-License-Identifier: Apache-2.0
 *
 * The threads of the process and their CPU time, as the system shows them. [admin thread]
 */
#ifndef QD_ADMIN_PARTS_THREADS_H
#define QD_ADMIN_PARTS_THREADS_H

#include <stdint.h>

/* 256 workers, 64 loops, and some more. */
#define QD_ADMIN_THREADS_MAX 400u

typedef struct qd_admin_thread {
    uint32_t id;
    char name[16]; /* such as "qd-worker" */
    double cpu_seconds;
} qd_admin_thread;

/* Writes up to `max` threads and returns their number; 0 where /proc is missing. */
uint32_t qd_admin_threads(qd_admin_thread *rows, uint32_t max);

#endif
