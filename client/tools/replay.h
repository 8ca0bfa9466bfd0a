/* SPDX-License-Identifier: Apache-2.0
 *
 * Plays a trace into a room. replay.c has the command and plays by the clock. replay_step.c plays by Step.
 * replay_scene.c sends the entities for both.
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
    qd_trace_scene was; /* the last sent scene */
    qd_columns spawned, despawned, reshaped, moved;
} qd_replay;

/* Queues the batches from the last scene to this one: despawns, spawns, reshapes and moves. false: failed and
 * reported. */
bool qd_replay_send(qd_replay *replay, const qd_trace_scene *scene);

/* Handles a message that ends the replay: an error, GoAway, or the end of the room. false: it was one, and reported. */
bool qd_replay_continues(const qd_replay *replay, const qd_server_message *message);

/* Plays by Step, and writes the events of every tick to `events` (NULL: nowhere). With `checked`, compares them with
 * brute force. Prints a summary line to `summary`. Returns the exit status. */
int qd_replay_by_step(qd_replay *replay, FILE *events, bool checked, FILE *summary);

#endif
