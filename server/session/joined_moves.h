/* SPDX-License-Identifier: Apache-2.0
 *
 * Small Moves that arrive together are joined: a client may send each position in a frame of its own, and a request for
 * each would cost ten times what its position costs.
 *
 *     a small Move comes                          -> hold: it waits
 *     the next frame, a small Move for its room   -> add: its entries are put behind those that wait
 *     any other frame, or no more frames for now  -> post: the room gets them as one request
 *
 * What a client can observe stays the same: the room answers for each Move if it has to refuse an entry, and the seqs of
 * joined Moves are counted up by one, so that each refusal gets its own. [loop]
 */
#ifndef QD_SESSION_JOINED_MOVES_H
#define QD_SESSION_JOINED_MOVES_H

#include "../actor/state/membership.h"

typedef struct qd_joined_moves {
    qd_request *request;  /* waits; NULL: none does */
    uint32_t capacity;    /* its columns have room for so many entries; 0: it is not joined yet */
    uint32_t frame_bytes; /* of the frames that were added */
} qd_joined_moves;

/* Lets the request wait, if others can be added to it. Its membership is set. */
bool qd_joined_moves_hold(qd_joined_moves *moves, qd_request *request);
/* Adds a frame to the request that waits, if there is one and they suit each other. Returns the new seq of the request in
 * *seq. */
bool qd_joined_moves_add(qd_joined_moves *moves, const uint8_t *bytes, size_t size, uint64_t *seq) QD_MUST_USE;
/* Posts the request that waits, if there is one. */
void qd_joined_moves_post(qd_joined_moves *moves);

#endif
