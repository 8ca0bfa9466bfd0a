/* SPDX-License-Identifier: Apache-2.0
 *
 * The process's signals. SIGTERM, SIGINT and SIGHUP wait until the main thread asks for them, also if the process was
 * started with nohup. SIGPIPE, SIGUSR1, SIGUSR2 and SIGXFSZ are ignored. All others have their default effect.
 */
#ifndef QD_APP_SIGNALS_H
#define QD_APP_SIGNALS_H

/* Before other threads start: they inherit the mask. */
void qd_signals_block(void);
/* Waits for a signal and returns its number: SIGTERM, SIGINT or SIGHUP. */
int qd_signals_wait(void);
/* From now on SIGTERM and SIGINT end the process at once, and SIGHUP has no effect. */
void qd_signals_release(void);

#endif
