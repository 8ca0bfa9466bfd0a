/* SPDX-License-Identifier: Apache-2.0
 *
 * What a client of the simulation does with observers.
 */
#include <math.h>

#include "client.h"

/* Multiples of one half, so that entities are often exactly at the range. */
static float place(sim_client *client)
{
    return percent(client, 1) ? NAN : (float)pick(client, 40) / 2;
}

static float length(sim_client *client)
{
    return percent(client, 1) ? -1.0f : (float)pick(client, 24) / 2;
}

static void fill_region(sim_client *client, model_op *op, uint32_t i, const model_stay *stay)
{
    static const float angles[] = {0, 0.5f, (float)M_PI_2, 3, (float)M_PI};
    const model_room *room = stay->room;

    op->region[i] = percent(client, 1) ? 9 : (uint8_t)(QD_REGION_CIRCLE + pick(client, 3));
    op->anchored[i] = percent(client, 60);
    op->sees_self[i] = percent(client, 30);
    op->range[i] = length(client);
    op->angle[i] = angles[pick(client, 5)];
    for (uint32_t axis = 0; axis < room->config.dimensions; axis++) {
        op->at[axis][i] = place(client);
        op->half[axis][i] = length(client);
        op->direction[axis][i] = (float)pick(client, 5) - 2;
    }
    op->mask[i] = percent(client, 60) ? UINT32_MAX : 1u << pick(client, 2);
    op->team[i] = pick(client, 3);
    /* Now and then another's entity, which may be adopted, or none at all; and nothing that is handed over. */
    static const uint32_t anchors[] = {0, 1, 2, STAY_ENTITIES - 2, STAY_ENTITIES - 1};
    const model_stay *owner =
        percent(client, client->token != 0 ? 20 : 4) ? room->stays[pick(client, room->stay_count)] : stay;
    op->anchor_id[i] = model_id(owner, anchors[pick(client, owner == stay ? 5 : 3)]);
}

/* Chooses one of the observers; false: whether it is still there is not known before long, as its anchor was adopted,
 * and goes when its new owner is gone for long enough. */
static bool choose(sim_client *client, const model_stay *stay, uint32_t *id)
{
    uint32_t region = pick(client, STAY_REGIONS), number;
    const model_state *now = &stay->room->now;
    const model_region *chosen = &now->regions[stay->number][region];

    *id = model_region_id(region);
    if (!chosen->present || !chosen->anchored) {
        return true;
    }
    const model_stay *of = model_owner(stay->room, chosen->anchor_id, &number);
    uint32_t owner = now->entities[of->number][number].owner;
    return owner == stay->number || owner == MODEL_ROOM_OWNED;
}

/* Chooses and fills observers of an Observe or a MoveObservers. */
static bool fill_regions(sim_client *client, model_op *op, const model_stay *stay)
{
    for (uint32_t i = 0; i < op->count; i++) {
        if (!choose(client, stay, &op->id[i])) {
            return false;
        }
        fill_region(client, op, i, stay);
    }
    return true;
}

static void observe(sim_client *client, model_stay *stay)
{
    static const float relay_range[] = {5, 12};
    static const uint32_t relay_every[] = {1, 3};
    model_op *op = sim_client_draft(client, QD_CLIENT_OBSERVE);

    op->count = 1 + pick(client, STAY_REGIONS);
    if (!fill_regions(client, op, stay)) {
        return;
    }
    op->message.as.observers = (qd_msg_observers){.count = op->count,
                                                  .id = op->id,
                                                  .region = op->region,
                                                  .anchored = op->anchored,
                                                  .entity = op->anchor_id,
                                                  .x = op->at[0],
                                                  .y = op->at[1],
                                                  .z = sim_third(stay, op->at[2]),
                                                  .range = op->range,
                                                  .half_x = op->half[0],
                                                  .half_y = op->half[1],
                                                  .half_z = sim_third(stay, op->half[2]),
                                                  .direction_x = op->direction[0],
                                                  .direction_y = op->direction[1],
                                                  .direction_z = sim_third(stay, op->direction[2]),
                                                  .angle = op->angle,
                                                  .mask = op->mask,
                                                  .team = op->team,
                                                  .sees_self = op->sees_self,
                                                  .tier_count = percent(client, 30) ? 2 : 0,
                                                  .relay_range = relay_range,
                                                  .relay_every = relay_every};
    sim_client_send_draft(client, stay);
}

