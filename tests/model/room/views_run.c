/* SPDX-License-Identifier: Apache-2.0 */
#include "run.h"

#include <float.h>
#include <math.h>

/* ---- drawing ---- */

static float draw_size(const struct run *run, rng_stream *rng, uint32_t halves)
{
    if (run->dirty && rng_one_in(rng, 60)) {
        static const float odd[] = {NAN, INFINITY, -1, -0.0f, 1e-40f, 1e5f, 3e38f, FLT_MAX};

        return odd[rng_below(rng, sizeof odd / sizeof odd[0])];
    }
    return (float)rng_below(rng, halves + 1) * 0.5f;
}

static uint32_t draw_bits(rng_stream *rng)
{
    return rng_one_in(rng, 2) ? UINT32_MAX : rng_below(rng, 8);
}

/* ---- refusals ---- */

static int code_of(const qd_room_refusals *refusals, uint32_t index)
{
    for (uint32_t i = 0; i < refusals->listed; i++) {
        if (refusals->index[i] == index) {
            return refusals->code[i];
        }
    }
    return 0;
}

static void check_refusals(struct run *run, const qd_room_refusals *refusals, const int *expected, uint32_t count)
{
    uint32_t refused = 0;

    mix(run, &refusals->count, sizeof refusals->count);
    for (uint32_t i = 0; i < count && run->views; i++) {
        refused += expected[i] != 0;
        met->refused[expected[i]]++;
        REQUIRE(run, refused > refusals->listed || code_of(refusals, i) == expected[i]);
    }
    REQUIRE(run, !run->views || refusals->count == refused);
}

/* ---- descriptions ---- */

static int describe_one(struct run *run, uint32_t member, const qd_msg_set_description *batch, uint32_t i,
                        const uint8_t *payload)
{
    ref_entity *entity;
    int refusal = ref_reach(run->reference, member, batch->id[i], &entity);

    if (refusal) {
        return refusal;
    }
    if (batch->visible_range && !isfinite(batch->visible_range[i])) {
        return QD_ROOM_NOT_FINITE;
    }
    if (batch->visible_range && batch->visible_range[i] < 0) {
        return QD_ROOM_NEGATIVE_SIZE;
    }
    if (batch->visible_range) {
        entity->visible_range = batch->visible_range[i];
    }
    if (batch->tag) {
        entity->tag = batch->tag[i];
    }
    if (batch->payload_size) {
        entity->payload_size = batch->payload_size[i];
        memcpy(entity->payload, payload, batch->payload_size[i]);
    }
    if (batch->team) {
        entity->team = batch->team[i];
    }
    if (batch->hidden) {
        entity->hidden = batch->hidden[i];
    }
    return 0;
}

void views_do_describe(struct run *run, rng_stream *rng, uint32_t member)
{
    enum { MOST = 16 };
    uint32_t count = 1 + rng_below(rng, MOST), team[MOST], bytes = 0;
    uint64_t tag[MOST];
    uint8_t size[MOST], payload[MOST * QD_VIEW_PAYLOAD_MAX], hidden[MOST];
    float range[MOST];
    int expected[MOST];
    qd_room_refusals refusals;

    for (uint32_t i = 0; i < count; i++) {
        run->id[i] = draw_id(run, rng);
        tag[i] = (uint64_t)rng_draw(rng) << 32 | rng_draw(rng);
        size[i] = (uint8_t)rng_below(rng, QD_VIEW_PAYLOAD_MAX + 1);
        for (uint8_t k = 0; k < size[i]; k++) {
            payload[bytes++] = (uint8_t)rng_draw(rng);
        }
        range[i] = rng_one_in(rng, 2) ? 0 : draw_size(run, rng, run->side);
        team[i] = rng_below(rng, 3);
        hidden[i] = rng_one_in(rng, 3);
    }
    qd_msg_set_description batch = {
        .count = count,
        .id = run->id,
        .tag = rng_one_in(rng, 2) ? tag : NULL,
        .visible_range = run->has_beacons && rng_one_in(rng, 2) ? range : NULL,
        .team = run->has_teams && rng_one_in(rng, 2) ? team : NULL,
        .hidden = rng_one_in(rng, 2) ? hidden : NULL,
    };
    if (rng_one_in(rng, 2)) {
        batch.payload_size = size;
        batch.payload = payload;
    }
    qd_room_describe(run->room, member, &batch, &refusals);
    bytes = 0;
    for (uint32_t i = 0; i < count && run->views; i++) {
        expected[i] = describe_one(run, member, &batch, i, payload + bytes);
        bytes += size[i];
    }
    check_refusals(run, &refusals, expected, count);
}

