/* SPDX-License-Identifier: Apache-2.0 */
#include "views.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the rule ---- */

static double square(const double d[3])
{
    return d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
}

static bool is_in_box(const float centre[3], const model_region *region, const float at[3])
{
    for (int axis = 0; axis < 3; axis++) {
        float low = centre[axis] - region->half[axis], high = centre[axis] + region->half[axis];

        if (at[axis] < low || at[axis] > high) {
            return false;
        }
    }
    return true;
}

static bool is_in_cone(const model_region *region, const double d[3])
{
    const double direction[3] = {region->direction[0], region->direction[1], region->direction[2]};
    double length = sqrt(square(direction)), sum = 0;

    if (region->angle == (float)M_PI) {
        return true;
    }
    for (int axis = 0; axis < 3; axis++) {
        sum += d[axis] * (direction[axis] / length);
    }
    return sum >= cos((double)region->angle) * sqrt(square(d));
}

static bool is_near(const float centre[3], const model_region *region, const model_entity *entity)
{
    const float at[3] = {entity->body.x, entity->body.y, entity->body.z};
    double d[3], reach = entity->visible_range;

    for (int axis = 0; axis < 3; axis++) {
        d[axis] = (double)at[axis] - (double)centre[axis];
    }
    if (region->kind == QD_REGION_BOX) {
        return is_in_box(centre, region, at) || (reach > 0 && square(d) <= reach * reach);
    }
    if (region->range > reach) {
        reach = region->range;
    }
    return square(d) <= reach * reach && (region->kind == QD_REGION_CIRCLE || is_in_cone(region, d));
}

static bool sees(const model_region *region, const model_entity *anchor, const model_body *body)
{
    const model_entity *entity = body->entity;

    if (region->shows && region->show == body->id) {
        return true;
    }
    bool is_self = region->anchored && region->anchor_id == body->id;
    bool is_other_team = region->team != 0 && entity->team != 0 && region->team != entity->team;
    if ((region->hides && region->hide == body->id) || entity->hidden || (is_self && !region->sees_self) ||
        (region->mask & entity->body.category) == 0 || is_other_team) {
        return false;
    }
    if (!region->anchored) {
        return is_near(region->at, region, entity);
    }
    const float at_anchor[3] = {anchor->body.x, anchor->body.y, anchor->body.z};
    return is_near(at_anchor, region, entity);
}

/* NULL: it is gone, with another session, and its observers with it. */
static const model_entity *anchor_of(const model_region *region, const model_body *bodies, uint32_t count)
{
    while (count > 0 && bodies[count - 1].id != region->anchor_id) {
        count--;
    }
    return count > 0 ? bodies[count - 1].entity : NULL;
}

static bool explains(const model_past *past, const model_state *state, const model_body *bodies, uint32_t count,
                     const model_fold *fold)
{
    const model_region *own = state->regions[past->stay->number];
    uint32_t found = 0;

    for (uint32_t k = 0; k < STAY_REGIONS; k++) {
        const model_entity *anchor = own[k].anchored ? anchor_of(&own[k], bodies, count) : NULL;
        bool is_there = own[k].present && (!own[k].anchored || anchor != NULL);

        for (uint32_t i = 0; is_there && i < count; i++) {
            if (!sees(&own[k], anchor, &bodies[i])) {
                continue;
            }
            if (!model_fold_has(fold, model_region_id(k), bodies[i].id)) {
                return false;
            }
            found++;
        }
    }
    return found == fold->set_count;
}

/* ---- the fold ---- */

model_views *model_views_create(model_stay *stay, uint64_t tick)
{
    model_views *views = calloc(1, sizeof *views);

    sim_check(views != NULL, "out of memory");
    model_fold_init(&views->fold, stay, "views", explains);
    views->fold.tick = tick;
    stay->views = views;
    return views;
}

void model_views_destroy(model_views *views)
{
    if (views == NULL) {
        return;
    }
    views->fold.past.stay->views = NULL;
    free(views->fold.set);
    free(views);
}

static void forget(model_views *views, bool all, bool watchers)
{
    if (all) {
        views->slots.in_use = false;
        views->fold.set_count = 0;
    }
    if (watchers) {
        views->watcher_count = 0;
    }
}

enum { LEAVES = 1, ENTERS, RELAYS, WATCHER_LEAVES, WATCHER_ENTERS };

static void report(model_views *views, model_reported_entity reported)
{
    sim_check(views->reported_count < 2 * VIEWS_MAX, "a view reports more than there is");
    views->reported[views->reported_count++] = reported;
}

