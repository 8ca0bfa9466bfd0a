/* SPDX-License-Identifier: Apache-2.0
 *
 * Who comes first, where not all can: entities that claim a place in a view, a limit or a budget.
 *
 * Belongs to a room.
 */
#ifndef QD_ROOM_VIEWS_CLAIMS_H
#define QD_ROOM_VIEWS_CLAIMS_H

#include "../../base/alloc.h"

/* Ordered by (lead, distance, rank, id), which no two claims of a list share. */
typedef struct qd_claim {
    double distance;
    uint32_t lead, rank, id;
    uint32_t slot;
    uint32_t observer; /* its row */
    uint32_t flags;    /* of the sighting, as it was, */
    uint32_t at;       /* and its place, while the observer is judged */
} qd_claim;

typedef struct qd_claims {
    qd_claim *claim;
    uint32_t count, capacity;
} qd_claims;

void qd_claims_deinit(qd_claims *claims, qd_heap *heap);
/* Cannot fail: may overdraw the memory's budget. */
void qd_claims_add(qd_claims *claims, qd_heap *heap, qd_claim claim);
void qd_claims_sort(qd_claim *claims, uint32_t count);

#endif
