/* SPDX-License-Identifier: Apache-2.0
 *
 * Child processes for integration tests: the real server on a port of its own.
 *
 *     qd_process *server = qd_server_start(QD_ARGS("--workers", "2"));
 *     qd_client_connect(client, qd_server_address(server), ...);
 *     qd_process_signal(server, SIGTERM);
 *     assert_int_equal(qd_process_wait(server, 5000), 0);
 *     qd_process_destroy(server);
 *
 * What a child writes goes to files without names, so that it never waits for its reader. No child outlives the test:
 * what is not destroyed is killed at exit, and by the kernel if the test dies. Used by the test's main thread alone.
 */
#ifndef QD_SUPPORT_PROCESS_H
#define QD_SUPPORT_PROCESS_H

#include <stdbool.h>

typedef struct qd_process qd_process;

/* The arguments after the program's name, as an array that ends with NULL. At least one; for none pass NULL. */
#define QD_ARGS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* Starts a program. Never NULL: what the system refuses fails the test. */
qd_process *qd_process_start(const char *path, const char *const *arguments);
/* Kills it if it still runs. NULL: nothing. */
void qd_process_destroy(qd_process *process);

void qd_process_signal(qd_process *process, int signal_number);
/* The system's number of it. */
int qd_process_id(const qd_process *process);
/* The exit status, or 128 + the number of the signal that ended it; -1: it still runs after timeout_ms. */
int qd_process_wait(qd_process *process, int timeout_ms);
bool qd_process_runs(qd_process *process);

/* All that it has written so far. Valid until the next call for the same process. */
const char *qd_process_output(qd_process *process);
const char *qd_process_errors(qd_process *process);

/* Starts the server (QD_SERVER) with the arguments, and with `--listen 127.0.0.1:0` unless they begin with --listen.
 * Waits until it is ready; if it does not get ready the test fails, with what the server wrote to stderr. */
qd_process *qd_server_start(const char *const *arguments);
/* "127.0.0.1:40123". Valid as long as the process. */
const char *qd_server_address(const qd_process *server);

#endif
