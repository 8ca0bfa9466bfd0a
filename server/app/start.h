/* SPDX-License-Identifier: Apache-2.0
 *
 * The server with real sockets, threads and time: starts it, reloads at SIGHUP, and stops it at
 * SIGTERM or SIGINT.
 */
#ifndef QD_APP_START_H
#define QD_APP_START_H

#include "options.h"

/* Returns the exit status: 0 after a signal, 1 if the server could not start, which stderr explains. A second signal
 * ends the process at once. At SIGHUP, reads the sources of the options again. [main thread] */
int qd_run(const qd_server_options *options, const qd_server_sources *sources);

#endif