/* ---- observers ---- */

/* An observer as it is drawn. */
struct observer_request {
    uint32_t id, entity, mask, limit, budget, team;
    uint8_t anchored, sees_self, region;
    float at[3], range, half[3], direction[3], angle, margin;
};

static struct observer_request draw_observer(const struct run *run, rng_stream *rng)
{
    struct observer_request request = {
        .id = rng_below(rng, VIEWS_OBSERVERS_MAX),
        .entity = draw_id(run, rng),
        .mask = draw_bits(rng),
        .limit = run->has_limits && rng_one_in(rng, 3) ? 1 + rng_below(rng, 5) : 0,
        .budget = run->has_limits && rng_one_in(rng, 3) ? 1 + rng_below(rng, 3) : 0,
        .team = run->has_teams ? rng_below(rng, 3) : 0,
        .anchored = (uint8_t)rng_below(rng, 4), /* and sees_self, the second bit */
        .region = (uint8_t)(rng_one_in(rng, 3) ? QD_ROOM_CIRCLE : 1 + rng_below(rng, 3)),
        .range = draw_size(run, rng, run->huge ? 200 : 2 * run->side),
        .angle = rng_one_in(rng, 8) ? (float)M_PI : rng_between(rng, 0, 3.2),
        .margin = run->has_margins && rng_one_in(rng, 2) ? draw_size(run, rng, run->side / 2) : 0,
    };

    if (run->has_simple && !rng_one_in(rng, 8)) {
        request.region = QD_ROOM_CIRCLE;
        request.budget = 0;
    }
    request.sees_self = request.anchored >> 1;
    request.anchored &= 1;
    for (int axis = 0; axis < 3; axis++) {
        request.at[axis] = run->is_3d || axis < 2 ? draw_coordinate(run, rng) : 0;
        request.half[axis] = run->is_3d || axis < 2 ? draw_size(run, rng, run->side) : 0;
        request.direction[axis] = run->is_3d || axis < 2 ? (float)rng_below(rng, 9) - 4 : 0;
    }
    if (run->dirty && rng_one_in(rng, 20)) {
        request.region = (uint8_t)rng_below(rng, 256);
    }
    return request;
}

/* Half of the requests for an observer are the same but for its tiers, so that its view goes on with other tiers. */
static struct observer_request draw_same_or_other(const struct run *run, rng_stream *rng, uint32_t member)
{
    struct observer_request request = draw_observer(run, rng);
    const uint32_t id = request.id;
    rng_stream own = {run->seed * 1013 + member * VIEWS_OBSERVERS_MAX + id};

    if (rng_one_in(rng, 2)) {
        request = draw_observer(run, &own);
        request.id = id;
    }
    return request;
}

static int check_direction(const float direction[3])
{
    return direction[0] == 0 && direction[1] == 0 && direction[2] == 0 ? QD_ROOM_BAD_REGION : 0;
}

static int check_region(const struct observer_request *request)
{
    const float *half = request->half;
    bool is_box = request->region == QD_ROOM_BOX;

    if (request->region < QD_ROOM_CIRCLE || request->region > QD_ROOM_CONE) {
        return QD_ROOM_BAD_REGION;
    }
    if (!isfinite(request->margin) || (!is_box && !isfinite(request->range)) ||
        (is_box && !(isfinite(half[0]) && isfinite(half[1]) && isfinite(half[2])))) {
        return QD_ROOM_NOT_FINITE;
    }
    if (request->margin < 0 || (!is_box && request->range < 0) ||
        (is_box && (half[0] < 0 || half[1] < 0 || half[2] < 0))) {
        return QD_ROOM_NEGATIVE_SIZE;
    }
    if (request->region != QD_ROOM_CONE) {
        return 0;
    }
    return request->angle > (float)M_PI ? QD_ROOM_BAD_REGION : check_direction(request->direction);
}

