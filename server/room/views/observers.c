/* SPDX-License-Identifier: Apache-2.0 */
#include "observers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../entities/refuse.h"
#include "../pairs/order.h"
#include "visibility_index.h"

#define PI ((float)M_PI) /* a little more than pi */

/* ---- rows ---- */

static uint64_t key_of(uint32_t member, uint32_t id)
{
    return (uint64_t)member << 32 | id;
}

uint32_t qd_observer_find(const qd_room *room, uint32_t member, uint32_t id)
{
    uint64_t row;

    return qd_map_get(&room->views.rows, key_of(member, id), &row) ? (uint32_t)row : QD_NONE;
}

static void link_member(qd_room *room, uint32_t row)
{
    qd_observer *all = room->views.observers, *observer = &all[row];
    qd_member_views *views = &room->members.rows[observer->member].views;

    observer->member_previous = QD_NONE;
    observer->member_next = views->first;
    if (views->first != QD_NONE) {
        all[views->first].member_previous = row;
    }
    views->first = row;
    views->observers++;
}

static void unlink_member(qd_room *room, uint32_t row)
{
    qd_observer *all = room->views.observers, *observer = &all[row];

    if (observer->member_previous != QD_NONE) {
        all[observer->member_previous].member_next = observer->member_next;
    } else {
        room->members.rows[observer->member].views.first = observer->member_next;
    }
    if (observer->member_next != QD_NONE) {
        all[observer->member_next].member_previous = observer->member_previous;
    }
}

static void link_anchored(qd_room *room, uint32_t row)
{
    qd_observer *all = room->views.observers, *observer = &all[row];

    if (observer->anchor == QD_NONE) {
        return;
    }
    uint32_t *first = &room->views.seen[observer->anchor].anchored;
    observer->anchored_previous = QD_NONE;
    observer->anchored_next = *first;
    if (*first != QD_NONE) {
        all[*first].anchored_previous = row;
    }
    *first = row;
}

static void unlink_anchored(qd_room *room, uint32_t row)
{
    qd_observer *all = room->views.observers, *observer = &all[row];

    if (observer->anchor == QD_NONE) {
        return;
    }
    if (observer->anchored_previous != QD_NONE) {
        all[observer->anchored_previous].anchored_next = observer->anchored_next;
    } else {
        room->views.seen[observer->anchor].anchored = observer->anchored_next;
    }
    if (observer->anchored_next != QD_NONE) {
        all[observer->anchored_next].anchored_previous = observer->anchored_previous;
    }
}

void qd_observer_end(qd_room *room, uint32_t row)
{
    qd_views *views = &room->views;
    qd_observer *observer = &views->observers[row];

    QD_ASSERT(observer->state == QD_OBSERVER_LIVE);
    (void)qd_map_remove(&views->rows, key_of(observer->member, observer->id));
    unlink_member(room, row);
    unlink_anchored(room, row);
    qd_sight_unfit(room, observer);
    observer->anchor = QD_NONE;
    observer->state = QD_OBSERVER_GONE;
    views->attention[row] = QD_ATTEND_GONE;
    views->shown -= observer->show_count;
    views->boxes -= observer->kind == QD_ROOM_BOX;
    views->live--;
    views->gone++;
    /* Who had no candidates has no view that ends, and none of its bodies comes up at the next tick. */
    if (observer->sightings.count == 0) {
        qd_observer_release(room, row);
    }
}

void qd_observer_release(qd_room *room, uint32_t row)
{
    qd_views *views = &room->views;
    qd_observer *observer = &views->observers[row];
    uint32_t member = observer->member;

    qd_sightings_deinit(&observer->sightings, room->heap);
    qd_heap_free(room->heap, observer->exceptions,
                 (observer->hide_count + observer->show_count) * sizeof observer->exceptions[0]);
    *observer = (qd_observer){.member_next = views->free, .body = {QD_NONE, QD_NONE, QD_NONE, QD_NONE}};
    views->free = row;
    views->attention[row] = 0;
    views->gone--;
    views->order_stale = true;
    room->members.rows[member].views.observers--;
    qd_room_retire(room, member);
}

