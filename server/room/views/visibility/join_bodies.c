/* SPDX-License-Identifier: Apache-2.0 */
#include "join_bodies.h"

#include <math.h>
#include <string.h>

#include "../derived/derived.h"
#include "../derived/derived_once.h"
#include "../derived/relay_turns.h"
#include "../join/join_shown.h"
#include "../state/rule.h"
#include "../state/spans.h"

#define AHEAD 8u

/* ---- regions ---- */

static qd_join_region region_of(const qd_observer *observer, unsigned what)
{
    qd_join_region region = {.kind = 0};

    if (observer->state != QD_OBSERVER_LIVE || (what == QD_BODY_OUTER && observer->leave_margin <= 0)) {
        return region;
    }
    memcpy(region.at, observer->at, sizeof region.at);
    qd_observer_sizes(observer, what, region.half);
    region.kind = observer->kind == QD_ROOM_BOX ? QD_ROOM_BOX : QD_ROOM_CIRCLE;
    return region;
}

static float radius_of(const qd_join_region *region)
{
    float most = 0;

    for (unsigned k = 0; k < 3 && region->kind != 0; k++) {
        most = region->half[k] > most ? region->half[k] : most;
    }
    return most;
}

/* Rows beyond those of the tick before have neither regions nor derived views, also if they had them long ago. */
static bool fit_rows(qd_views *views)
{
    qd_join *join = views->join;
    const uint32_t count = views->count, before = join->row_count;

    if (count <= before) {
        join->row_count = count;
        return true;
    }
    if (!qd_array_reserve(views->heap, join->regions, join->region_capacity, count * QD_REGION_BODIES - 1) ||
        !qd_array_reserve(views->heap, join->derived, join->derived_capacity, count - 1)) {
        return false;
    }
    memset(join->regions + before * QD_REGION_BODIES, 0, (count - before) * QD_REGION_BODIES * sizeof join->regions[0]);
    memset(join->derived + before, 0, (count - before) * sizeof join->derived[0]);
    join->row_count = count;
    return true;
}

bool qd_join_regions_start(qd_views *views)
{
    qd_join *join = views->join;

    qd_join_shown_forget_all(join, views->heap);
    join->row_count = 0;
    if (!fit_rows(views)) {
        return false;
    }
    double sum = 0;
    for (uint32_t i = 0; i < views->count * QD_REGION_BODIES; i++) {
        join->regions[i] = region_of(&views->observers[i / QD_REGION_BODIES], i % QD_REGION_BODIES);
        sum += (double)radius_of(&join->regions[i]);
    }
    join->grid.reach = qd_join_reach(views, (float)(sum / (views->live + !views->live)));
    return true;
}

/* ---- bodies ---- */

static uint16_t joint_of(const qd_views *views, const qd_observer *observer)
{
    return observer->is_derived && observer->tiers > 0 ? views->members[observer->member].joint : 0;
}

/* Of a view that is not derived. */
static void add_body(qd_views *views, uint32_t region, const qd_join_region *now, const qd_join_region *was)
{
    qd_join_bodies *bodies = &views->join->bodies;
    const bool is_box = now->kind == QD_ROOM_BOX || was->kind == QD_ROOM_BOX;

    if (!qd_array_reserve(views->heap, bodies->of, bodies->capacity, bodies->count) ||
        (is_box && !qd_array_reserve(views->heap, bodies->boxes, bodies->box_capacity, bodies->box_count))) {
        views->no_memory = true;
        return;
    }
    qd_join_body *body = &bodies->of[bodies->count++];
    *body = (qd_join_body){
        .now = {now->at[0], now->at[1], now->at[2]},
        .was = {was->at[0], was->at[1], was->at[2]},
        .radius_now = radius_of(now),
        .radius_was = radius_of(was),
        .region = region,
        .self = QD_NONE,
        .is = now->kind != 0,
        .did = was->kind != 0,
        .is_box = is_box,
    };
    if (is_box) {
        body->mask = bodies->box_count;
        bodies->boxes[bodies->box_count++] = (qd_join_box){*now, *was};
    }
}

static float way_of(const qd_join_region *now, const qd_join_region *was)
{
    float way = 0;

    for (unsigned k = 0; k < 2 && now->kind != 0 && was->kind != 0; k++) {
        const float along = fabsf(now->at[k] - was->at[k]);

        way = along > way ? along : way;
    }
    return way;
}

