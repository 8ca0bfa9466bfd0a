/* SPDX-License-Identifier: Apache-2.0 */
#include "rule.h"

#include <math.h>

/* From the centre of the observer to that of the entity, and how far that is. */
static double apart(const qd_observer *observer, const qd_seen *seen, double d[3])
{
    double sum = 0;

    for (unsigned k = 0; k < 3; k++) {
        d[k] = (double)seen->at[k] - (double)observer->at[k];
        sum += d[k] * d[k];
    }
    return sqrt(sum);
}

/* How far along the unit vector. */
static double along(const qd_observer *observer, const double d[3])
{
    double sum = 0;

    for (unsigned k = 0; k < 3; k++) {
        sum += d[k] * observer->unit[k];
    }
    return sum;
}

double qd_rule_distance(const qd_observer *observer, const qd_seen *seen)
{
    double d[3];

    return apart(observer, seen, d);
}

bool qd_rule_in_cone(const qd_observer *observer, const qd_seen *seen)
{
    double d[3], distance = apart(observer, seen, d);

    return along(observer, d) >= observer->cosine * distance;
}

bool qd_rule_near_cone(const qd_observer *observer, const qd_seen *seen)
{
    double d[3], distance = apart(observer, seen, d), t = along(observer, d), sum = 0;

    if (t >= observer->cosine * distance) {
        return true;
    }
    for (unsigned k = 0; k < 3; k++) {
        double off = d[k] - t * observer->unit[k];

        sum += off * off;
    }
    return sqrt(sum) * observer->cosine - t * observer->sine <= (double)observer->leave_margin;
}

bool qd_rule_lists(const uint32_t *ids, uint32_t count, uint32_t id)
{
    uint32_t first = 0;

    while (count > 0) {
        uint32_t half = count / 2;

        if (ids[first + half] == id) {
            return true;
        }
        if (ids[first + half] < id) {
            first += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return false;
}

qd_room_leave_reason qd_rule_reason(const qd_room *room, const qd_observer *observer, uint32_t slot, uint32_t flags)
{
    const qd_seen *seen = &room->views.seen[slot];

    if (seen->removed) {
        return seen->removed == QD_SPACE_EXPIRED ? QD_ROOM_LEFT_EXPIRED : QD_ROOM_LEFT_DESPAWNED;
    }
    if (flags & QD_SIGHTING_SHOWN) {
        return QD_ROOM_LEFT_LIMIT; /* what is on `show` is allowed and near */
    }
    if (observer->hide_count > 0 &&
        qd_rule_lists(observer->exceptions, observer->hide_count, room->entities.id[slot])) {
        return QD_ROOM_LEFT_EXCEPTED;
    }
    if (seen->hidden) {
        return QD_ROOM_LEFT_HIDDEN;
    }
    if ((observer->mask & seen->category) == 0 || (slot == observer->anchor && !observer->sees_self)) {
        return QD_ROOM_LEFT_FILTERED;
    }
    if (observer->team != 0 && seen->team != 0 && observer->team != seen->team) {
        return QD_ROOM_LEFT_TEAM;
    }
    return qd_rule_stays(observer, seen, flags) ? QD_ROOM_LEFT_LIMIT : QD_ROOM_LEFT_RANGE;
}
