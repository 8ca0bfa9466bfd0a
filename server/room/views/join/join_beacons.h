/* SPDX-License-Identifier: Apache-2.0
 *
 * Which beacons reach an observer: entities that are seen as far as their visible range, however far the observer sees.
 */
#ifndef QD_ROOM_VIEWS_JOIN_JOIN_BEACONS_H
#define QD_ROOM_VIEWS_JOIN_JOIN_BEACONS_H

#include "join_compare.h"

/* Whether the observer at `b` is in the visible range of an entity at `a`, and in the range widened by its margin, as
 * flags of its visible entry; as the index decides it. A range that is not above 0 reaches nothing. */
uint32_t qd_join_beacon_flags(float visible_range, float margin, const float a[3], const float b[3], unsigned axes);

/* Adds the points of beacons that reach `at` now to masks; there is room for three masks more. Returns how many do. */
uint32_t qd_join_add_beacons(const qd_views *views, const qd_join_block *block, const float at[3], float margin,
                             uint16_t *masks);
/* After that, where `did` is what was in the region and not a view: a beacon that went far, and is among the points
 * where it is, was where it is, too. */
void qd_join_follow_beacons(const qd_join_block *block, const uint16_t *is, uint16_t *did);

#endif
