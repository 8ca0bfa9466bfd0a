/* SPDX-License-Identifier: Apache-2.0
 *
 * The first step of a tick: what the crossings and the changed entities mean for the visible entries of observers. The
 * entries of observers that are not evaluated as a whole become candidates, which are evaluated one by one.
 */
#ifndef QD_ROOM_VIEWS_CANDIDATES_H
#define QD_ROOM_VIEWS_CANDIDATES_H

#include "state/view_state.h"

typedef struct qd_candidate {
    uint32_t row, slot; /* the observer and the entity */
} qd_candidate;

typedef struct qd_candidates {
    qd_views *views;
    qd_candidate *all;
    size_t count;
    qd_crossing *begins; /* of observers with several bodies, until their ends are noted */
    size_t begin_count;
} qd_candidates;

/* Takes over crossings into the sets of visible entries. */
void qd_candidates_note(qd_candidates *candidates, const qd_crossings *crossings);
/* Adds the entities that have changed for the rule. */
void qd_candidates_note_changed(qd_candidates *candidates);
/* Applies the rule to the candidates. */
void qd_candidates_evaluate(const qd_candidates *candidates);

#endif