static int check_observer(struct run *run, uint32_t member, const struct observer_request *request)
{
    views_room *reference = run->views;
    int refusal = check_region(request);
    ref_entity *anchor;

    if (refusal) {
        return refusal;
    }
    if (request->anchored) {
        refusal = ref_reach(run->reference, member, request->entity, &anchor);
    } else if (!isfinite(request->at[0]) || !isfinite(request->at[1]) || !isfinite(request->at[2])) {
        refusal = QD_ROOM_NOT_FINITE;
    }
    if (!refusal && !views_find(reference, member, request->id) &&
        views_live(reference) >= run->reference->config.observers_max) {
        refusal = QD_ROOM_OBSERVERS_FULL;
    }
    return refusal;
}

static void take(const struct run *run, views_observer *observer, const struct observer_request *request)
{
    observer->kind = request->region;
    observer->anchored = request->anchored;
    observer->sees_self = request->sees_self;
    observer->anchor = request->entity;
    observer->anchor_birth = request->anchored ? ref_find(&run->reference->now, request->entity)->birth : 0;
    memcpy(observer->at, request->at, sizeof observer->at);
    memcpy(observer->half, request->half, sizeof observer->half);
    memcpy(observer->direction, request->direction, sizeof observer->direction);
    observer->range = request->region == QD_ROOM_BOX ? 0 : request->range;
    observer->angle = request->angle;
    observer->margin = request->margin;
    observer->mask = request->mask;
    observer->limit = request->limit;
    observer->budget = request->budget;
    observer->team = request->team;
}

static int observe_one(struct run *run, uint32_t member, const struct observer_request *request,
                       const qd_msg_observers *batch)
{
    int refusal = check_observer(run, member, request);

    if (refusal) {
        return refusal;
    }
    views_observer *observer = views_find(run->views, member, request->id);
    if (!observer) {
        observer = views_add(run->views, member, request->id);
    }
    take(run, observer, request);
    for (uint32_t i = 0; i < observer->seen && batch->tier_count == 0; i++) {
        observer->view[i].waits = false;
    }
    /* With its first tiers, it sends every position once. */
    for (uint32_t i = 0; i < observer->seen && observer->tiers == 0; i++) {
        observer->view[i].reported = 0;
    }
    observer->tiers = batch->tier_count;
    for (uint32_t tier = 0; tier < batch->tier_count; tier++) {
        observer->tier_range[tier] = batch->relay_range[tier];
        observer->every[tier] = batch->relay_every[tier];
    }
    return 0;
}

void views_do_observe(struct run *run, rng_stream *rng, uint32_t member)
{
    struct observer_request request = draw_same_or_other(run, rng, member);
    uint32_t every[3];
    float range[3];
    qd_room_refusals refusals;
    qd_msg_observers batch = {
        .count = 1,
        .id = &request.id,
        .anchored = &request.anchored,
        .region = &request.region,
        .entity = &request.entity,
        .x = &request.at[0],
        .y = &request.at[1],
        .z = &request.at[2],
        .range = &request.range,
        .half_x = &request.half[0],
        .half_y = &request.half[1],
        .half_z = &request.half[2],
        .direction_x = &request.direction[0],
        .direction_y = &request.direction[1],
        .direction_z = &request.direction[2],
        .angle = &request.angle,
        .leave_margin = &request.margin,
        .mask = &request.mask,
        .limit = &request.limit,
        .enter_budget = &request.budget,
        .team = &request.team,
        .sees_self = &request.sees_self,
        .tier_count = run->has_tiers ? rng_below(rng, 4) : 0,
        .relay_range = range,
        .relay_every = every,
    };

    for (uint32_t tier = 0; tier < 3; tier++) {
        range[tier] = (float)rng_below(rng, 2 * run->side) * 0.5f + (tier > 0 ? range[tier - 1] : 0);
        every[tier] = 1 + rng_below(rng, 4);
    }
    if (run->has_simple && batch.tier_count > 0 && !rng_one_in(rng, 8)) {
        batch.tier_count = every[0] = 1;
        range[0] = 1e9f;
    }
    qd_room_observe(run->room, member, &batch, &refusals);
    int expected = run->views ? observe_one(run, member, &request, &batch) : 0;
    check_refusals(run, &refusals, &expected, 1);
}