/* The body of a derived view. A kept one compares only with where points are. */
static void add_derived(qd_views *views, uint32_t row, const float was[3], bool is_new)
{
    qd_join *join = views->join;
    const qd_observer *observer = &views->observers[row];
    const qd_join_derived *derived = &join->derived[row];
    qd_join_body *body = &join->bodies.of[join->bodies.count++];

    for (unsigned k = 0; k < 3; k++) {
        body->now[k] = observer->at[k];
        body->was[k] = was[k];
    }
    body->radius_now = observer->range;
    body->radius_was = derived->is_kept ? qd_observer_widest(observer) : observer->range;
    body->region = row * QD_REGION_BODIES;
    body->mask = observer->mask;
    body->team = observer->team;
    body->limit = observer->limit;
    body->self = observer->sees_self ? QD_NONE : observer->anchor;
    body->differ = body->relayed = 0;
    body->is = body->is_derived = true;
    body->did = !is_new;
    body->is_box = body->is_bare = body->by_range = false;
    body->is_kept = derived->is_kept;
    body->relay = derived->relay & 3u;
    body->has_rules = derived->has_rules;
    body->shown = derived->shown_count;
    body->joint = joint_of(views, observer);
    join->derived[row].rank = observer->rank;
    join->bodies.masks &= observer->mask;
    join->bodies.teams |= observer->team;
    if (derived->relay >= QD_RELAY_TURNS) {
        qd_turns_note(join, observer);
    }
}

/* A derived view that stays so: nearly all of them, without copies of whole regions. False: it is another one. */
static bool note_derived(qd_views *views, uint32_t row, double *sum)
{
    qd_join *join = views->join;
    const qd_observer *observer = &views->observers[row];
    float *was = join->regions[row * QD_REGION_BODIES].at;
    const float way_x = fabsf(observer->at[0] - was[0]), way_y = fabsf(observer->at[1] - was[1]);
    const float way = way_x > way_y ? way_x : way_y;

    if (!observer->is_derived || views->attention[row] != 0 || !(way <= join->grid.reach) ||
        join->bodies.count == join->bodies.capacity) {
        return false;
    }
    add_derived(views, row, was, false);
    memcpy(was, observer->at, sizeof observer->at);
    join->bodies.slack = way > join->bodies.slack ? way : join->bodies.slack;
    *sum += (double)join->bodies.of[join->bodies.count - 1].radius_was;
    return true;
}

/* One that becomes derived, which had nothing in its region, or for which there was no memory yet. */
static void note_other_derived(qd_views *views, uint32_t row, const qd_join_region *inner, bool is_new, double *sum)
{
    qd_join *join = views->join;
    qd_join_region *was = &join->regions[row * QD_REGION_BODIES];

    if (!qd_array_reserve(views->heap, join->bodies.of, join->bodies.capacity, join->bodies.count)) {
        views->no_memory = true;
        return;
    }
    const float way = is_new ? 0 : way_of(inner, was);
    add_derived(views, row, is_new ? inner->at : was->at, is_new);
    *was = *inner;
    join->bodies.slack = way > join->bodies.slack ? way : join->bodies.slack;
    *sum += (double)join->bodies.of[join->bodies.count - 1].radius_was;
}

static void note_row(qd_views *views, uint32_t row, double *sum)
{
    static const qd_join_region none = {.kind = 0};
    qd_join *join = views->join;
    const qd_observer *observer = &views->observers[row];
    qd_join_region *regions = &join->regions[row * QD_REGION_BODIES];
    const qd_join_region inner = region_of(observer, QD_BODY_INNER);
    const bool is_new = qd_derived_update(views, row, way_of(&inner, regions) > join->grid.reach);

    if (observer->is_derived) {
        note_other_derived(views, row, &inner, is_new, sum);
        return;
    }
    join->bodies.with_entries += observer->state == QD_OBSERVER_LIVE && !observer->is_derived;
    for (unsigned what = 0; what < QD_REGION_BODIES; what++) {
        const qd_join_region now = what == QD_BODY_INNER ? inner : region_of(observer, what);
        const qd_join_region was = regions[what];
        const uint32_t region = row * QD_REGION_BODIES + what;
        const float way = way_of(&now, &was);

        regions[what] = now;
        if (now.kind == 0 && was.kind == 0) {
            continue;
        }
        *sum += (double)radius_of(now.kind != 0 ? &now : &was);
        if (way > join->grid.reach) {
            /* An entity that stays in the region is found twice: it goes and comes. */
            views->attention[row] |= QD_ATTEND_ONCE;
            add_body(views, region, &now, &none);
            add_body(views, region, &none, &was);
            continue;
        }
        join->bodies.slack = way > join->bodies.slack ? way : join->bodies.slack;
        add_body(views, region, &now, &was);
    }
}

