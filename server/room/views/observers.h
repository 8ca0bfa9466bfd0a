/* SPDX-License-Identifier: Apache-2.0
 *
 * The rows of observers, and their lists: by member, by the entity that they are at.
 *
 * Belongs to a room.
 */
#ifndef QD_ROOM_VIEWS_OBSERVERS_H
#define QD_ROOM_VIEWS_OBSERVERS_H

#include "../state.h"

/* The row of a member's observer; QD_NONE: there is none of that id. */
uint32_t qd_observer_find(const qd_room *room, uint32_t member, uint32_t id);
/* It sees nothing any more from the next tick on, and its id is free. */
void qd_observer_end(qd_room *room, uint32_t row);
/* The row is free: its view has ended. */
void qd_observer_release(qd_room *room, uint32_t row);
/* It keeps times of what it tells, where it has tiers. */
void qd_observer_relay(qd_room *room, uint32_t row);
/* Ranks follow (member, id); they are made anew where observers came or went. */
void qd_observers_rank(qd_room *room);

#endif
