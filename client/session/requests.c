/* SPDX-License-Identifier: Apache-2.0
 *
 * The program's requests: one call per kind.
 */
#include "session.h"

qd_log_entry *qd_room_request(qd_room *room, const qd_client_message *message)
{
    qd_session *session = room->session;

    if (session->state == QD_SESSION_STATE_ENDED) {
        return NULL; /* the problem is why */
    }
    if (room->state >= QD_ROOM_LEAVING) {
        qd_session_fail(session, "the room '%s' is closed", room->name);
        return NULL;
    }
    qd_log_entry *entry = qd_log_push(room, message, session->requests + 1, QD_LOG_REQUEST);
    if (entry != NULL) {
        session->requests++;
    }
    return entry;
}

static uint64_t request(qd_room *room, const qd_client_message *message)
{
    return qd_room_request(room, message) != NULL ? room->session->requests : 0;
}

static uint64_t request_batch(qd_room *room, qd_client_kind kind, const qd_msg_entities *entities, bool room_owned)
{
    return request(room,
                   &(qd_client_message){.kind = kind, .as.batch = {.room_owned = room_owned, .entities = *entities}});
}

/* ---- entities ---- */

uint64_t qd_room_spawn(qd_room *room, const qd_msg_entities *entities, bool room_owned)
{
    return request_batch(room, QD_CLIENT_SPAWN, entities, room_owned);
}

uint64_t qd_room_spawn_one(qd_room *room, qd_entity entity)
{
    bool has_z = room->has_z || entity.z != 0 || entity.half_z != 0 || entity.axis_z != 0;
    uint8_t shape = entity.shape != 0 ? (uint8_t)entity.shape : QD_SHAPE_BOX;
    uint32_t category = entity.category != 0 ? entity.category : 1;
    uint32_t mask = entity.mask != 0 ? entity.mask : UINT32_MAX;
    qd_msg_entities columns = {.count = 1,
                               .id = &entity.id,
                               .x = &entity.x,
                               .y = &entity.y,
                               .z = has_z ? &entity.z : NULL,
                               .half_x = &entity.half_x,
                               .half_y = &entity.half_y,
                               .half_z = has_z ? &entity.half_z : NULL,
                               .radius = &entity.radius,
                               .axis_x = &entity.axis_x,
                               .axis_y = &entity.axis_y,
                               .axis_z = has_z ? &entity.axis_z : NULL,
                               .shape = &shape,
                               .category = &category,
                               .mask = &mask};

    return qd_room_spawn(room, &columns, entity.room_owned);
}

uint64_t qd_room_move(qd_room *room, const uint32_t *ids, const float *x, const float *y, const float *z,
                      uint32_t count)
{
    return request_batch(room, QD_CLIENT_MOVE, &(qd_msg_entities){.count = count, .id = ids, .x = x, .y = y, .z = z},
                         false);
}

uint64_t qd_room_teleport(qd_room *room, const uint32_t *ids, const float *x, const float *y, const float *z,
                          uint32_t count)
{
    return request_batch(room, QD_CLIENT_TELEPORT,
                         &(qd_msg_entities){.count = count, .id = ids, .x = x, .y = y, .z = z}, false);
}

uint64_t qd_room_reshape(qd_room *room, const qd_msg_entities *entities)
{
    return request_batch(room, QD_CLIENT_RESHAPE, entities, false);
}

uint64_t qd_room_despawn(qd_room *room, const uint32_t *ids, uint32_t count)
{
    return request_batch(room, QD_CLIENT_DESPAWN, &(qd_msg_entities){.count = count, .id = ids}, false);
}

uint64_t qd_room_set_roster(qd_room *room, uint32_t roster, const uint32_t *ids, uint32_t count)
{
    return qd_room_change_roster(room, &(qd_msg_set_roster){.roster = roster, .count = count, .id = ids});
}

uint64_t qd_room_change_roster(qd_room *room, const qd_msg_set_roster *change)
{
    return request(room, &(qd_client_message){.kind = QD_CLIENT_SET_ROSTER, .as.set_roster = *change});
}

uint64_t qd_room_move_roster(qd_room *room, uint32_t roster, const float *x, const float *y, const float *z,
                             uint32_t count)
{
    qd_msg_move_roster move = {.roster = roster, .count = count, .x = x, .y = y, .z = z};

    return request(room, &(qd_client_message){.kind = QD_CLIENT_MOVE_ROSTER, .as.move_roster = move});
}

uint64_t qd_room_hand_over(qd_room *room, const uint32_t *ids, uint32_t count, uint64_t session)
{
    qd_msg_hand_over handover = {.count = count, .id = ids, .session = session, .room_owned = session == 0};

    return request(room, &(qd_client_message){.kind = QD_CLIENT_HAND_OVER, .as.hand_over = handover});
}

