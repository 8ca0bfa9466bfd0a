/* SPDX-License-Identifier: Apache-2.0
 *
 * The effect of a request on the state of a room, and the bodies that requests and frames describe.
 */
#include <math.h>
#include <string.h>

#include "model.h"

/* What is applied, and to what. */
typedef struct applying {
    const model_room *room;
    model_state *state;
    const model_op *op;
} applying;

/* NULL: no stay has the id. */
static model_entity *entity_of(const applying *to, uint32_t id)
{
    uint32_t entity;
    const model_stay *stay = model_owner(to->room, id, &entity);

    return stay == NULL ? NULL : &to->state->entities[stay->number][entity];
}

static bool are_finite(const float *values, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!isfinite(values[i])) {
            return false;
        }
    }
    return true;
}

/* Sizes as the protocol has them. Those that the shape lacks are 0. */
typedef struct model_form {
    uint8_t shape;
    float half[3], axis[3], radius;
} model_form;

static model_form form_of(const qd_body *body)
{
    const bool is_circle = body->shape == QD_SHAPE_CIRCLE;
    const float half[3] = {is_circle ? 0 : body->half_x, body->half_y, body->half_z};
    model_form form = {.shape = body->shape, .radius = is_circle ? body->half_x : body->radius};

    memcpy(body->shape == QD_SHAPE_BOX ? form.half : form.axis, half, sizeof half);
    return form;
}

/* As the oracle knows it: a circle's radius is half_x, a capsule's axis the half extents. */
static void give_form(qd_body *body, const model_form *form)
{
    const bool is_circle = form->shape == QD_SHAPE_CIRCLE, is_box = form->shape == QD_SHAPE_BOX;
    const float *half = is_box ? form->half : form->axis;

    body->shape = form->shape;
    body->half_x = is_circle ? form->radius : half[0];
    body->half_y = half[1];
    body->half_z = half[2];
    body->radius = is_circle ? 0 : form->radius;
}

/* A size of entry `i`; without a column it stays. False: the shape, which lacks it if `has` is false, forbids it. */
static bool take_size(const float *column, uint32_t i, bool has, bool has_sign, float *size)
{
    if (column == NULL) {
        *size = has ? *size : 0;
        return true;
    }
    *size = column[i];
    return has ? isfinite(*size) && (has_sign || *size >= 0) : *size == 0;
}

/* What the entity is after entry `i` of a batch or a MoveRoster; false: the entry must be refused. */
static bool change(qd_body *body, const model_op *op, uint32_t i)
{
    static const qd_msg_entities none;
    bool by_roster = op->message.kind == QD_CLIENT_MOVE_ROSTER, is_good = true;
    const qd_msg_entities *given = by_roster ? &none : &op->message.as.batch.entities;
    model_form form = form_of(body);

    if (by_roster || given->x != NULL) {
        body->x = op->at[0][i];
        body->y = op->at[1][i];
        body->z = op->at[2][i];
        is_good = are_finite((const float[]){body->x, body->y, body->z}, 3);
    }
    form.shape = given->shape != NULL ? op->shape[i] : form.shape;
    is_good = is_good && form.shape >= QD_SHAPE_BOX && form.shape <= QD_SHAPE_CAPSULE;
    bool is_box = form.shape == QD_SHAPE_BOX, is_capsule = form.shape == QD_SHAPE_CAPSULE;
    is_good = take_size(given->radius, i, !is_box, false, &form.radius) && is_good;
    for (uint32_t axis = 0; axis < 3; axis++) {
        const float *half = given->half_x != NULL ? op->half[axis] : NULL;
        const float *end = given->axis_x != NULL ? op->axis[axis] : NULL;

        is_good = take_size(half, i, is_box, false, &form.half[axis]) && is_good;
        is_good = take_size(end, i, is_capsule, true, &form.axis[axis]) && is_good;
    }
    give_form(body, &form);
    if (given->mask != NULL) {
        body->category = op->category[i];
        body->mask = op->mask[i];
    }
    return is_good;
}

