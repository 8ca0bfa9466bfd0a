/* SPDX-License-Identifier: Apache-2.0
 *
 * The View frames of a room as lines, for `observe` and `watchers`: the caller's handlers print the changes, what is
 * here does the rest, until it is time to stop.
 */
#ifndef QD_TOOLS_VIEW_LINES_H
#define QD_TOOLS_VIEW_LINES_H

#include "cli.h"

typedef struct qd_view_lines {
    const qd_cli *cli;
    bool json;
    double seconds;     /* after which to stop; 0: never */
    uint64_t count_max; /* the same, in changes */
    uint64_t count;     /* of changes so far; the handlers' to count up */
    uint64_t tick;      /* of the frame under way */
    bool begins;        /* it is a reset, or a suspension: what is forgotten by it is no change */
    /* The batch whose refusal names these; NULL: there is none. */
    uint32_t seq;
    const uint32_t *id;
    uint32_t id_count;
} qd_view_lines;

/* `count` 0: without end. */
#define QD_VIEW_LINES_MAX(count) ((count) > 0 ? (count) : UINT64_MAX)

/* Whether nothing more is to be printed. */
bool qd_view_lines_done(const qd_view_lines *lines);
/* Prints until interrupted, or done, or the room is closed; returns the exit status, every failure reported. `view` has
 * the handlers. */
int qd_view_lines_follow(qd_view_lines *lines, qd_client *client, qd_view *view);

#endif
