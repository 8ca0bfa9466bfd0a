/* SPDX-License-Identifier: Apache-2.0
 *
 * The change of one derived view at a tick, by the masks of its region. In the tasks of the join, each with its own rows.
 */
#ifndef QD_ROOM_VIEWS_DERIVED_DERIVED_COMPARE_H
#define QD_ROOM_VIEWS_DERIVED_DERIVED_COMPARE_H

#include "../join/join.h"

/* Turns the masks of the region into those of the view: what is in it now, and what was. `counts` are those of the
 * region. A limit that binds changes its list; one that begins to bind gets it later (qd_derived_list_chosen). Sets what
 * the body has of derived views, and the row's `near`. */
void qd_derived_compare(const qd_views *views, qd_join_block *block, qd_join_body *body, qd_join_counts counts,
                        uint16_t *is, uint16_t *did);

#endif
