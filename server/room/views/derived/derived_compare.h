/* SPDX-License-Identifier: Apache-2.0
 *
 * The change of one derived view at a tick, by the masks of its region. In the tasks of the join, each with its own
 * rows.
 */
#ifndef QD_ROOM_VIEWS_DERIVED_DERIVED_COMPARE_H
#define QD_ROOM_VIEWS_DERIVED_DERIVED_COMPARE_H

#include "../../../base/ablation.h"
#include "../join/join.h"

/* For a view without other rules than a filter and a limit. Turns the masks of the region, with the beacons that reach
 * it (join_beacons.h), into those of the view: what is in it now, and what was. `near` points are in the region, and
 * `beacons` reach it. `counts` are those of the masks, and become those of the view. Sets what the body has of derived
 * views, and the row's `near`. While the limit binds or a beacon reaches it, the view is kept. */
void qd_derived_compare(const qd_views *views, qd_join_block *block, qd_join_body *body, uint32_t near,
                        uint32_t beacons, qd_join_counts *counts, uint16_t *is, uint16_t *did);

/* Whether all entities have filters that let the body's observer see them. */
static inline bool qd_derived_admits_all(const qd_join_grid *grid, const qd_join_body *body)
{
    return (body->mask & grid->categories) != 0 && (body->team == 0 || grid->teams == 0);
}

/* Whether all that leaves a view without a list is out of range. */
static inline bool qd_derived_leaves_by_range(const qd_join_grid *grid, const qd_join_body *body)
{
    return grid->is_plain && body->limit == 0 && qd_derived_admits_all(grid, body);
}

/* The same for a view that is all in range but the observer itself, and whose masks are of no further use. The observer
 * stays in them, nearly always in both, so it must be left out when changes are listed. False: it is another view. */
static inline bool qd_derived_compare_bare(const qd_views *views, qd_join_body *body, const qd_join_counts *counts)
{
    const qd_join_grid *grid = &views->join->grid;
    qd_join_derived *row = &views->join->derived[body->region / QD_REGION_BODIES];

    const bool may_bind = body->limit > 0 && counts->is > body->limit;

    body->by_range = grid->is_plain && !may_bind && qd_derived_admits_all(grid, body);
    body->is_bare = body->by_range && body->relay == QD_RELAY_NOTHING && !QD_WITHOUT(BARE_VIEWS);
    if (!body->is_bare) {
        return false;
    }
    row->near = counts->is;
    body->differ = counts->differ;
    body->relayed = 0;
    return true;
}
/* How many positions are relayed without turns: of the `stay` points in both masks, those that have moved. */
uint32_t qd_derived_count_relayed(qd_join_block *block, const qd_join_body *body, const uint16_t *is,
                                  const uint16_t *did, uint32_t stay);
/* Removes the observer from the masks of such a view. Returns how many points differ less. */
uint32_t qd_derived_remove_self(const qd_join_block *block, qd_join_body *body, uint16_t *is, uint16_t *did);

#endif
