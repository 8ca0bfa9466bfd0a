/* SPDX-License-Identifier: Apache-2.0
 *
 * Rosters: what clients say of them, checked and carried out.
 */
#ifndef QD_ACTOR_ROSTER_COMMANDS_H
#define QD_ACTOR_ROSTER_COMMANDS_H

#include "room_actor.h"

/* Whether a Roster or RosterMove makes sense in a room of so many dimensions, whatever it holds: QD_ERROR_NONE, or what
 * is wrong, in words in `fault`. [any] */
qd_error_code qd_roster_check(const qd_client_message *message, uint32_t dimensions, char *fault, size_t fault_size);

/* Carries one out that was checked. [run] */
void qd_rosters_apply(qd_host *host, const qd_request *request);

#endif
