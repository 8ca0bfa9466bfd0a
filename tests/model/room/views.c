/* SPDX-License-Identifier: Apache-2.0 */
#include "views.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void views_init(views_room *views, ref_room *room)
{
    *views = (views_room){.room = room};
}

static void drop_observers(views_room *views)
{
    for (uint32_t i = 0; i < views->observers; i++) {
        free(views->observer[i].view);
        free(views->observer[i].held);
    }
    free(views->observer);
}

static void drop_kept(views_room *views)
{
    if (views->then) {
        drop_observers(views->then);
        free(views->then->room->now.all);
        free(views->then->room);
        free(views->then);
    }
}

void views_deinit(views_room *views)
{
    drop_kept(views);
    drop_observers(views);
    free(views->changes.all);
}

/* ---- members ---- */

void views_renew_own(views_room *views, uint32_t member)
{
    if (member != QD_ROOM_OWNED && views->member[member].options.watching == QD_ROOM_WATCH_OWN) {
        views->member[member].reset_watchers = views->watchers_due = true;
    }
}

void views_leave_room(views_room *views, uint32_t member)
{
    for (uint32_t i = 0; i < views->observers; i++) {
        if (views->observer[i].live && views->observer[i].member == member) {
            views_end(&views->observer[i]);
        }
    }
    views->member[member] = (views_member){0};
}

bool views_holds_anything(const views_room *views, uint32_t member)
{
    for (uint32_t i = 0; i < views->observers; i++) {
        if ((views->observer[i].live || views->observer[i].seen > 0) && views->observer[i].member == member) {
            return true;
        }
    }
    return false;
}

/* ---- observers ---- */

views_observer *views_find(views_room *views, uint32_t member, uint32_t id)
{
    for (uint32_t i = 0; i < views->observers; i++) {
        views_observer *observer = &views->observer[i];

        if (observer->live && observer->member == member && observer->id == id) {
            return observer;
        }
    }
    return NULL;
}

uint32_t views_live(const views_room *views)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < views->observers; i++) {
        count += views->observer[i].live;
    }
    return count;
}

views_observer *views_add(views_room *views, uint32_t member, uint32_t id)
{
    uint32_t row = 0;

    while (row < views->observers && (views->observer[row].live || views->observer[row].gone)) {
        row++;
    }
    if (row == views->observers) {
        views->observer = realloc(views->observer, ++views->observers * sizeof *views->observer);
        views->observer[row] = (views_observer){0};
    }
    views_observer *observer = &views->observer[row];
    *observer = (views_observer){.birth = ++views->births,
                                 .live = true,
                                 .member = member,
                                 .id = id,
                                 .view = observer->view,
                                 .capacity = observer->capacity,
                                 .held = observer->held};
    return observer;
}

void views_end(views_observer *observer)
{
    observer->live = false;
    observer->gone = true;
}

void views_end_unanchored(views_room *views)
{
    for (uint32_t i = 0; i < views->observers; i++) {
        views_observer *observer = &views->observer[i];

        if (observer->live && observer->anchored &&
            !ref_born(&views->room->now, observer->anchor, observer->anchor_birth)) {
            views_end(observer);
        }
    }
}

/* ---- the rule ---- */

static void centre_of(const views_room *views, const views_observer *observer, float at[3])
{
    memcpy(at, observer->at, 3 * sizeof at[0]);
    if (observer->anchored) {
        const qd_body *body = &ref_find(&views->room->now, observer->anchor)->body;

        at[0] = body->x;
        at[1] = body->y;
        at[2] = body->z;
    }
}

static double apart(const float at[3], const qd_body *body, double d[3])
{
    d[0] = (double)body->x - at[0];
    d[1] = (double)body->y - at[1];
    d[2] = (double)body->z - at[2];
    return d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
}

double views_distance(const views_room *views, const views_observer *observer, const ref_entity *entity)
{
    float at[3];
    double d[3];

    centre_of(views, observer, at);
    return sqrt(apart(at, &entity->body, d));
}

static float wide(float size, float margin)
{
    float sum = size + margin;

    return isinf(sum) ? FLT_MAX : sum;
}

