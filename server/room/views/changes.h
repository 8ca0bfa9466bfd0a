/* SPDX-License-Identifier: Apache-2.0
 *
 * The second step of a tick: observers that are evaluated as a whole, and relays.
 */
#ifndef QD_ROOM_VIEWS_CHANGES_H
#define QD_ROOM_VIEWS_CHANGES_H

#include "state/view_state.h"

/* Evaluates and relays all observers that need attention. Where bytes are limited, enters and positions wait for
 * view_bytes.h. */
void qd_changes_make(qd_views *views);

/* Rounds wrap around: two of them can be compared while fewer than half of all lie between them. So once in
 * QD_VIEW_AGE_ROUNDS rounds, before all else, very old rounds are replaced by later ones. */
#define QD_VIEW_AGE_ROUNDS (1u << 28)
void qd_changes_age(qd_views *views);

#endif