/* Whether the stay may name the entity. */
static bool is_own(const applying *to, const model_entity *entity)
{
    return entity->present && (entity->owner == to->op->stay->number || entity->owner == MODEL_ROOM_OWNED);
}

void model_name_roster(model_roster rosters[STAY_ROSTERS], const model_op *op)
{
    const qd_msg_set_roster *named = &op->message.as.set_roster;
    model_roster *roster = &rosters[named->roster];
    uint32_t end = named->first + op->count;

    sim_check(named->first <= roster->count && end <= ROSTER_IDS, "the scenario's roster is wrong");
    memcpy(roster->id + named->first, op->id, op->count * sizeof op->id[0]);
    roster->count = named->keep_rest && roster->count > end ? roster->count : end;
}

/* Observers end with their anchors. Until the next tick views have the entity, so its owner is kept. */
static void remove_entity(const applying *to, uint32_t id)
{
    uint32_t entity;
    const model_stay *stay = model_owner(to->room, id, &entity);
    model_entity *removed = &to->state->entities[stay->number][entity];

    *removed = (model_entity){.owner = removed->owner, .birth = removed->birth};
    for (uint32_t i = 0; i < to->room->stay_count * STAY_REGIONS; i++) {
        model_region *region = &to->state->regions[i / STAY_REGIONS][i % STAY_REGIONS];

        region->present &= !region->anchored || region->anchor_id != id;
    }
}

/* Whether it may be gone with its owner, which is not known. */
static bool may_have_expired(const applying *to, const model_entity *entity)
{
    if (entity->owner == MODEL_ROOM_OWNED || entity->owner == to->op->stay->number) {
        return false;
    }
    const model_stay *owner = to->room->stays[entity->owner];
    return owner->left && to->room->world->now_ns >= owner->left_ns + to->room->grace_ns;
}

/* Whether it is gone with its owner: its id was given again. */
static bool has_expired(const applying *to, const model_entity *entity, uint32_t i)
{
    return may_have_expired(to, entity) && !to->op->reported_refused[i];
}

static bool spawn(const applying *to, model_entity *entity, uint32_t i)
{
    qd_body body = {.shape = QD_SHAPE_BOX, .category = 1, .mask = UINT32_MAX};
    const model_op *op = to->op;
    uint32_t number;

    if (model_owner(to->room, op->id[i], &number) != op->stay || (entity->present && !has_expired(to, entity, i))) {
        return false;
    }
    if (!change(&body, op, i)) {
        return false;
    }
    if (entity->present) {
        remove_entity(to, op->id[i]);
    }
    *entity = (model_entity){.present = true,
                             .owner = op->message.as.batch.room_owned ? MODEL_ROOM_OWNED : op->stay->number,
                             .birth = entity->birth + 1,
                             .body = body};
    return true;
}

static bool describe(const model_op *op, model_entity *entity, uint32_t i)
{
    if (!isfinite(op->range[i]) || op->range[i] < 0) {
        return false;
    }
    entity->hidden = op->hidden[i] != 0;
    entity->team = op->team[i];
    entity->tag = op->tag[i];
    entity->visible_range = op->range[i];
    return true;
}

model_stay *model_receiver_of(const model_room *room, const model_op *op)
{
    if (op->to != NULL) {
        return op->to;
    }
    uint64_t to = op->message.as.hand_over.session;
    return to == op->stay->session ? op->stay : model_latest_stay(room, to);
}

