/* SPDX-License-Identifier: Apache-2.0
 *
 * The exact test of one pair. lanes/exact_body.h tests most pairs, many at a time; this is for the others: capsules,
 * split bodies, filters that changed, and passing.
 */
#ifndef QD_SPACE_KERNEL_EXACT_H
#define QD_SPACE_KERNEL_EXACT_H

#include <stdbool.h>
#include <stdint.h>

#include "../geometry/shape.h"
#include "sink.h"

/* Rows with one of these flags do not decide by themselves. */
#define QD_ID_INTRICATE (QD_ID_REFILTERED | QD_ID_OLD_ROW | QD_ID_NEW_ROW | QD_ID_CAPSULE)

/* Pairs of boxes and circles whose rows decide: references, and the rows' ids. */
typedef struct qd_shapes {
    uint32_t a[QD_PAIRS_ROOM], b[QD_PAIRS_ROOM];
    uint32_t id_a[QD_PAIRS_ROOM], id_b[QD_PAIRS_ROOM];
} qd_shapes;

/* Whether two boxes or circles, which keep their shape and overlap neither then nor now, met on their ways. */
bool qd_rows_pass(const qd_row *was_a, const qd_row *now_a, bool round_a, const qd_row *was_b, const qd_row *now_b,
                  bool round_b);

/* The kind of event of two special rows, 0 if there is none. A row that is on two lists (QD_LIST_WAS, QD_LIST_NOW)
 * reports its begins and stays where it is now, and its ends where it was. */
uint32_t qd_pair_resolve(const qd_sink *sink, uint32_t reference_a, uint32_t reference_b);
/* A row's body as it was at the last tick and as it is now, also where it is split: rows that are boxes, or circles. False:
 * its rows do not decide by themselves. */
bool qd_row_moments(const qd_sink *sink, uint32_t reference, qd_row *was, bool *was_round, qd_row *now,
                    bool *now_round);
/* Fetches what qd_pair_resolve reads of a row whose body's record is in the cache. */
void qd_pair_fetch(const qd_sink *sink, uint32_t reference);

#endif
