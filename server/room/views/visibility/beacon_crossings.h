/* SPDX-License-Identifier: Apache-2.0
 *
 * While the spatial join is in use: crossings of beacons and observers with visible entries. The flags of the entries
 * tell which beacons reached an observer at the last tick. Derived views find theirs in their masks (join_beacons.h).
 */
#ifndef QD_ROOM_VIEWS_VISIBILITY_BEACON_CROSSINGS_H
#define QD_ROOM_VIEWS_VISIBILITY_BEACON_CROSSINGS_H

#include "../state/view_state.h"

/* At a tick, after the join: adds them to its complete crossings, in memory of the views. False: no memory. */
bool qd_beacon_crossings_add(qd_views *views, qd_crossings *joined) QD_MUST_USE;

#endif
