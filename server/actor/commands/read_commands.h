/* SPDX-License-Identifier: Apache-2.0
 *
 * Commands that read the room and change nothing: Snapshot, Query and GetStats. [run]
 */
#ifndef QD_ACTOR_COMMANDS_READ_COMMANDS_H
#define QD_ACTOR_COMMANDS_READ_COMMANDS_H

#include "../state/room_actor_state.h"

void qd_snapshot_command(qd_room_actor *actor, const qd_request *request);
void qd_query_command(qd_room_actor *actor, const qd_request *request);
void qd_stats_command(qd_room_actor *actor, const qd_request *request);

/* What a query that the session has checked asks of the space. [any] */
void qd_query_translate(const qd_msg_query *query, qd_space_query *result);

#endif
