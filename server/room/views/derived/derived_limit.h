/* SPDX-License-Identifier: Apache-2.0
 *
 * The limit of a derived view. While it binds, nearly always nobody takes the place of a chosen entity: then it is
 * enough to count who is as near as the last of them.
 */
#ifndef QD_ROOM_VIEWS_DERIVED_DERIVED_LIMIT_H
#define QD_ROOM_VIEWS_DERIVED_DERIVED_LIMIT_H

#include "../join/join.h"

/* For a limit that binds or did at the last tick; `counts` are those of the masks, also afterwards. Leaves in `is` only
 * what the limit chooses of what is wanted, and in `did` what was in the view. With a list that stays in use and without
 * relay, only what changes. A list that binds is changed at once. The block has slots. */
qd_join_binding qd_derived_limit(const qd_views *views, const qd_join_block *block, const qd_join_body *body,
                                 qd_join_counts *counts, uint16_t *is, uint16_t *did);
/* Prefetches what that will read for a body, if its limit binds. */
void qd_derived_limit_fetch(const qd_views *views, const qd_join_body *body);
/* The points of the mask become the list of the row, which has memory for it. */
void qd_derived_list_chosen(qd_join_derived *row, const qd_join_block *block, const uint16_t *is);

#endif
