/* SPDX-License-Identifier: Apache-2.0
 *
 * The stream of a room as lines, for `events`, `observe` and `watchers`. The caller prints the changes. This module
 * prints the notices about the stream as a whole, and ends the stream at its limit, at a signal or with the room.
 */
#ifndef QD_TOOLS_LINES_H
#define QD_TOOLS_LINES_H

#include "cli.h"

typedef struct qd_lines {
    const qd_cli *cli;
    const char *changes; /* the changes that --count counts, as errors name them */
    double seconds;      /* time limit; 0: none */
    uint32_t count_max;  /* limit of changes; 0: none */
    uint64_t count;      /* changes so far; the caller counts them */
    uint64_t tick;       /* of the present frame */
    bool is_reset;       /* the present frame is a reset or a suspension, whose leaves are not changes */
    /* The request whose refusal names these ids; seq 0: none. */
    uint64_t seq;
    const uint32_t *id;
    uint32_t id_count;
} qd_lines;

/* The rows of a command's table. */
#define QD_LINES_ROWS(lines, count_help)                                                                               \
    QD_REAL_ROW("--seconds", "N", "stop after N seconds", (lines)->seconds, 0.001, 1e9),                               \
        QD_NUMBER_ROW("--count", "N", count_help, (lines)->count_max, 1, UINT32_MAX, NULL)

/* Whether the stream is at its limit of changes, or its output is gone. */
bool qd_lines_done(const qd_lines *lines);
/* Prints a notice of the present tick; with `name`, also one value. */
void qd_lines_notice(const qd_lines *lines, const char *kind, const char *name, uint64_t value);
/* Prints the notice of a suspension. `events`: at least so many; 0: that is not known. */
void qd_lines_suspended(const qd_lines *lines, qd_suspend_reason reason, uint64_t events);

/* Handles a message; returns 0, or the exit status of a failure that it has reported. */
typedef int (*qd_lines_fn)(const qd_server_message *message, void *context);

/* Passes messages to `take` until the stream ends. Reports every failure. Returns the exit status. */
int qd_lines_follow(qd_lines *lines, qd_client *client, qd_lines_fn take, void *context);
/* The same for View frames, which `view` folds; its handlers print the changes. */
int qd_lines_follow_view(qd_lines *lines, qd_client *client, qd_view *view);

#endif