void qd_join_bodies_note(qd_views *views)
{
    qd_join_bodies *bodies = &views->join->bodies;
    double sum = 0;

    bodies->count = bodies->box_count = bodies->with_entries = 0;
    bodies->slack = 0;
    bodies->masks = UINT32_MAX;
    bodies->teams = 0;
    bodies->is_plain = true;
    qd_turns_clear(views->join);
    if (!fit_rows(views) || !qd_once_choose(views)) {
        views->no_memory = true;
        return;
    }
    for (uint32_t row = 0; row < views->count && !views->no_memory; row++) {
        if (row + AHEAD < views->count) {
            __builtin_prefetch(&views->observers[row + AHEAD]);
            __builtin_prefetch(&views->observers[row + AHEAD].at);
        }
        if (!note_derived(views, row, &sum)) {
            bodies->is_plain &= views->observers[row].state == QD_OBSERVER_FREE;
            note_row(views, row, &sum);
        }
    }
    bodies->range = (float)(sum / (bodies->count + !bodies->count));
}

/* ---- the same bodies again ---- */

static bool any_attention(const qd_views *views)
{
    uint8_t any = 0;

    for (uint32_t row = 0; row < views->count; row++) {
        any |= views->attention[row];
    }
    return any != 0;
}

struct following {
    qd_views *views;
    qd_view_spans spans;
    struct {
        uint32_t end; /* of the rows that have followed */
        float slack;
    } of[QD_VIEW_SPANS_MAX];
};

/* Stops at an observer that goes far. */
static void follow_span(size_t span, void *argument)
{
    struct following *following = argument;
    qd_views *views = following->views;
    qd_join *join = views->join;
    const uint32_t end = qd_view_span_first(&following->spans, span + 1);
    uint32_t row = qd_view_span_first(&following->spans, span);
    float slack = 0;

    for (; row < end; row++) {
        const qd_observer *observer = &views->observers[row];
        qd_join_body *body = &join->plan.bodies[join->derived[row].body];

        if (row + AHEAD < end) {
            __builtin_prefetch(&observer[AHEAD]);
            __builtin_prefetch(&observer[AHEAD].at);
            __builtin_prefetch(&join->plan.bodies[join->derived[row + AHEAD].body], 1);
        }
        if (observer->state == QD_OBSERVER_FREE) {
            continue;
        }
        float *was = join->regions[row * QD_REGION_BODIES].at;
        const float x = observer->at[0], y = observer->at[1], z = observer->at[2];
        const float way_x = fabsf(x - was[0]), way_y = fabsf(y - was[1]), way = way_x > way_y ? way_x : way_y;
        if (!(way <= join->grid.reach)) {
            break;
        }
        slack = way > slack ? way : slack;
        body->was[0] = was[0];
        body->was[1] = was[1];
        body->was[2] = was[2];
        body->now[0] = was[0] = x;
        body->now[1] = was[1] = y;
        body->now[2] = was[2] = z;
        body->differ = body->relayed = 0;
        body->joint = joint_of(views, observer);
        join->derived[row].rank = observer->rank;
    }
    following->of[span].end = row;
    following->of[span].slack = slack;
}

/* The regions of the rows become again what they were. */
static void undo(qd_views *views, uint32_t first, uint32_t end)
{
    const qd_join *join = views->join;

    for (uint32_t row = first; row < end; row++) {
        if (views->observers[row].state != QD_OBSERVER_FREE) {
            memcpy(join->regions[row * QD_REGION_BODIES].at, join->plan.bodies[join->derived[row].body].was,
                   sizeof join->regions[0].at);
        }
    }
}

/* An observer that saw nothing may have gone without attention; then there is a body more. */
bool qd_join_bodies_follow(qd_views *views, const qd_executor *executor)
{
    qd_join *join = views->join;
    struct following following = {.views = views,
                                  .spans = qd_view_spans_of(views, executor, views->count, QD_VIEW_SPAN_MIN)};
    float slack = 0;
    bool all = true;

    if (!join->bodies.is_plain || join->plan.round + 1 != views->round || views->live != join->bodies.count ||
        any_attention(views)) {
        return false;
    }
    if (!qd_once_choose(views)) {
        views->no_memory = true;
        return false;
    }
    executor->run(executor->context, following.spans.count, follow_span, &following);
    for (uint32_t i = 0; i < following.spans.count; i++) {
        slack = following.of[i].slack > slack ? following.of[i].slack : slack;
        all &= following.of[i].end == qd_view_span_first(&following.spans, i + 1);
    }
    for (uint32_t i = 0; i < following.spans.count && !all; i++) {
        undo(views, qd_view_span_first(&following.spans, i), following.of[i].end);
    }
    join->bodies.slack = all ? slack : join->bodies.slack;
    return all;
}