static qd_status reserve_row(qd_room *room, uint32_t *row)
{
    qd_views *views = &room->views;

    if (views->free != QD_NONE) {
        *row = views->free;
        return QD_OK;
    }
    qd_observer *observers =
        qd_array_reserve(room->heap, views->observers, &views->capacity, sizeof views->observers[0], views->count);
    if (!observers) {
        return QD_ERR_NO_MEMORY;
    }
    views->observers = observers;
    uint8_t *attention = qd_array_reserve(room->heap, views->attention, &views->attention_capacity, 1, views->count);
    if (!attention) {
        return QD_ERR_NO_MEMORY;
    }
    views->attention = attention;
    *row = views->count;
    return QD_OK;
}

void qd_observers_rank(qd_room *room)
{
    qd_views *views = &room->views;
    uint32_t count = views->live + views->gone, members = 0, at = 0;

    if (!views->order_stale) {
        return;
    }
    views->order_stale = false;
    views->order_count = count;
    if (count == 0) {
        return;
    }
    views->order = qd_array_need(room->heap, views->order, &views->order_capacity, sizeof views->order[0], count - 1);
    size_t keys = qd_block_part(count, sizeof(uint64_t)), values = qd_block_part(count, sizeof(uint32_t));
    char *memory = qd_block_fit(&room->scratch, room->heap, 2 * (keys + values));
    qd_order order = {(uint64_t *)memory, (uint64_t *)(memory + keys), (uint32_t *)(memory + 2 * keys),
                      (uint32_t *)(memory + 2 * keys + values)};
    for (uint32_t row = 0; row < views->count; row++) {
        const qd_observer *observer = &views->observers[row];

        if (observer->state == QD_OBSERVER_FREE) {
            continue;
        }
        order.keys[at] = key_of(observer->member, observer->id);
        order.values[at++] = row;
        members |= observer->member;
    }
    QD_ASSERT(at == count);
    qd_order_sort(&order, count, 32, members ? 32u - (unsigned)__builtin_clz(members) : 0);
    for (uint32_t rank = 0; rank < count; rank++) {
        views->order[rank] = order.keys[rank];
        views->observers[order.values[rank]].rank = rank;
    }
}

/* ---- what a batch says ---- */

static float value_at(const float *column, uint32_t i)
{
    return column ? column[i] : 0;
}

static uint32_t number_at(const uint32_t *column, uint32_t i)
{
    return column ? column[i] : 0;
}

static bool are_finite(const float *values, unsigned count)
{
    bool finite = true;

    for (unsigned k = 0; k < count; k++) {
        finite &= isfinite(values[k]) != 0;
    }
    return finite;
}

static void take_vector(const qd_room *room, const float *x, const float *y, const float *z, uint32_t i, float to[3])
{
    to[0] = value_at(x, i);
    to[1] = value_at(y, i);
    to[2] = qd_room_is_3d(room) ? value_at(z, i) : 0;
}

/* Returns why a cone cannot look that way; 0: it does. */
static int aim(qd_observer *observer, const float direction[3])
{
    double sum = 0;

    if (!are_finite(direction, 3)) {
        return QD_ROOM_NOT_FINITE;
    }
    for (unsigned k = 0; k < 3; k++) {
        sum += (double)direction[k] * (double)direction[k];
    }
    if (!(sum > 0)) {
        return QD_ROOM_BAD_REGION;
    }
    double length = sqrt(sum);
    for (unsigned k = 0; k < 3; k++) {
        observer->direction[k] = direction[k];
        observer->unit[k] = (double)direction[k] / length;
    }
    return 0;
}

static int take_cone(const qd_room *room, const qd_room_observers *batch, uint32_t i, qd_observer *observer)
{
    float direction[3], angle = value_at(batch->angle, i);

    if (!isfinite(angle)) {
        return QD_ROOM_NOT_FINITE;
    }
    if (angle < 0 || angle > PI) {
        return QD_ROOM_BAD_REGION;
    }
    observer->angle = angle;
    /* In the fullest cone is everything, whatever rounding does. */
    observer->cosine = angle == PI ? -2 : cos((double)angle);
    observer->sine = sin((double)angle);
    take_vector(room, batch->direction_x, batch->direction_y, batch->direction_z, i, direction);
    return aim(observer, direction);
}

