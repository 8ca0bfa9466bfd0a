/* SPDX-License-Identifier: Apache-2.0
 *
 * Commands that change entities: batches by id, and rosters. [run]
 */
#ifndef QD_ACTOR_COMMANDS_BATCH_COMMANDS_H
#define QD_ACTOR_COMMANDS_BATCH_COMMANDS_H

#include "../state/room_actor_state.h"

/* Spawn, Move, Teleport, Reshape and Despawn. */
void qd_batch_command(qd_room_actor *actor, const qd_request *request);
/* Roster and RosterMove, which the session has checked. */
void qd_roster_command(qd_room_actor *actor, const qd_request *request);

#endif
