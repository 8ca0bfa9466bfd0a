/* SPDX-License-Identifier: Apache-2.0 */
#include "visibility_index.h"

#include <float.h>
#include <string.h>

#include "observers.h"

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

/* Regions meet nobody while the join leads. */
static uint32_t mask_of(const qd_room *room, unsigned what)
{
    return room->views.join->leads && what < QD_JOIN_REGIONS ? 0 : filters[what].mask;
}

static qd_status add(qd_room *room, unsigned what, uint32_t index, qd_body body, uint32_t *slot)
{
    qd_views *views = &room->views;

    body.category = filters[what].category;
    body.mask = mask_of(room, what);
    qd_status status = qd_space_add(views->sight, &body, slot);
    if (status != QD_OK) {
        return status;
    }
    uint32_t *whose = qd_array_reserve(room->heap, views->whose, &views->whose_capacity, sizeof views->whose[0], *slot);
    if (!whose) {
        (void)qd_space_remove(views->sight, *slot, QD_SPACE_DESPAWNED); /* added just now: leaves no trace */
        *slot = QD_NONE;
        return QD_ERR_NO_MEMORY;
    }
    views->whose = whose;
    whose[*slot] = qd_whose(what, index);
    return QD_OK;
}

/* The sight gives no slot away before it settles, whenever this one is free. */
static void drop(qd_room *room, uint32_t *slot)
{
    if (*slot != QD_NONE) {
        (void)qd_space_remove(room->views.sight, *slot, QD_SPACE_DESPAWNED);
    }
    *slot = QD_NONE;
}

/* ---- observers ---- */

static float widened(float size, float margin)
{
    float wide = size + margin;

    return wide <= FLT_MAX ? wide : FLT_MAX;
}

void qd_sight_sizes(const qd_observer *observer, unsigned what, float half[3])
{
    const bool is_outer = what == QD_BODY_OUTER, is_box = observer->kind == QD_ROOM_BOX;

    for (unsigned k = 0; k < 3; k++) {
        const float size = is_box ? observer->half[k] : k == 0 ? observer->range : 0;

        half[k] = is_box || k == 0 ? widened(size, is_outer ? observer->leave_margin : 0) : 0;
    }
}

