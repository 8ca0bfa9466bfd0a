/* SPDX-License-Identifier: Apache-2.0
 *
 * The bytes of members, `bytes_max` (V10 in SPEC.md): at the end of a tick, what leaves has used some of them up. The rest is
 * spent on entities that wait to enter, then on positions that wait to be relayed. What they do not suffice for waits on.
 */
#ifndef QD_ROOM_VIEWS_VIEW_BYTES_H
#define QD_ROOM_VIEWS_VIEW_BYTES_H

#include "state/view_state.h"

void qd_view_bytes_spend(qd_views *views);

#endif
