/* SPDX-License-Identifier: Apache-2.0 */
#include "visibility_index.h"

#include <string.h>

#include "../state/last_tick.h"
#include "../state/rule.h"
#include "../state/spans.h"

#define CHUNK_COUNT 512u /* its columns stay in the first level of cache */

/* ---- bodies ---- */

static const struct {
    uint32_t category, mask;
} filters[] = {
    [QD_BODY_INNER] = {2, 1},        [QD_BODY_OUTER] = {2, 1}, [QD_BODY_BEACON_INNER] = {8, 4},
    [QD_BODY_BEACON_OUTER] = {8, 4}, [QD_BODY_POINT] = {1, 2}, [QD_BODY_BEACON] = {4, 8},
};

static qd_body point(const float at[3])
{
    return (qd_body){.x = at[0], .y = at[1], .z = at[2], .shape = QD_SPACE_BOX};
}

static qd_body circle(const float at[3], float radius)
{
    return (qd_body){.x = at[0], .y = at[1], .z = at[2], .half_x = radius, .shape = QD_SPACE_CIRCLE};
}

/* While the spatial join is in use, observers meet nothing in the index. */
static uint32_t mask_of(const qd_views *views, unsigned kind)
{
    return views->uses_join && kind < QD_BODIES ? 0 : filters[kind].mask;
}

static qd_status add(qd_views *views, unsigned kind, uint32_t index, qd_body body, uint32_t *slot)
{
    body.category = filters[kind].category;
    body.mask = mask_of(views, kind);
    qd_status status = qd_space_add(views->index, &body, slot);
    if (status != QD_OK) {
        return status;
    }
    if (!qd_array_reserve(views->heap, views->use, views->use_capacity, *slot)) {
        (void)qd_space_remove(views->index, *slot, QD_SPACE_DESPAWNED); /* its slot is free at once */
        *slot = QD_NONE;
        return QD_ERR_NO_MEMORY;
    }
    views->use[*slot] = qd_use(kind, index);
    return QD_OK;
}

/* The index reuses no slot before it settles. */
static void drop(qd_views *views, uint32_t *slot)
{
    if (*slot != QD_NONE) {
        (void)qd_space_remove(views->index, *slot, QD_SPACE_DESPAWNED);
    }
    *slot = QD_NONE;
}

/* ---- observers ---- */

static qd_body body_of(const qd_observer *observer, unsigned kind)
{
    float half[3];

    if (kind == QD_BODY_BEACON_INNER || kind == QD_BODY_BEACON_OUTER) {
        return circle(observer->at, kind == QD_BODY_BEACON_OUTER ? observer->leave_margin : 0);
    }
    qd_observer_sizes(observer, kind, half);
    if (observer->kind != QD_ROOM_BOX) {
        return circle(observer->at, half[0]);
    }
    return (qd_body){
        .x = observer->at[0],
        .y = observer->at[1],
        .z = observer->at[2],
        .half_x = half[0],
        .half_y = half[1],
        .half_z = half[2],
        .shape = QD_SPACE_BOX,
    };
}

static bool needs(const qd_views *views, const qd_observer *observer, unsigned kind)
{
    bool is_outer = kind == QD_BODY_OUTER || kind == QD_BODY_BEACON_OUTER;
    bool is_beacon = kind == QD_BODY_BEACON_INNER || kind == QD_BODY_BEACON_OUTER;

    return (!is_outer || observer->leave_margin > 0) && (!is_beacon || views->has_beacons);
}

qd_status qd_view_index_fit(qd_views *views, uint32_t row, qd_observer *observer)
{
    bool is_new[QD_BODIES] = {false};

    for (unsigned kind = 0; kind < QD_BODIES; kind++) {
        if (observer->body[kind] != QD_NONE || !needs(views, observer, kind)) {
            continue;
        }
        qd_status status = add(views, kind, row, body_of(observer, kind), &observer->body[kind]);
        if (status != QD_OK) {
            for (unsigned i = 0; i < kind; i++) {
                if (is_new[i]) {
                    drop(views, &observer->body[i]);
                }
            }
            observer->body[kind] = QD_NONE;
            return status;
        }
        is_new[kind] = true;
    }
    for (unsigned kind = 0; kind < QD_BODIES; kind++) {
        if (!needs(views, observer, kind)) {
            drop(views, &observer->body[kind]);
        } else if (!is_new[kind]) {
            const qd_body body = body_of(observer, kind);
            const qd_status reshaped = qd_space_reshape(views->index, observer->body[kind], &body);

            QD_ASSERT(reshaped == QD_OK); /* it is no capsule */
        }
    }
    qd_view_index_center(views, observer);
    return QD_OK;
}

