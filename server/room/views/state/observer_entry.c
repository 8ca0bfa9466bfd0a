/* SPDX-License-Identifier: Apache-2.0 */
#include "observer_entry.h"

#include <string.h>

#include "../../entities/members.h"

#define PI ((float)M_PI) /* a little more than pi */

static uint32_t number_at(const uint32_t *column, uint32_t i)
{
    return column ? column[i] : 0;
}

/* The numbers of fields; those of y and z follow x. */
enum {
    OBSERVE_REGION = 3,
    OBSERVE_ENTITY = 5,
    OBSERVE_X = 6,
    OBSERVE_RANGE = 9,
    OBSERVE_HALF_X = 10,
    OBSERVE_DIRECTION_X = 13,
    OBSERVE_ANGLE = 16,
    OBSERVE_LEAVE_MARGIN = 17,
};

int qd_observer_aim(qd_observer *observer, const float direction[3], unsigned x)
{
    int refusal = qd_observer_check_finite(direction, x);
    double sum = 0;

    if (refusal) {
        return refusal;
    }
    for (unsigned k = 0; k < 3; k++) {
        sum += (double)direction[k] * (double)direction[k];
    }
    if (!(sum > 0)) {
        return QD_REFUSED_FIELD(QD_ROOM_BAD_REGION, x);
    }
    double length = sqrt(sum);
    for (unsigned k = 0; k < 3; k++) {
        observer->direction[k] = direction[k];
        observer->unit[k] = (double)direction[k] / length;
    }
    return 0;
}

static int take_cone(const qd_views *views, const qd_msg_observers *batch, uint32_t i, qd_observer *observer)
{
    float direction[3], angle = qd_observer_value_at(batch->angle, i);

    if (!isfinite(angle)) {
        return QD_REFUSED_FIELD(QD_ROOM_NOT_FINITE, OBSERVE_ANGLE);
    }
    if (angle < 0 || angle > PI) {
        return QD_REFUSED_FIELD(QD_ROOM_BAD_REGION, OBSERVE_ANGLE);
    }
    observer->angle = angle;
    /* A cone of angle pi holds everything, however its numbers are rounded. */
    observer->cosine = angle == PI ? -2 : cos((double)angle);
    observer->sine = sin((double)angle);
    qd_observer_take_vector(views, batch->direction_x, batch->direction_y, batch->direction_z, i, direction);
    return qd_observer_aim(observer, direction, OBSERVE_DIRECTION_X);
}

static int take_region(const qd_views *views, const qd_msg_observers *batch, uint32_t i, qd_observer *observer)
{
    static const uint8_t fields[5] = {OBSERVE_LEAVE_MARGIN, OBSERVE_HALF_X, OBSERVE_HALF_X + 1, OBSERVE_HALF_X + 2,
                                      OBSERVE_RANGE};
    float sizes[5] = {0};

    observer->kind = batch->region ? batch->region[i] : QD_ROOM_CIRCLE;
    if (observer->kind < QD_ROOM_CIRCLE || observer->kind > QD_ROOM_CONE) {
        return QD_REFUSED_FIELD(QD_ROOM_BAD_REGION, OBSERVE_REGION);
    }
    sizes[0] = qd_observer_value_at(batch->leave_margin, i);
    if (observer->kind == QD_ROOM_BOX) {
        qd_observer_take_vector(views, batch->half_x, batch->half_y, batch->half_z, i, sizes + 1);
    } else {
        sizes[4] = qd_observer_value_at(batch->range, i);
    }
    for (unsigned k = 0; k < 5; k++) {
        if (!isfinite(sizes[k])) {
            return QD_REFUSED_FIELD(QD_ROOM_NOT_FINITE, fields[k]);
        }
    }
    for (unsigned k = 0; k < 5; k++) {
        if (sizes[k] < 0) {
            return QD_REFUSED_FIELD(QD_ROOM_NEGATIVE_SIZE, fields[k]);
        }
    }
    observer->leave_margin = sizes[0];
    memcpy(observer->half, sizes + 1, sizeof observer->half);
    observer->range = sizes[4];
    return observer->kind == QD_ROOM_CONE ? take_cone(views, batch, i, observer) : 0;
}

static int take_position(const qd_views *views, uint32_t member, const qd_msg_observers *batch, uint32_t i,
                         qd_observer *observer)
{
    observer->anchor = QD_NONE;
    if (!qd_observers_anchored(batch, i)) {
        qd_observer_take_vector(views, batch->x, batch->y, batch->z, i, observer->at);
        return qd_observer_check_finite(observer->at, OBSERVE_X);
    }
    qd_id_entry entry =
        batch->entity ? qd_ids_get(&views->entities->ids, batch->entity[i]) : (qd_id_entry){QD_SLOT_NONE, 0};
    observer->anchor = entry.slot;
    int code = qd_check_entry(entry, member);
    if (code == QD_ROOM_NOT_OWNER && qd_members_at(views->entities, member)->observes_all) {
        return 0;
    }
    return code ? QD_REFUSED_FIELD(code, OBSERVE_ENTITY) : 0;
}

int qd_observer_take(const qd_views *views, uint32_t member, const qd_msg_observers *batch, uint32_t i,
                     qd_observer *observer)
{
    int refusal = take_region(views, batch, i, observer);

    if (!refusal) {
        refusal = take_position(views, member, batch, i, observer);
    }
    if (refusal) {
        return refusal;
    }
    observer->sees_self = batch->sees_self && batch->sees_self[i] != 0;
    observer->mask = batch->mask ? batch->mask[i] : UINT32_MAX;
    observer->team = number_at(batch->team, i);
    observer->limit = number_at(batch->limit, i);
    observer->enter_budget = number_at(batch->enter_budget, i);
    observer->is_plain = observer->leave_margin <= 0 && observer->enter_budget == 0 && observer->limit == 0;
    observer->tiers = (uint8_t)batch->tier_count;
    for (uint32_t tier = 0; tier < batch->tier_count; tier++) {
        observer->relay_range[tier] = batch->relay_range[tier];
        observer->relay_every[tier] = (uint16_t)batch->relay_every[tier];
    }
    return 0;
}

bool qd_observer_tiers_are_good(const qd_msg_observers *batch)
{
    if (batch->tier_count > QD_VIEW_TIERS_MAX) {
        return false;
    }
    for (uint32_t i = 0; i < batch->tier_count; i++) {
        if (!isfinite(batch->relay_range[i]) || (i > 0 && batch->relay_range[i] < batch->relay_range[i - 1]) ||
            batch->relay_every[i] < 1 || batch->relay_every[i] > QD_VIEW_EVERY_MAX) {
            return false;
        }
    }
    return true;
}
