/* SPDX-License-Identifier: Apache-2.0
 *
 * What proto/quadrille.proto (OVERLAP, SWEPT, Query) says about two shapes, written a second time, without any code of
 * the server. In two dimensions z is 0.
 *
 * Boxes, circles and spheres are compared as defined, to the last bit. Where a capsule takes part, or shapes that move,
 * everything comes from other formulas than the server's: two that are so close to just touching that these could
 * differ are FIGURE_EITHER, and both answers count as right. That is said of few.
 */
#ifndef QD_TESTS_MODEL_SPACE_FIGURE_H
#define QD_TESTS_MODEL_SPACE_FIGURE_H

#include "server/space/space.h"

typedef enum figure_verdict { FIGURE_APART, FIGURE_MEET, FIGURE_EITHER } figure_verdict;

figure_verdict figure_overlap(const qd_body *a, const qd_body *b);

/* Whether the two, with their shapes of the ends, meet while they move straight from one place to the other. */
figure_verdict figure_meet_on_the_way(const qd_body *a_begin, const qd_body *a_end, const qd_body *b_begin,
                                      const qd_body *b_end);

/* What a query measures of a body: MEET where it is a hit, and then how far it is; `slack` is what that may be off by,
 * 0 where it is defined to the last bit. */
figure_verdict figure_measure(const qd_space_query *query, const qd_body *body, double *at, double *slack);

/* Whether two shapes differ in what counts of them. */
bool figure_resized(const qd_body *was, const qd_body *now);

#endif
