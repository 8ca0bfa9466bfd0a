/* SPDX-License-Identifier: Apache-2.0
 *
 * A tally: numbers for the memberships of a room, and what each was sent since the tally was cleared. The number of a
 * membership that is gone is given again, the one given back last first. So a replay gives the same numbers. [run]
 */
#ifndef QD_ACTOR_JOURNAL_TALLY_H
#define QD_ACTOR_JOURNAL_TALLY_H

#include <stdbool.h>

#include "../../base/memory/buffer.h"

typedef struct qd_tally_row {
    uint32_t frames, crc;
    uint64_t bytes;
    uint32_t next_free; /* of a number that is not given */
} qd_tally_row;

/* Zero to begin with. */
typedef struct qd_tally {
    qd_tally_row *rows; /* by number - 1 */
    uint32_t *sent;     /* numbers that were sent something, in the order of their first frames */
    uint32_t count, capacity, sent_count, free;
    qd_buffer *last; /* a reference, so that its address is no other frame's; NULL: none */
    uint32_t last_crc;
} qd_tally;

void qd_tally_deinit(qd_tally *tally);
/* The next number, from 1; 0: there is no memory. */
uint32_t qd_tally_take(qd_tally *tally);
void qd_tally_give(qd_tally *tally, uint32_t number);
/* Frames for a number that is given. */
void qd_tally_add(qd_tally *tally, uint32_t number, qd_buffer *const *frames, size_t count);
/* Nothing was sent. */
void qd_tally_clear(qd_tally *tally);

#endif