/* ---- subscriptions and ticks ---- */

uint64_t qd_room_subscribe(qd_room *room, qd_scope scope, bool stays)
{
    qd_msg_subscribe subscribe = {.scope = scope, .stays = stays};
    uint64_t number = request(room, &(qd_client_message){.kind = QD_CLIENT_SUBSCRIBE, .as.subscribe = subscribe});

    if (number != 0) {
        room->wants_pairs = room->pairs_stale = true;
    }
    return number;
}

uint64_t qd_room_unsubscribe(qd_room *room)
{
    uint64_t number = request(room, &(qd_client_message){.kind = QD_CLIENT_UNSUBSCRIBE});

    if (number != 0) {
        room->wants_pairs = room->pairs_stale = false;
    }
    return number;
}

uint64_t qd_room_step(qd_room *room)
{
    return request(room, &(qd_client_message){.kind = QD_CLIENT_STEP});
}

/* ---- views ---- */

static uint64_t request_observers(qd_room *room, qd_client_kind kind, const qd_msg_observers *observers)
{
    uint64_t number = request(room, &(qd_client_message){.kind = kind, .as.observers = *observers});

    room->wants_view = room->wants_view || (number != 0 && kind == QD_CLIENT_OBSERVE);
    return number;
}

uint64_t qd_room_observe(qd_room *room, const qd_msg_observers *observers)
{
    return request_observers(room, QD_CLIENT_OBSERVE, observers);
}

uint64_t qd_room_observe_one(qd_room *room, qd_observer observer)
{
    bool has_z = room->has_z || observer.z != 0 || observer.half_z != 0 || observer.direction_z != 0;
    bool is_cone = observer.region == QD_REGION_CONE;
    uint8_t region = observer.region != 0 ? (uint8_t)observer.region : QD_REGION_CIRCLE;
    uint8_t anchored = observer.anchored, sees_self = observer.sees_self;
    uint32_t mask = observer.mask != 0 ? observer.mask : UINT32_MAX;
    qd_msg_observers columns = {.count = 1,
                                .id = &observer.id,
                                .region = &region,
                                .anchored = &anchored,
                                .entity = &observer.entity,
                                .x = &observer.x,
                                .y = &observer.y,
                                .z = has_z ? &observer.z : NULL,
                                .range = &observer.range,
                                .half_x = &observer.half_x,
                                .half_y = &observer.half_y,
                                .half_z = has_z ? &observer.half_z : NULL,
                                .direction_x = is_cone ? &observer.direction_x : NULL,
                                .direction_y = is_cone ? &observer.direction_y : NULL,
                                .direction_z = is_cone && has_z ? &observer.direction_z : NULL,
                                .angle = is_cone ? &observer.angle : NULL,
                                .leave_margin = &observer.leave_margin,
                                .mask = &mask,
                                .limit = &observer.limit,
                                .enter_budget = &observer.enter_budget,
                                .team = &observer.team,
                                .sees_self = &sees_self};

    return qd_room_observe(room, &columns);
}

uint64_t qd_room_move_observers(qd_room *room, const qd_msg_observers *observers)
{
    return request_observers(room, QD_CLIENT_MOVE_OBSERVERS, observers);
}

uint64_t qd_room_unobserve(qd_room *room, const uint32_t *ids, uint32_t count)
{
    return request_observers(room, QD_CLIENT_UNOBSERVE, &(qd_msg_observers){.count = count, .id = ids});
}

uint64_t qd_room_set_description(qd_room *room, const qd_msg_set_description *description)
{
    return request(room, &(qd_client_message){.kind = QD_CLIENT_SET_DESCRIPTION, .as.set_description = *description});
}

uint64_t qd_room_set_exceptions(qd_room *room, const qd_msg_set_exceptions *exceptions)
{
    return request(room, &(qd_client_message){.kind = QD_CLIENT_SET_EXCEPTIONS, .as.set_exceptions = *exceptions});
}

uint64_t qd_room_set_view_options(qd_room *room, uint32_t bytes_max, qd_watch watch)
{
    return qd_room_set_all_view_options(room, &(qd_msg_set_view_options){.bytes_max = bytes_max, .watch = watch});
}

uint64_t qd_room_set_all_view_options(qd_room *room, const qd_msg_set_view_options *options)
{
    uint64_t number =
        request(room, &(qd_client_message){.kind = QD_CLIENT_SET_VIEW_OPTIONS, .as.set_view_options = *options});

    room->wants_view = room->wants_view || (number != 0 && options->watch > QD_WATCH_NONE);
    return number;
}
