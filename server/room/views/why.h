/* SPDX-License-Identifier: Apache-2.0
 *
 * Why observers see an entity or do not: the rule, as an answer to qd_room_why.
 */
#ifndef QD_ROOM_VIEWS_WHY_H
#define QD_ROOM_VIEWS_WHY_H

#include "state/view_state.h"

/* As qd_room_why. */
uint32_t qd_views_why(const qd_views *views, uint32_t member, uint32_t a, uint32_t b, uint32_t capacity,
                      qd_room_reason *reasons);

#endif
