/* SPDX-License-Identifier: Apache-2.0 */
#include "rule.h"

#include <float.h>
#include <math.h>

static float widened(float size, float margin)
{
    float wide = size + margin;

    return wide <= FLT_MAX ? wide : FLT_MAX;
}

void qd_observer_sizes(const qd_observer *observer, unsigned body, float half[3])
{
    const bool is_outer = body == QD_BODY_OUTER, is_box = observer->kind == QD_ROOM_BOX;

    for (unsigned k = 0; k < 3; k++) {
        const float size = is_box ? observer->half[k] : k == 0 ? observer->range : 0;

        half[k] = is_box || k == 0 ? widened(size, is_outer ? observer->leave_margin : 0) : 0;
    }
}

float qd_observer_widest(const qd_observer *observer)
{
    float half[3], most = 0;

    qd_observer_sizes(observer, QD_BODY_OUTER, half);
    for (unsigned k = 0; k < 3; k++) {
        most = half[k] > most ? half[k] : most;
    }
    return most;
}

double qd_rule_head_start(const qd_observer *observer)
{
    float range = observer->range;

    for (unsigned k = 0; k < 3 && observer->kind == QD_ROOM_BOX; k++) {
        range = observer->half[k] > range ? observer->half[k] : range;
    }
    return qd_rule_head_start_of(range, observer->leave_margin);
}

/* From the center of the observer to that of the entity. Returns the distance. */
static double apart(const qd_observer *observer, const qd_target *target, double d[3])
{
    double sum = 0;

    for (unsigned k = 0; k < 3; k++) {
        d[k] = (double)target->at[k] - (double)observer->at[k];
        sum += d[k] * d[k];
    }
    return sqrt(sum);
}

/* The part of `d` along the axis of a cone. */
static double along(const qd_observer *observer, const double d[3])
{
    double sum = 0;

    for (unsigned k = 0; k < 3; k++) {
        sum += d[k] * observer->unit[k];
    }
    return sum;
}

double qd_rule_distance(const qd_observer *observer, const qd_target *target)
{
    double d[3];

    return apart(observer, target, d);
}

bool qd_rule_in_cone(const qd_observer *observer, const qd_target *target)
{
    double d[3], distance = apart(observer, target, d);

    return along(observer, d) >= observer->cosine * distance;
}

bool qd_rule_near_cone(const qd_observer *observer, const qd_target *target)
{
    double d[3], distance = apart(observer, target, d), t = along(observer, d), sum = 0;

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

bool qd_rule_shows(const qd_views *views, const qd_observer *observer, uint32_t slot)
{
    return observer->show_count > 0 &&
           qd_rule_lists(observer->exceptions + observer->hide_count, observer->show_count, views->entities->id[slot]);
}

qd_room_leave_reason qd_rule_reason(const qd_views *views, const qd_observer *observer, uint32_t slot, uint32_t flags)
{
    const qd_target *target = &views->targets[slot];

    if (target->removed) {
        return target->removed == QD_SPACE_EXPIRED ? QD_ROOM_LEFT_EXPIRED : QD_ROOM_LEFT_DESPAWNED;
    }
    if (flags & QD_ENTRY_SHOWN) {
        return QD_ROOM_LEFT_LIMIT; /* an entity on `show` is allowed and near */
    }
    if (observer->hide_count > 0 &&
        qd_rule_lists(observer->exceptions, observer->hide_count, views->entities->id[slot])) {
        return QD_ROOM_LEFT_EXCEPTED;
    }
    if (target->hidden) {
        return QD_ROOM_LEFT_HIDDEN;
    }
    if ((observer->mask & target->category) == 0 || (slot == observer->anchor && !observer->sees_self)) {
        return QD_ROOM_LEFT_FILTERED;
    }
    if (observer->team != 0 && target->team != 0 && observer->team != target->team) {
        return QD_ROOM_LEFT_TEAM;
    }
    return qd_rule_stays(observer, target, flags) ? QD_ROOM_LEFT_LIMIT : QD_ROOM_LEFT_RANGE;
}
