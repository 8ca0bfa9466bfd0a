/* SPDX-License-Identifier: Apache-2.0
 *
 * Views on the wire: the room's view reports become View frames of bounded size. All frames of a report are queued or
 * none. [run]
 */
#ifndef QD_ACTOR_TICK_PUBLISH_VIEWS_H
#define QD_ACTOR_TICK_PUBLISH_VIEWS_H

#include "../state/room_actor_state.h"

/* Sends all reports of the tick. A reader whose queue is full lags, and the room knows that the report is lost. */
void qd_publish_views(qd_room_actor *actor);

#endif