static int take_region(const qd_room *room, const qd_room_observers *batch, uint32_t i, qd_observer *observer)
{
    float sizes[5] = {0};

    observer->kind = batch->region ? batch->region[i] : QD_ROOM_CIRCLE;
    if (observer->kind < QD_ROOM_CIRCLE || observer->kind > QD_ROOM_CONE) {
        return QD_ROOM_BAD_REGION;
    }
    sizes[0] = value_at(batch->leave_margin, i);
    if (observer->kind == QD_ROOM_BOX) {
        take_vector(room, batch->half_x, batch->half_y, batch->half_z, i, sizes + 1);
    } else {
        sizes[4] = value_at(batch->range, i);
    }
    if (!are_finite(sizes, 5)) {
        return QD_ROOM_NOT_FINITE;
    }
    for (unsigned k = 0; k < 5; k++) {
        if (sizes[k] < 0) {
            return QD_ROOM_NEGATIVE_SIZE;
        }
    }
    observer->leave_margin = sizes[0];
    memcpy(observer->half, sizes + 1, sizeof observer->half);
    observer->range = sizes[4];
    return observer->kind == QD_ROOM_CONE ? take_cone(room, batch, i, observer) : 0;
}

static int take_place(const qd_room *room, uint32_t member, const qd_room_observers *batch, uint32_t i,
                      qd_observer *observer)
{
    observer->anchor = QD_NONE;
    if (!batch->flags || !(batch->flags[i] & QD_ROOM_OBSERVER_ANCHORED)) {
        take_vector(room, batch->x, batch->y, batch->z, i, observer->at);
        return are_finite(observer->at, 3) ? 0 : QD_ROOM_NOT_FINITE;
    }
    qd_place place = batch->entity ? qd_ids_get(&room->ids, batch->entity[i]) : (qd_place){QD_SLOT_NONE, 0};
    observer->anchor = place.slot;
    return qd_check_place(place, member);
}

/* All that the batch says of it, into a row that is to be its. */
static int take(const qd_room *room, uint32_t member, const qd_room_observers *batch, uint32_t i, qd_observer *observer)
{
    int refusal = take_region(room, batch, i, observer);

    if (!refusal) {
        refusal = take_place(room, member, batch, i, observer);
    }
    if (refusal) {
        return refusal;
    }
    observer->sees_self = batch->flags && batch->flags[i] & QD_ROOM_OBSERVER_SELF;
    observer->mask = batch->mask ? batch->mask[i] : UINT32_MAX;
    observer->team = number_at(batch->team, i);
    observer->limit = number_at(batch->limit, i);
    observer->enter_budget = number_at(batch->enter_budget, i);
    observer->is_plain = observer->leave_margin <= 0 && observer->enter_budget == 0;
    observer->tiers = (uint8_t)batch->tiers;
    for (uint32_t tier = 0; tier < batch->tiers; tier++) {
        observer->relay_range[tier] = batch->relay_range[tier];
        observer->relay_every[tier] = (uint16_t)batch->relay_every[tier];
    }
    return 0;
}

static bool tiers_are_good(const qd_room_observers *batch)
{
    if (batch->tiers > QD_VIEW_TIERS_MAX) {
        return false;
    }
    for (uint32_t i = 0; i < batch->tiers; i++) {
        if (!isfinite(batch->relay_range[i]) || (i > 0 && batch->relay_range[i] < batch->relay_range[i - 1]) ||
            batch->relay_every[i] < 1 || batch->relay_every[i] > QD_VIEW_EVERY_MAX) {
            return false;
        }
    }
    return true;
}

/* ---- observe ---- */

void qd_observer_relay(qd_room *room, uint32_t row)
{
    qd_observer *observer = &room->views.observers[row];

    /* As long ago as can be said: of what is in view nothing was told. */
    qd_sightings_relay(&observer->sightings, room->heap, observer->tiers > 0, room->views.round - UINT32_MAX / 4);
}