static qd_body body_of(const qd_observer *observer, unsigned what)
{
    float half[3];

    if (what == QD_BODY_BEACON_INNER || what == QD_BODY_BEACON_OUTER) {
        return circle(observer->at, what == QD_BODY_BEACON_OUTER ? observer->leave_margin : 0);
    }
    qd_sight_sizes(observer, what, half);
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

static bool needs(const qd_room *room, const qd_observer *observer, unsigned what)
{
    bool is_outer = what == QD_BODY_OUTER || what == QD_BODY_BEACON_OUTER;
    bool is_beacon = what == QD_BODY_BEACON_INNER || what == QD_BODY_BEACON_OUTER;

    return (!is_outer || observer->leave_margin > 0) && (!is_beacon || room->views.has_beacons);
}

qd_status qd_sight_fit(qd_room *room, uint32_t row, qd_observer *observer)
{
    qd_space *sight = room->views.sight;
    bool is_new[QD_BODIES] = {false};

    for (unsigned what = 0; what < QD_BODIES; what++) {
        if (observer->body[what] != QD_NONE || !needs(room, observer, what)) {
            continue;
        }
        qd_status status = add(room, what, row, body_of(observer, what), &observer->body[what]);
        if (status != QD_OK) {
            for (unsigned i = 0; i < what; i++) {
                if (is_new[i]) {
                    drop(room, &observer->body[i]);
                }
            }
            observer->body[what] = QD_NONE;
            return status;
        }
        is_new[what] = true;
    }
    for (unsigned what = 0; what < QD_BODIES; what++) {
        if (!needs(room, observer, what)) {
            drop(room, &observer->body[what]);
        } else if (!is_new[what]) {
            qd_body body = body_of(observer, what);

            qd_space_reshape(sight, observer->body[what], &body);
        }
    }
    qd_sight_centre(room, observer);
    return QD_OK;
}

void qd_sight_unfit(qd_room *room, qd_observer *observer)
{
    for (unsigned what = 0; what < QD_BODIES; what++) {
        drop(room, &observer->body[what]);
    }
}

/* Places that are to be taken over, in chunks. */
struct places {
    qd_room *room;
    uint32_t count;
    uint32_t slot[CHUNK_COUNT];
    float x[CHUNK_COUNT], y[CHUNK_COUNT], z[CHUNK_COUNT];
};

static void flush(struct places *places)
{
    qd_space_move(places->room->views.sight, places->count, places->slot, places->x, places->y,
                  qd_room_is_3d(places->room) ? places->z : NULL);
    places->count = 0;
}

static void place(struct places *places, uint32_t slot, const float at[3])
{
    if (slot == QD_NONE) {
        return;
    }
    if (places->count == CHUNK_COUNT) {
        flush(places);
    }
    places->slot[places->count] = slot;
    places->x[places->count] = at[0];
    places->y[places->count] = at[1];
    places->z[places->count++] = at[2];
}

static void place_observer(struct places *places, const qd_observer *observer)
{
    const unsigned first = places->room->views.join->leads ? QD_JOIN_REGIONS : 0;

    for (unsigned what = first; what < QD_BODIES; what++) {
        place(places, observer->body[what], observer->at);
    }
}

void qd_sight_centre(qd_room *room, const qd_observer *observer)
{
    struct places places;

    places.room = room;
    places.count = 0;
    place_observer(&places, observer);
    flush(&places);
}

void qd_sight_follow(qd_room *room)
{
    qd_views *views = &room->views;
    struct places places;

    places.room = room;
    places.count = 0;
    for (uint32_t i = 0; i < views->follow_count; i++) {
        qd_seen *seen = &views->seen[views->follow[i]];

        seen->marks &= (uint8_t)~QD_MARK_FOLLOW;
        place(&places, seen->beacon, seen->at);
        for (uint32_t row = seen->anchored; row != QD_NONE; row = views->observers[row].anchored_next) {
            memcpy(views->observers[row].at, seen->at, sizeof seen->at);
            place_observer(&places, &views->observers[row]);
        }
    }
    flush(&places);
    views->follow_count = 0;
}

/* All regions have the filter that they are to have, and what is now was so at the last tick. */
void qd_sight_turn(qd_room *room)
{
    qd_views *views = &room->views;
    qd_space_events none;
    const uint32_t *freed;
    size_t freed_count;

    for (uint32_t row = 0; row < views->count; row++) {
        for (unsigned what = 0; what < QD_JOIN_REGIONS && views->observers[row].state == QD_OBSERVER_LIVE; what++) {
            const uint32_t slot = views->observers[row].body[what];

            if (slot != QD_NONE) {
                qd_space_refilter(views->sight, slot, filters[what].category, mask_of(room, what));
            }
        }
    }
    qd_space_tick(views->sight, &qd_executor_serial, QD_SPACE_WANT_NOTHING, 0, &none);
    qd_space_settle(views->sight, &freed, &freed_count);
}

void qd_sight_catch_up(qd_room *room)
{
    qd_views *views = &room->views;
    struct places places;

    places.room = room;
    places.count = 0;
    for (uint32_t slot = 0; slot < views->seen_end; slot++) {
        place(&places, views->seen[slot].point, views->seen[slot].at);
    }
    for (uint32_t row = 0; row < views->count; row++) {
        if (views->observers[row].state == QD_OBSERVER_LIVE) {
            place_observer(&places, &views->observers[row]);
        }
    }
    flush(&places);
    qd_sight_turn(room);
}

/* ---- entities ---- */

static void mark(qd_room *room, uint32_t slot, uint8_t what)
{
    qd_views *views = &room->views;

    if (views->seen[slot].marks & what) {
        return;
    }
    views->seen[slot].marks |= what;
    if (what == QD_MARK_FOLLOW) {
        views->follow = qd_array_need(room->heap, views->follow, &views->follow_capacity, sizeof views->follow[0],
                                      views->follow_count);
        views->follow[views->follow_count++] = slot;
    } else {
        views->rejudge = qd_array_need(room->heap, views->rejudge, &views->rejudge_capacity, sizeof views->rejudge[0],
                                       views->rejudge_count);
        views->rejudge[views->rejudge_count++] = slot;
    }
}

/* The first beacon: who has none of the bodies that meet them needs them now. */
static qd_status meet_beacons(qd_room *room)
{
    qd_views *views = &room->views;
    qd_status status = QD_OK;

    if (views->has_beacons) {
        return QD_OK;
    }
    views->has_beacons = true;
    for (uint32_t row = 0; row < views->count && status == QD_OK; row++) {
        if (views->observers[row].state == QD_OBSERVER_LIVE) {
            status = qd_sight_fit(room, row, &views->observers[row]);
        }
    }
    if (status == QD_OK) {
        return QD_OK;
    }
    views->has_beacons = false;
    for (uint32_t row = 0; row < views->count; row++) {
        drop(room, &views->observers[row].body[QD_BODY_BEACON_INNER]);
        drop(room, &views->observers[row].body[QD_BODY_BEACON_OUTER]);
    }
    return status;
}

static qd_status set_beacon(qd_room *room, uint32_t slot, float visible_range)
{
    qd_seen *seen = &room->views.seen[slot];
    qd_body body = circle(seen->at, visible_range);
    qd_status status = QD_OK;

    if (visible_range <= 0) {
        drop(room, &seen->beacon);
    } else if (seen->beacon != QD_NONE) {
        qd_space_reshape(room->views.sight, seen->beacon, &body);
    } else {
        status = meet_beacons(room);
        if (status == QD_OK) {
            status = add(room, QD_BODY_BEACON, slot, body, &seen->beacon);
        }
    }
    if (status == QD_OK) {
        seen->visible_range = visible_range;
    }
    return status;
}

qd_status qd_sight_add(qd_room *room, uint32_t slot, const qd_body *body)
{
    qd_views *views = &room->views;

    if (!views->sight) {
        return QD_OK;
    }
    qd_seen *rows = qd_array_reserve(room->heap, views->seen, &views->seen_capacity, sizeof views->seen[0], slot);
    if (!rows) {
        return QD_ERR_NO_MEMORY;
    }
    views->seen = rows;
    while (views->seen_end <= slot) {
        rows[views->seen_end++] = (qd_seen){.point = QD_NONE};
    }
    qd_seen *seen = &rows[slot];
    *seen = (qd_seen){
        .at = {body->x, body->y, body->z},
        .placed = views->round + 1,
        .born = views->round + 1,
        .category = body->category,
        .point = QD_NONE,
        .beacon = QD_NONE,
        .anchored = QD_NONE,
        .marks = seen->marks & QD_MARK_NEW,
    };
    qd_status status = add(room, QD_BODY_POINT, slot, point(seen->at), &seen->point);
    if (status != QD_OK) {
        return status;
    }
    if (views->join->leads) {
        qd_join_add(room, slot);
    }
    if (slot >= views->descriptions_capacity) {
        return QD_OK;
    }
    seen->team = views->descriptions[slot].team;
    seen->hidden = views->descriptions[slot].hidden;
    status = set_beacon(room, slot, views->descriptions[slot].visible_range);
    if (status != QD_OK) {
        drop(room, &seen->point);
    }
    return status;
}

void qd_sight_remove(qd_room *room, uint32_t slot, qd_space_reason reason)
{
    if (!room->views.sight) {
        return;
    }
    qd_seen *seen = &room->views.seen[slot];
    seen->removed = (uint8_t)reason;
    drop(room, &seen->point);
    drop(room, &seen->beacon);
    while (seen->anchored != QD_NONE) {
        qd_observer_end(room, seen->anchored);
    }
}

void qd_sight_place(qd_room *room, uint32_t count, const uint32_t *slots, const float *x, const float *y,
                    const float *z)
{
    qd_views *views = &room->views;
    uint32_t points[CHUNK_COUNT];

    if (!views->sight) {
        return;
    }
    views->placed += count;
    for (uint32_t first = 0; first < count; first += CHUNK_COUNT) {
        uint32_t some = count - first < CHUNK_COUNT ? count - first : CHUNK_COUNT;

        for (uint32_t i = 0; i < some; i++) {
            uint32_t slot = slots[first + i];
            qd_seen *seen = &views->seen[slot];
            float at[3] = {x[first + i], y[first + i], z ? z[first + i] : 0};
            bool is_other = (seen->at[0] != at[0]) | (seen->at[1] != at[1]) | (seen->at[2] != at[2]);

            points[i] = seen->point;
            memcpy(seen->at, at, sizeof at);
            seen->placed = is_other ? views->round + 1 : seen->placed;
            if (seen->beacon != QD_NONE || seen->anchored != QD_NONE) {
                mark(room, slot, QD_MARK_FOLLOW);
            }
        }
        if (!views->join->leads) {
            qd_space_move(views->sight, some, points, x + first, y + first, z ? z + first : NULL);
        }
    }
}

void qd_sight_filter(qd_room *room, uint32_t slot, uint32_t category)
{
    if (!room->views.sight || room->views.seen[slot].category == category) {
        return;
    }
    room->views.seen[slot].category = category;
    mark(room, slot, QD_MARK_JUDGE);
}

qd_status qd_sight_describe(qd_room *room, uint32_t slot, const qd_description *description)
{
    if (!room->views.sight) {
        return QD_OK;
    }
    qd_seen *seen = &room->views.seen[slot];
    if (seen->visible_range != description->visible_range) {
        qd_status status = set_beacon(room, slot, description->visible_range);

        if (status != QD_OK) {
            return status;
        }
    }
    if (seen->team != description->team || seen->hidden != description->hidden) {
        mark(room, slot, QD_MARK_JUDGE);
    }
    seen->team = description->team;
    seen->hidden = description->hidden;
    return QD_OK;
}

/* ---- a sight's life ---- */

static qd_status add_list(qd_room *room, uint32_t first)
{
    for (uint32_t slot = first; slot != QD_SLOT_NONE; slot = room->entities.holding[slot].next) {
        qd_body body;

        qd_space_body(room->space, slot, &body);
        qd_status status = qd_sight_add(room, slot, &body);
        if (status != QD_OK) {
            return status;
        }
    }
    return QD_OK;
}

qd_status qd_sight_open(qd_room *room)
{
    qd_views *views = &room->views;
    qd_space_config config = room->config.space;

    config.bodies_max = QD_SPACE_SLOTS_MAX;
    config.swept = false;
    views->join = qd_join_create(room->heap);
    if (!views->join) {
        return QD_ERR_NO_MEMORY;
    }
    qd_status status = qd_space_create(&config, room->heap, &views->sight);
    if (status != QD_OK) {
        qd_join_destroy(views->join, room->heap);
        views->join = NULL;
        return status;
    }
    status = add_list(room, room->entities.room_owned_first);
    for (uint32_t member = 0; member < room->members.count && status == QD_OK; member++) {
        status = add_list(room, room->members.rows[member].first);
    }
    if (status != QD_OK) {
        qd_sight_close(room);
    }
    return status;
}

void qd_sight_close(qd_room *room)
{
    qd_views *views = &room->views;

    qd_space_destroy(views->sight);
    views->sight = NULL;
    qd_join_destroy(views->join, room->heap);
    views->join = NULL;
    views->has_beacons = false;
    views->pairs = 0;
    views->follow_count = views->rejudge_count = 0;
    qd_heap_free(room->heap, views->whose, views->whose_capacity * sizeof views->whose[0]);
    qd_heap_free(room->heap, views->seen, views->seen_capacity * sizeof views->seen[0]);
    views->whose = NULL;
    views->seen = NULL;
    views->whose_capacity = views->seen_capacity = views->seen_end = 0;
}
