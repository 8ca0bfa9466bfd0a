/* SPDX-License-Identifier: Apache-2.0
 *
 * THE RULE (room_views.h) for one observer and one entity: allowed, near, staying, and why not. The flags of the
 * visible entry say whether the entity is near in circles and boxes, as the visibility index or the join found it.
 */
#ifndef QD_ROOM_VIEWS_STATE_RULE_H
#define QD_ROOM_VIEWS_STATE_RULE_H

#include "view_state.h"

/* How large the region is, or the widened one with QD_BODY_OUTER: half extents, or the radius in half[0]. */
void qd_observer_sizes(const qd_observer *observer, unsigned body, float half[3]);
/* The largest half extent of the widened region, or its radius. */
float qd_observer_widest(const qd_observer *observer);
/* With a limit, entities in the view count as this much nearer than they are: a margin, or a sixteenth of the range. */
static inline double qd_rule_head_start_of(float range, float margin)
{
    const double sixteenth = (double)range / 16;

    return (double)margin > sixteenth ? (double)margin : sixteenth;
}
double qd_rule_head_start(const qd_observer *observer);
/* Between the centers. */
double qd_rule_distance(const qd_observer *observer, const qd_target *target);
/* Whether the entity is within the angle of a cone, without its margin and with it. */
bool qd_rule_in_cone(const qd_observer *observer, const qd_target *target);
bool qd_rule_near_cone(const qd_observer *observer, const qd_target *target);
/* Whether the ascending list has the id. */
bool qd_rule_lists(const uint32_t *ids, uint32_t count, uint32_t id);
/* Whether the entity is on the observer's list `show`. */
bool qd_rule_shows(const qd_views *views, const qd_observer *observer, uint32_t slot);

/* Whether it is an entity's turn in a tier, `phase` ticks after the start of its period, within the last `steps`
 * ticks. */
static inline bool qd_rule_is_turn(uint32_t every, uint32_t phase, uint32_t id, uint32_t steps)
{
    return (phase + id % every) % every < steps;
}

/* For an entity that is in the room, and on no list. */
static inline bool qd_rule_admits(const qd_observer *observer, const qd_target *target, uint32_t slot)
{
    bool same_team = (observer->team == 0) | (target->team == 0) | (observer->team == target->team);

    return !target->hidden && (observer->mask & target->category) != 0 && same_team &&
           (slot != observer->anchor || observer->sees_self);
}

static inline bool qd_rule_allows(const qd_views *views, const qd_observer *observer, uint32_t slot, uint32_t flags)
{
    const qd_target *target = &views->targets[slot];

    if (target->removed) {
        return false;
    }
    if (flags & QD_ENTRY_SHOWN) {
        return true;
    }
    return qd_rule_admits(observer, target, slot) &&
           (observer->hide_count == 0 ||
            !qd_rule_lists(observer->exceptions, observer->hide_count, views->entities->id[slot]));
}

static inline bool qd_rule_near(const qd_observer *observer, const qd_target *target, uint32_t flags)
{
    if (flags & QD_ENTRY_SHOWN) {
        return true;
    }
    return (flags & (QD_ENTRY_INNER | QD_ENTRY_BEACON_INNER)) != 0 &&
           (observer->kind != QD_ROOM_CONE || qd_rule_in_cone(observer, target));
}

static inline bool qd_rule_stays(const qd_observer *observer, const qd_target *target, uint32_t flags)
{
    if (qd_rule_near(observer, target, flags)) {
        return true;
    }
    return (flags & (QD_ENTRY_OUTER | QD_ENTRY_BEACON_OUTER)) != 0 &&
           (observer->kind != QD_ROOM_CONE || qd_rule_near_cone(observer, target));
}

/* Whether the observer wants the entity in its view. */
static inline bool qd_rule_wants(const qd_views *views, const qd_observer *observer, uint32_t slot, uint32_t flags)
{
    const qd_target *target = &views->targets[slot];

    if (!qd_rule_allows(views, observer, slot, flags)) {
        return false;
    }
    return flags & QD_ENTRY_SEEN ? qd_rule_stays(observer, target, flags) : qd_rule_near(observer, target, flags);
}

/* Of an entity in the view that the observer does not want any more. */
qd_room_leave_reason qd_rule_reason(const qd_views *views, const qd_observer *observer, uint32_t slot, uint32_t flags);

#endif
