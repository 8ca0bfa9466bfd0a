/* SPDX-License-Identifier: Apache-2.0 */
#include "views_run.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>

struct met *met;

void trial_fail(const struct trial *trial, const char *format, ...)
{
    va_list arguments;

    fprintf(stderr, "seed %" PRIu64 ", command %u, %s: ", trial->seed, met->command,
            trial->reference ? "against the reference" : "against the first run");
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fprintf(stderr, "\n");
    exit(1);
}

void trial_mix(struct trial *trial, const void *bytes, size_t size)
{
    const uint8_t *at = bytes;

    for (size_t i = 0; i < size; i++) {
        trial->hash = (trial->hash ^ at[i]) * 0x100000001b3u;
    }
}

uint32_t trial_id(const struct trial *trial, uint32_t number)
{
    switch (trial->id_style) {
    case 0:
        return number;
    case 1:
        return number * 2654435761u;
    default:
        return number % 2 ? number : UINT32_MAX - number;
    }
}

/* ---- drawing ---- */

static float draw_coordinate(const struct trial *trial, rng_stream *rng)
{
    if (trial->is_dirty && rng_one_in(rng, 60)) {
        static const float odd[] = {NAN, INFINITY, -0.0f, 1e-40f, -1e5f, 3e38f, -3e38f, 1e30f};

        return odd[rng_below(rng, sizeof odd / sizeof odd[0])];
    }
    if (rng_one_in(rng, 4)) { /* anywhere, and not on any grid */
        return rng_between(rng, -0.1, 1.1) * (float)trial->side;
    }
    return (float)rng_below(rng, trial->side * 2 + 1) * 0.5f;
}

static float draw_size(const struct trial *trial, rng_stream *rng, uint32_t halves)
{
    if (trial->is_dirty && rng_one_in(rng, 60)) {
        static const float odd[] = {NAN, INFINITY, -1, -0.0f, 1e-40f, 1e5f, 3e38f, FLT_MAX};

        return odd[rng_below(rng, sizeof odd / sizeof odd[0])];
    }
    return (float)rng_below(rng, halves + 1) * 0.5f;
}

static uint32_t draw_bits(rng_stream *rng)
{
    return rng_one_in(rng, 2) ? UINT32_MAX : rng_below(rng, 8);
}

