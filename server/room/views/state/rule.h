/* SPDX-License-Identifier: Apache-2.0
 *
 * THE RULE (views.h) for one observer and one entity: allowed, near, staying, and why not. What is near in circles and
 * boxes is the sight's to say, and stands in the flags of the sighting.
 *
 * Belongs to a room.
 */
#ifndef QD_ROOM_VIEWS_RULE_H
#define QD_ROOM_VIEWS_RULE_H

#include "../state.h"

/* Between the centres. */
double qd_rule_distance(const qd_observer *observer, const qd_seen *seen);
/* Whether it is in the directions of a cone, without its margin and with it. */
bool qd_rule_in_cone(const qd_observer *observer, const qd_seen *seen);
bool qd_rule_near_cone(const qd_observer *observer, const qd_seen *seen);
/* Whether the id is in the ascending list. */
bool qd_rule_lists(const uint32_t *ids, uint32_t count, uint32_t id);

/* What is in the room, and on no list. */
static inline bool qd_rule_admits(const qd_observer *observer, const qd_seen *seen, uint32_t slot)
{
    bool same_team = (observer->team == 0) | (seen->team == 0) | (observer->team == seen->team);

    return !seen->hidden && (observer->mask & seen->category) != 0 && same_team &&
           (slot != observer->anchor || observer->sees_self);
}

static inline bool qd_rule_allows(const qd_room *room, const qd_observer *observer, uint32_t slot, uint32_t flags)
{
    const qd_seen *seen = &room->views.seen[slot];

    if (seen->removed) {
        return false;
    }
    if (flags & QD_SIGHTING_SHOWN) {
        return true;
    }
    return qd_rule_admits(observer, seen, slot) &&
           (observer->hide_count == 0 ||
            !qd_rule_lists(observer->exceptions, observer->hide_count, room->entities.id[slot]));
}

static inline bool qd_rule_near(const qd_observer *observer, const qd_seen *seen, uint32_t flags)
{
    if (flags & QD_SIGHTING_SHOWN) {
        return true;
    }
    return (flags & (QD_SIGHTING_INNER | QD_SIGHTING_BEACON_INNER)) != 0 &&
           (observer->kind != QD_ROOM_CONE || qd_rule_in_cone(observer, seen));
}

static inline bool qd_rule_stays(const qd_observer *observer, const qd_seen *seen, uint32_t flags)
{
    if (qd_rule_near(observer, seen, flags)) {
        return true;
    }
    return (flags & (QD_SIGHTING_OUTER | QD_SIGHTING_BEACON_OUTER)) != 0 &&
           (observer->kind != QD_ROOM_CONE || qd_rule_near_cone(observer, seen));
}

/* Step 3: whether the observer wants it in its view. */
static inline bool qd_rule_wants(const qd_room *room, const qd_observer *observer, uint32_t slot, uint32_t flags)
{
    const qd_seen *seen = &room->views.seen[slot];

    if (!qd_rule_allows(room, observer, slot, flags)) {
        return false;
    }
    return flags & QD_SIGHTING_SEEN ? qd_rule_stays(observer, seen, flags) : qd_rule_near(observer, seen, flags);
}

/* Of what it does not want any more. */
qd_room_leave_reason qd_rule_reason(const qd_room *room, const qd_observer *observer, uint32_t slot, uint32_t flags);

#endif
