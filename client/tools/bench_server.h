/* SPDX-License-Identifier: Apache-2.0
 *
 * The server that quadrille-bench measures: a running one (--server), or one that it starts and stops. For a local
 * process with a known pid, it also reads CPU time and memory from /proc.
 *
 * One thread uses it, before it starts any other.
 */
#ifndef QD_TOOLS_BENCH_SERVER_H
#define QD_TOOLS_BENCH_SERVER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* The options of every scenario about the server. */
typedef struct qd_bench_where {
    const char *server;                      /* HOST:PORT; NULL: start one */
    const char *token;                       /* or NULL */
    const char *binary;                      /* the server to start; NULL: find it */
    bool tls;                                /* also if one of the next three is given */
    const char *tls_ca, *tls_cert, *tls_key; /* files, or NULL */
    uint32_t pid;                            /* of the server at `server`; 0: unknown */
} qd_bench_where;

typedef struct qd_bench_server {
    char address[300]; /* HOST:PORT */
    pid_t pid;         /* 0: unknown */
    bool is_own;
    int output; /* of our own server: its standard output */
} qd_bench_server;

/* The CPU time of a process since its start. The sum of both times is exact to the nanosecond if the system reports it.
 * Their ratio comes from 100 system ticks per second, so it needs some seconds to be exact. */
typedef struct qd_bench_usage {
    bool is_known;
    double user_s, system_s;
    double running_s; /* of all its living threads; 0: unknown */
} qd_bench_usage;

/* From the environment: QUADRILLE_SERVER, QUADRILLE_TOKEN. */
qd_bench_where qd_bench_where_default(void);

/* `options`: "--rooms-max", "100000", ..., NULL; for our own server, which takes other options, such as
 * QUADRILLE_WORKERS, from the environment. Returns false with a text in `error`. */
bool qd_bench_server_start(qd_bench_server *server, const qd_bench_where *where, const char *const *options,
                           char *error, uint32_t error_size);
/* Stops our own server. Returns false, with a text, if it did not stop properly. */
bool qd_bench_server_stop(qd_bench_server *server, char *error, uint32_t error_size);

/* Of any process; pid 0: unknown. */
qd_bench_usage qd_bench_usage_of(pid_t pid);
/* Of this process, including ended threads. */
qd_bench_usage qd_bench_own_usage(void);
/* later - earlier; unknown if one of them is. */
qd_bench_usage qd_bench_usage_between(qd_bench_usage earlier, qd_bench_usage later);
/* Resident bytes without those of files; 0: unknown. */
uint64_t qd_bench_resident_bytes_of(pid_t pid);

/* Raises the soft limit of open files to the hard one, also for processes started later. */
void qd_bench_raise_files(void);
/* Whether this many connections can be open; else `error` gives the fix. */
bool qd_bench_allows_files(uint64_t connections, char *error, uint32_t error_size);

#endif
