/* SPDX-License-Identifier: Apache-2.0
 *
 * Entities on lists `show`: observers see them wherever they are. Behind the points of the area, a group has room for
 * the entities that one body shows, in the order of its list. Only while a task compares or reads that body, these
 * points have positions. An entity that a body shows is in its masks there, and never in the area.
 */
#ifndef QD_ROOM_VIEWS_JOIN_JOIN_SHOWN_H
#define QD_ROOM_VIEWS_JOIN_JOIN_SHOWN_H

#include "join.h"

/* The points of a body get their slots; nothing for a body that shows nothing. */
static inline void qd_join_shown_slots(const qd_join *join, qd_join_block *block, const qd_join_body *body)
{
    block->shown = body->shown > 0 ? join->derived[body->region / QD_REGION_BODIES].shown : NULL;
    block->shown_count = body->shown;
}

/* And their positions. QD_NONE is not in the room, and has none. */
void qd_join_shown_take(const qd_join *join, qd_join_block *block, const qd_join_body *body);
/* Removes them again. */
void qd_join_shown_drop(qd_join_block *block);
/* Removes what is shown from masks of what the body meets in the area. Returns how many are shown. */
uint32_t qd_join_shown_remove(const qd_join_block *block, const qd_join_body *body, uint16_t *masks);
/* Adds their points. */
void qd_join_shown_add(const qd_join_block *block, uint16_t *masks);
/* Turns their bits of the grid's entries into masks of their points. */
void qd_join_shown_bits(const qd_join_block *block, const uint64_t *bits, uint16_t *masks);

/* Forgets the slots of a row, when it is free or gets others. */
void qd_join_shown_forget(qd_join *join, qd_heap *heap, uint32_t row);
void qd_join_shown_forget_all(qd_join *join, qd_heap *heap);

#endif