/* An entry about an entity; false where it must be refused. */
static bool apply_entity(const applying *to, uint32_t i)
{
    const model_op *op = to->op;
    bool by_roster = op->message.kind == QD_CLIENT_MOVE_ROSTER;
    const qd_msg_move_roster *move = &op->message.as.move_roster;
    const model_roster *rosters = to->state->rosters[op->stay->number];
    model_entity *entity = entity_of(to, by_roster ? rosters[move->roster].id[move->first + i] : op->id[i]);

    if (entity == NULL) {
        return false;
    }
    if (op->message.kind == QD_CLIENT_SPAWN) {
        return spawn(to, entity, i);
    }
    if (!is_own(to, entity)) {
        return false;
    }
    switch (op->message.kind) {
    case QD_CLIENT_DESPAWN:
        remove_entity(to, op->id[i]);
        return true;
    case QD_CLIENT_SET_DESCRIPTION:
        return describe(op, entity, i);
    case QD_CLIENT_HAND_OVER:
        entity->owner =
            op->message.as.hand_over.room_owned ? MODEL_ROOM_OWNED : model_receiver_of(to->room, op)->number;
        return true;
    default:
        break;
    }
    qd_body after = entity->body;
    bool is_good = change(&after, op, i);
    entity->body = is_good ? after : entity->body;
    return is_good;
}

static bool is_direction(const float direction[3])
{
    return are_finite(direction, 3) && (direction[0] != 0 || direction[1] != 0 || direction[2] != 0);
}

static bool is_good_region(const model_region *region)
{
    switch (region->kind) {
    case QD_REGION_BOX:
        return are_finite(region->half, 3) && region->half[0] >= 0 && region->half[1] >= 0 && region->half[2] >= 0;
    case QD_REGION_CONE:
        return isfinite(region->range) && region->range >= 0 && is_direction(region->direction);
    default:
        return region->kind == QD_REGION_CIRCLE && isfinite(region->range) && region->range >= 0;
    }
}

/* Entry `i` of an Observe. */
static model_region given_region(const model_op *op, uint32_t i)
{
    return (model_region){.present = true,
                          .anchored = op->anchored[i],
                          .sees_self = op->sees_self[i],
                          .anchor_id = op->anchored[i] ? op->anchor_id[i] : 0,
                          .kind = op->region[i],
                          .at = {op->at[0][i], op->at[1][i], op->at[2][i]},
                          .range = op->range[i],
                          .half = {op->half[0][i], op->half[1][i], op->half[2][i]},
                          .direction = {op->direction[0][i], op->direction[1][i], op->direction[2][i]},
                          .angle = op->angle[i],
                          .mask = op->mask[i],
                          .team = op->team[i]};
}

static bool observe(const applying *to, model_region *region, uint32_t i)
{
    model_region given = given_region(to->op, i);
    const model_entity *anchor = given.anchored ? entity_of(to, given.anchor_id) : NULL;

    if (!is_good_region(&given) ||
        (given.anchored ? anchor == NULL || !is_own(to, anchor) : !are_finite(given.at, 3))) {
        return false;
    }
    if (region->present) {
        given.shows = region->shows;
        given.show = region->show;
        given.hides = region->hides;
        given.hide = region->hide;
    }
    *region = given;
    return true;
}

static bool move_region(model_region *region, const model_op *op, uint32_t i)
{
    const model_region given = given_region(op, i);
    bool moves = op->message.as.observers.x != NULL, turns = op->message.as.observers.direction_x != NULL;

    if ((moves && (region->anchored || !are_finite(given.at, 3))) ||
        (turns && (region->kind != QD_REGION_CONE || !is_direction(given.direction)))) {
        return false;
    }
    if (moves) {
        memcpy(region->at, given.at, sizeof region->at);
    }
    if (turns) {
        memcpy(region->direction, given.direction, sizeof region->direction);
    }
    return true;
}

static void except(model_region *region, const qd_msg_set_exceptions *lists)
{
    region->shows = lists->show_count > 0;
    region->hides = lists->hide_count > 0;
    region->show = *lists->show;
    region->hide = *lists->hide;
}

/* Whether it has ended with its anchor, which another stay adopted and left behind: the server no longer knows it. */
static bool has_ended(const applying *to, const model_region *region, uint32_t i)
{
    const model_entity *anchor = region->present && region->anchored ? entity_of(to, region->anchor_id) : NULL;
    bool is_refused = to->op->reported_refused[i] || to->op->refused_whole;

    return anchor != NULL && may_have_expired(to, anchor) && is_refused;
}