/* ---- slots ---- */

static uint32_t slot_of(const model_slots *slots, uint32_t id)
{
    uint32_t slot = 0;

    while (slot < SLOTS_MAX && !(slots->used[slot] && slots->id[slot] == id)) {
        slot++;
    }
    return slot;
}

static bool is_seen(const model_views *views, uint32_t id)
{
    for (uint32_t k = 0; k < STAY_REGIONS; k++) {
        if (model_fold_has(&views->fold, model_region_id(k), id)) {
            return true;
        }
    }
    return false;
}

/* After the leaves: what no view has any more has no slot. */
static void end_slots(model_views *views)
{
    for (uint32_t slot = 0; slot < SLOTS_MAX; slot++) {
        views->slots.used[slot] &= views->slots.in_use && is_seen(views, views->slots.id[slot]);
    }
}

static void begin_slots(model_views *views, const qd_msg_view *view)
{
    model_slots *slots = &views->slots;

    if (view->enter_slot == NULL || slots->in_use) {
        return;
    }
    slots->in_use = true;
    slots->state = (qd_relay_state){.axes = view->enter.z != NULL ? 3 : 2, .k = view->relay_k, .count = SLOTS_MAX};
    for (unsigned axis = 0; axis < slots->state.axes; axis++) {
        slots->state.at[axis] = slots->columns[2 * axis];
        slots->state.last[axis] = slots->columns[2 * axis + 1];
    }
}

static void start_slot(model_views *views, const qd_msg_view *view, uint32_t i)
{
    const qd_msg_entities *enter = &view->enter;
    const uint32_t id = enter->id[i], slot_and_1 = view->enter_slot != NULL ? view->enter_slot[i] : 0;
    model_slots *slots = &views->slots;

    if (!slots->in_use) {
        return;
    }
    sim_check((slot_of(slots, id) == SLOTS_MAX) == (slot_and_1 != 0), "an entity has two slots, or none");
    if (slot_and_1 == 0) {
        return;
    }
    sim_check(slot_and_1 <= SLOTS_MAX && !slots->used[slot_and_1 - 1], "a slot is too high, or in use");
    sim_check(view->relay_k == slots->state.k, "another precision without a reset");
    slots->used[slot_and_1 - 1] = true;
    slots->id[slot_and_1 - 1] = id;
    qd_relay_start(&slots->state, slot_and_1 - 1,
                   (const float[]){enter->x[i], enter->y[i], enter->z != NULL ? enter->z[i] : 0});
}

static void report_slot(model_views *views, uint32_t slot, const float *at)
{
    sim_check(views->slots.in_use && slot < SLOTS_MAX && views->slots.used[slot], "a position of a free slot");
    report(views, (model_reported_entity){.id = views->slots.id[slot], .body = {.x = at[0], .y = at[1], .z = at[2]}});
}

static void fold_slots(model_views *views, const qd_msg_view *view)
{
    qd_relay_state *state = &views->slots.state;
    uint32_t named[SLOTS_MAX], count = 0;

    if (view->relay.size > 0) {
        sim_check(views->slots.in_use && view->has_relay_k && view->relay_k == state->k, "a blob without a precision");
        count = qd_relay_read(state, view->relay.bytes, view->relay.size, named);
        sim_check(count != QD_RELAY_REFUSED, "a blob cannot be read");
    }
    for (uint32_t i = 0; i < count; i++) {
        float at[QD_RELAY_AXES] = {0};

        for (unsigned axis = 0; axis < state->axes; axis++) {
            at[axis] = qd_relay_position(state, axis, named[i]);
        }
        report_slot(views, named[i], at);
    }
    for (uint32_t i = 0; i < view->exact_count; i++) {
        const float at[] = {view->exact_x[i], view->exact_y[i], view->exact_z != NULL ? view->exact_z[i] : 0};

        report_slot(views, view->exact_slot[i], at);
        if (view->has_relay_k) {
            qd_relay_start(state, view->exact_slot[i], at);
        }
    }
}

/* ---- groups ---- */

static void fold_leaves(model_views *views, const qd_msg_view *view)
{
    model_fold_group(&views->fold, LEAVES, MODEL_REMOVES, view->leave_count, view->leave_observer, view->leave_id);
    for (uint32_t i = 0; i < view->leave_count; i++) {
        sim_check(view->leave_reason[i] >= 1 && view->leave_reason[i] <= QD_LEAVE_RANGE,
                  "a leave has no reason, or one that cannot be");
        views->fold.closing |= view->leave_reason[i] == QD_LEAVE_ROOM_CLOSED;
    }
    end_slots(views);
}