bool views_in_region(const views_room *views, const views_observer *observer, const ref_entity *entity, float margin)
{
    const float to[3] = {entity->body.x, entity->body.y, entity->body.z};
    float at[3];
    double d[3];

    centre_of(views, observer, at);
    if (observer->kind != QD_ROOM_BOX) {
        double reach = wide(observer->range, margin);

        return apart(at, &entity->body, d) <= reach * reach;
    }
    for (int k = 0; k < (views->room->config.space.dimensions == 3 ? 3 : 2); k++) {
        float half = wide(observer->half[k], margin), low = at[k] - half, high = at[k] + half;

        if (to[k] < low || to[k] > high) {
            return false;
        }
    }
    return true;
}

bool views_in_visible_range(const views_room *views, const views_observer *observer, const ref_entity *entity,
                            float margin)
{
    double reach = (double)entity->visible_range + (double)margin, d[3];
    float at[3];

    centre_of(views, observer, at);
    return entity->visible_range > 0 && apart(at, &entity->body, d) <= reach * reach;
}

static bool in_cone(const views_room *views, const views_observer *observer, const ref_entity *entity, float margin)
{
    const float *along = observer->direction;
    double length = sqrt((double)along[0] * along[0] + (double)along[1] * along[1] + (double)along[2] * along[2]);
    double u[3] = {along[0] / length, along[1] / length, along[2] / length}, d[3], off[3];
    float at[3];

    centre_of(views, observer, at);
    double distance = sqrt(apart(at, &entity->body, d));
    double t = d[0] * u[0] + d[1] * u[1] + d[2] * u[2];
    if (observer->angle == (float)M_PI || t >= cos(observer->angle) * distance) {
        return true;
    }
    if (margin == 0) {
        return false;
    }
    for (int k = 0; k < 3; k++) {
        off[k] = d[k] - t * u[k];
    }
    double s = sqrt(off[0] * off[0] + off[1] * off[1] + off[2] * off[2]);
    return s * cos(observer->angle) - t * sin(observer->angle) <= margin;
}

static bool lists(const uint32_t *ids, uint32_t count, uint32_t id)
{
    for (uint32_t i = 0; i < count; i++) {
        if (ids[i] == id) {
            return true;
        }
    }
    return false;
}

bool views_shows(const views_observer *observer, uint32_t id)
{
    return lists(observer->show, observer->show_count, id);
}

static bool is_near(const views_room *views, const views_observer *observer, const ref_entity *entity, float margin)
{
    if (views_shows(observer, entity->id)) {
        return true;
    }
    return (views_in_region(views, observer, entity, margin) ||
            views_in_visible_range(views, observer, entity, margin)) &&
           (observer->kind != QD_ROOM_CONE || in_cone(views, observer, entity, margin));
}

bool views_is_near(const views_room *views, const views_observer *observer, const ref_entity *entity)
{
    return is_near(views, observer, entity, 0);
}

bool views_is_staying(const views_room *views, const views_observer *observer, const ref_entity *entity)
{
    return views_is_near(views, observer, entity) ||
           (observer->margin > 0 && is_near(views, observer, entity, observer->margin));
}

qd_room_leave_reason views_forbid(const views_observer *observer, const ref_entity *entity)
{
    if (views_shows(observer, entity->id)) {
        return 0;
    }
    if (lists(observer->hide, observer->hide_count, entity->id)) {
        return QD_ROOM_LEFT_EXCEPTED;
    }
    if (entity->hidden) {
        return QD_ROOM_LEFT_HIDDEN;
    }
    if ((observer->anchored && observer->anchor == entity->id && !observer->sees_self) ||
        !(entity->body.category & observer->mask)) {
        return QD_ROOM_LEFT_FILTERED;
    }
    return observer->team && entity->team && observer->team != entity->team ? QD_ROOM_LEFT_TEAM : 0;
}

views_seen *views_sees(const views_observer *observer, const ref_entity *entity)
{
    for (uint32_t i = 0; i < observer->seen; i++) {
        views_seen *seen = &observer->view[i];

        if (!seen->gone && seen->id == entity->id && seen->birth == entity->birth) {
            return seen;
        }
    }
    return NULL;
}

