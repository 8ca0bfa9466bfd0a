/* SPDX-License-Identifier: Apache-2.0
 *
 * A tick of one kept view (kept.h): THE RULE (room_views.h), with masks. In the tasks of the join.
 */
#ifndef QD_ROOM_VIEWS_DERIVED_KEPT_COMPARE_H
#define QD_ROOM_VIEWS_DERIVED_KEPT_COMPARE_H

#include "../join/join.h"

/* Of a view with rules. Fills the masks of a body: in `is` what is in its view, behind it what was, and with turns what
 * is relayed and what waits. Sets what the body has of derived views, and the row's `near`. Returns how many are in the
 * view. */
uint32_t qd_kept_compare(const qd_views *views, qd_join_block *block, qd_join_body *body, uint32_t index, uint16_t *is);
/* Of a view that a limit alone keeps: what is in its region, and behind it what was in the view. For
 * qd_derived_compare. */
void qd_kept_compare_region(const qd_views *views, qd_join_block *block, qd_join_body *body, uint32_t index,
                            uint16_t *is, qd_join_counts *counts);

#endif
