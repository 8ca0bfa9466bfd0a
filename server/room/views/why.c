/* SPDX-License-Identifier: Apache-2.0
 *
 * The rule, in words.
 */
#include "observers.h"
#include "rule.h"

static bool shows(const qd_room *room, const qd_observer *observer, uint32_t slot)
{
    return observer->show_count > 0 &&
           qd_rule_lists(observer->exceptions + observer->hide_count, observer->show_count, room->entities.id[slot]);
}

/* Why it cannot be in the view, by what is said of both; 0: it can. */
static qd_room_sight forbids(const qd_room *room, const qd_observer *observer, uint32_t slot)
{
    const qd_seen *seen = &room->views.seen[slot];

    if (shows(room, observer, slot)) {
        return 0;
    }
    if (qd_rule_lists(observer->exceptions, observer->hide_count, room->entities.id[slot])) {
        return QD_ROOM_NOT_EXCEPTED;
    }
    if (seen->hidden) {
        return QD_ROOM_NOT_HIDDEN;
    }
    if (slot == observer->anchor && !observer->sees_self) {
        return QD_ROOM_NOT_SELF;
    }
    if ((observer->mask & seen->category) == 0) {
        return QD_ROOM_NOT_MASK;
    }
    return qd_rule_admits(observer, seen, slot) ? 0 : QD_ROOM_NOT_TEAM;
}

/* How many are in the view, or are about to be. */
static uint32_t chosen(const qd_observer *observer)
{
    const qd_sightings *set = &observer->sightings;
    uint32_t count = 0;

    for (uint32_t at = 0; at < set->capacity; at++) {
        count += (set->places[at] & (QD_SIGHTING_SEEN | QD_SIGHTING_HELD)) != 0;
    }
    return count;
}

static qd_room_sight seen_how(const qd_room *room, const qd_observer *observer, uint32_t slot, uint32_t flags)
{
    if (shows(room, observer, slot)) {
        return QD_ROOM_SEEN_BY_SHOW;
    }
    return qd_rule_near(observer, &room->views.seen[slot], flags) ? QD_ROOM_SEEN : QD_ROOM_SEEN_BY_MARGIN;
}

static qd_room_sight sight_of(const qd_room *room, const qd_observer *observer, uint32_t slot, uint32_t flags)
{
    const qd_views *views = &room->views;
    const qd_seen *seen = &views->seen[slot];

    if (flags & QD_SIGHTING_SEEN) {
        return seen_how(room, observer, slot, flags);
    }
    qd_room_sight forbidden = forbids(room, observer, slot);
    if (forbidden) {
        return forbidden;
    }
    if (flags & QD_SIGHTING_HELD) {
        return QD_ROOM_NOT_BUDGET;
    }
    if (views->suspended || observer->said == views->round + 1 || seen->born == views->round + 1) {
        return QD_ROOM_NOT_YET;
    }
    bool is_shown = shows(room, observer, slot);
    if (!is_shown && !(flags & (QD_SIGHTING_INNER | QD_SIGHTING_BEACON_INNER))) {
        return QD_ROOM_NOT_RANGE;
    }
    if (!is_shown && !qd_rule_near(observer, seen, flags)) {
        return QD_ROOM_NOT_ANGLE;
    }
    return observer->limit > 0 && chosen(observer) >= observer->limit ? QD_ROOM_NOT_LIMIT : QD_ROOM_NOT_YET;
}

static qd_room_reason reason_of(const qd_room *room, const qd_observer *observer, uint32_t slot)
{
    const qd_seen *seen = &room->views.seen[slot];
    const uint32_t *place = qd_sightings_find(&observer->sightings, slot);
    float range = observer->range > seen->visible_range ? observer->range : seen->visible_range;

    return (qd_room_reason){
        .member = observer->member,
        .observer = observer->id,
        .sight = sight_of(room, observer, slot, place ? *place & QD_SIGHTING_FLAGS : 0),
        .distance = qd_rule_distance(observer, seen),
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

/* Keeps the first of them, in order. */
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

uint32_t qd_room_why(const qd_room *room, uint32_t member, uint32_t a, uint32_t b, uint32_t capacity,
                     qd_room_reason *reasons)
{
    const qd_views *views = &room->views;
    uint32_t slot = qd_ids_get(&room->ids, b).slot, count = 0;

    if (slot == QD_SLOT_NONE) {
        return UINT32_MAX;
    }
    if (member != UINT32_MAX) {
        uint32_t row = qd_observer_find(room, member, a);

        if (row == QD_NONE) {
            return UINT32_MAX;
        }
        if (capacity > 0) {
            reasons[0] = reason_of(room, &views->observers[row], slot);
        }
        return 1;
    }
    uint32_t anchor = qd_ids_get(&room->ids, a).slot;
    if (anchor == QD_SLOT_NONE) {
        return UINT32_MAX;
    }
    uint32_t row = views->sight ? views->seen[anchor].anchored : QD_NONE;
    for (; row != QD_NONE; row = views->observers[row].anchored_next) {
        keep(reasons, capacity, count++, reason_of(room, &views->observers[row], slot));
    }
    return count;
}
