/* SPDX-License-Identifier: Apache-2.0 */
#include "client.h"

/* Whether `confirm` has an effect. */
static bool is_batch(qd_client_kind kind)
{
    return (kind >= QD_CLIENT_SPAWN && kind <= QD_CLIENT_DESPAWN) ||
           (kind >= QD_CLIENT_SET_DESCRIPTION && kind <= QD_CLIENT_SET_VIEW_OPTIONS) || kind == QD_CLIENT_HAND_OVER ||
           kind == QD_CLIENT_SET_ROSTER || kind == QD_CLIENT_MOVE_ROSTER;
}

/* Queues the message under the next seq. Returns the seq, or 0. */
static uint64_t request(qd_client *client, qd_client_message message)
{
    message.seq = client->next_seq;
    message.confirm = client->confirm && is_batch(message.kind);
    return qd_client_send(client, &message) ? message.seq : 0;
}

static uint64_t request_of_room(qd_client *client, qd_client_kind kind, uint64_t room)
{
    return request(client, (qd_client_message){.kind = kind, .as.room.room = room});
}

static uint64_t request_batch(qd_client *client, qd_client_kind kind, const qd_msg_batch *batch)
{
    return request(client, (qd_client_message){.kind = kind, .as.batch = *batch});
}

uint64_t qd_client_hello(qd_client *client, const char *token, const char *name)
{
    static const char *const features[] = {QD_FEATURE_PINGS};
    qd_msg_hello hello = {.version = QD_PROTOCOL_VERSION,
                          .token = token,
                          .client = name,
                          .resumable = client->resumable,
                          .feature_count = client->pings,
                          .features = features,
                          .resume = {client->resume_size, client->resume}};

    return request(client, (qd_client_message){.kind = QD_CLIENT_HELLO, .as.hello = hello});
}

uint64_t qd_client_open_room(qd_client *client, const char *name, const qd_msg_room_config *config)
{
    qd_msg_open_room open = {.name = name, .has_config = config != NULL};

    if (config != NULL) {
        open.config = *config;
    }
    return request(client, (qd_client_message){.kind = QD_CLIENT_OPEN_ROOM, .as.open_room = open});
}

uint64_t qd_client_leave_room(qd_client *client, uint64_t room)
{
    return request_of_room(client, QD_CLIENT_LEAVE_ROOM, room);
}

uint64_t qd_client_close_room(qd_client *client, uint64_t room)
{
    return request_of_room(client, QD_CLIENT_CLOSE_ROOM, room);
}

uint64_t qd_client_list_sessions(qd_client *client, uint64_t room, uint64_t after, uint32_t limit)
{
    qd_msg_list_sessions list = {.room = room, .after = after, .limit = limit};

    return request(client, (qd_client_message){.kind = QD_CLIENT_LIST_SESSIONS, .as.list_sessions = list});
}

uint64_t qd_client_list_rooms(qd_client *client, const char *after, uint32_t limit)
{
    qd_msg_list_rooms list = {.after = after, .limit = limit};

    return request(client, (qd_client_message){.kind = QD_CLIENT_LIST_ROOMS, .as.list_rooms = list});
}

uint64_t qd_client_spawn(qd_client *client, uint64_t room, const qd_msg_entities *entities, bool room_owned)
{
    qd_msg_batch batch = {.room = room, .room_owned = room_owned, .entities = *entities};

    return request_batch(client, QD_CLIENT_SPAWN, &batch);
}

uint64_t qd_client_move(qd_client *client, uint64_t room, const qd_msg_entities *entities)
{
    return request_batch(client, QD_CLIENT_MOVE, &(qd_msg_batch){.room = room, .entities = *entities});
}

uint64_t qd_client_teleport(qd_client *client, uint64_t room, const qd_msg_entities *entities)
{
    return request_batch(client, QD_CLIENT_TELEPORT, &(qd_msg_batch){.room = room, .entities = *entities});
}

uint64_t qd_client_reshape(qd_client *client, uint64_t room, const qd_msg_entities *entities)
{
    return request_batch(client, QD_CLIENT_RESHAPE, &(qd_msg_batch){.room = room, .entities = *entities});
}

uint64_t qd_client_despawn(qd_client *client, uint64_t room, const uint32_t *ids, uint32_t count)
{
    qd_msg_batch batch = {.room = room, .entities = {.count = count, .id = ids}};

    return request_batch(client, QD_CLIENT_DESPAWN, &batch);
}

uint64_t qd_client_subscribe(qd_client *client, uint64_t room, qd_scope scope, bool stays)
{
    qd_msg_subscribe subscribe = {.room = room, .scope = scope, .stays = stays};

    return request(client, (qd_client_message){.kind = QD_CLIENT_SUBSCRIBE, .as.subscribe = subscribe});
}

uint64_t qd_client_unsubscribe(qd_client *client, uint64_t room)
{
    return request_of_room(client, QD_CLIENT_UNSUBSCRIBE, room);
}

uint64_t qd_client_step(qd_client *client, uint64_t room, uint64_t tick)
{
    qd_msg_step step = {.room = room, .tick = tick};

    return request(client, (qd_client_message){.kind = QD_CLIENT_STEP, .as.step = step});
}

