/* SPDX-License-Identifier: Apache-2.0
 *
 * Whose entities are whose: messages that change it, carried out, and told to whom it concerns. [run]
 */
#ifndef QD_ACTOR_OWNERSHIP_H
#define QD_ACTOR_OWNERSHIP_H

#include "room_actor.h"

void qd_owners_hand_over(qd_host *host, const qd_request *request);
/* By a session that has a token. */
void qd_owners_adopt(qd_host *host, const qd_request *request);

#endif
