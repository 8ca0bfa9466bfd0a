/* SPDX-License-Identifier: Apache-2.0
 *
 * Where a tree's root lies. It begins as the square (cube) of the bounds. What lies beyond it has the number of the
 * edge, and a crowd that is tiny beside it lies in one of the finest cells: the tree cannot tell such bodies apart.
 * So when there are many, the next plan looks for a better square.
 *
 * Bodies are counted by shells. Those within the bounds by how far they are from the middle of most of them, those
 * beyond by how far beyond; each shell is twice as far out as the last one:
 *
 *     +--------------------------+
 *     |               |   1   |2 |         shells of the bounds, around the middle of most
 *     |            2  |+-----+|  |  beyond them more
 *     |               ||  0  ||  |
 *     |               |+-----+|  |
 *     +--------------------------+
 *
 * The new root is the square around some consecutive shells for which the traversal is expected to test least: all
 * against all of what is left out, and of what is in, each with those in its finest cell.
 *
 * Used by the plans of trees (linear_plan.c, sparse_plan.c), by their thread.
 */
#ifndef QD_SPACE_TREE_ROOT_H
#define QD_SPACE_TREE_ROOT_H

#include "../core/rows.h"
#include "../geometry/quantizer.h"

#define QD_SHELLS_WITHIN 24u
#define QD_SHELLS        88u /* with those beyond */

typedef struct qd_shells {
    qd_extent bounds;
    double per_side;              /* 1 / the longest side of the bounds */
    double middle[QD_AXES], size; /* of most bodies: medians of a sample; a body's size is its longest side */
    uint32_t rows;                /* in all */
    uint32_t count[QD_SHELLS];
    qd_extent extent[QD_SHELLS]; /* of those with a count; of the centers within the bounds, of the boxes beyond */
} qd_shells;

typedef struct qd_root {
    qd_extent extent; /* the root is the square from its lower corner on, as long as its longest side */
    double filled;    /* the share of the root that its content takes up */
} qd_root;

/* What a tree can do with a root. */
typedef struct qd_root_use {
    uint32_t depth_max;
    uint32_t leaf_rows; /* in a good leaf */
} qd_root_use;

/* None is counted yet; the rows of the scan tell where most are. */
void qd_shells_init(qd_shells *shells, const qd_extent *bounds, qd_scan all);
/* Counts rows side by side. */
void qd_shells_count(qd_shells *shells, const qd_rows *rows, uint32_t first, uint32_t count);
/* Adds what copies of the shells have counted since, in any order. */
void qd_shells_merge(qd_shells *shells, const qd_shells *others);

/* The root that is the square of the bounds. */
qd_root qd_root_of(const qd_extent *bounds);
/* The best root: the bounds, where nothing is much better. */
qd_root qd_root_choose(const qd_shells *shells, qd_root_use use);
/* The quantizer that gives a root's side 2^bits numbers. */
qd_quantizer qd_root_quantizer(const qd_root *root, uint32_t bits);

#endif