void qd_view_index_unfit(qd_views *views, qd_observer *observer)
{
    for (unsigned kind = 0; kind < QD_BODIES; kind++) {
        drop(views, &observer->body[kind]);
    }
}

/* Bodies to move, in chunks. */
struct positions {
    qd_views *views;
    uint32_t count;
    uint32_t slot[CHUNK_COUNT];
    float x[CHUNK_COUNT], y[CHUNK_COUNT], z[CHUNK_COUNT];
};

static void flush(struct positions *positions)
{
    qd_space_move(positions->views->index, positions->count, positions->slot, positions->x, positions->y,
                  positions->views->entities->is_3d ? positions->z : NULL);
    positions->count = 0;
}

static void add_position(struct positions *positions, uint32_t slot, const float at[3])
{
    if (slot == QD_NONE) {
        return;
    }
    if (positions->count == CHUNK_COUNT) {
        flush(positions);
    }
    positions->slot[positions->count] = slot;
    positions->x[positions->count] = at[0];
    positions->y[positions->count] = at[1];
    positions->z[positions->count++] = at[2];
}

static void add_observer(struct positions *positions, const qd_observer *observer)
{
    for (unsigned kind = 0; kind < QD_BODIES; kind++) {
        add_position(positions, observer->body[kind], observer->at);
    }
}

void qd_view_index_center(qd_views *views, const qd_observer *observer)
{
    struct positions positions;

    if (views->uses_join) {
        return;
    }
    positions.views = views;
    positions.count = 0;
    add_observer(&positions, observer);
    flush(&positions);
}

#define AHEAD 8u

/* Entities and observers are anywhere in memory. */
static void prefetch_carriers(const qd_views *views, uint32_t i)
{
    if (i + 2 * AHEAD < views->changed_carriers_count) {
        __builtin_prefetch(&views->targets[views->changed_carriers[i + 2 * AHEAD]]);
    }
    if (i + AHEAD < views->changed_carriers_count) {
        const uint32_t row = views->targets[views->changed_carriers[i + AHEAD]].anchored;

        if (row != QD_NONE) {
            __builtin_prefetch(&views->observers[row].at, 1);
        }
    }
}

/* Observers go where their entity is. */
static const qd_target *carry(qd_views *views, uint32_t i)
{
    qd_target *target = &views->targets[views->changed_carriers[i]];

    prefetch_carriers(views, i);
    target->flags &= (uint8_t)~QD_TARGET_CARRIER_CHANGED;
    for (uint32_t row = target->anchored; row != QD_NONE; row = views->observers[row].of_anchor.next) {
        memcpy(views->observers[row].at, target->at, sizeof target->at);
    }
    return target;
}

/* The index follows, too. */
static void carry_bodies(qd_views *views)
{
    struct positions positions;

    positions.views = views;
    positions.count = 0;
    for (uint32_t i = 0; i < views->changed_carriers_count; i++) {
        const qd_target *target = carry(views, i);

        add_position(&positions, target->beacon, target->at);
        for (uint32_t row = target->anchored; row != QD_NONE; row = views->observers[row].of_anchor.next) {
            add_observer(&positions, &views->observers[row]);
        }
    }
    flush(&positions);
}

struct carrying {
    qd_views *views;
    qd_view_spans spans;
};

static void carry_span(size_t span, void *argument)
{
    const struct carrying *carrying = argument;
    const uint32_t end = qd_view_span_first(&carrying->spans, span + 1);

    for (uint32_t i = qd_view_span_first(&carrying->spans, span); i < end; i++) {
        (void)carry(carrying->views, i);
    }
}

void qd_view_index_follow(qd_views *views, const qd_executor *executor)
{
    struct carrying carrying = {views,
                                qd_view_spans_of(views, executor, views->changed_carriers_count, QD_VIEW_SPAN_MIN)};

    if (views->uses_join) {
        executor->run(executor->context, carrying.spans.count, carry_span, &carrying);
    } else {
        carry_bodies(views);
    }
    views->changed_carriers_count = 0;
}

