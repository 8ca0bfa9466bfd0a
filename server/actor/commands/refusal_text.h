/* SPDX-License-Identifier: Apache-2.0
 *
 * The text of Accepted: why the first refused entry of a batch is refused, for people. [run]
 */
#ifndef QD_ACTOR_COMMANDS_REFUSAL_TEXT_H
#define QD_ACTOR_COMMANDS_REFUSAL_TEXT_H

#include "../state/room_actor_state.h"

#define QD_REFUSAL_TEXT_BYTES_MAX 320u

/* `id` has the ids of all entries. */
void qd_refusal_text(const qd_room_actor *actor, const qd_client_message *message, const uint32_t *id,
                     const qd_room_refusals *refusals, char text[QD_REFUSAL_TEXT_BYTES_MAX]);

#endif
