/* SPDX-License-Identifier: Apache-2.0
 *
 * Views on the wire: what clients say of observers goes into the room, and what these see comes out as View frames,
 * split into frames of bounded size, all frames of a report queued or none. [run]
 */
#ifndef QD_ACTOR_PUBLISH_VIEWS_H
#define QD_ACTOR_PUBLISH_VIEWS_H

#include "../room/room_views.h"
#include "room_actor.h"

/* Describe, Observe, MoveObservers, Unobserve, Except, ViewOptions and Why, which were checked. */
void qd_views_apply(qd_host *host, const qd_request *request);

/* All reports of the tick. Who cannot take its report is told lost to the room, and is stuck. */
void qd_views_publish(qd_host *host);

#endif
