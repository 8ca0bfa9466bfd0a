/* SPDX-License-Identifier: Apache-2.0
 *
 * Views in the life of a room.
 *
 * Belongs to a room.
 */
#ifndef QD_ROOM_VIEWS_VIEWS_TICK_H
#define QD_ROOM_VIEWS_VIEWS_TICK_H

#include "../state.h"

void qd_room_views_init(qd_room *room, uint64_t salt);
void qd_room_views_deinit(qd_room *room);
/* The member's observers end, and its wishes. */
void qd_room_views_leave(qd_room *room, uint32_t member);
/* Before the room's own tick gives slots of removed entities away; room->tick is this tick's already. */
void qd_room_views_tick(qd_room *room, const qd_executor *executor, uint32_t skipped);

/* ---- between views.c, judge.c and view_report.c ---- */

void qd_view_list_grow(qd_room *room, qd_view_list *list);
void qd_view_list_deinit(qd_view_list *list, qd_heap *heap);

static inline void qd_view_list_add(qd_room *room, qd_view_list *list, uint64_t key, uint32_t value)
{
    if (QD_UNLIKELY(list->count == list->capacity)) {
        qd_view_list_grow(room, list);
    }
    list->key[list->count] = key;
    list->value[list->count++] = value;
}
/* Judges an observer as a whole. `steps`: 1 and the ticks skipped before this one. */
void qd_view_judge(qd_room *room, uint32_t row, uint32_t steps);
/* Tells what is due of the view of an observer that is not judged as a whole. */
void qd_view_relay(qd_room *room, uint32_t row, uint32_t steps);
/* Rounds go round: two of them can be compared as long as less than half of all lie between them. So once in so many
 * rounds, before all else, what happened long ago has its round moved up. */
#define QD_VIEW_AGE_ROUNDS (1u << 28)
void qd_view_age(qd_room *room);
/* Lets in who waits for bytes of its member, then tells positions while they last. */
void qd_view_spend(qd_room *room);
/* The entity is to enter, now or as the member's bytes allow. */
void qd_view_claim(qd_room *room, qd_claim claim);
/* Changes of a view, with their news. */
void qd_view_enter(qd_room *room, uint32_t row, uint32_t *place);
void qd_view_leave(qd_room *room, uint32_t row, uint32_t *place, qd_room_leave_reason reason);
void qd_view_tell(qd_room *room, uint32_t row, uint32_t *place);
/* From the lists of the round to columns; `told_before` is the last tick of those before it. */
void qd_view_report_make(qd_room *room, uint64_t told_before);

#endif
