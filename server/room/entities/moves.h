/* SPDX-License-Identifier: Apache-2.0
 *
 * Positions to the space: moves and teleports, which are what a room does most, millions a second. They are checked and
 * handed on in runs of entries; a run in which something is to be refused goes once more, entry by entry.
 *
 * For moves by id (place.c) and by roster (rosters.c). Belongs to a room.
 */
#ifndef QD_ROOM_ENTITIES_PLACE_H
#define QD_ROOM_ENTITIES_PLACE_H

#include "../state.h"

/* qd_space_move or qd_space_teleport. */
typedef void (*qd_place_fn)(qd_space *space, size_t count, const uint32_t *slots, const float *x, const float *y,
                            const float *z);

/* Entries of a batch, from `first` on. */
typedef struct qd_run {
    uint32_t first, count;
} qd_run;

/* Whether all positions of the run are numbers. */
bool qd_run_is_finite(const qd_room_batch *batch, qd_run run);
/* Every entry may be applied, to these slots. */
void qd_place_run(qd_room *room, const qd_room_batch *batch, qd_run run, const uint32_t *slots, qd_place_fn place);
/* By the ids, entry by entry. */
void qd_place_some(qd_room *room, uint32_t member, const qd_room_batch *batch, qd_run run, qd_place_fn place,
                   qd_room_refusals *refusals);

#endif
