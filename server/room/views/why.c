/* SPDX-License-Identifier: Apache-2.0
 *
 * Why observers see an entity or do not: the rule, as an answer.
 */
#include "observers.h"
#include "state/rule.h"
#include "views.h"

static bool shows(const qd_views *views, const qd_observer *observer, uint32_t slot)
{
    return observer->show_count > 0 &&
           qd_rule_lists(observer->exceptions + observer->hide_count, observer->show_count, views->entities->id[slot]);
}

/* Why the entity cannot be in the view, wherever it is; 0: it can. */
static qd_room_visibility forbids(const qd_views *views, const qd_observer *observer, uint32_t slot)
{
    const qd_target *target = &views->targets[slot];

    if (shows(views, observer, slot)) {
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

/* How many entities are in the view, or wait to enter. */
static uint32_t chosen(const qd_observer *observer)
{
    const qd_visible_entries *set = &observer->entries;
    uint32_t count = 0;

    for (uint32_t at = 0; at < set->capacity; at++) {
        count += (set->entry[at] & (QD_ENTRY_SEEN | QD_ENTRY_HELD)) != 0;
    }
    return count;
}

static qd_room_visibility seen_how(const qd_views *views, const qd_observer *observer, uint32_t slot, uint32_t flags)
{
    if (shows(views, observer, slot)) {
        return QD_ROOM_SEEN_BY_SHOW;
    }
    return qd_rule_near(observer, &views->targets[slot], flags) ? QD_ROOM_SEEN : QD_ROOM_SEEN_BY_MARGIN;
}

static qd_room_visibility visibility_of(const qd_views *views, const qd_observer *observer, uint32_t slot,
                                        uint32_t flags)
{
    const qd_target *target = &views->targets[slot];

    if (flags & QD_ENTRY_SEEN) {
        return seen_how(views, observer, slot, flags);
    }
    qd_room_visibility forbidden = forbids(views, observer, slot);
    if (forbidden) {
        return forbidden;
    }
    if (flags & QD_ENTRY_HELD) {
        return QD_ROOM_NOT_BUDGET;
    }
    if (views->suspended || observer->changed_round == views->round + 1 || target->spawn_round == views->round + 1) {
        return QD_ROOM_NOT_YET;
    }
    bool is_shown = shows(views, observer, slot);
    if (!is_shown && !(flags & (QD_ENTRY_INNER | QD_ENTRY_BEACON_INNER))) {
        return QD_ROOM_NOT_RANGE;
    }
    if (!is_shown && !qd_rule_near(observer, target, flags)) {
        return QD_ROOM_NOT_ANGLE;
    }
    return observer->limit > 0 && chosen(observer) >= observer->limit ? QD_ROOM_NOT_LIMIT : QD_ROOM_NOT_YET;
}

static qd_room_reason reason_of(const qd_views *views, const qd_observer *observer, uint32_t slot)
{
    const qd_target *target = &views->targets[slot];
    const uint32_t *entry = qd_visible_entries_find(&observer->entries, slot);
    float range = observer->range > target->visible_range ? observer->range : target->visible_range;

    return (qd_room_reason){
        .member = observer->member,
        .observer = observer->id,
        .visibility = visibility_of(views, observer, slot, entry ? *entry & QD_ENTRY_FLAGS : 0),
        .distance = qd_rule_distance(observer, target),
        .range = observer->kind == QD_ROOM_BOX ? 0 : range,
        .leave_margin = observer->leave_margin,
        .limit = observer->limit,
        .seen = observer->seen,
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

uint32_t qd_views_why(const qd_views *views, uint32_t member, uint32_t a, uint32_t b, uint32_t capacity,
                      qd_room_reason *reasons)
{
    uint32_t slot = qd_ids_get(&views->entities->ids, b).slot, count = 0;

    if (slot == QD_SLOT_NONE) {
        return UINT32_MAX;
    }
    if (member != UINT32_MAX) {
        uint32_t row = qd_observer_find(views, member, a);

        if (row == QD_NONE) {
            return UINT32_MAX;
        }
        if (capacity > 0) {
            reasons[0] = reason_of(views, &views->observers[row], slot);
        }
        return 1;
    }
    uint32_t anchor = qd_ids_get(&views->entities->ids, a).slot;
    if (anchor == QD_SLOT_NONE) {
        return UINT32_MAX;
    }
    uint32_t row = views->index ? views->targets[anchor].anchored : QD_NONE;
    for (; row != QD_NONE; row = views->observers[row].of_anchor.next) {
        keep(reasons, capacity, count++, reason_of(views, &views->observers[row], slot));
    }
    return count;
}
