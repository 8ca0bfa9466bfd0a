/* SPDX-License-Identifier: Apache-2.0
 *
 * One event of the log as a line of text or of JSON. Pure. [any]
 *
 *     2026-01-31T12:00:00.000Z info  listening host=127.0.0.1 port=7400
 *     {"time":"2026-01-31T12:00:00.000Z","level":"info","message":"listening","host":"127.0.0.1","port":7400}
 *
 * Whatever bytes a value has, it forges neither a line nor a field. A line is ASCII.
 *  - Text: a value stands in quotes, unless it consists of letters, digits and ._:/%+-[]. Inside quotes, `\"` and `\\`
 *    are the characters, and \xNN is any byte that is not printable ASCII.
 *  - JSON: an object per line. Characters beyond printable ASCII are \uNNNN, and invalid UTF-8 is \ufffd.
 * A value of more than QD_LOG_VALUE_BYTES_MAX bytes, or that the line has no room for, is cut and ends in "...".
 */
#ifndef QD_BASE_LOG_LINE_H
#define QD_BASE_LOG_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#define QD_LOG_LINE_BYTES_MAX  4096u /* PIPE_BUF: one write of so much to a pipe is not mixed with others */
#define QD_LOG_VALUE_BYTES_MAX 512u

typedef enum qd_log_level {
    QD_LOG_ERROR = 0,
    QD_LOG_WARN,
    QD_LOG_INFO,
    QD_LOG_DEBUG,
    QD_LOG_AUDIT, /* a kind of its own, beside the levels: see qd_log_audit_set */
} qd_log_level;

typedef enum qd_log_format { QD_LOG_FORMAT_TEXT = 0, QD_LOG_FORMAT_JSON } qd_log_format;

typedef struct qd_log_field {
    const char *name; /* a word; NULL ends a list of fields */
    const char *text; /* NULL: the value is `number` */
    uint64_t number;
    bool is_peer; /* the address of a client, with its port: messages are limited per address */
} qd_log_field;

/* Whether `name` is one of error, warn, info and debug. */
bool qd_log_level_of(const char *name, qd_log_level *level);

/* Writes the line with its newline, and no zero behind it. Returns its size. */
size_t qd_log_line(char line[QD_LOG_LINE_BYTES_MAX], qd_log_format format, const struct timespec *time,
                   qd_log_level level, const char *message, const qd_log_field *fields);

#endif
