/* SPDX-License-Identifier: Apache-2.0
 *
 * Queries: what is in a region, near a point or on a ray, as of the last tick. The cells of the tree are visited from
 * the root down, the most promising first, and left out where nothing in them can be better than what is found.
 *
 * All that it meets is the `was` of rows: whoever was there at the last tick has exactly one row that says how. Changes
 * nothing. Owned by the space.
 */
#ifndef QD_SPACE_QUERY_H
#define QD_SPACE_QUERY_H

#include "quadtree.h"

/* As qd_space_find; the hits are taken from the tree's heap. */
qd_status qd_query_run(const qd_quadtree *tree, const qd_space_query *query, qd_space_hits *hits) QD_MUST_USE;
void qd_query_hits_free(const qd_quadtree *tree, qd_space_hits *hits);

#endif
