/* SPDX-License-Identifier: Apache-2.0
 *
 * Commands about views: descriptions of entities, observers, their exceptions and options, and Why. [run]
 */
#ifndef QD_ACTOR_COMMANDS_VIEW_COMMANDS_H
#define QD_ACTOR_COMMANDS_VIEW_COMMANDS_H

#include "../state/room_actor_state.h"

/* Describe, Observe, MoveObservers, Unobserve, Except, ViewOptions and Why, which the session has checked. */
void qd_view_command(qd_room_actor *actor, const qd_request *request);

#endif