void qd_view_index_refilter(qd_views *views)
{
    qd_space_events none;

    for (uint32_t row = 0; row < views->count; row++) {
        for (unsigned kind = 0; kind < QD_BODIES && views->observers[row].state == QD_OBSERVER_LIVE; kind++) {
            const uint32_t slot = views->observers[row].body[kind];

            if (slot != QD_NONE) {
                qd_space_refilter(views->index, slot, filters[kind].category, mask_of(views, kind));
            }
        }
    }
    qd_space_tick(views->index, &qd_executor_serial, QD_SPACE_WANT_NOTHING, 0, &none);
    (void)qd_space_settle(views->index);
}

void qd_view_index_catch_up(qd_views *views)
{
    struct positions positions;

    positions.views = views;
    positions.count = 0;
    for (uint32_t slot = 0; slot < views->target_end; slot++) {
        add_position(&positions, views->targets[slot].point, views->targets[slot].at);
        add_position(&positions, views->targets[slot].beacon, views->targets[slot].at);
    }
    for (uint32_t row = 0; row < views->count; row++) {
        if (views->observers[row].state == QD_OBSERVER_LIVE) {
            add_observer(&positions, &views->observers[row]);
        }
    }
    flush(&positions);
    qd_view_index_refilter(views);
}

/* ---- entities ---- */

static void list_target(qd_views *views, uint32_t slot, uint8_t flag)
{
    if (views->targets[slot].flags & flag) {
        return;
    }
    views->targets[slot].flags |= flag;
    if (flag == QD_TARGET_CARRIER_CHANGED) {
        QD_ASSERT(views->changed_carriers_count < views->changed_carriers_capacity);
        views->changed_carriers[views->changed_carriers_count++] = slot;
    } else {
        QD_ASSERT(views->changed_count < views->changed_capacity);
        views->changed[views->changed_count++] = slot;
    }
}

/* Entities that are listed and carry nothing any more count, too. */
bool qd_view_index_reserve_carrier(qd_views *views)
{
    return qd_array_reserve(views->heap, views->changed_carriers, views->changed_carriers_capacity,
                            views->changed_carriers_count + views->carried);
}

qd_status qd_view_index_reserve_change(qd_views *views)
{
    if (!views->index) {
        return QD_OK;
    }
    if (!qd_last_tick_reserve_target(views) ||
        !qd_array_reserve(views->heap, views->changed, views->changed_capacity, views->changed_count)) {
        return QD_ERR_NO_MEMORY;
    }
    return QD_OK;
}

/* Beacons may be beyond all tiers of an observer (qd_kept_relay). */
static void attend_relays(qd_views *views)
{
    for (uint32_t row = 0; row < views->count; row++) {
        const qd_observer *observer = &views->observers[row];

        views->attention[row] |= observer->is_derived && observer->tiers > 0 ? QD_ATTEND_ONCE : 0;
    }
}

/* With the first beacon, all observers need the bodies that meet beacons. */
static qd_status add_beacon_bodies(qd_views *views)
{
    qd_status status = QD_OK;

    if (views->has_beacons) {
        return QD_OK;
    }
    views->has_beacons = true;
    for (uint32_t row = 0; row < views->count && status == QD_OK; row++) {
        if (views->observers[row].state == QD_OBSERVER_LIVE) {
            status = qd_view_index_fit(views, row, &views->observers[row]);
        }
    }
    if (status == QD_OK) {
        attend_relays(views);
        return QD_OK;
    }
    views->has_beacons = false;
    for (uint32_t row = 0; row < views->count; row++) {
        drop(views, &views->observers[row].body[QD_BODY_BEACON_INNER]);
        drop(views, &views->observers[row].body[QD_BODY_BEACON_OUTER]);
    }
    return status;
}

static void drop_beacon(qd_views *views, qd_target *target)
{
    views->carried -= target->beacon != QD_NONE;
    views->beacons -= target->beacon != QD_NONE;
    drop(views, &target->beacon);
}

static qd_status set_beacon(qd_views *views, uint32_t slot, float visible_range)
{
    qd_target *target = &views->targets[slot];
    qd_body body = circle(target->at, visible_range);
    qd_status status = QD_OK;

    if (visible_range <= 0) {
        drop_beacon(views, target);
    } else if (target->beacon != QD_NONE) {
        status = qd_space_reshape(views->index, target->beacon, &body);
    } else {
        status = qd_view_index_reserve_carrier(views) ? add_beacon_bodies(views) : QD_ERR_NO_MEMORY;
        if (status == QD_OK) {
            status = add(views, QD_BODY_BEACON, slot, body, &target->beacon);
        }
        views->carried += status == QD_OK;
        views->beacons += status == QD_OK;
    }
    if (status == QD_OK) {
        views->population += (target->visible_range > 0) != (visible_range > 0);
        target->flags |= visible_range > 0 ? QD_TARGET_BEACON : 0;
        target->visible_range = visible_range;
    }
    return status;
}

