/* SPDX-License-Identifier: Apache-2.0
 *
 * Pairs on the wire: the room's reports become Tick frames of bounded size, encoded once for all subscribers that get
 * the same. All frames of a report are queued or none. [run]
 */
#ifndef QD_ACTOR_TICK_PUBLISH_PAIRS_H
#define QD_ACTOR_TICK_PUBLISH_PAIRS_H

#include "../state/room_actor_state.h"

/* Pairs in one frame: 9 bytes each at most, so that a frame stays well below QD_SERVER_FRAME_BYTES_MAX. */
#define QD_PUBLISH_PAIRS_MAX (128u << 10)

/* Sends all reports of the round. A reader whose queue is full lags, and the room knows that the report is lost. */
void qd_publish_pairs(qd_room_actor *actor);

#endif
