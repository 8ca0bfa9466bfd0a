/* SPDX-License-Identifier: Apache-2.0
 *
 * What enters a kept view first: limits and budgets choose by (distance, id). While a limit binds, nearly always nobody
 * takes the place of an entity in the view: then it is enough that nobody else is as near as the last of them.
 */
#ifndef QD_ROOM_VIEWS_DERIVED_DERIVED_LIMIT_H
#define QD_ROOM_VIEWS_DERIVED_DERIVED_LIMIT_H

#include "../join/join.h"

/* Keeps the first `count` of the points of masks, of which there are more. Those in `did` count as so much nearer;
 * `did` may be NULL. */
void qd_derived_choose(const qd_views *views, qd_join_block *block, const qd_join_body *body, const uint16_t *did,
                       double ahead, uint32_t count, uint16_t *masks);
/* For a limit that binds, or what is left of it: leaves in `is` only what it chooses. `did` is what was in the view; those in it count as so
 * much nearer. The counts are those of both. */
void qd_derived_limit(const qd_views *views, qd_join_block *block, const qd_join_body *body, uint32_t limit,
                      double ahead, qd_join_counts *counts, uint16_t *is, const uint16_t *did);

#endif
