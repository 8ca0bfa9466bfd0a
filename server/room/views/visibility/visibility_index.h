/* SPDX-License-Identifier: Apache-2.0
 *
 * The SIGHT: a second space, of the room's index and dimensions, whose pairs are who may see whom.
 *
 *     body                     shape                              category  mask
 *     point of an entity       box of size 0 at its centre           1        2
 *     region of an observer    circle or box; a second, widened      2        1
 *     beacon of an entity      circle of its visible range           4        8
 *     centre of an observer    circle of radius 0; of leave_margin   8        4
 *
 * While the join leads (join.h), points and regions are not moved, and regions have the mask 0: they meet nobody.
 *
 * Beacons are of entities that have a visible range, and centres there are when there has been a beacon. The sight
 * follows what the room does to its entities, and is there while there are observers: without it, all of these do
 * nothing.
 *
 * Belongs to a room.
 */
#ifndef QD_ROOM_VIEWS_VISIBILITY_INDEX_H
#define QD_ROOM_VIEWS_VISIBILITY_INDEX_H

#include "../state.h"

/* With all entities of the room. QD_ERR_NO_MEMORY or QD_ERR_FULL: there is none. */
qd_status qd_sight_open(qd_room *room) QD_MUST_USE;
void qd_sight_close(qd_room *room);

/* ---- entities ---- */

qd_status qd_sight_add(qd_room *room, uint32_t slot, const qd_body *body) QD_MUST_USE;
void qd_sight_remove(qd_room *room, uint32_t slot, qd_space_reason reason);
/* `z` is NULL in two dimensions. */
void qd_sight_place(qd_room *room, uint32_t count, const uint32_t *slots, const float *x, const float *y,
                    const float *z);
void qd_sight_filter(qd_room *room, uint32_t slot, uint32_t category);
/* What was said of it is now this. */
qd_status qd_sight_describe(qd_room *room, uint32_t slot, const qd_description *description) QD_MUST_USE;

/* ---- observers ---- */

/* Makes bodies for the observer that is to be in `row`, or makes those that it has fit it. Fails only for memory or
 * QD_SPACE_SLOTS_MAX, and then changes nothing. */
qd_status qd_sight_fit(qd_room *room, uint32_t row, qd_observer *observer) QD_MUST_USE;
void qd_sight_unfit(qd_room *room, qd_observer *observer);
/* How large its region is, or with QD_BODY_OUTER the widened one: half extents, or the radius first. */
void qd_sight_sizes(const qd_observer *observer, unsigned what, float half[3]);
/* It is at observer->at. */
void qd_sight_centre(qd_room *room, const qd_observer *observer);

/* ---- ticks ---- */

/* Beacons and observers go where their entities are. */
void qd_sight_follow(qd_room *room);
/* Between ticks: regions meet points, or nobody, as the join leads from now on (join.h), and did so at the last tick.
 */
void qd_sight_turn(qd_room *room);
/* That, and all that the join had in its place goes where it is, and was there at the last tick. */
void qd_sight_catch_up(qd_room *room);

/* What a body of the sight is: of an observer, QD_BODY_* and its row; else of an entity, and its slot. */
enum { QD_BODY_POINT = QD_BODIES, QD_BODY_BEACON };

#define QD_WHOSE_SHIFT 28u

static inline uint32_t qd_whose(unsigned body, uint32_t index)
{
    return (uint32_t)body << QD_WHOSE_SHIFT | index;
}
static inline unsigned qd_whose_body(uint32_t whose)
{
    return whose >> QD_WHOSE_SHIFT;
}
static inline uint32_t qd_whose_index(uint32_t whose)
{
    return whose & ((1u << QD_WHOSE_SHIFT) - 1);
}

#endif