/* Which observers cannot be served by what has changed alone. */
static uint8_t attention_for(const qd_observer *observer)
{
    bool always = observer->limit > 0 || observer->kind == QD_ROOM_CONE || observer->show_count > 0;

    return QD_ATTEND_ONCE | (always ? QD_ATTEND_ALWAYS : 0) | (observer->tiers > 0 ? QD_ATTEND_RELAY : 0);
}

static int create(qd_room *room, uint32_t member, uint32_t id, qd_observer *observer)
{
    qd_views *views = &room->views;
    uint32_t row;

    if (views->live >= room->config.observers_max || reserve_row(room, &row) != QD_OK) {
        return QD_ROOM_OBSERVERS_FULL;
    }
    if (!views->sight && qd_sight_open(room) != QD_OK) {
        return QD_ROOM_OBSERVERS_FULL;
    }
    observer->member = member;
    observer->id = id;
    observer->state = QD_OBSERVER_LIVE;
    observer->sightings.multiplier = views->multiplier;
    observer->said = views->round + 1;
    if (observer->anchor != QD_NONE) {
        memcpy(observer->at, views->seen[observer->anchor].at, sizeof observer->at);
    }
    if (qd_sight_fit(room, row, observer) != QD_OK) {
        goto fail;
    }
    if (qd_map_put(&views->rows, key_of(member, id), row) != QD_OK) {
        qd_sight_unfit(room, observer);
        goto fail;
    }
    if (row == views->free) {
        views->free = views->observers[row].member_next;
    } else {
        views->count++;
    }
    views->observers[row] = *observer;
    views->attention[row] = attention_for(observer);
    views->live++;
    views->boxes += observer->kind == QD_ROOM_BOX;
    views->order_stale = true;
    qd_observer_relay(room, row);
    link_member(room, row);
    link_anchored(room, row);
    return 0;

fail:
    /* One whose views are suspended goes at the next tick, as that ends with it and is told. */
    if (views->live + views->gone == 0 && !views->suspended) {
        qd_sight_close(room);
    }
    return QD_ROOM_OBSERVERS_FULL;
}

static int change(qd_room *room, uint32_t row, qd_observer *observer)
{
    qd_views *views = &room->views;

    observer->said = views->round + 1;
    if (observer->anchor != QD_NONE) {
        memcpy(observer->at, views->seen[observer->anchor].at, sizeof observer->at);
    }
    if (qd_sight_fit(room, row, observer) != QD_OK) {
        return QD_ROOM_OBSERVERS_FULL;
    }
    unlink_anchored(room, row);
    views->boxes += observer->kind == QD_ROOM_BOX;
    views->boxes -= views->observers[row].kind == QD_ROOM_BOX;
    views->observers[row] = *observer;
    link_anchored(room, row);
    views->attention[row] = attention_for(observer);
    qd_observer_relay(room, row);
    return 0;
}

static int observe_one(qd_room *room, uint32_t member, const qd_room_observers *batch, uint32_t i)
{
    uint32_t row = qd_observer_find(room, member, batch->id[i]);
    qd_observer observer = {.body = {QD_NONE, QD_NONE, QD_NONE, QD_NONE}};

    if (row != QD_NONE) {
        observer = room->views.observers[row];
    }
    int refusal = take(room, member, batch, i, &observer);
    if (refusal) {
        return refusal;
    }
    return row == QD_NONE ? create(room, member, batch->id[i], &observer) : change(room, row, &observer);
}

void qd_room_observe(qd_room *room, uint32_t member, const qd_room_observers *batch, qd_room_refusals *refusals)
{
    bool is_good = tiers_are_good(batch);

    (void)qd_room_member(room, member);
    room->views.in_use = true;
    qd_refuse_none(refusals);
    for (uint32_t i = 0; i < batch->count; i++) {
        int refusal = is_good ? observe_one(room, member, batch, i) : QD_ROOM_BAD_REGION;

        if (refusal) {
            qd_refuse(refusals, i, refusal);
        }
    }
}

