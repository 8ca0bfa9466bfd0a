/* SPDX-License-Identifier: Apache-2.0
 *
 * What clients describe of entities: tag, payload, team, visibility. Descriptions exist also while the room has no
 * observers.
 */
#ifndef QD_ROOM_VIEWS_VISIBILITY_DESCRIBE_H
#define QD_ROOM_VIEWS_VISIBILITY_DESCRIBE_H

#include "../state/view_state.h"

/* As qd_room_describe. */
void qd_views_describe(qd_views *views, uint32_t member, const qd_msg_set_description *batch,
                       qd_room_refusals *refusals);
/* All 0 if nothing was described. */
const qd_description *qd_description_of(const qd_views *views, uint32_t slot);
/* Another entity has got the slot. */
void qd_description_forget(qd_views *views, uint32_t slot);

#endif