static void fold_enters(model_views *views, const qd_msg_view *view)
{
    const qd_msg_entities *enter = &view->enter;
    bool is_3d = views->fold.past.stay->room->config.dimensions == 3;

    sim_check(view->enter_count == 0 || (enter->z != NULL) == is_3d, "a place of other dimensions");
    sim_check(view->enter_payload_size == NULL, "a payload that nobody sent");
    model_fold_group(&views->fold, ENTERS, MODEL_ADDS, view->enter_count, view->enter_observer, enter->id);
    begin_slots(views, view);
    for (uint32_t i = 0; i < view->enter_count; i++) {
        start_slot(views, view, i);
        report(views, (model_reported_entity){.id = enter->id[i],
                                              .is_enter = true,
                                              .tag = view->enter_tag != NULL ? view->enter_tag[i] : 0,
                                              .body = model_row(enter, i)});
    }
}

static void fold_relays(model_views *views, const qd_msg_view *view)
{
    model_fold_group(&views->fold, RELAYS, MODEL_RELAYS, view->relay_count, view->relay_observer, view->relay_id);
    for (uint32_t i = 0; i < view->relay_count; i++) {
        report(views, (model_reported_entity){.id = view->relay_id[i],
                                              .body = {.x = view->relay_x[i],
                                                       .y = view->relay_y[i],
                                                       .z = view->relay_z != NULL ? view->relay_z[i] : 0}});
    }
}

static uint32_t watcher_place(const model_views *views, model_watcher watcher)
{
    uint32_t i = 0;

    while (i < views->watcher_count &&
           (views->watchers[i].id != watcher.id || views->watchers[i].session != watcher.session ||
            views->watchers[i].observer != watcher.observer)) {
        i++;
    }
    return i;
}

static void fold_watchers(model_views *views, const qd_msg_view *view)
{
    uint32_t leaves = view->watcher_leave_count, count = leaves + view->watcher_enter_count;

    sim_check(count == 0 || views->watchers_known, "watchers that nobody asked for");
    for (uint32_t k = 0; k < count; k++) {
        bool enters = k >= leaves;
        uint32_t i = enters ? k - leaves : k;
        const model_watcher watcher = {
            enters ? view->watcher_enter_entity[i] : view->watcher_leave_entity[i],
            enters ? view->watcher_enter_session[i] : view->watcher_leave_session[i],
            enters ? view->watcher_enter_observer[i] : view->watcher_leave_observer[i],
        };
        uint32_t place = watcher_place(views, watcher);

        model_fold_order(&views->fold, enters ? WATCHER_ENTERS : WATCHER_LEAVES, watcher.id);
        sim_check((place == views->watcher_count) == enters, "a watcher comes that is there, or goes that is not");
        if (enters) {
            sim_check(views->watcher_count < WATCHERS_MAX, "more watchers than there can be");
            views->watchers[views->watcher_count++] = watcher;
        } else {
            views->watchers[place] = views->watchers[--views->watcher_count];
        }
    }
}

/* ---- what must be true ---- */

/* Whether a stay left that may have changed it without a report. */
static bool is_in_doubt(const model_room *room, const model_entity *entity)
{
    if (entity->owner != MODEL_ROOM_OWNED) {
        return room->stays[entity->owner]->left;
    }
    return room->leaver_count > 0;
}

/* Whether it is what the state has. */
static bool is_told_right(const model_room *room, const model_state *state, const model_reported_entity *reported)
{
    uint32_t number;
    const model_stay *stay = model_owner(room, reported->id, &number);
    const model_entity *entity = &state->entities[stay->number][number];
    qd_body given = reported->body, is = entity->body;

    if (stay->left || is_in_doubt(room, entity)) {
        return true;
    }
    given.mask = is.mask; /* which no view shows */
    return reported->is_enter ? model_same_body(&given, &is) && reported->tag == entity->tag
                              : given.x == is.x && given.y == is.y && given.z == is.z;
}

/* What the frames reported about entities is true at one of the moments that this tick can be. A stay that has left may
 * have adopted an entity and moved it, and no Applied reports that. */
