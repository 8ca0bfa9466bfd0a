/* SPDX-License-Identifier: Apache-2.0
 *
 * Commands about ticks: Step, and who gets their events. [run]
 */
#ifndef QD_ACTOR_COMMANDS_TICK_COMMANDS_H
#define QD_ACTOR_COMMANDS_TICK_COMMANDS_H

#include "../state/room_actor_state.h"

void qd_subscribe_command(qd_room_actor *actor, const qd_request *request);
void qd_unsubscribe_command(qd_room_actor *actor, const qd_request *request);
void qd_step_command(qd_room_actor *actor, const qd_request *request);

#endif
