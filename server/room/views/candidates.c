/* SPDX-License-Identifier: Apache-2.0 */
#include "candidates.h"

#include "derived/derived.h"
#include "state/rule.h"
#include "view_news.h"

/* Such an observer is evaluated at this tick in any case. */
static bool is_whole(const qd_views *views, uint32_t row)
{
    return (views->attention[row] & QD_ATTEND_WHOLE) != 0;
}

/* The entry is evaluated at this tick. */
static void mark_changed(qd_candidates *candidates, uint32_t row, uint32_t *entry)
{
    qd_views *views = candidates->views;

    if (*entry & QD_ENTRY_CHANGED) {
        return;
    }
    *entry |= QD_ENTRY_CHANGED;
    /* An enter budget applies to all entities that come. */
    if (!is_whole(views, row) && views->observers[row].enter_budget > 0) {
        views->attention[row] |= QD_ATTEND_ONCE;
    }
    if (!is_whole(views, row)) {
        candidates->all[candidates->count++] = (qd_candidate){row, qd_entry_slot(*entry)};
    }
}

/* The flag of a visible entry that the crossing changes. */
static uint32_t flag_of(qd_crossing crossing)
{
    return 1u << qd_use_body(crossing.use);
}

static qd_candidate pair_of(qd_crossing crossing)
{
    return (qd_candidate){qd_use_index(crossing.use), crossing.slot};
}

/* Of a wanted entity that is not in the view yet. */
static void admit(qd_views *views, qd_candidate pair, uint32_t *entry)
{
    const qd_observer *observer = &views->observers[pair.row];

    if (views->members[observer->member].options.bytes_max == 0) {
        qd_view_enter(views, pair.row, entry);
        return;
    }
    qd_priority item = {.id = views->entities->id[pair.slot], .slot = pair.slot, .observer = pair.row};
    item.distance = qd_rule_distance(observer, &views->targets[pair.slot]);
    qd_view_admit(views, item, entry);
}

/* A crossing. The ends of a pair come before its begins, as bodies may have been replaced. */
static void note(qd_candidates *candidates, qd_candidate pair, uint32_t flag, bool begins)
{
    qd_views *views = candidates->views;
    qd_visible_entries *set = &views->observers[pair.row].entries;
    uint32_t *entry =
        begins ? qd_visible_entries_put(set, views->heap, pair.slot, 0) : qd_visible_entries_find(set, pair.slot);

    if (QD_UNLIKELY(begins && !entry)) {
        views->no_memory = true;
        return;
    }
    QD_ASSERT(entry);
    mark_changed(candidates, pair.row, entry);
    *entry = begins ? *entry | flag : *entry & ~flag;
}

/* A crossing of an observer with one region and without a budget. Nothing else happens to the pair at this tick, so the
 * view changes at once. */
static void settle(qd_views *views, qd_candidate pair, bool begins)
{
    qd_observer *observer = &views->observers[pair.row];
    qd_visible_entries *set = &observer->entries;

    if (begins) {
        uint32_t *entry = qd_visible_entries_put(set, views->heap, pair.slot, QD_ENTRY_INNER);

        if (QD_UNLIKELY(!entry)) {
            views->no_memory = true;
        } else if (qd_rule_allows(views, observer, pair.slot, QD_ENTRY_INNER)) {
            admit(views, pair, entry);
        }
        return;
    }
    uint32_t *entry = qd_visible_entries_find(set, pair.slot);
    QD_ASSERT(entry);
    uint32_t flags = *entry & QD_ENTRY_FLAGS & ~(uint32_t)QD_ENTRY_INNER;
    if (flags & QD_ENTRY_SEEN) {
        qd_view_leave(views, pair.row, entry, qd_rule_reason(views, observer, pair.slot, flags));
    }
    qd_visible_entries_remove(set, entry);
    qd_visible_entries_trim(set, views->heap);
}

/* Entities are anywhere in memory. Rows are prefetched AHEAD entries before they are needed, and what they point to
 * half as far ahead. */
#define AHEAD 16u

static void prefetch_noting(const qd_views *views, const qd_crossings *crossings, size_t i)
{
    if (i + AHEAD < crossings->count) {
        qd_candidate next = pair_of(crossings->all[i + AHEAD]);

        __builtin_prefetch(&views->observers[next.row]);
        __builtin_prefetch(&views->targets[next.slot]);
        __builtin_prefetch(&views->entities->id[next.slot]);
    }
    if (i + AHEAD / 2 < crossings->count) {
        qd_candidate next = pair_of(crossings->all[i + AHEAD / 2]);

        qd_visible_entries_prefetch(&views->observers[next.row].entries, next.slot);
    }
}

/* How many entries of observers that are not evaluated as a whole the changed entities have, at most. */
static size_t changed_at_most(const qd_views *views)
{
    size_t sum = 0;

    for (uint32_t row = 0; row < views->count && views->changed_count > 0; row++) {
        uint32_t count = views->observers[row].entries.count;

        if (!is_whole(views, row)) {
            sum += count < views->changed_count ? count : views->changed_count;
        }
    }
    return sum;
}

