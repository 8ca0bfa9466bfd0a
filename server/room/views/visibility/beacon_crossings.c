/* SPDX-License-Identifier: Apache-2.0 */
#include "beacon_crossings.h"

#include <math.h>
#include <string.h>

#include "../join/join.h"
#include "../join/join_beacons.h"

/* What of an entry the observer meets now: QD_ENTRY_BEACON_*. */
static uint32_t flags_at(const qd_views *views, const qd_observer *observer, uint32_t entry)
{
    const qd_join_grid *grid = &views->join->grid;
    const unsigned axes = qd_views_axes(views);

    float *const *now = grid->entries.at.now;
    const float at[3] = {now[0][entry], now[1][entry], axes == 3 ? now[2][entry] : 0};
    const bool is_there = observer->state == QD_OBSERVER_LIVE && at[0] < INFINITY;

    return is_there ? qd_join_beacon_flags(grid->visible_range[entry - grid->beacons], observer->leave_margin, at,
                                           observer->at, axes)
                    : 0;
}

/* Adds the crossings of one observer; without `to`, only counts them. */
static size_t cross(const qd_views *views, uint32_t row, qd_crossing *to)
{
    const qd_join_grid *grid = &views->join->grid;
    const qd_observer *observer = &views->observers[row];
    size_t count = 0;

    for (uint32_t entry = grid->beacons; entry < grid->count; entry++) {
        const uint32_t slot = grid->entries.slot[entry];
        const uint32_t *visible = qd_visible_entries_find(&observer->entries, slot);
        const uint32_t is = flags_at(views, observer, entry), was = visible ? *visible : 0;

        for (unsigned what = QD_BODY_BEACON_INNER; what <= QD_BODY_BEACON_OUTER && grid->place[slot] == entry; what++) {
            const bool differs = (is ^ was) >> what & 1;

            if (differs && to) {
                to[count] = (qd_crossing){.use = qd_use(what, row), .slot = slot, .begins = is >> what & 1};
            }
            count += differs;
        }
    }
    return count;
}

static bool has_entries(const qd_observer *observer)
{
    return !observer->is_derived && observer->state != QD_OBSERVER_FREE;
}

bool qd_beacon_crossings_add(qd_views *views, qd_crossings *joined)
{
    size_t count = joined->count;

    if (views->join->grid.beacons == views->join->grid.count || views->join->bodies.is_plain) {
        return true;
    }
    for (uint32_t row = 0; row < views->count; row++) {
        count += has_entries(&views->observers[row]) ? cross(views, row, NULL) : 0;
    }
    if (count == joined->count) {
        return true;
    }
    qd_crossing *all = qd_block_fit(&views->crossings, views->heap, count * sizeof all[0]);
    if (!all) {
        return false;
    }
    if (joined->count > 0) {
        memcpy(all, joined->all, joined->count * sizeof all[0]);
    }
    count = joined->count;
    for (uint32_t row = 0; row < views->count; row++) {
        count += has_entries(&views->observers[row]) ? cross(views, row, all + count) : 0;
    }
    joined->all = all;
    joined->count = count;
    return true;
}
