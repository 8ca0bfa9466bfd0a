/* SPDX-License-Identifier: Apache-2.0
 *
 * Messages of a room actor, carried out: one function for each kind. [run]
 */
#ifndef QD_ACTOR_COMMANDS_COMMANDS_H
#define QD_ACTOR_COMMANDS_COMMANDS_H

#include "../state/room_actor_state.h"

/* Carries the message out and frees it; with `leave`, the membership too. A request that only reads is dropped if its
 * link is closed, and refused if the server is `stopping`. */
void qd_command_run(qd_room_actor *actor, qd_room_message *message, bool stopping);

#endif
