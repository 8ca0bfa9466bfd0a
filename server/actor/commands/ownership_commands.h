/* SPDX-License-Identifier: Apache-2.0
 *
 * Commands that change the owner of entities, and the reports to the sessions concerned. [run]
 */
#ifndef QD_ACTOR_COMMANDS_OWNERSHIP_COMMANDS_H
#define QD_ACTOR_COMMANDS_OWNERSHIP_COMMANDS_H

#include "../state/room_actor_state.h"

void qd_handover_command(qd_room_actor *actor, const qd_request *request);
/* Of a session that has a token. */
void qd_adopt_command(qd_room_actor *actor, const qd_request *request);

#endif