static void move_observers(sim_client *client, model_stay *stay)
{
    model_op *op = sim_client_draft(client, QD_CLIENT_MOVE_OBSERVERS);
    qd_msg_observers *observers = &op->message.as.observers;

    op->count = 1 + pick(client, 2);
    *observers = (qd_msg_observers){.count = op->count, .id = op->id};
    bool moves = percent(client, 70);
    if (moves) {
        observers->x = op->at[0];
        observers->y = op->at[1];
        observers->z = sim_third(stay, op->at[2]);
    }
    if (!moves || percent(client, 20)) {
        observers->direction_x = op->direction[0];
        observers->direction_y = op->direction[1];
        observers->direction_z = sim_third(stay, op->direction[2]);
    }
    if (fill_regions(client, op, stay)) {
        sim_client_send_draft(client, stay);
    }
}

static void unobserve(sim_client *client, model_stay *stay)
{
    model_op *op = sim_client_draft(client, QD_CLIENT_UNOBSERVE);

    op->count = 1;
    op->message.as.observers = (qd_msg_observers){.count = 1, .id = op->id};
    if (choose(client, stay, &op->id[0])) {
        sim_client_send_draft(client, stay);
    }
}

/* About an observer that exists, or did a moment ago. */
static void except(sim_client *client, model_stay *stay)
{
    model_op *op = sim_client_draft(client, QD_CLIENT_SET_EXCEPTIONS);
    const model_room *room = stay->room;

    op->count = 1;
    if (!choose(client, stay, &op->id[0]) || !room->now.regions[stay->number][model_region_of(op->id[0])].present) {
        return;
    }
    bool shows = percent(client, 50), hides = percent(client, 50);
    op->show = model_id(room->stays[pick(client, room->stay_count)], pick(client, STAY_ENTITIES));
    op->hide = model_id(room->stays[pick(client, room->stay_count)], pick(client, STAY_ENTITIES));
    op->message.as.set_exceptions = (qd_msg_set_exceptions){
        .observer = op->id[0], .show_count = shows, .show = &op->show, .hide_count = hides, .hide = &op->hide};
    sim_client_send_draft(client, stay);
}

static void describe(sim_client *client, model_stay *stay)
{
    model_op *op = sim_client_draft(client, QD_CLIENT_SET_DESCRIPTION);

    op->count = 1 + pick(client, OP_ENTRIES);
    for (uint32_t i = 0; i < op->count; i++) {
        op->id[i] = model_id(stay, pick(client, STAY_ENTITIES));
        op->team[i] = pick(client, 3);
        op->tag[i] = pick(client, 1000);
        op->hidden[i] = percent(client, 20);
        op->range[i] = percent(client, 30) ? length(client) : 0;
    }
    op->message.as.set_description = (qd_msg_set_description){.count = op->count,
                                                              .id = op->id,
                                                              .tag = op->tag,
                                                              .visible_range = op->range,
                                                              .team = op->team,
                                                              .hidden = op->hidden};
    sim_client_send_draft(client, stay);
}

/* Once per stay. */
static void watch(sim_client *client, const sim_slot *slot)
{
    if (slot->views->watch == 0) {
        slot->views->watch = percent(client, 50) ? QD_WATCH_OWN : QD_WATCH_ALL;
        qd_msg_set_view_options *options =
            &sim_client_draft(client, QD_CLIENT_SET_VIEW_OPTIONS)->message.as.set_view_options;
        options->watch = slot->views->watch;
        options->relay_once = percent(client, 60);
        options->has_relay_k = options->relay_once && percent(client, 70);
        options->relay_k = options->has_relay_k ? 1 + (int32_t)pick(client, 8) : 0; /* places are multiples of 1/2 */
        sim_client_send_draft(client, slot->stay);
    }
}

static void ask_why(sim_client *client, model_stay *stay)
{
    const model_room *room = stay->room;
    bool observer = percent(client, 50);
    uint32_t a = observer ? model_region_id(pick(client, STAY_REGIONS)) : model_id(stay, pick(client, STAY_ENTITIES));
    uint32_t b = model_id(room->stays[pick(client, room->stay_count)], pick(client, STAY_ENTITIES));

    (void)sim_client_send(client, stay, MESSAGE(WHY, .why = {.a = a, .b = b, .observer = observer}));
}

void sim_client_act_on_views(sim_client *client, sim_slot *slot)
{
    uint32_t draw = pick(client, 100);

    if (draw < 40) {
        observe(client, slot->stay);
    } else if (draw < 55) {
        move_observers(client, slot->stay);
    } else if (draw < 62) {
        unobserve(client, slot->stay);
    } else if (draw < 72) {
        except(client, slot->stay);
    } else if (draw < 88) {
        describe(client, slot->stay);
    } else if (draw < 93) {
        watch(client, slot);
    } else {
        ask_why(client, slot->stay);
    }
}