/* An entry about an observer, likewise. */
static bool apply_region(const applying *to, uint32_t i)
{
    const model_op *op = to->op;
    model_region *region = &to->state->regions[op->stay->number][model_region_of(op->id[i])];

    if (op->message.kind == QD_CLIENT_OBSERVE) {
        return observe(to, region, i);
    }
    model_region moved = *region;
    bool is_good = region->present && (op->message.kind != QD_CLIENT_MOVE_OBSERVERS || move_region(&moved, op, i));
    /* What would be refused in any case does not show whether the observer has ended. */
    if (is_good && has_ended(to, region, i)) {
        *region = (model_region){0};
        return false;
    }
    if (!is_good) {
        return false;
    }
    *region = moved;
    if (op->message.kind == QD_CLIENT_UNOBSERVE) {
        *region = (model_region){0};
    } else if (op->message.kind == QD_CLIENT_SET_EXCEPTIONS) {
        except(region, &op->message.as.set_exceptions);
    }
    return true;
}

/* Which ones these are depends on who is connected by then. So the tap compares and notes it. */
static void adopt(const applying *to)
{
    for (uint32_t i = 0; i < to->op->adopted_count; i++) {
        model_entity *entity = entity_of(to, to->op->adopted[i]);

        if (entity->present) {
            entity->owner = to->op->stay->number;
        }
    }
}

uint32_t model_apply(const model_room *room, model_state *state, const model_op *op, uint32_t refused[OP_ENTRIES])
{
    const applying to = {room, state, op};
    uint32_t refused_count = 0;

    if (op->message.kind == QD_CLIENT_HAND_OVER && op->refused_whole) {
        return 0;
    }
    if (op->message.kind == QD_CLIENT_ADOPT) {
        adopt(&to);
        return 0;
    }
    if (op->message.kind == QD_CLIENT_SET_ROSTER) {
        model_name_roster(state->rosters[op->stay->number], op);
        return 0;
    }
    for (uint32_t i = 0; i < op->count; i++) {
        bool of_region = op->message.kind >= QD_CLIENT_OBSERVE && op->message.kind <= QD_CLIENT_SET_EXCEPTIONS;

        if (!(of_region ? apply_region(&to, i) : apply_entity(&to, i))) {
            refused[refused_count++] = i;
        }
    }
    return refused_count;
}

/* ---- what frames show ---- */

static float value_at(const float *column, uint32_t i)
{
    return column != NULL ? column[i] : 0;
}

qd_body model_row(const qd_msg_entities *rows, uint32_t i)
{
    qd_body body = {.x = rows->x[i],
                    .y = rows->y[i],
                    .z = value_at(rows->z, i),
                    .category = rows->category[i],
                    .mask = rows->mask != NULL ? rows->mask[i] : 0};
    const model_form form = {
        .shape = rows->shape[i],
        .half = {value_at(rows->half_x, i), value_at(rows->half_y, i), value_at(rows->half_z, i)},
        .axis = {value_at(rows->axis_x, i), value_at(rows->axis_y, i), value_at(rows->axis_z, i)},
        .radius = value_at(rows->radius, i),
    };

    give_form(&body, &form);
    const model_form has = form_of(&body);
    sim_check(form.radius == has.radius && memcmp(form.half, has.half, sizeof has.half) == 0 &&
                  memcmp(form.axis, has.axis, sizeof has.axis) == 0,
              "entity %u has a size that its shape lacks", rows->id[i]);
    return body;
}

bool model_same_body(const qd_body *a, const qd_body *b)
{
    return a->x == b->x && a->y == b->y && a->z == b->z && a->half_x == b->half_x && a->half_y == b->half_y &&
           a->half_z == b->half_z && a->radius == b->radius && a->shape == b->shape && a->category == b->category &&
           a->mask == b->mask;
}
