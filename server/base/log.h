/* SPDX-License-Identifier: Apache-2.0
 *
 * The log: one line per event on stderr, as text or JSON (log/line.h). Any thread may log.
 *
 *     qd_log(QD_LOG_DEBUG, "hello", QD_LOG_NUMBER("session", number), QD_LOG_PEER(link->peer));
 *
 * Values are fields, and the message is a literal without any value. Values are escaped, so a peer cannot forge a line
 * or a field.
 *
 * Logging never waits for the reader of stderr. From qd_log_start on, lines go through a bounded ring to one thread, and
 * only that thread writes. If the ring is full, a line is dropped and counted; "lines were dropped" follows as soon as
 * stderr takes bytes again.
 *
 * Logging never floods. A message is written at most 10 times per address and 50 times in all within 10 s; then "lines
 * were suppressed" gives the number (log/flood.h). Lines of the level debug and of the kind audit are not limited.
 */
#ifndef QD_BASE_LOG_H
#define QD_BASE_LOG_H

#include "log/line.h"

/* From now on, lines of this level and of more severe ones are logged. Default: info. [any] */
void qd_log_level_set(qd_log_level level);
/* Whether lines of the kind audit are logged: logins, opened and closed rooms, takeovers. The level does not matter for
 * them, and they are not limited as others are. Default: no. Before threads start. */
void qd_log_audit_set(bool is_on);
/* [any] */
bool qd_log_is_on(qd_log_level level);
/* Before qd_log_start. Default: text. */
void qd_log_format_set(qd_log_format format);

/* Starts the thread that writes. Without it, each line is written at once. Returns false if the system refuses the
 * thread. */
bool qd_log_start(void);
/* Writes what is left, for at most `ms_max`, and ends the thread. */
void qd_log_stop(uint32_t ms_max);
/* Writes what is left and then the text, for at most a second each: for a process that is about to abort. [any] */
void qd_log_last_words(const char *text);

/* Lines that were not written, because the ring was full or stderr failed. [any] */
uint64_t qd_log_dropped(void);
/* Lines that were not written, because the same message came too often. [any] */
uint64_t qd_log_suppressed(void);

/* Use qd_log. `fields` ends with a field without a name. [any] */
void qd_log_write(qd_log_level level, const char *message, const qd_log_field *fields);

/* Fields. The values are not used after the call. */
#define QD_LOG_STRING(field_name, value) ((qd_log_field){.name = (field_name), .text = (value)})
#define QD_LOG_NUMBER(field_name, value) ((qd_log_field){.name = (field_name), .number = (value)})
/* The address of a client; the line is limited per address. */
#define QD_LOG_PEER(value) ((qd_log_field){.name = "peer", .text = (value), .is_peer = true})

/* qd_log(level, message, fields...): the fields are computed only if the level is on. */
#define qd_log(level, ...) QD_LOG_PASS(level, __VA_ARGS__, {.name = NULL})
#define QD_LOG_PASS(level, message, ...)                                                                               \
    do {                                                                                                               \
        if (qd_log_is_on(level)) {                                                                                     \
            qd_log_write((level), "" message "", (const qd_log_field[]){__VA_ARGS__});                                 \
        }                                                                                                              \
    } while (0)

#endif