static uint64_t request_snapshot(qd_client *client, qd_msg_get_snapshot snapshot, const qd_msg_bounds *region)
{
    snapshot.has_region = region != NULL;
    if (region != NULL) {
        snapshot.region = *region;
    }
    return request(client, (qd_client_message){.kind = QD_CLIENT_GET_SNAPSHOT, .as.get_snapshot = snapshot});
}

uint64_t qd_client_get_snapshot(qd_client *client, uint64_t room, const qd_msg_bounds *region, uint32_t limit)
{
    return request_snapshot(client, (qd_msg_get_snapshot){.room = room, .limit = limit}, region);
}

uint64_t qd_client_get_own_snapshot(qd_client *client, uint64_t room, const qd_msg_bounds *region, uint32_t limit)
{
    return request_snapshot(client, (qd_msg_get_snapshot){.room = room, .limit = limit, .own = true}, region);
}

uint64_t qd_client_query(qd_client *client, const qd_msg_query *query)
{
    return request(client, (qd_client_message){.kind = QD_CLIENT_QUERY, .as.query = *query});
}

uint64_t qd_client_set_roster(qd_client *client, uint64_t room, uint32_t roster, const uint32_t *ids, uint32_t count)
{
    qd_msg_set_roster named = {.room = room, .roster = roster, .count = count, .id = ids};

    return qd_client_change_roster(client, &named);
}

uint64_t qd_client_change_roster(qd_client *client, const qd_msg_set_roster *roster)
{
    return request(client, (qd_client_message){.kind = QD_CLIENT_SET_ROSTER, .as.set_roster = *roster});
}

uint64_t qd_client_move_roster(qd_client *client, const qd_msg_move_roster *move)
{
    return request(client, (qd_client_message){.kind = QD_CLIENT_MOVE_ROSTER, .as.move_roster = *move});
}

uint64_t qd_client_hand_over(qd_client *client, uint64_t room, const uint32_t *ids, uint32_t count, uint64_t session)
{
    qd_msg_hand_over handover = {
        .room = room, .count = count, .id = ids, .session = session, .room_owned = session == 0};

    return request(client, (qd_client_message){.kind = QD_CLIENT_HAND_OVER, .as.hand_over = handover});
}

uint64_t qd_client_adopt(qd_client *client, uint64_t room, uint64_t session)
{
    qd_msg_adopt adopt = {.room = room, .session = session};

    return request(client, (qd_client_message){.kind = QD_CLIENT_ADOPT, .as.adopt = adopt});
}

uint64_t qd_client_ack(qd_client *client, uint64_t room, uint64_t tick)
{
    qd_msg_step ack = {.room = room, .tick = tick};

    return request(client, (qd_client_message){.kind = QD_CLIENT_ACK, .as.step = ack});
}

uint64_t qd_client_get_stats(qd_client *client, uint64_t room)
{
    return request_of_room(client, QD_CLIENT_GET_STATS, room);
}

uint64_t qd_client_ping(qd_client *client, uint64_t data)
{
    return request(client, (qd_client_message){.kind = QD_CLIENT_PING, .as.ping.data = data});
}

/* ---- views ---- */

uint64_t qd_client_set_description(qd_client *client, const qd_msg_set_description *describe)
{
    return request(client, (qd_client_message){.kind = QD_CLIENT_SET_DESCRIPTION, .as.set_description = *describe});
}

uint64_t qd_client_observe(qd_client *client, const qd_msg_observers *observers)
{
    return request(client, (qd_client_message){.kind = QD_CLIENT_OBSERVE, .as.observers = *observers});
}

uint64_t qd_client_move_observers(qd_client *client, const qd_msg_observers *observers)
{
    return request(client, (qd_client_message){.kind = QD_CLIENT_MOVE_OBSERVERS, .as.observers = *observers});
}

uint64_t qd_client_unobserve(qd_client *client, uint64_t room, const uint32_t *ids, uint32_t count)
{
    qd_msg_observers observers = {.room = room, .count = count, .id = ids};

    return request(client, (qd_client_message){.kind = QD_CLIENT_UNOBSERVE, .as.observers = observers});
}

uint64_t qd_client_set_exceptions(qd_client *client, const qd_msg_set_exceptions *except)
{
    return request(client, (qd_client_message){.kind = QD_CLIENT_SET_EXCEPTIONS, .as.set_exceptions = *except});
}

uint64_t qd_client_set_view_options(qd_client *client, uint64_t room, uint32_t bytes_max, qd_watch watch)
{
    return qd_client_set_all_view_options(
        client, &(qd_msg_set_view_options){.room = room, .bytes_max = bytes_max, .watch = watch});
}

uint64_t qd_client_set_all_view_options(qd_client *client, const qd_msg_set_view_options *options)
{
    return request(client, (qd_client_message){.kind = QD_CLIENT_SET_VIEW_OPTIONS, .as.set_view_options = *options});
}

uint64_t qd_client_why(qd_client *client, uint64_t room, uint32_t a, uint32_t b)
{
    qd_msg_why why = {.room = room, .a = a, .b = b};

    return request(client, (qd_client_message){.kind = QD_CLIENT_WHY, .as.why = why});
}

uint64_t qd_client_why_observer(qd_client *client, uint64_t room, uint32_t observer, uint32_t b)
{
    qd_msg_why why = {.room = room, .a = observer, .observer = true, .b = b};

    return request(client, (qd_client_message){.kind = QD_CLIENT_WHY, .as.why = why});
}