static void check_told(const model_views *views)
{
    static model_state state;
    const model_past *past = &views->fold.past;
    const model_room *room = past->stay->room;
    uint32_t refused[OP_ENTRIES], number;
    size_t last = past->done;

    for (uint32_t m = 0; m < past->moment_count; m++) {
        last = past->moments[m].count > last ? past->moments[m].count : last;
    }
    for (uint32_t i = 0; i < views->reported_count; i++) {
        const model_reported_entity *reported = &views->reported[i];

        sim_check(model_owner(room, reported->id, &number) != NULL, "a view reports an entity that never existed");
        if (is_told_right(room, &past->state, reported)) {
            continue;
        }
        state = past->state;
        for (size_t at = past->done; !is_told_right(room, &state, reported); at++) {
            sim_check(at < last, "a view reports a wrong place, or an entity enters as it is not");
            (void)model_apply(room, &state, room->order[at], refused);
        }
    }
}

void model_views_cut(model_views *views)
{
    views->cut = true;
    views->fold.in_tick = false;
}

void model_views_tell(model_views *views, const qd_msg_view *view)
{
    model_fold *fold = &views->fold;

    sim_check(!fold->closing, "a view after the room was closed");
    bool needs_reset = views->cut && (fold->set_count > 0 || fold->suspended || views->watchers_known);
    sim_check(!needs_reset || view->suspended || (view->reset && (view->reset_watchers || !views->watchers_known)),
              "the first view after a cut is no reset");
    views->cut = false;
    if (view->suspended) {
        sim_check(view->last && view->leave_count + view->enter_count + view->relay_count == 0 &&
                      view->watcher_leave_count + view->watcher_enter_count == 0,
                  "a suspension with news");
        sim_check(view->suspended_reason == QD_SUSPEND_MEMORY ||
                      views->fold.past.stay->room->config.visible_entries_max < 1000,
                  "suspended by a few entities");
        forget(views, true, true);
        fold->suspended = true;
        views->watchers_known = false;
        return;
    }
    bool was_suspended = fold->suspended;
    if (model_fold_begin(fold, view->reset)) {
        views->reported_count = 0;
        /* The reverse view may begin between ticks. */
        bool is_new = view->tick > fold->tick || (view->reset_watchers && view->tick == fold->tick);
        sim_check(view->reset || (!was_suspended && is_new), "a view without a reset before it");
        sim_check(!view->reset_watchers || views->watch > QD_WATCH_NONE, "nobody asked for watchers");
        if (!view->reset) {
            model_fold_until(fold, view->tick, 0);
        }
        forget(views, view->reset, view->reset_watchers);
        views->watchers_known |= view->reset_watchers;
    }
    fold_leaves(views, view);
    fold_enters(views, view);
    fold_relays(views, view);
    fold_slots(views, view);
    fold_watchers(views, view);
    if (view->last && model_fold_end(fold, view->tick, false)) {
        check_told(views);
    }
}

/* All that the others in the room see, of what this one watches. The state has every request that the server has:
 * no Applied reports those of a stay that left. */
static void finish_watchers(const model_views *views, const model_state *state)
{
    const model_stay *stay = views->fold.past.stay;
    uint32_t expected = 0;

    for (uint32_t i = 0; i < stay->room->stay_count; i++) {
        const model_stay *other = stay->room->stays[i];

        for (uint32_t k = 0; other->views != NULL && !other->left && k < other->views->fold.set_count; k++) {
            uint32_t entity, id = (uint32_t)other->views->fold.set[k];
            const model_stay *owner = model_owner(stay->room, id, &entity);
            bool own = state->entities[owner->number][entity].owner == stay->number;

            if (views->watch == QD_WATCH_OWN && !own) {
                continue;
            }
            const model_watcher watcher = {id, other->session, (uint32_t)(other->views->fold.set[k] >> 32)};
            sim_check(watcher_place(views, watcher) < views->watcher_count,
                      "session %llu, observer %u sees %u, which the reverse view does not say",
                      (unsigned long long)watcher.session, watcher.observer, id);
            expected++;
        }
    }
    sim_check(expected == views->watcher_count, "the reverse view has %u, and should have %u", views->watcher_count,
              expected);
}

/* Whether a stay in the room does not know what it sees. */
static bool is_anything_lost(const model_room *room)
{
    bool lost = false;

    for (uint32_t i = 0; i < room->stay_count; i++) {
        lost |= room->stays[i]->views != NULL && room->stays[i]->view_lost;
    }
    return lost;
}

void model_views_finish(const model_views *views)
{
    const model_stay *stay = views->fold.past.stay;

    if (views->fold.suspended) {
        return;
    }
    const model_state *state = model_fold_finish(&views->fold);
    sim_check(views->watch <= QD_WATCH_NONE || views->watchers_known, "the reverse view did not come");
    if (views->watchers_known && !is_anything_lost(stay->room)) {
        finish_watchers(views, state);
    }
}
