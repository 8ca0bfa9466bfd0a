/* SPDX-License-Identifier: Apache-2.0 */
#include "relay_share.h"

void qd_relay_share_choose(qd_relay_share *share, qd_priority *items, uint32_t count)
{
    share->relayed = share->most < count ? (uint32_t)share->most : count;
    share->is_held = share->relayed < count;
    if (!share->is_held) {
        return;
    }
    qd_priority_choose(items, count, share->relayed);
    share->held = UINT32_MAX;
    for (uint32_t i = share->relayed; i < count; i++) {
        share->held = items[i].id < share->held ? items[i].id : share->held;
    }
}

/* The rows of the member's observers by rank; QD_NONE where a view has ended. NULL: no memory. */
static uint32_t *by_rank(qd_views *views, const qd_view_member *member, uint32_t *count)
{
    uint32_t first = UINT32_MAX, last = 0;

    for (uint32_t row = member->first; row != QD_NONE; row = views->observers[row].of_member.next) {
        const uint32_t rank = views->observers[row].rank;

        first = rank < first ? rank : first;
        last = rank > last ? rank : last;
    }
    *count = last - first + 1;
    uint32_t *rows = qd_block_fit(&views->scratch, views->heap, *count * sizeof *rows);
    if (rows == NULL) {
        return NULL;
    }
    for (uint32_t i = 0; i < *count; i++) {
        rows[i] = QD_NONE;
    }
    for (uint32_t row = member->first; row != QD_NONE; row = views->observers[row].of_member.next) {
        rows[views->observers[row].rank - first] = row;
    }
    return rows;
}

/* Where an observer of at least this id is first. */
static uint32_t find(const qd_views *views, const uint32_t *rows, uint32_t count, uint32_t id)
{
    uint32_t at = 0;

    while (at < count && (rows[at] == QD_NONE || views->observers[rows[at]].id < id)) {
        at++;
    }
    return at < count ? at : 0;
}

/* Going through the observers of a member. */
struct going {
    qd_views *views;
    qd_view_member *member;
    const qd_relay_source *source;
    uint64_t most, relayed;
    bool is_full;
};

static void relay(struct going *going, uint32_t row, uint32_t first, uint32_t last)
{
    qd_relay_share share = {.first = first, .last = last, .most = going->most - going->relayed};

    going->source->relay(going->views, row, &share);
    going->relayed += share.relayed;
    if (share.is_held && !going->is_full) {
        going->is_full = true;
        going->member->held_observer = going->views->observers[row].id;
        going->member->held_id = share.held;
    }
}

static void relay_whole(struct going *going, uint32_t row)
{
    if (row == QD_NONE) {
        return;
    }
    if (!going->is_full) {
        relay(going, row, 0, UINT32_MAX);
    } else {
        going->source->hold(going->views, row);
    }
}

uint64_t qd_relay_share_all(qd_views *views, qd_view_member *member, const qd_relay_source *source, uint64_t most)
{
    struct going going = {views, member, source, most, 0, false};
    const uint32_t id = member->held_id;
    uint32_t count;
    const uint32_t *rows = by_rank(views, member, &count);

    if (rows == NULL) {
        views->no_memory = true;
        return 0;
    }
    const uint32_t first = find(views, rows, count, member->held_observer), row = rows[first];
    const bool is_split = id > 0 && row != QD_NONE && views->observers[row].id == member->held_observer;

    if (is_split) {
        relay(&going, row, id, UINT32_MAX);
    } else {
        relay_whole(&going, row);
    }
    for (uint32_t i = 1; i < count; i++) {
        relay_whole(&going, rows[(first + i) % count]);
    }
    if (is_split) {
        relay(&going, row, 0, id - 1);
    }
    member->is_late = going.is_full && going.relayed > 0;
    return going.relayed;
}