void views_follow(const views_room *views, views_observer *observer)
{
    centre_of(views, observer, observer->at);
}

/* ---- why ---- */

static qd_room_visibility visibility_of(const views_room *views, const views_observer *observer,
                                        const ref_entity *entity)
{
    static const qd_room_visibility words[] = {
        [QD_ROOM_LEFT_EXCEPTED] = QD_ROOM_NOT_EXCEPTED,
        [QD_ROOM_LEFT_HIDDEN] = QD_ROOM_NOT_HIDDEN,
        [QD_ROOM_LEFT_TEAM] = QD_ROOM_NOT_TEAM,
    };
    bool is_shown = views_shows(observer, entity->id);

    if (views_sees(observer, entity)) {
        return is_shown                                 ? QD_ROOM_SEEN_BY_SHOW
               : views_is_near(views, observer, entity) ? QD_ROOM_SEEN
                                                        : QD_ROOM_SEEN_BY_MARGIN;
    }
    qd_room_leave_reason forbidden = views_forbid(observer, entity);
    if (forbidden == QD_ROOM_LEFT_FILTERED) {
        return observer->anchored && observer->anchor == entity->id && !observer->sees_self ? QD_ROOM_NOT_SELF
                                                                                            : QD_ROOM_NOT_MASK;
    }
    if (forbidden) {
        return words[forbidden];
    }
    if (lists(observer->held, observer->held_count, entity->id)) {
        return QD_ROOM_NOT_BUDGET;
    }
    if (views->suspended) {
        return QD_ROOM_NOT_YET;
    }
    if (!is_shown && !views_in_region(views, observer, entity, 0) &&
        !views_in_visible_range(views, observer, entity, 0)) {
        return QD_ROOM_NOT_RANGE;
    }
    if (!views_is_near(views, observer, entity)) {
        return QD_ROOM_NOT_ANGLE;
    }
    return QD_ROOM_NOT_LIMIT;
}

static void *copy_of(const void *from, size_t size)
{
    return size == 0 ? NULL : memcpy(malloc(size), from, size);
}

void views_keep(views_room *views)
{
    drop_kept(views);
    views_room *then = copy_of(views, sizeof *views);
    then->then = NULL;
    then->room = copy_of(views->room, sizeof *views->room);
    then->room->now.all = copy_of(views->room->now.all, views->room->now.count * sizeof views->room->now.all[0]);
    then->observer = copy_of(views->observer, views->observers * sizeof views->observer[0]);
    for (uint32_t i = 0; i < views->observers; i++) {
        views_observer *observer = &then->observer[i];

        observer->view = copy_of(observer->view, observer->seen * sizeof observer->view[0]);
        observer->held = copy_of(observer->held, observer->held_count * sizeof observer->held[0]);
    }
    views->then = then;
}

static const views_observer *born(const views_room *views, uint64_t birth)
{
    for (uint32_t i = 0; i < views->observers; i++) {
        if (views->observer[i].live && views->observer[i].birth == birth) {
            return &views->observer[i];
        }
    }
    return NULL;
}

qd_room_reason views_why(const views_room *views, const views_observer *observer, const ref_entity *entity)
{
    const views_room *then = views->then;
    const views_observer *old = then ? born(then, observer->birth) : NULL;
    const ref_entity *was = then ? ref_born(&then->room->now, entity->id, entity->birth) : NULL;
    bool is_decided = old && was;

    if (is_decided) {
        views = then;
        observer = old;
        entity = was;
    }
    float range = fmaxf(observer->range, entity->visible_range);
    return (qd_room_reason){
        .member = observer->member,
        .observer = observer->id,
        .visibility = is_decided ? visibility_of(views, observer, entity) : QD_ROOM_NOT_YET,
        .distance = views_distance(views, observer, entity),
        .range = observer->kind == QD_ROOM_BOX ? 0 : range,
        .leave_margin = observer->margin,
        .limit = observer->limit,
        .seen = observer->seen,
    };
}
