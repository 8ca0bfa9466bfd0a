/* SPDX-License-Identifier: Apache-2.0
 *
 * The server that quadrille-bench measures: one that is there (--server), or one that it starts for itself and ends
 * with itself. Of a process of this machine whose number is known it also tells what it uses, from /proc.
 *
 * One thread, before any other is started.
 */
#ifndef QD_TOOLS_BENCH_SERVER_H
#define QD_TOOLS_BENCH_SERVER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* What every scenario can be told about it. */
typedef struct qd_bench_where {
    const char *server; /* HOST:PORT; NULL: start one */
    const char *token;  /* or NULL */
    const char *binary; /* of the server to start; NULL: look for it */
    uint32_t pid;       /* of the one at `server`; 0: not known */
} qd_bench_where;

typedef struct qd_bench_server {
    char address[300]; /* HOST:PORT */
    pid_t pid;         /* 0: not known */
    bool is_own;
    int output; /* of our own: what it prints */
} qd_bench_server;

/* What a process has used since it began. Both together are exact to the nanosecond where the system tells that; how
 * they are shared is counted in its ticks, a hundred a second, and so needs some seconds to be right. */
typedef struct qd_bench_usage {
    bool is_known;
    double user_s, system_s;
    double running_s; /* of all its threads that live; 0: not known */
} qd_bench_usage;

/* From the environment: QUADRILLE_SERVER, QUADRILLE_TOKEN. */
qd_bench_where qd_bench_where_default(void);

/* `options`: "--rooms-max", "100000", ..., NULL; for a server of our own. Those that are not given it takes from the
 * environment, such as QUADRILLE_WORKERS. Returns false with a text in `error`. */
bool qd_bench_server_start(qd_bench_server *server, const qd_bench_where *where, const char *const *options,
                           char *error, uint32_t error_size);
/* Ends our own. Returns false, with a text, where it did not end as it should. */
bool qd_bench_server_stop(qd_bench_server *server, char *error, uint32_t error_size);

/* Of any process; pid 0 is not known. */
qd_bench_usage qd_bench_usage_of(pid_t pid);
/* Of this one, with the threads that have ended. */
qd_bench_usage qd_bench_own_usage(void);
/* later - earlier; not known where one of them is not. */
qd_bench_usage qd_bench_usage_between(qd_bench_usage earlier, qd_bench_usage later);
/* Resident bytes without those of files; 0: not known. */
uint64_t qd_bench_resident_bytes_of(pid_t pid);

/* Raises the soft limit of open files to the hard one; what is started from then on has the same. */
void qd_bench_raise_files(void);
/* Whether so many connections can be open; else a text says how to raise the limit. */
bool qd_bench_allows_files(uint64_t connections, char *error, uint32_t error_size);

#endif
