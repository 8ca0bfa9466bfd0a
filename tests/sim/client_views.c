/* SPDX-License-Identifier: Apache-2.0
 *
 * What a client of the simulation does with observers.
 */
#include <math.h>

#include "client.h"

static uint32_t pick(sim_client *client, uint32_t count)
{
    return sim_pick(&client->scene->world, count);
}

static bool percent(sim_client *client, uint32_t share)
{
    return sim_percent(&client->scene->world, share);
}

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
    model_region *region = &op->regions[i];

    region->kind = percent(client, 1) ? 9 : (uint8_t)(QD_REGION_CIRCLE + pick(client, 3));
    region->anchored = percent(client, 60);
    region->sees_self = percent(client, 30);
    region->range = length(client);
    region->angle = angles[pick(client, 5)];
    for (uint32_t axis = 0; axis < room->dimensions; axis++) {
        region->at[axis] = place(client);
        region->half[axis] = length(client);
        region->direction[axis] = (float)pick(client, 5) - 2;
    }
    region->mask = percent(client, 60) ? UINT32_MAX : 1u << pick(client, 2);
    region->team = pick(client, 3);
    /* Now and then another's entity, which may be adopted, or none at all; and nothing that is handed over. */
    static const uint32_t anchors[] = {0, 1, 2, STAY_ENTITIES - 2, STAY_ENTITIES - 1};
    const model_stay *owner =
        percent(client, client->token != 0 ? 20 : 4) ? room->stays[pick(client, room->stay_count)] : stay;
    op->anchor_id[i] = model_id(owner, anchors[pick(client, owner == stay ? 5 : 3)]);
}

/* One of the observers; false: whether it is still there is not known before long, as its anchor was adopted, and goes
 * when its new owner is gone for long enough. */
static bool choose(sim_client *client, const model_stay *stay, uint32_t *region)
{
    *region = pick(client, STAY_REGIONS);
    const model_state *now = &stay->room->now;
    const model_region *chosen = &now->regions[stay->number][*region];
    if (!chosen->present || !chosen->anchored) {
        return true;
    }
    uint32_t number;
    const model_stay *of = model_owner(stay->room, chosen->anchor_id, &number);
    uint32_t owner = now->entities[of->number][number].owner;
    return owner == stay->number || owner == MODEL_ROOM_OWNED;
}

/* The columns of an op's observers. */
typedef struct columns {
    uint32_t id[OP_ENTRIES], mask[OP_ENTRIES], team[OP_ENTRIES];
    uint8_t region[OP_ENTRIES], anchored[OP_ENTRIES], sees_self[OP_ENTRIES];
    float at[3][OP_ENTRIES], half[3][OP_ENTRIES], direction[3][OP_ENTRIES], range[OP_ENTRIES], angle[OP_ENTRIES];
} columns;

static columns columns_of(const model_op *op)
{
    columns result;

    for (uint32_t i = 0; i < op->count; i++) {
        const model_region *region = &op->regions[i];

        result.id[i] = model_region_id(op->id[i]);
        result.mask[i] = region->mask;
        result.team[i] = region->team;
        result.region[i] = region->kind;
        result.anchored[i] = region->anchored;
        result.sees_self[i] = region->sees_self;
        result.range[i] = region->range;
        result.angle[i] = region->angle;
        for (uint32_t axis = 0; axis < 3; axis++) {
            result.at[axis][i] = region->at[axis];
            result.half[axis][i] = region->half[axis];
            result.direction[axis][i] = region->direction[axis];
        }
    }
    return result;
}

/* Notes the op as the next request of the client. */
static void note(sim_client *client, model_stay *stay, model_op *op)
{
    sim_request *sent = sim_client_request(client, op->kind, stay);

    op->seq = client->seq;
    sent->op = model_stay_send(stay, op);
}

static void observe(sim_client *client, model_stay *stay)
{
    static const float relay_range[] = {5, 12};
    static const uint32_t relay_every[] = {1, 3};
    model_op op = {.kind = QD_CLIENT_OBSERVE, .count = 1 + pick(client, STAY_REGIONS)};

    for (uint32_t i = 0; i < op.count; i++) {
        if (!choose(client, stay, &op.id[i])) {
            return;
        }
        fill_region(client, &op, i, stay);
    }
    note(client, stay, &op);
    const columns sent = columns_of(&op);
    bool is_3d = stay->room->dimensions == 3;
    sim_client_write(client, &(qd_client_message){.seq = op.seq,
                                                  .kind = op.kind,
                                                  .as.observers = {
                                                      .room = stay->room->handle,
                                                      .count = op.count,
                                                      .id = sent.id,
                                                      .region = sent.region,
                                                      .anchored = sent.anchored,
                                                      .entity = op.anchor_id,
                                                      .x = sent.at[0],
                                                      .y = sent.at[1],
                                                      .z = is_3d ? sent.at[2] : NULL,
                                                      .range = sent.range,
                                                      .half_x = sent.half[0],
                                                      .half_y = sent.half[1],
                                                      .half_z = is_3d ? sent.half[2] : NULL,
                                                      .direction_x = sent.direction[0],
                                                      .direction_y = sent.direction[1],
                                                      .direction_z = is_3d ? sent.direction[2] : NULL,
                                                      .angle = sent.angle,
                                                      .mask = sent.mask,
                                                      .team = sent.team,
                                                      .sees_self = sent.sees_self,
                                                      .tier_count = percent(client, 30) ? 2 : 0,
                                                      .relay_range = relay_range,
                                                      .relay_every = relay_every,
                                                  }});
}

