/* SPDX-License-Identifier: Apache-2.0
 *
 * A query under way: what it wants, and the best hits so far. The index brings the cells (index.h, search), the nearest
 * first where it can; the search measures what is in them.
 *
 * On the stack of the caller. Any number at a time, while nothing changes the space.
 */
#ifndef QD_SPACE_CORE_SEARCH_H
#define QD_SPACE_CORE_SEARCH_H

#include "../geometry/geometry.h"
#include "index.h"

typedef struct qd_search {
    const qd_space_query *query;
    const qd_index *index;
    qd_space_hits *hits;   /* the best so far; once there is one more than the limit, a heap with the worst on top */
    qd_geometry area;      /* IN_BOX, IN_CIRCLE: the region */
    qd_extent reach;       /* all that is wanted overlaps this box; infinite where not known */
    double at[3], unit[3]; /* the point or the ray's origin, and its direction */
    double worst;          /* what is beyond this is not wanted; it shrinks */
} qd_search;

/* A cell that is yet to be visited. Those of one search lie on a stack. */
typedef struct qd_search_stop {
    double bound;         /* no hit in it is nearer */
    uint32_t level, cell; /* as its index finds it again */
} qd_search_stop;

/* No hit in the extent is nearer (along a ray: earlier) than this; INFINITY: there is none. */
double qd_search_bound(const qd_search *search, const qd_extent *extent);
/* Whether a bound is beyond what is wanted. */
bool qd_search_is_hopeless(const qd_search *search, double bound);
/* Puts a cell of this extent on the stack of `count`, among those from `first` on, of which the most promising is the
 * last; leaves it out where it is hopeless. Returns how many there are now. */
uint32_t qd_search_push(const qd_search *search, const qd_extent *extent, qd_search_stop stop, qd_search_stop *stops,
                        uint32_t first, uint32_t count);
qd_status qd_search_cell(qd_search *search, const qd_cell *cell) QD_MUST_USE;

qd_status qd_search_run(const qd_index *index, const qd_space_query *query, qd_space_hits *hits) QD_MUST_USE;
void qd_search_hits_free(const qd_index *index, qd_space_hits *hits);

#endif
