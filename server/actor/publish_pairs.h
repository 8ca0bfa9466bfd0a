/* SPDX-License-Identifier: Apache-2.0
 *
 * Reports of a room as Tick frames, sent to their subscribers: split into frames of bounded size, encoded once for all
 * who get the same, all frames of a report queued or none. [run]
 */
#ifndef QD_ACTOR_PUBLISH_PAIRS_H
#define QD_ACTOR_PUBLISH_PAIRS_H

#include "room_actor.h"

/* Pairs in one frame: 9 bytes each at most, so that a frame stays below QD_SERVER_FRAME_BYTES_MAX with ease. */
#define QD_PUBLISH_PAIRS_MAX (128u << 10)

/* All reports of the round. Who cannot take its report is told lost to the room, and is stuck. */
void qd_publish(qd_host *host);

#endif
