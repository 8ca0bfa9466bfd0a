/* SPDX-License-Identifier: Apache-2.0
 *
 * Moves and teleports, by id or by roster: what a room does most often, millions of times a second.
 *
 * The entries are checked and applied to the space in runs. A run with an entry that must be refused is done again,
 * entry by entry. Each step gives the caller the run that was applied, while its columns are still in the cache:
 *
 *     qd_moves_by_id or qd_moves_by_roster, then qd_moves_next until false
 */
#ifndef QD_ROOM_ENTITIES_MOVES_H
#define QD_ROOM_ENTITIES_MOVES_H

#include "entity_state.h"

#define QD_MOVES_RUN QD_ROOM_MOVE_ALL_MAX /* entries; their columns fit the first level of cache */

/* Entities that the space has moved. */
typedef struct qd_moved {
    uint32_t count;
    const uint32_t *slots;
    const float *x, *y, *z; /* z: NULL in two dimensions */
} qd_moved;

typedef struct qd_moves {
    qd_entities *entities;
    uint32_t member;
    bool is_teleport;
    qd_room_batch batch;
    qd_roster *roster; /* NULL: by id */
    uint32_t first;    /* of the roster's entries */
    qd_room_refusals *refusals;
    uint32_t next;       /* entry of the batch */
    uint32_t single_end; /* the entries before it are done one by one */
    uint32_t slots[QD_MOVES_RUN];
    float x[QD_MOVES_RUN], y[QD_MOVES_RUN], z[QD_MOVES_RUN];
} qd_moves;

void qd_moves_by_id(qd_moves *moves, qd_entities *entities, uint32_t member, const qd_room_batch *batch,
                    bool is_teleport, qd_room_refusals *refusals);
/* QD_ERR_NOT_FOUND, QD_ERR_INVALID: as qd_room_move_roster. */
qd_status qd_moves_by_roster(qd_moves *moves, qd_entities *entities, uint32_t member,
                             const qd_room_roster_positions *positions, qd_room_refusals *refusals) QD_MUST_USE;
/* Applies the next run; false: there is none. */
bool qd_moves_next(qd_moves *moves, qd_moved *moved);
/* Instead of it, for at most QD_MOVES_RUN entries by id: applies all of them. Returns false, and applies none, if one must
 * be refused. */
bool qd_moves_all(qd_moves *moves, qd_moved *moved);

#endif
