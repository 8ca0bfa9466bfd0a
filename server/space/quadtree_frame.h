/* SPDX-License-Identifier: Apache-2.0
 *
 * Where the root lies. It begins as the square (cube) of the bounds. What lies beyond it has the number of the edge, so
 * that nothing tells one body from another there; so when many do, the next plan looks for a better square.
 *
 * Bodies are counted by shells: those within the bounds, and those beyond, by how far, each shell twice as far out as
 * the last one. The new root is the square around some consecutive shells for which the walk is expected to test least:
 * all against all of what is left out, and of what is in, each with those in its finest cell.
 *
 * Used by the plan (quadtree_plan.h).
 */
#ifndef QD_SPACE_QUADTREE_FRAME_H
#define QD_SPACE_QUADTREE_FRAME_H

#include "quadtree.h"

#define QD_SHELLS 64u

typedef struct qd_shells {
    uint32_t count[QD_SHELLS];
    qd_extent extent[QD_SHELLS]; /* of those with a count; of the first the bounds */
} qd_shells;

void qd_shells_init(qd_shells *shells, const qd_quadtree *tree);
void qd_shells_count(qd_shells *shells, const qd_row *box);

/* Makes the bounds the root. */
void qd_root_reset(qd_quadtree *tree);
/* Makes the best square the root: the bounds, where nothing is much better. */
void qd_root_choose(qd_quadtree *tree, const qd_shells *shells);

#endif