void qd_candidates_note(qd_candidates *candidates, const qd_crossings *crossings)
{
    qd_views *views = candidates->views;
    const bool may_settle = !views->has_beacons && views->changed_count == 0;
    const size_t begins_bytes = qd_block_part(crossings->count, sizeof candidates->begins[0]);
    const size_t candidate_bytes = (crossings->count + changed_at_most(views)) * sizeof candidates->all[0];
    char *memory = qd_block_fit(&views->candidates, views->heap, begins_bytes + candidate_bytes);

    if (memory == NULL) {
        views->no_memory = true;
        return;
    }
    candidates->begins = (qd_crossing *)memory;
    candidates->all = (qd_candidate *)(memory + begins_bytes);

    for (size_t i = 0; i < crossings->count && !views->no_memory; i++) {
        const qd_crossing crossing = crossings->all[i];
        const qd_candidate pair = pair_of(crossing);

        prefetch_noting(views, crossings, i);
        if (views->attention[pair.row] & QD_ATTEND_GONE) {
            continue;
        }
        if (may_settle && !is_whole(views, pair.row) && views->observers[pair.row].is_plain) {
            settle(views, pair, crossing.begins);
        } else if (crossing.begins) {
            candidates->begins[candidates->begin_count++] = crossing;
        } else {
            note(candidates, pair, flag_of(crossing), false);
        }
    }
    for (size_t i = 0; i < candidates->begin_count && !views->no_memory; i++) {
        note(candidates, pair_of(candidates->begins[i]), flag_of(candidates->begins[i]), true);
    }
}

void qd_candidates_note_changed(qd_candidates *candidates)
{
    qd_views *views = candidates->views;

    for (uint32_t row = 0; row < views->count && views->changed_count > 0; row++) {
        qd_visible_entries *set = &views->observers[row].entries;

        if (is_whole(views, row) || set->count == 0) {
            continue;
        }
        if (set->capacity < views->changed_count) {
            for (uint32_t at = 0; at < set->capacity; at++) {
                if (set->entry[at] != 0 && views->targets[qd_entry_slot(set->entry[at])].flags & QD_TARGET_CHANGED) {
                    mark_changed(candidates, row, &set->entry[at]);
                }
            }
            continue;
        }
        for (uint32_t i = 0; i < views->changed_count; i++) {
            uint32_t *entry = qd_visible_entries_find(set, views->changed[i]);

            if (entry) {
                mark_changed(candidates, row, entry);
            }
        }
    }
    for (uint32_t i = 0; i < views->changed_count; i++) {
        views->targets[views->changed[i]].flags &= (uint8_t)~QD_TARGET_CHANGED;
    }
    views->changed_count = 0;
}

static void evaluate(qd_views *views, qd_candidate candidate)
{
    const qd_observer *observer = &views->observers[candidate.row];
    uint32_t *entry = qd_visible_entries_find(&observer->entries, candidate.slot);
    uint32_t flags = *entry & QD_ENTRY_FLAGS;
    bool wanted = qd_rule_wants(views, observer, candidate.slot, flags);

    if (flags & QD_ENTRY_SEEN && !wanted) {
        qd_view_leave(views, candidate.row, entry, qd_rule_reason(views, observer, candidate.slot, flags));
    } else if (!(flags & QD_ENTRY_SEEN) && wanted) {
        admit(views, candidate, entry);
    }
    if ((*entry & QD_ENTRY_FLAGS) == QD_ENTRY_CHANGED) {
        qd_visible_entries *set = &views->observers[candidate.row].entries;

        qd_visible_entries_remove(set, entry);
        qd_visible_entries_trim(set, views->heap);
    } else {
        *entry &= ~(uint32_t)QD_ENTRY_CHANGED;
    }
}

static void prefetch_evaluation(const qd_candidates *candidates, size_t i)
{
    const qd_views *views = candidates->views;

    if (i + AHEAD < candidates->count) {
        qd_candidate next = candidates->all[i + AHEAD];

        __builtin_prefetch(&views->observers[next.row]);
        __builtin_prefetch(&views->targets[next.slot]);
    }
    if (i + AHEAD / 2 < candidates->count) {
        qd_candidate next = candidates->all[i + AHEAD / 2];

        qd_visible_entries_prefetch(&views->observers[next.row].entries, next.slot);
    }
}

/* A limit that may choose needs all entries of the observer: it is evaluated as a whole. */
static bool may_choose(const qd_observer *observer)
{
    return observer->limit > 0 && observer->entries.count > observer->limit;
}

void qd_candidates_evaluate(const qd_candidates *candidates)
{
    qd_views *views = candidates->views;

    for (size_t i = 0; i < candidates->count; i++) {
        const uint32_t row = candidates->all[i].row;

        prefetch_evaluation(candidates, i);
        if (may_choose(&views->observers[row])) {
            views->attention[row] |= QD_ATTEND_ONCE;
        } else {
            evaluate(views, candidates->all[i]);
        }
    }
}