static int move_one(struct run *run, uint32_t member, const struct observer_request *request,
                    const qd_msg_observers *batch)
{
    views_observer *observer = views_find(run->views, member, request->id);

    if (!observer) {
        return QD_ROOM_UNKNOWN_OBSERVER;
    }
    if ((batch->x && observer->anchored) || (batch->direction_x && observer->kind != QD_ROOM_CONE)) {
        return QD_ROOM_BAD_REGION;
    }
    if (batch->x && (!isfinite(request->at[0]) || !isfinite(request->at[1]) || !isfinite(request->at[2]))) {
        return QD_ROOM_NOT_FINITE;
    }
    if (batch->direction_x && check_direction(request->direction)) {
        return QD_ROOM_BAD_REGION;
    }
    if (batch->direction_x) {
        memcpy(observer->direction, request->direction, sizeof observer->direction);
    }
    if (batch->x) {
        memcpy(observer->at, request->at, sizeof observer->at);
    }
    return 0;
}

void views_do_move_observers(struct run *run, rng_stream *rng, uint32_t member)
{
    for (uint32_t id = 0; id < VIEWS_OBSERVERS_MAX; id++) {
        struct observer_request request = draw_observer(run, rng);
        qd_msg_observers batch = {.count = 1, .id = &id};
        qd_room_refusals refusals;

        request.id = id;
        if (rng_one_in(rng, 2)) {
            batch.x = &request.at[0];
            batch.y = &request.at[1];
            batch.z = &request.at[2];
        }
        if (rng_one_in(rng, 3)) {
            batch.direction_x = &request.direction[0];
            batch.direction_y = &request.direction[1];
            batch.direction_z = &request.direction[2];
        }
        qd_room_observers_move(run->room, member, &batch, &refusals);
        int expected = run->views ? move_one(run, member, &request, &batch) : 0;
        check_refusals(run, &refusals, &expected, 1);
    }
}

void views_do_unobserve(struct run *run, rng_stream *rng, uint32_t member)
{
    uint32_t id[2] = {rng_below(rng, VIEWS_OBSERVERS_MAX), rng_below(rng, VIEWS_OBSERVERS_MAX)};
    int expected[2] = {0, 0};
    qd_room_refusals refusals;

    qd_room_unobserve(run->room, member, 2, id, &refusals);
    for (int i = 0; i < 2 && run->views; i++) {
        views_observer *observer = views_find(run->views, member, id[i]);

        if (observer) {
            views_end(observer);
        } else {
            expected[i] = QD_ROOM_UNKNOWN_OBSERVER;
        }
    }
    check_refusals(run, &refusals, expected, 2);
}

void views_do_except(struct run *run, rng_stream *rng, uint32_t member)
{
    uint32_t show[VIEWS_LIST_MAX], hide[VIEWS_LIST_MAX], id = rng_below(rng, VIEWS_OBSERVERS_MAX);
    uint32_t shows = rng_one_in(rng, 2) ? 0 : rng_below(rng, VIEWS_LIST_MAX);
    uint32_t hides = rng_one_in(rng, 2) ? 0 : rng_below(rng, VIEWS_LIST_MAX);

    for (uint32_t i = 0; i < VIEWS_LIST_MAX; i++) {
        show[i] = draw_id(run, rng);
        hide[i] = draw_id(run, rng);
    }
    qd_status status = qd_room_except(run->room, member, id, shows, show, hides, hide);
    if (!run->views) {
        return;
    }
    views_observer *observer = views_find(run->views, member, id);
    REQUIRE(run, status == (observer ? QD_OK : QD_ERR_NOT_FOUND));
    if (!observer) {
        return;
    }
    memcpy(observer->show, show, sizeof show);
    memcpy(observer->hide, hide, sizeof hide);
    observer->show_count = shows;
    observer->hide_count = hides;
}