static uint32_t draw_count(const struct trial *trial, rng_stream *rng)
{
    return 1 + rng_below(rng, rng_one_in(rng, 2) ? trial->batch_max : 1 + trial->batch_max / 8);
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

static void check_refusals(struct trial *trial, const qd_room_refusals *refusals, const int *expected, uint32_t count)
{
    uint32_t refused = 0;

    trial_mix(trial, &refusals->count, sizeof refusals->count);
    for (uint32_t i = 0; i < count && trial->reference; i++) {
        refused += expected[i] != 0;
        met->refusals[expected[i]]++;
        MUST(trial, refused > QD_ROOM_REFUSALS_MAX || code_of(refusals, i) == expected[i]);
    }
    MUST(trial, !trial->reference || refusals->count == refused);
}

static int may_change(const views_entity *entity, uint32_t member)
{
    if (!entity->present) {
        return QD_ROOM_UNKNOWN_ID;
    }
    return entity->owner == member || entity->owner == QD_ROOM_OWNED ? 0 : QD_ROOM_NOT_OWNER;
}

/* ---- entities ---- */

static struct {
    uint32_t number[TRIAL_BATCH_MAX], id[TRIAL_BATCH_MAX], category[TRIAL_BATCH_MAX];
    float at[3][TRIAL_BATCH_MAX], half[TRIAL_BATCH_MAX];
    int expected[TRIAL_BATCH_MAX];
} drawn;

static int apply(struct trial *trial, uint32_t member, trial_batch what, uint32_t i, bool room_owned)
{
    views_room *reference = trial->reference;
    views_entity *entity = &reference->entity[drawn.number[i]];
    float x = drawn.at[0][i], y = drawn.at[1][i], z = trial->is_3d ? drawn.at[2][i] : 0;
    bool is_finite = isfinite(x) && isfinite(y) && isfinite(z);

    if (what == TRIAL_SPAWN) {
        if (!is_finite) {
            return QD_ROOM_NOT_FINITE;
        }
        if (entity->present) {
            return QD_ROOM_ID_TAKEN;
        }
        *entity = (views_entity){.present = true,
                                 .id = drawn.id[i],
                                 .owner = room_owned ? QD_ROOM_OWNED : member,
                                 .birth = ++reference->births,
                                 .placed = reference->ticks,
                                 .body = {.x = x,
                                          .y = y,
                                          .z = z,
                                          .half_x = drawn.half[i],
                                          .half_y = drawn.half[i],
                                          .category = drawn.category[i],
                                          .shape = QD_SPACE_BOX}};
        return 0;
    }
    int refusal = may_change(entity, member);
    if (refusal) {
        return refusal;
    }
    if (what == TRIAL_DESPAWN) {
        views_remove(reference, drawn.number[i], QD_SPACE_DESPAWNED);
    }
    if (what == TRIAL_RESHAPE) {
        entity->body.category = drawn.category[i];
    }
    if (what == TRIAL_DESPAWN || what == TRIAL_RESHAPE) {
        return 0;
    }
    if (!is_finite) {
        return QD_ROOM_NOT_FINITE;
    }
    if (x != entity->body.x || y != entity->body.y || z != entity->body.z) {
        entity->placed = reference->ticks;
    }
    entity->body.x = x;
    entity->body.y = y;
    entity->body.z = z;
    return 0;
}

void trial_entities(struct trial *trial, rng_stream *rng, uint32_t member, trial_batch what)
{
    uint32_t count = trial->huge && what == TRIAL_SPAWN ? trial->batch_max : draw_count(trial, rng);
    bool room_owned = rng_one_in(rng, 3);
    qd_room_refusals refusals;
    qd_room_batch batch = {
        .count = count,
        .id = drawn.id,
        .x = drawn.at[0],
        .y = drawn.at[1],
        .z = trial->is_3d ? drawn.at[2] : NULL,
    };

    for (uint32_t i = 0; i < count; i++) {
        drawn.number[i] = trial->huge && what == TRIAL_SPAWN ? i : rng_below(rng, trial->universe);
        drawn.id[i] = trial_id(trial, drawn.number[i]);
        for (int axis = 0; axis < 3; axis++) {
            drawn.at[axis][i] = draw_coordinate(trial, rng);
        }
        drawn.half[i] = (float)rng_below(rng, 3);
        drawn.category[i] = draw_bits(rng);
    }
    if (what == TRIAL_SPAWN) {
        batch.half_x = batch.half_y = drawn.half;
        batch.category = drawn.category;
        qd_room_spawn(trial->room, member, &batch, room_owned, &refusals);
    } else if (what == TRIAL_MOVE) {
        qd_room_move(trial->room, member, &batch, &refusals);
    } else if (what == TRIAL_TELEPORT) {
        qd_room_teleport(trial->room, member, &batch, &refusals);
    } else {
        batch = (qd_room_batch){.count = count, .id = drawn.id};
        if (what == TRIAL_RESHAPE) {
            batch.category = drawn.category;
        }
        (what == TRIAL_RESHAPE ? qd_room_reshape : qd_room_despawn)(trial->room, member, &batch, &refusals);
    }
    for (uint32_t i = 0; i < count && trial->reference; i++) {
        drawn.expected[i] = apply(trial, member, what, i, room_owned);
    }
    check_refusals(trial, &refusals, drawn.expected, count);
}

/* ---- owners ---- */

static int give_one(struct trial *trial, uint32_t member, uint32_t number, uint32_t to, uint32_t *handed_over)
{
    const views_entity *entity = &trial->reference->entity[number];
    int refusal = may_change(entity, member);

    if (refusal) {
        return refusal;
    }
    *handed_over += entity->owner != to;
    views_reown(trial->reference, number, to);
    return 0;
}

void trial_give(struct trial *trial, rng_stream *rng, uint32_t member)
{
    uint32_t count = draw_count(trial, rng), to = trial->member[rng_below(rng, trial->actors)], expected = 0;
    qd_room_refusals refusals;

    for (uint32_t i = 0; i < count; i++) {
        drawn.number[i] = rng_below(rng, trial->universe);
        drawn.id[i] = trial_id(trial, drawn.number[i]);
    }
    uint32_t handed_over = qd_room_hand_over(trial->room, member, drawn.id, count, to, NULL, &refusals);
    trial_mix(trial, &handed_over, sizeof handed_over);
    for (uint32_t i = 0; i < count && trial->reference; i++) {
        drawn.expected[i] = give_one(trial, member, drawn.number[i], to, &expected);
    }
    check_refusals(trial, &refusals, drawn.expected, count);
    if (!trial->reference) {
        return;
    }
    MUST(trial, handed_over == expected);
    met->gifts += handed_over;
    if (handed_over > 0) {
        views_renew_own(trial->reference, member);
        views_renew_own(trial->reference, to);
    }
}

void trial_adopt(struct trial *trial, uint32_t from, uint32_t member)
{
    uint32_t handed_over = qd_room_adopt(trial->room, from, member, NULL), expected = 0;

    trial_mix(trial, &handed_over, sizeof handed_over);
    for (uint32_t number = 0; trial->reference && number < trial->universe; number++) {
        const views_entity *entity = &trial->reference->entity[number];

        if (!entity->present || entity->owner != from) {
            continue;
        }
        views_reown(trial->reference, number, member);
        expected++;
    }
    if (!trial->reference) {
        return;
    }
    MUST(trial, handed_over == expected);
    met->adoptions += handed_over;
    if (handed_over > 0) {
        views_renew_own(trial->reference, from);
        views_renew_own(trial->reference, member);
    }
}

/* ---- descriptions ---- */

static int describe_one(struct trial *trial, uint32_t member, const qd_msg_describe *batch, uint32_t i,
                        const uint8_t *payload)
{
    views_entity *entity = &trial->reference->entity[drawn.number[i]];
    int refusal = may_change(entity, member);

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

void trial_describe(struct trial *trial, rng_stream *rng, uint32_t member)
{
    enum { MOST = 16 };
    uint32_t count = 1 + rng_below(rng, MOST), team[MOST], bytes = 0;
    uint64_t tag[MOST];
    uint8_t size[MOST], payload[MOST * QD_VIEW_PAYLOAD_MAX], hidden[MOST];
    float range[MOST];
    int expected[MOST];
    qd_room_refusals refusals;

    for (uint32_t i = 0; i < count; i++) {
        drawn.number[i] = rng_below(rng, trial->universe);
        drawn.id[i] = trial_id(trial, drawn.number[i]);
        tag[i] = (uint64_t)rng_draw(rng) << 32 | rng_draw(rng);
        size[i] = (uint8_t)rng_below(rng, QD_VIEW_PAYLOAD_MAX + 1);
        for (uint8_t k = 0; k < size[i]; k++) {
            payload[bytes++] = (uint8_t)rng_draw(rng);
        }
        range[i] = rng_one_in(rng, 2) ? 0 : draw_size(trial, rng, trial->side);
        team[i] = rng_below(rng, 3);
        hidden[i] = rng_one_in(rng, 3);
    }
    qd_msg_describe batch = {
        .count = count,
        .id = drawn.id,
        .tag = rng_one_in(rng, 2) ? tag : NULL,
        .visible_range = trial->has_beacons && rng_one_in(rng, 2) ? range : NULL,
        .team = trial->has_teams && rng_one_in(rng, 2) ? team : NULL,
        .hidden = rng_one_in(rng, 2) ? hidden : NULL,
    };
    if (rng_one_in(rng, 2)) {
        batch.payload_size = size;
        batch.payload = payload;
    }
    qd_room_describe(trial->room, member, &batch, &refusals);
    bytes = 0;
    for (uint32_t i = 0; i < count && trial->reference; i++) {
        expected[i] = describe_one(trial, member, &batch, i, payload + bytes);
        bytes += size[i];
    }
    check_refusals(trial, &refusals, expected, count);
}

/* ---- observers ---- */

/* An observer as it is drawn. */
struct observer_request {
    uint32_t id, entity, mask, limit, budget, team;
    uint8_t anchored, sees_self, region;
    float at[3], range, half[3], direction[3], angle, margin;
};

static struct observer_request draw_observer(const struct trial *trial, rng_stream *rng)
{
    struct observer_request request = {
        .id = rng_below(rng, VIEWS_OBSERVERS_MAX),
        .entity = rng_below(rng, trial->universe),
        .mask = draw_bits(rng),
        .limit = trial->has_limits && rng_one_in(rng, 3) ? 1 + rng_below(rng, 5) : 0,
        .budget = trial->has_limits && rng_one_in(rng, 3) ? 1 + rng_below(rng, 3) : 0,
        .team = trial->has_teams ? rng_below(rng, 3) : 0,
        .anchored = (uint8_t)rng_below(rng, 4), /* and sees_self, the second bit */
        .region = (uint8_t)(rng_one_in(rng, 3) ? QD_ROOM_CIRCLE : 1 + rng_below(rng, 3)),
        .range = draw_size(trial, rng, trial->huge ? 200 : 2 * trial->side),
        .angle = rng_one_in(rng, 8) ? (float)M_PI : rng_between(rng, 0, 3.2),
        .margin = trial->has_margins && rng_one_in(rng, 2) ? draw_size(trial, rng, trial->side / 2) : 0,
    };

    request.sees_self = request.anchored >> 1;
    request.anchored &= 1;
    for (int axis = 0; axis < 3; axis++) {
        request.at[axis] = trial->is_3d || axis < 2 ? draw_coordinate(trial, rng) : 0;
        request.half[axis] = trial->is_3d || axis < 2 ? draw_size(trial, rng, trial->side) : 0;
        request.direction[axis] = trial->is_3d || axis < 2 ? (float)rng_below(rng, 9) - 4 : 0;
    }
    if (trial->is_dirty && rng_one_in(rng, 20)) {
        request.region = (uint8_t)rng_below(rng, 256);
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

static int check_observer(struct trial *trial, uint32_t member, const struct observer_request *request)
{
    views_room *reference = trial->reference;
    int refusal = check_region(request);

    if (refusal) {
        return refusal;
    }
    if (request->anchored) {
        refusal = may_change(&reference->entity[request->entity], member);
    } else if (!isfinite(request->at[0]) || !isfinite(request->at[1]) || !isfinite(request->at[2])) {
        refusal = QD_ROOM_NOT_FINITE;
    }
    if (!refusal && !views_find(reference, member, request->id) &&
        views_live(reference) >= reference->config.observers_max) {
        refusal = QD_ROOM_OBSERVERS_FULL;
    }
    return refusal;
}

static void take(views_observer *observer, const struct observer_request *request)
{
    observer->kind = request->region;
    observer->anchored = request->anchored;
    observer->sees_self = request->sees_self;
    observer->anchor = request->entity;
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

static int observe_one(struct trial *trial, uint32_t member, const struct observer_request *request,
                       const qd_msg_observers *batch)
{
    int refusal = check_observer(trial, member, request);

    if (refusal) {
        return refusal;
    }
    views_observer *observer = views_find(trial->reference, member, request->id);
    if (!observer) {
        observer = views_add(trial->reference, member, request->id);
    }
    take(observer, request);
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

void trial_observe(struct trial *trial, rng_stream *rng, uint32_t member)
{
    struct observer_request request = draw_observer(trial, rng);
    uint32_t id = trial_id(trial, request.entity), every[3];
    float range[3];
    qd_room_refusals refusals;
    qd_msg_observers batch = {
        .count = 1,
        .id = &request.id,
        .anchored = &request.anchored,
        .region = &request.region,
        .entity = &id,
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
        .tier_count = trial->has_tiers ? rng_below(rng, 4) : 0,
        .relay_range = range,
        .relay_every = every,
    };

    for (uint32_t tier = 0; tier < 3; tier++) {
        range[tier] = (float)rng_below(rng, 2 * trial->side) * 0.5f + (tier > 0 ? range[tier - 1] : 0);
        every[tier] = 1 + rng_below(rng, 4);
    }
    qd_room_observe(trial->room, member, &batch, &refusals);
    int expected = trial->reference ? observe_one(trial, member, &request, &batch) : 0;
    check_refusals(trial, &refusals, &expected, 1);
}

static int move_one(struct trial *trial, uint32_t member, const struct observer_request *request,
                    const qd_msg_observers *batch)
{
    views_observer *observer = views_find(trial->reference, member, request->id);

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

void trial_move_observers(struct trial *trial, rng_stream *rng, uint32_t member)
{
    for (uint32_t id = 0; id < VIEWS_OBSERVERS_MAX; id++) {
        struct observer_request request = draw_observer(trial, rng);
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
        qd_room_observers_move(trial->room, member, &batch, &refusals);
        int expected = trial->reference ? move_one(trial, member, &request, &batch) : 0;
        check_refusals(trial, &refusals, &expected, 1);
    }
}

void trial_unobserve(struct trial *trial, rng_stream *rng, uint32_t member)
{
    uint32_t id[2] = {rng_below(rng, VIEWS_OBSERVERS_MAX), rng_below(rng, VIEWS_OBSERVERS_MAX)};
    int expected[2] = {0, 0};
    qd_room_refusals refusals;

    qd_room_unobserve(trial->room, member, 2, id, &refusals);
    for (int i = 0; i < 2 && trial->reference; i++) {
        views_observer *observer = views_find(trial->reference, member, id[i]);

        if (observer) {
            views_end(trial->reference, observer);
        } else {
            expected[i] = QD_ROOM_UNKNOWN_OBSERVER;
        }
    }
    check_refusals(trial, &refusals, expected, 2);
}

void trial_except(struct trial *trial, rng_stream *rng, uint32_t member)
{
    uint32_t show[VIEWS_LIST_MAX], hide[VIEWS_LIST_MAX], id = rng_below(rng, VIEWS_OBSERVERS_MAX);
    uint32_t shows = rng_one_in(rng, 2) ? 0 : rng_below(rng, VIEWS_LIST_MAX);
    uint32_t hides = rng_one_in(rng, 2) ? 0 : rng_below(rng, VIEWS_LIST_MAX);

    for (uint32_t i = 0; i < VIEWS_LIST_MAX; i++) {
        show[i] = trial_id(trial, rng_below(rng, trial->universe));
        hide[i] = trial_id(trial, rng_below(rng, trial->universe));
    }
    qd_status status = qd_room_except(trial->room, member, id, shows, show, hides, hide);
    if (!trial->reference) {
        return;
    }
    views_observer *observer = views_find(trial->reference, member, id);
    MUST(trial, status == (observer ? QD_OK : QD_ERR_NOT_FOUND));
    if (!observer) {
        return;
    }
    memcpy(observer->show, show, sizeof show);
    memcpy(observer->hide, hide, sizeof hide);
    observer->show_count = shows;
    observer->hide_count = hides;
}