qd_status qd_view_index_add(qd_views *views, uint32_t slot, const qd_body *body)
{
    if (!views->index) {
        return QD_OK;
    }
    if (!qd_array_reserve(views->heap, views->targets, views->target_capacity, slot) ||
        !qd_array_reserve(views->heap, views->was, views->was_capacity, slot)) {
        return QD_ERR_NO_MEMORY;
    }
    while (views->target_end <= slot) {
        views->targets[views->target_end++] = (qd_target){.point = QD_NONE, .beacon = QD_NONE, .anchored = QD_NONE};
    }
    qd_target *target = &views->targets[slot];
    views->population++;
    *target = (qd_target){
        .at = {body->x, body->y, body->z},
        .position_round = views->round + 1,
        .spawn_round = views->round + 1,
        .category = body->category,
        .point = QD_NONE,
        .beacon = QD_NONE,
        .anchored = QD_NONE,
    };
    qd_status status = add(views, QD_BODY_POINT, slot, point(target->at), &target->point);
    if (status != QD_OK) {
        return status;
    }
    if (slot >= views->descriptions_capacity) {
        return QD_OK;
    }
    target->team = views->descriptions[slot].team;
    target->hidden = views->descriptions[slot].hidden;
    status = set_beacon(views, slot, views->descriptions[slot].visible_range);
    if (status != QD_OK) {
        drop(views, &target->point);
    }
    return status;
}

void qd_view_index_remove(qd_views *views, uint32_t slot, qd_space_reason reason)
{
    if (!views->index) {
        return;
    }
    qd_target *target = &views->targets[slot];
    if (target->position_round != views->round + 1) {
        memcpy(views->was[slot].at, target->at, sizeof target->at);
        target->position_round = views->round + 1; /* the round that first shows it gone */
    }
    target->removed = (uint8_t)reason;
    views->population++;
    drop(views, &target->point);
    drop_beacon(views, target);
}

void qd_view_index_move(qd_views *views, uint32_t count, const uint32_t *slots, const float *x, const float *y,
                        const float *z)
{
    uint32_t points[CHUNK_COUNT];

    if (!views->index) {
        return;
    }
    views->move_count += count;
    for (uint32_t first = 0; first < count; first += CHUNK_COUNT) {
        uint32_t some = count - first < CHUNK_COUNT ? count - first : CHUNK_COUNT;

        for (uint32_t i = 0; i < some; i++) {
            uint32_t slot = slots[first + i];
            qd_target *target = &views->targets[slot];
            float at[3] = {x[first + i], y[first + i], z ? z[first + i] : 0};
            bool is_other = (target->at[0] != at[0]) | (target->at[1] != at[1]) | (target->at[2] != at[2]);

            points[i] = target->point;
            if (is_other && target->position_round != views->round + 1) {
                memcpy(views->was[slot].at, target->at, sizeof target->at);
            }
            memcpy(target->at, at, sizeof at);
            target->position_round = is_other ? views->round + 1 : target->position_round;
            if (target->beacon != QD_NONE || target->anchored != QD_NONE) {
                list_target(views, slot, QD_TARGET_CARRIER_CHANGED);
            }
        }
        if (!views->uses_join) {
            qd_space_move(views->index, some, points, x + first, y + first, z ? z + first : NULL);
        }
    }
}

void qd_view_index_filter(qd_views *views, uint32_t slot, uint32_t category)
{
    if (!views->index || views->targets[slot].category == category) {
        return;
    }
    qd_last_tick_keep_target(views, slot);
    views->targets[slot].category = category;
    list_target(views, slot, QD_TARGET_CHANGED);
}

qd_status qd_view_index_describe(qd_views *views, uint32_t slot, const qd_description *description)
{
    if (!views->index) {
        return QD_OK;
    }
    qd_status reserved = qd_view_index_reserve_change(views);
    if (reserved != QD_OK) {
        return reserved;
    }
    qd_last_tick_keep_target(views, slot);
    qd_target *target = &views->targets[slot];
    if (target->visible_range != description->visible_range) {
        qd_status status = set_beacon(views, slot, description->visible_range);

        if (status != QD_OK) {
            return status;
        }
    }
    if (target->team != description->team || target->hidden != description->hidden) {
        list_target(views, slot, QD_TARGET_CHANGED);
    }
    target->team = description->team;
    target->hidden = description->hidden;
    return QD_OK;
}