static void move_observers(sim_client *client, model_stay *stay)
{
    model_op op = {.kind = QD_CLIENT_MOVE_OBSERVERS, .count = 1 + pick(client, 2)};

    op.moves = percent(client, 70);
    op.turns = !op.moves || percent(client, 20);
    for (uint32_t i = 0; i < op.count; i++) {
        if (!choose(client, stay, &op.id[i])) {
            return;
        }
        fill_region(client, &op, i, stay);
    }
    note(client, stay, &op);
    const columns sent = columns_of(&op);
    bool is_3d = stay->room->dimensions == 3;
    sim_client_write(client, &(qd_client_message){.seq = op.seq,
                                                  .kind = op.kind,
                                                  .as.observers = {
                                                      .room = stay->room->handle,
                                                      .count = op.count,
                                                      .id = sent.id,
                                                      .x = op.moves ? sent.at[0] : NULL,
                                                      .y = op.moves ? sent.at[1] : NULL,
                                                      .z = op.moves && is_3d ? sent.at[2] : NULL,
                                                      .direction_x = op.turns ? sent.direction[0] : NULL,
                                                      .direction_y = op.turns ? sent.direction[1] : NULL,
                                                      .direction_z = op.turns && is_3d ? sent.direction[2] : NULL,
                                                  }});
}

static void unobserve(sim_client *client, model_stay *stay)
{
    model_op op = {.kind = QD_CLIENT_UNOBSERVE, .count = 1};

    if (!choose(client, stay, &op.id[0])) {
        return;
    }
    note(client, stay, &op);
    const uint32_t id = model_region_id(op.id[0]);
    sim_client_write(client, &(qd_client_message){.seq = op.seq,
                                                  .kind = op.kind,
                                                  .as.observers = {.room = stay->room->handle, .count = 1, .id = &id}});
}

/* About an observer that exists, or did a moment ago. */
static void except(sim_client *client, model_stay *stay)
{
    model_op op = {.kind = QD_CLIENT_EXCEPT, .count = 1};

    if (!choose(client, stay, &op.id[0]) || !stay->room->now.regions[stay->number][op.id[0]].present) {
        return;
    }
    model_region *lists = &op.regions[0];
    const model_room *room = stay->room;
    lists->shows = percent(client, 50);
    lists->hides = percent(client, 50);
    lists->show = model_id(room->stays[pick(client, room->stay_count)], pick(client, STAY_ENTITIES));
    lists->hide = model_id(room->stays[pick(client, room->stay_count)], pick(client, STAY_ENTITIES));
    note(client, stay, &op);
    sim_client_write(client, &(qd_client_message){.seq = op.seq,
                                                  .kind = op.kind,
                                                  .as.except = {.room = room->handle,
                                                                .observer = model_region_id(op.id[0]),
                                                                .show_count = lists->shows,
                                                                .show = &lists->show,
                                                                .hide_count = lists->hides,
                                                                .hide = &lists->hide}});
}

static void describe(sim_client *client, model_stay *stay)
{
    model_op op = {.kind = QD_CLIENT_DESCRIBE, .count = 1 + pick(client, OP_ENTRIES)};

    for (uint32_t i = 0; i < op.count; i++) {
        op.id[i] = model_id(stay, pick(client, STAY_ENTITIES));
        op.team[i] = pick(client, 3);
        op.tag[i] = pick(client, 1000);
        op.hidden[i] = percent(client, 20);
        op.visible_range[i] = percent(client, 30) ? length(client) : 0;
    }
    note(client, stay, &op);
    sim_client_write(client, &(qd_client_message){.seq = op.seq,
                                                  .kind = op.kind,
                                                  .as.describe = {.room = stay->room->handle,
                                                                  .count = op.count,
                                                                  .id = op.id,
                                                                  .tag = op.tag,
                                                                  .visible_range = op.visible_range,
                                                                  .team = op.team,
                                                                  .hidden = op.hidden}});
}

/* Once per stay. */
static void watch(sim_client *client, sim_slot *slot)
{
    if (slot->views->watch != 0) {
        return;
    }
    model_op op = {.kind = QD_CLIENT_VIEW_OPTIONS};
    op.watch = slot->views->watch = percent(client, 50) ? QD_WATCH_OWN : QD_WATCH_ALL;
    note(client, slot->stay, &op);
    sim_client_write(client, &(qd_client_message){
                                 .seq = op.seq,
                                 .kind = op.kind,
                                 .as.view_options = {.room = slot->stay->room->handle, .watch = slot->views->watch}});
}

static void ask_why(sim_client *client, model_stay *stay)
{
    const model_room *room = stay->room;
    bool observer = percent(client, 50);
    uint32_t a = observer ? model_region_id(pick(client, STAY_REGIONS)) : model_id(stay, pick(client, STAY_ENTITIES));
    uint32_t b = model_id(room->stays[pick(client, room->stay_count)], pick(client, STAY_ENTITIES));

    sim_client_request(client, QD_CLIENT_WHY, stay)->why_b = b;
    sim_client_write(client,
                     &(qd_client_message){.seq = client->seq,
                                          .kind = QD_CLIENT_WHY,
                                          .as.why = {.room = room->handle, .a = a, .b = b, .observer = observer}});
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
