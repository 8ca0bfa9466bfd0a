/* SPDX-License-Identifier: Apache-2.0
 *
 * Why observers see an entity or do not: the rule as of the last tick, as an answer.
 */
#include <string.h>

#include "derived/derived.h"
#include "observers.h"
#include "state/last_tick.h"
#include "state/rule.h"
#include "views.h"

/* Why the entity cannot be in the view, wherever it is; 0: it can. */
static qd_room_visibility forbids(const qd_views *views, const qd_observer *observer, const qd_target *target,
                                  uint32_t slot)
{
    if (qd_rule_shows(views, observer, slot)) {
        return 0;
    }
    if (qd_rule_lists(observer->exceptions, observer->hide_count, views->entities->id[slot])) {
        return QD_ROOM_NOT_EXCEPTED;
    }
    if (target->hidden) {
        return QD_ROOM_NOT_HIDDEN;
    }
    if (slot == observer->anchor && !observer->sees_self) {
        return QD_ROOM_NOT_SELF;
    }
    if ((observer->mask & target->category) == 0) {
        return QD_ROOM_NOT_MASK;
    }
    return qd_rule_admits(observer, target, slot) ? 0 : QD_ROOM_NOT_TEAM;
}

static uint32_t flags_of(const qd_views *views, uint32_t row, const qd_observer *observer, const qd_target *target,
                         uint32_t slot)
{
    if (views->observers[row].is_derived) {
        return qd_derived_flags(views, row, observer, slot, target);
    }
    const uint32_t *entry = qd_visible_entries_find(&observer->entries, slot);
    return entry ? *entry & QD_ENTRY_FLAGS : 0;
}

static qd_room_visibility visibility_of(const qd_views *views, uint32_t row, const qd_observer *observer,
                                        const qd_target *target, uint32_t slot)
{
    const uint32_t flags = flags_of(views, row, observer, target, slot);
    const bool is_shown = qd_rule_shows(views, observer, slot),
               is_near = is_shown || qd_rule_near(observer, target, flags);

    if (flags & QD_ENTRY_SEEN) {
        return is_shown ? QD_ROOM_SEEN_BY_SHOW : is_near ? QD_ROOM_SEEN : QD_ROOM_SEEN_BY_MARGIN;
    }
    qd_room_visibility forbidden = forbids(views, observer, target, slot);
    if (forbidden) {
        return forbidden;
    }
    if (flags & QD_ENTRY_HELD) {
        return QD_ROOM_NOT_BUDGET;
    }
    if (views->suspended) {
        return QD_ROOM_NOT_YET;
    }
    if (!is_near) {
        return flags & (QD_ENTRY_INNER | QD_ENTRY_BEACON_INNER) ? QD_ROOM_NOT_ANGLE : QD_ROOM_NOT_RANGE;
    }
    return QD_ROOM_NOT_LIMIT;
}

/* `then` is the entity as it was at the last tick; NULL: it came since. */
static qd_room_reason reason_of(const qd_views *views, uint32_t row, uint32_t slot, const qd_target *then)
{
    qd_observer observer;
    const bool is_decided = qd_last_tick_observer(views, row, &observer) && then != NULL;
    const qd_target *target = is_decided ? then : &views->targets[slot];

    if (!is_decided) {
        observer = views->observers[row];
        if (observer.anchor != QD_NONE) {
            memcpy(observer.at, views->targets[observer.anchor].at, sizeof observer.at);
        }
    }
    const float range = observer.range > target->visible_range ? observer.range : target->visible_range;
    return (qd_room_reason){
        .member = observer.member,
        .observer = observer.id,
        .visibility = is_decided ? visibility_of(views, row, &observer, target, slot) : QD_ROOM_NOT_YET,
        .distance = qd_rule_distance(&observer, target),
        .range = observer.kind == QD_ROOM_BOX ? 0 : range,
        .leave_margin = observer.leave_margin,
        .limit = observer.limit,
        .seen = observer.seen,
    };
}

static bool is_before(const qd_room_reason *a, const qd_room_reason *b)
{
    return a->member != b->member ? a->member < b->member : a->observer < b->observer;
}

/* Inserts a reason into the ordered array, which keeps the first ones. */
static void keep(qd_room_reason *reasons, uint32_t capacity, uint32_t count, qd_room_reason reason)
{
    uint32_t at = count < capacity ? count : capacity;

    while (at > 0 && is_before(&reason, &reasons[at - 1])) {
        if (at < capacity) {
            reasons[at] = reasons[at - 1];
        }
        at--;
    }
    if (at < capacity) {
        reasons[at] = reason;
    }
}

/* With `member`, its observer `a`; else the first observer at entity `a`, or QD_NONE. False: there is no `a`. */
static bool find_first(const qd_views *views, uint32_t member, uint32_t a, uint32_t *row)
{
    if (member != UINT32_MAX) {
        *row = qd_observer_find(views, member, a);
        return *row != QD_NONE;
    }
    const uint32_t anchor = qd_ids_get(&views->entities->ids, a).slot;
    *row = anchor != QD_SLOT_NONE && views->index ? views->targets[anchor].anchored : QD_NONE;
    return anchor != QD_SLOT_NONE;
}

uint32_t qd_views_why(const qd_views *views, uint32_t member, uint32_t a, uint32_t b, uint32_t capacity,
                      qd_room_reason *reasons)
{
    const uint32_t slot = qd_ids_get(&views->entities->ids, b).slot;
    uint32_t row, count = 0;
    qd_target target;

    if (slot == QD_SLOT_NONE || !find_first(views, member, a, &row)) {
        return UINT32_MAX;
    }
    if (row == QD_NONE) {
        return 0;
    }
    const qd_target *then = qd_last_tick_target(views, slot, &target) ? &target : NULL;
    for (; row != QD_NONE; row = member == UINT32_MAX ? views->observers[row].of_anchor.next : QD_NONE) {
        keep(reasons, capacity, count++, reason_of(views, row, slot, then));
    }
    return count;
}