static int move_one(qd_room *room, uint32_t member, const qd_room_observers *batch, uint32_t i)
{
    uint32_t row = qd_observer_find(room, member, batch->id[i]);
    float at[3], direction[3];

    if (row == QD_NONE) {
        return QD_ROOM_UNKNOWN_OBSERVER;
    }
    qd_observer *observer = &room->views.observers[row];
    take_vector(room, batch->x, batch->y, batch->z, i, at);
    if ((batch->x && observer->anchor != QD_NONE) || (batch->direction_x && observer->kind != QD_ROOM_CONE)) {
        return QD_ROOM_BAD_REGION;
    }
    if (!are_finite(at, 3)) {
        return QD_ROOM_NOT_FINITE;
    }
    if (batch->direction_x) {
        take_vector(room, batch->direction_x, batch->direction_y, batch->direction_z, i, direction);
        int refusal = aim(observer, direction);
        if (refusal) {
            return refusal;
        }
    }
    if (batch->x) {
        memcpy(observer->at, at, sizeof at);
        qd_sight_centre(room, observer);
    }
    return 0;
}

void qd_room_observers_move(qd_room *room, uint32_t member, const qd_room_observers *batch, qd_room_refusals *refusals)
{
    (void)qd_room_member(room, member);
    qd_refuse_none(refusals);
    for (uint32_t i = 0; i < batch->count; i++) {
        int refusal = move_one(room, member, batch, i);

        if (refusal) {
            qd_refuse(refusals, i, refusal);
        }
    }
}

void qd_room_unobserve(qd_room *room, uint32_t member, uint32_t count, const uint32_t *id, qd_room_refusals *refusals)
{
    (void)qd_room_member(room, member);
    qd_refuse_none(refusals);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t row = qd_observer_find(room, member, id[i]);

        if (row == QD_NONE) {
            qd_refuse(refusals, i, QD_ROOM_UNKNOWN_OBSERVER);
        } else {
            qd_observer_end(room, row);
        }
    }
}

/* ---- exceptions ---- */

static int by_number(const void *a, const void *b)
{
    uint32_t one = *(const uint32_t *)a, other = *(const uint32_t *)b;

    return one < other ? -1 : one > other;
}

qd_status qd_room_except(qd_room *room, uint32_t member, uint32_t id, uint32_t show_count, const uint32_t *show,
                         uint32_t hide_count, const uint32_t *hide)
{
    (void)qd_room_member(room, member);
    uint32_t row = qd_observer_find(room, member, id);
    if (row == QD_NONE) {
        return QD_ERR_NOT_FOUND;
    }
    if (show_count > QD_VIEW_EXCEPTIONS_MAX || hide_count > QD_VIEW_EXCEPTIONS_MAX) {
        return QD_ERR_INVALID;
    }

    qd_observer *observer = &room->views.observers[row];
    uint32_t *exceptions = NULL;
    if (show_count + hide_count > 0) {
        exceptions = qd_heap_alloc(room->heap, (show_count + hide_count) * sizeof exceptions[0]);
        if (!exceptions) {
            return QD_ERR_NO_MEMORY;
        }
        if (hide_count > 0) {
            memcpy(exceptions, hide, hide_count * sizeof hide[0]);
        }
        if (show_count > 0) {
            memcpy(exceptions + hide_count, show, show_count * sizeof show[0]);
        }
        qsort(exceptions, hide_count, sizeof exceptions[0], by_number);
        qsort(exceptions + hide_count, show_count, sizeof exceptions[0], by_number);
    }
    qd_heap_free(room->heap, observer->exceptions,
                 (observer->hide_count + observer->show_count) * sizeof observer->exceptions[0]);
    room->views.shown += show_count;
    room->views.shown -= observer->show_count;
    observer->exceptions = exceptions;
    observer->hide_count = (uint16_t)hide_count;
    observer->show_count = (uint16_t)show_count;
    observer->said = room->views.round + 1;
    room->views.attention[row] = attention_for(observer);
    return QD_OK;
}
