/* SPDX-License-Identifier: Apache-2.0
 *
 * Small Moves that arrive together are joined: a client may send each position in a frame of its own, and a request for
 * each would cost ten times what its position costs.
 *
 *     a small Move comes, the first for its room  -> hold: it waits
 *     another one for its room                    -> add: its entries are put behind those that wait
 *     any other frame, or no more frames for now  -> post: each room gets its Moves as one request
 *
 * What a client can observe stays the same: if the room has to refuse an entry, it carries the Moves out one by one, so
 * that each has its own answer. [loop]
 */
#ifndef QD_SESSION_JOINED_MOVES_H
#define QD_SESSION_JOINED_MOVES_H

#include "../../proto/decode_fast.h"
#include "../actor/state/membership.h"

/* Larger Moves would gain little. */
#define QD_JOINED_ENTITIES_MAX 16u

/* Memberships whose Moves wait, in the order of their first ones. */
typedef TAILQ_HEAD(qd_waiting_moves, qd_membership) qd_waiting_moves;

/* Lets a request wait for the room, if others can be added to it. One that already waits for that room is posted first. */
bool qd_joined_moves_hold(qd_waiting_moves *waiting, qd_membership *membership, qd_request *request) QD_MUST_USE;
/* Adds a Move to the request that waits for its room, if there is one and they suit each other. */
bool qd_joined_moves_add(qd_membership *membership, const qd_move_frame *move, size_t frame_bytes) QD_MUST_USE;
/* Posts the request that waits for this room, if there is one, or all. */
void qd_joined_moves_post(qd_waiting_moves *waiting, qd_membership *membership);
void qd_joined_moves_post_all(qd_waiting_moves *waiting);

#endif
