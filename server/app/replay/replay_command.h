/* SPDX-License-Identifier: Apache-2.0
 *
 * quadrille-server --replay FILE.
 */
#ifndef QD_APP_REPLAY_REPLAY_COMMAND_H
#define QD_APP_REPLAY_REPLAY_COMMAND_H

#include <stdbool.h>
#include <stdint.h>

typedef struct qd_replay_request {
    const char *file;
    uint32_t until;   /* stop each room after this tick; 0: at the end of the record */
    const char *room; /* replay the rooms of this name; NULL: all */
    bool prints;      /* the events, as JSON lines */
} qd_replay_request;

/* Replays, and prints a line for each room: on stdout, or on stderr if that has the events. Returns the exit status: 0
 * if all rooms did and sent the same as in the record, 1 if one did not or cannot be replayed, 2 if the file cannot be
 * read. */
int qd_replay_run(const qd_replay_request *request);

#endif
