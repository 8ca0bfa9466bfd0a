/* SPDX-License-Identifier: Apache-2.0
 *
 * The process's signals. SIGTERM, SIGINT and SIGHUP wait until the main thread asks for them, also if the process was
 * started with nohup. SIGPIPE, SIGUSR1, SIGUSR2 and SIGXFSZ are ignored. All others have their default effect.
 */
#ifndef QD_APP_SIGNALS_H
#define QD_APP_SIGNALS_H

#include <stdbool.h>
#include <stdint.h>

/* Before other threads start: they inherit the mask. */
void qd_signals_block(void);
/* Waits for a signal and returns its number: SIGTERM, SIGINT or SIGHUP. With `ms` it waits no longer than that, and
 * returns 0 then. */
int qd_signals_wait(uint32_t ms);
/* Whether SIGTERM or SIGINT has come, and nobody has waited for it yet. [any] */
bool qd_signals_stop_is_pending(void);
/* From now on SIGTERM and SIGINT end the process at once, also as process 1, and SIGHUP has no effect. */
void qd_signals_release(void);

#endif
