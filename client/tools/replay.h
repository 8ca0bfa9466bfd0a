/* SPDX-License-Identifier: Apache-2.0
 *
 * Playing a trace into a room: replay.c (the command, and playing by the clock), replay_step.c, and replay_scene.c,
 * which both take.
 */
#ifndef QD_TOOLS_REPLAY_H
#define QD_TOOLS_REPLAY_H

#include "cli.h"
#include "trace.h"

typedef struct qd_replay {
    const qd_cli *cli;
    const qd_trace *trace;
    qd_client *client;
    const char *room_name;
    qd_cli_room room;
    qd_trace_scene was; /* what has been sent last */
    qd_columns spawned, despawned, reshaped, moved;
} qd_replay;

/* Queues what leads from the last scene to this one: who is gone is despawned, who is new is spawned, who has another
 * size is reshaped, who stands elsewhere is moved. false: failed, and reported. */
bool qd_replay_send(qd_replay *replay, const qd_trace_scene *scene);

/* Plays by Step, and writes the events of every tick to `events` (NULL: nowhere). With `checked` they are compared with
 * brute force. Prints a line of summary to `summary`. Returns the exit status. */
int qd_replay_by_step(qd_replay *replay, FILE *events, bool checked, FILE *summary);

#endif
