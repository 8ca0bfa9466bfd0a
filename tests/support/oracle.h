/* SPDX-License-Identifier: Apache-2.0
 *
 * The overlap oracle of all tests: what proto/SPEC.md (O, S, Q) defines for two shapes, computed a
 * second time. It shares no code with the server: of server/ it knows the plain types of space/types.h alone. In two
 * dimensions z is 0.
 *
 * The verdict is exact where the definition gives an order of operations: boxes, circles, spheres, and the overlap of
 * capsules with round shapes. Elsewhere the oracle uses other formulas than the server. If a pair is so close to just
 * touching that roundings could decide, the verdict is ORACLE_TOO_CLOSE, and both answers count as right. A test counts
 * these verdicts, and fails if they are more than the small share that its positions explain.
 */
#ifndef QD_TESTS_SUPPORT_ORACLE_H
#define QD_TESTS_SUPPORT_ORACLE_H

#include "server/space/types.h"

typedef enum oracle_verdict { ORACLE_APART, ORACLE_OVERLAP, ORACLE_TOO_CLOSE } oracle_verdict;

oracle_verdict oracle_overlap(const qd_body *a, const qd_body *b);

/* Whether the two overlap at some moment while both move straight and evenly. A body has its shape of the end all the
 * way. */
oracle_verdict oracle_sweep(const qd_body *a_begin, const qd_body *a_end, const qd_body *b_begin, const qd_body *b_end);

/* The body in its shape of now, where its way begins. `resized`: it has changed its shape or size since `was`. */
qd_body oracle_start(const qd_body *was, const qd_body *now, bool resized);

/* Whether a query finds the body. If it does, *at is the distance, and *slack how much the server's may differ; 0 if the
 * distance is defined to the last bit. */
oracle_verdict oracle_measure(const qd_space_query *query, const qd_body *body, double *at, double *slack);

/* Whether two bodies differ in a size that their shape uses, or in the shape. */
bool oracle_resized(const qd_body *was, const qd_body *now);

#endif
