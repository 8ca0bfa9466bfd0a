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
/* Waits for SIGTERM or SIGINT for `ms`, and returns its number or 0. qd_signals_wait does not see it then, unless
 * qd_signals_put_back returns it. For one thread beside the main thread, while that does not wait for signals. */
int qd_signals_take_stop(uint32_t ms);
void qd_signals_put_back(int number);
/* Ends the process as if the signal had its default effect, also as process 1. */
void qd_signals_end_now(int number);
/* From now on SIGTERM and SIGINT end the process at once, also as process 1, and SIGHUP has no effect. */
void qd_signals_release(void);

#endif
