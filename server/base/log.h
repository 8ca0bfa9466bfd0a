/* SPDX-License-Identifier: Apache-2.0
 *
 * The log: one line per event on stderr, `2026-01-31T12:00:00.000Z info  text key=value ...`. Any thread may log; each
 * line is one write. Text from peers is escaped, so a peer cannot forge a line.
 */
#ifndef QD_BASE_LOG_H
#define QD_BASE_LOG_H

typedef enum qd_log_level { QD_LOG_ERROR = 0, QD_LOG_WARN, QD_LOG_INFO, QD_LOG_DEBUG } qd_log_level;

/* Before threads start. Default: info. */
void qd_log_level_set(qd_log_level level);

/* Newlines, control characters and bytes beyond ASCII in the formatted text are written as \xNN. */
void qd_log(qd_log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
