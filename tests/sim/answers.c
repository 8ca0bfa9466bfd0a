/* SPDX-License-Identifier: Apache-2.0
 *
 * How a client of the simulation checks the server's messages: each must answer a request, and be true.
 */
#include "client.h"

#include <inttypes.h>
#include <string.h>

#include "proto/codec.h"

static sim_request *request_of(sim_client *client, uint64_t seq)
{
    for (size_t i = client->request_count; i-- > 0;) {
        if (client->requests[i].sent.seq == seq) {
            return &client->requests[i];
        }
    }
    sim_fail("an answer to %" PRIu64 ", which was not asked", seq);
}

/* The request that a message answers, if its kind answers one kind of request; else NULL. */
static sim_request *answered(sim_client *client, const qd_server_message *message)
{
    static const qd_client_kind kinds[] = {
        [QD_SERVER_ROOM_OPENED] = QD_CLIENT_OPEN_ROOM,
        [QD_SERVER_ROOM_LEFT] = QD_CLIENT_LEAVE_ROOM,
        [QD_SERVER_ROOM_CLOSED] = QD_CLIENT_CLOSE_ROOM,
        [QD_SERVER_ROOM_LIST] = QD_CLIENT_LIST_ROOMS,
        [QD_SERVER_SNAPSHOT_RESULT] = QD_CLIENT_GET_SNAPSHOT,
        [QD_SERVER_STATS] = QD_CLIENT_GET_STATS,
        [QD_SERVER_PONG] = QD_CLIENT_PING,
        [QD_SERVER_QUERY_RESULT] = QD_CLIENT_QUERY,
        [QD_SERVER_WHY_RESULT] = QD_CLIENT_WHY,
        [QD_SERVER_HANDED_OVER] = QD_CLIENT_ADOPT,
        [QD_SERVER_SESSION_LIST] = QD_CLIENT_LIST_SESSIONS,
    };
    qd_client_kind kind = message->kind <= QD_SERVER_SESSION_LIST ? kinds[message->kind] : 0;
    bool may_be_news = message->kind == QD_SERVER_ROOM_CLOSED || message->kind == QD_SERVER_HANDED_OVER;

    if (kind == 0 || (message->seq == 0 && may_be_news)) {
        return NULL;
    }
    sim_request *asked = request_of(client, message->seq);
    uint64_t room = sim_room_of(message);
    sim_check(asked->sent.kind == kind && !asked->done && asked->must_be == 0,
              "request %" PRIu64 " of kind %d gets the answer to one of kind %d", message->seq, asked->sent.kind, kind);
    sim_check(asked->stay == NULL || room == 0 || room == asked->stay->room->handle, "an answer of another room");
    asked->done = true;
    return asked;
}

/* NULL: the client is not in that room any more. */
static sim_slot *slot_of(sim_client *client, uint64_t room)
{
    for (uint32_t i = 0; room != 0 && i < ROOMS_MAX; i++) {
        if (client->slots[i].stay != NULL && client->slots[i].stay->room->handle == room) {
            return &client->slots[i];
        }
    }
    return NULL;
}

static void on_room_opened(sim_client *client, const sim_request *asked, const qd_msg_room_opened *opened)
{
    sim_slot *slot = &client->slots[asked->name];
    model_room *room = sim_scene_room(client->scene, opened->room);

    slot->opening = false;
    slot->tick = opened->tick;
    sim_check(room != NULL && room->name == asked->name, "another room was opened");
    if (slot->stay == NULL) {
        slot->stay = model_latest_stay(room, client->session);
        slot->views = model_views_create(slot->stay, opened->tick);
    }
    sim_check(slot->stay->room == room, "the room was opened again, and has another handle");
}

/* The client is out of the room: an Applied of a tick that came after does not come. */
void sim_client_leave_slot(sim_client *client, sim_slot *slot)
{
    for (size_t i = 0; i < client->request_count; i++) {
        sim_request *asked = &client->requests[i];

        if (asked->stay == slot->stay) {
            asked->excused |= slot->leaving && (sim_is_batch(asked->sent.kind) || asked->sent.kind == QD_CLIENT_STEP);
        }
    }
    model_observer_destroy(slot->observer);
    model_views_destroy(slot->views);
    *slot = (sim_slot){.opening = slot->opening};
}

static void on_room_closed(sim_client *client, sim_slot *slot)
{
    /* Whether RoomClosed came before a cut, or RoomOpened did, the server cannot know. */
    sim_check(slot != NULL || client->resumptions > 0, "a room is closed that the client is not in");
    if (slot == NULL) {
        return;
    }
    const model_observer *observer = slot->observer;
    sim_check(observer == NULL || !observer->known || slot->stay->lost || observer->fold.set_count == 0,
              "the room is closed, and the ends of %u pairs did not come", observer->fold.set_count);
    const model_views *views = slot->views;
    sim_check(views->fold.suspended || views->cut || slot->stay->view_lost || views->fold.set_count == 0,
              "the room is closed, and %u that are seen did not leave", views->fold.set_count);
    sim_client_leave_slot(client, slot);
}

static void on_view(sim_slot *slot, uint64_t seq, const qd_msg_view *view)
{
    sim_check(slot != NULL && seq == 0, "a view that nobody asked for");
    model_views_tell(slot->views, view);
    slot->tick = view->tick;
}

static void on_why(const sim_client *client, const sim_slot *slot, uint32_t asked_about,
                   const qd_msg_why_result *result)
{
    sim_check(!result->more, "more reasons");
    for (uint32_t i = 0; i < result->count; i++) {
        sim_check(result->visibility[i] >= QD_VISIBILITY_SEEN && result->visibility[i] <= QD_VISIBILITY_NOT_YET &&
                      result->distance[i] >= 0 &&
                      (i == 0 || result->session[i - 1] != result->session[i] ||
                       result->observer[i - 1] < result->observer[i]),
                  "a reason that is none");
    }
    /* A reset that is still to be read reports what was lost before. */
    if (slot == NULL || slot->views->fold.suspended || slot->views->cut || slot->stay->view_lost ||
        slot->views->fold.tick > result->tick || slot->stay->view_reset_tick > result->tick) {
        return;
    }
    /* The views are those of that tick: their frames have come before. */
    for (uint32_t i = 0; i < result->count; i++) {
        bool seen = result->visibility[i] <= QD_VISIBILITY_SEEN_BY_MARGIN;

        sim_check(result->session[i] != client->session || !seen ||
                      model_fold_has(&slot->views->fold, result->observer[i], asked_about),
                  "observer %u is said to see %u, and no View reported it", result->observer[i], asked_about);
    }
}

static void on_tick(sim_slot *slot, const qd_msg_tick *tick)
{
    sim_check(slot != NULL && slot->observer != NULL, "a tick that nobody asked for");
    model_observer_tick(slot->observer, tick);
    slot->tick = tick->tick;
    slot->subscribing &= !(tick->reset || tick->suspended);
}

static bool is_lockstep(const model_room *room)
{
    return room->config.writers > 0;
}

/* Only the answer to a Step in lockstep lists others, and may come after answers to later requests. */
static void check_late(const sim_client *client, const model_room *room, const sim_request *asked,
                       const qd_msg_applied *applied)
{
    bool of_step = is_lockstep(room) && asked->sent.kind == QD_CLIENT_STEP;

    sim_check(asked->sent.seq == applied->seq || (of_step && asked->sent.seq < applied->seq),
              "request %" PRIu64 " is answered with %" PRIu64, asked->sent.seq, applied->seq);
    sim_check(applied->late_count == applied->late_listed && (of_step || applied->late_count == 0), "%u are late",
              applied->late_count);
    for (uint32_t i = 0; i < applied->late_listed; i++) {
        sim_check(applied->late[i] != client->session, "who has stepped is late");
    }
}

static void on_applied(sim_client *client, sim_slot *slot, uint64_t seq, const qd_msg_applied *applied)
{
    sim_check(slot != NULL, "an Applied for a room that the client is not in");
    sim_check(applied->tick >= slot->applied_tick, "an Applied goes back");
    slot->applied_tick = slot->tick = applied->tick;
    if (seq == 0) {
        sim_check(client->resumptions > 0 && applied->late_count == 0, "an Applied that nobody asked for");
        return;
    }
    sim_request *asked = request_of(client, seq);
    sim_check(asked->stay == slot->stay, "an Applied for another room's request");
    check_late(client, slot->stay->room, asked, applied);
    asked->done = true;
    for (size_t i = 0; i < client->request_count && client->requests[i].sent.seq <= applied->seq; i++) {
        sim_request *earlier = &client->requests[i];

        if (earlier->stay != slot->stay || earlier->done || earlier->excused) {
            continue;
        }
        bool may_wait = is_lockstep(slot->stay->room) && earlier->sent.kind == QD_CLIENT_STEP;
        sim_check(sim_is_batch(earlier->sent.kind) || may_wait,
                  "request %" PRIu64 " is answered before request %" PRIu64 " of kind %d", seq, earlier->sent.seq,
                  earlier->sent.kind);
        if (!sim_is_batch(earlier->sent.kind)) {
            continue;
        }
        sim_check(earlier->accepted == (earlier->op->refused_count > 0 || earlier->sent.confirm),
                  "batch %" PRIu64 " is in, and its Accepted was not due, or did not come", earlier->sent.seq);
        earlier->done = true;
    }
}

static void on_query(const sim_slot *slot, const qd_msg_query_result *result)
{
    sim_check(result->count <= SIM_QUERY_LIMIT, "more is found than was asked for");
    sim_check(slot == NULL || result->tick >= slot->tick, "a query tells of a tick before one that is known");
    for (uint32_t i = 1; i < result->count; i++) {
        double before = result->distance == NULL ? 0 : result->distance[i - 1];
        double here = result->distance == NULL ? 0 : result->distance[i];

        sim_check(before < here || (before == here && result->id[i - 1] < result->id[i]),
                  "the result of a query is not in order");
    }
}

/* The tap has checked which entries are refused. */
static void on_accepted(sim_client *client, sim_slot *slot, uint64_t seq, const qd_msg_accepted *accepted)
{
    sim_request *asked = request_of(client, seq);
    qd_client_kind kind = asked->sent.kind;

    sim_check(slot != NULL && asked->stay == slot->stay && !asked->accepted && !asked->done && asked->must_be == 0 &&
                  (sim_is_batch(kind) || kind == QD_CLIENT_SUBSCRIBE || kind == QD_CLIENT_UNSUBSCRIBE),
              "an Accepted out of place");
    sim_check(accepted->tick >= slot->applied_tick, "an Accepted goes back");
    asked->accepted = true;
    asked->done = !sim_is_batch(kind);
    if (kind == QD_CLIENT_UNSUBSCRIBE && slot->unsubscribing) {
        slot->unsubscribing = false;
        model_observer_destroy(slot->observer);
        slot->observer = NULL;
    }
}

static bool may_close(const sim_client *client, const model_room *room)
{
    return room->creator == client->session || (client->token != 0 && room->creator_token == client->token);
}

/* Whether an Adopt names a session of another token. */
static bool is_a_strangers(const sim_request *asked)
{
    const model_stay *named = model_latest_stay(asked->stay->room, asked->sent.as.adopt.session);

    return named != NULL && named->token != asked->stay->token;
}

static bool is_allowed(const sim_client *client, const sim_request *asked, qd_error_code code)
{
    const model_room *room = asked->stay != NULL ? asked->stay->room : NULL;

    switch (code) {
    case QD_ERROR_UNKNOWN_ROOM:
        return room != NULL ? room->closed
                            : asked->sent.kind == QD_CLIENT_OPEN_ROOM && !asked->sent.as.open_room.has_config;
    case QD_ERROR_NOT_ALLOWED:
        return (asked->sent.kind == QD_CLIENT_CLOSE_ROOM && !may_close(client, room)) ||
               (asked->sent.kind == QD_CLIENT_ADOPT && (client->token == 0 || is_a_strangers(asked)));
    case QD_ERROR_NOT_STEP_MODE:
        return asked->sent.kind == QD_CLIENT_STEP && room->config.tick_mode != QD_TICK_MODE_STEP;
    case QD_ERROR_WRONG_TICK:
        return asked->sent.kind == QD_CLIENT_STEP && (asked->sent.as.step.tick != 0 || is_lockstep(room));
    case QD_ERROR_TICK_OVER:
        return asked->sent.kind == QD_CLIENT_STEP && asked->sent.as.step.tick != 0 && is_lockstep(room);
    case QD_ERROR_LIMIT:
        return asked->sent.kind == QD_CLIENT_GET_SNAPSHOT || asked->sent.kind == QD_CLIENT_QUERY ||
               asked->sent.kind == QD_CLIENT_WHY;
    case QD_ERROR_UNKNOWN_ID:
        return asked->sent.kind == QD_CLIENT_WHY;
    case QD_ERROR_UNKNOWN_OBSERVER:
        return asked->sent.kind == QD_CLIENT_WHY ||
               (asked->sent.kind == QD_CLIENT_SET_EXCEPTIONS && asked->op->refused_count > 0);
    case QD_ERROR_INVALID:
        return (asked->sent.kind == QD_CLIENT_HAND_OVER && asked->op->to != NULL && asked->op->to->left) ||
               (asked->sent.kind == QD_CLIENT_ADOPT && asked->sent.as.adopt.session == client->session);
    default:
        return false;
    }
}

static void on_error(sim_client *client, uint64_t seq, const qd_msg_error *error)
{
    /* The clock may jump between a connection and its Hello. */
    if (client->scene->traits & SIM_JUMPS && error->code == QD_ERROR_NO_HELLO && !client->welcomed) {
        client->ended_by_error = true;
        return;
    }
    if (error->code == QD_ERROR_UNAUTHENTICATED && !client->welcomed) {
        sim_check(client->link->grant == SIM_GRANT_NONE && seq == client->link->hello_seq,
                  "the token is listed, and is refused");
        client->ended_by_error = true;
        return;
    }
    if (client->vandal) {
        sim_check(error->code < QD_ERROR_UNKNOWN_MESSAGE, "a vandal gets error %d", error->code);
        client->ended_by_error = true;
        return;
    }
    sim_check(error->seq == seq && error->text[0] != '\0', "an Error without its seq, or without words");
    sim_request *asked = request_of(client, seq);
    bool right = asked->must_be != 0 ? error->code == asked->must_be : is_allowed(client, asked, error->code);
    /* An invalid request may reach a room that is closed by then. */
    right |= error->code == QD_ERROR_UNKNOWN_ROOM && asked->stay != NULL && asked->stay->room->closed;
    right |= error->code == QD_ERROR_NOT_ALLOWED && asked->sent.kind == QD_CLIENT_OPEN_ROOM && client->scene->stopping;
    /* A server that stops only answers what it must. */
    right |= error->code == QD_ERROR_UNKNOWN_ROOM && asked->stay != NULL && client->scene->stopping;
    sim_check(right && !asked->done && !asked->accepted, "request %" PRIu64 " of kind %d gets %s: %s", seq,
              asked->sent.kind, qd_error_code_name(error->code), error->text);
    asked->done = true;
    if (asked->sent.kind == QD_CLIENT_OPEN_ROOM && asked->must_be == 0) {
        client->slots[asked->name].opening = false;
    }
    sim_slot *slot = asked->stay != NULL ? slot_of(client, asked->stay->room->handle) : NULL;
    if (asked->sent.kind == QD_CLIENT_LEAVE_ROOM && slot != NULL) {
        sim_client_leave_slot(client, slot);
    }
}

static void on_list(const qd_msg_room_list *list)
{
    for (size_t i = 0; i + 1 < list->count; i++) {
        sim_check(strcmp(list->rooms[i].name, list->rooms[i + 1].name) < 0, "a list of rooms is not in order");
    }
}

/* The client's own session is on it. */
static void on_sessions(const sim_client *client, const qd_msg_session_list *list)
{
    bool found = false;

    for (size_t i = 0; i < list->count; i++) {
        found |= list->sessions[i].session == client->session && !list->sessions[i].detached;
        sim_check(i == 0 || list->sessions[i - 1].session < list->sessions[i].session,
                  "a list of sessions is not in order");
    }
    sim_check(found && !list->more, "a list of sessions lacks the client's own");
}

/* The tap has checked whether it is true. */
static void on_handed_over(const sim_client *client, const sim_request *asked, const qd_msg_handed_over *reported)
{
    bool is_own = reported->to == client->session || (asked == NULL && reported->from == client->session);

    sim_check(is_own && (asked == NULL || reported->from == asked->sent.as.adopt.session),
              "entities are another session's, or another Adopt is answered");
}

static void on_message(sim_client *client, const qd_server_message *message)
{
    const sim_request *asked = answered(client, message);
    sim_slot *slot = slot_of(client, sim_room_of(message));

    switch (message->kind) {
    case QD_SERVER_WELCOME:
        sim_client_welcome(client, &message->as.welcome);
        break;
    case QD_SERVER_ROOM_OPENED:
        on_room_opened(client, asked, &message->as.room_opened);
        break;
    case QD_SERVER_ROOM_LEFT:
        if (slot != NULL) {
            sim_client_leave_slot(client, slot);
        }
        break;
    case QD_SERVER_ROOM_CLOSED:
        on_room_closed(client, slot);
        break;
    case QD_SERVER_ROOM_LIST:
        on_list(&message->as.room_list);
        break;
    case QD_SERVER_SESSION_LIST:
        on_sessions(client, &message->as.session_list);
        break;
    case QD_SERVER_TICK:
        on_tick(slot, &message->as.tick);
        break;
    case QD_SERVER_ACCEPTED:
        on_accepted(client, slot, message->seq, &message->as.accepted);
        break;
    case QD_SERVER_APPLIED:
        on_applied(client, slot, message->seq, &message->as.applied);
        break;
    case QD_SERVER_SNAPSHOT_RESULT:
        sim_check(message->as.snapshot_result.last && !message->as.snapshot_result.more,
                  "a small snapshot comes in parts");
        break;
    case QD_SERVER_QUERY_RESULT:
        on_query(slot, &message->as.query_result);
        break;
    case QD_SERVER_PING: /* no client of the simulation has the feature */
        sim_check(false, "a Ping");
        break;
    case QD_SERVER_PONG:
        sim_check(message->as.pong.data == message->seq, "a Pong with other data");
        break;
    case QD_SERVER_ERROR:
        on_error(client, message->seq, &message->as.error);
        break;
    case QD_SERVER_GO_AWAY:
        sim_check(client->scene->stopping || client->ended_by_error, "GoAway without a reason");
        client->gone_away = true;
        break;
    case QD_SERVER_VIEW:
        on_view(slot, message->seq, &message->as.view);
        break;
    case QD_SERVER_WHY_RESULT:
        on_why(client, slot, asked->sent.as.why.b, &message->as.why_result);
        break;
    case QD_SERVER_HANDED_OVER:
        on_handed_over(client, asked, &message->as.handed_over);
        break;
    case QD_SERVER_ROOM_SLOWED:
        sim_fail("a room is slowed whose ticks take no time");
    case QD_SERVER_STATS:
        break;
    case QD_SERVER_NOTHING:
        sim_fail("an empty frame");
    }
}

bool sim_client_read(sim_client *client)
{
    if (client->link == NULL) {
        return false;
    }
    if (client->stalled > 0 && --client->stalled > 0) {
        return true;
    }
    sim_world *world = &client->scene->house.world;
    uint8_t bytes[512];
    size_t size_read =
        sim_link_read(client->link, bytes, 1 + sim_pick(world, sim_percent(world, 50) ? 8 : (uint32_t)sizeof bytes));
    const uint8_t *at = bytes, *frame;
    size_t left = size_read, frame_size;
    qd_frame_result result;
    while ((result = qd_frame_reader_next(&client->reader, &at, &left, &frame, &frame_size)) == QD_FRAME_OK) {
        qd_decoded_server decoded;

        sim_check(qd_decode_server(frame, frame_size, NULL, &decoded) == QD_DECODE_OK, "a frame that is none");
        if (client->link->is_revoked) {
            client->gone_away |= decoded.message.kind == QD_SERVER_GO_AWAY; /* the rest is no use any more */
        } else {
            on_message(client, &decoded.message);
        }
        qd_decoded_server_release(&decoded, NULL);
    }
    sim_check(result == QD_FRAME_MORE, "the server's bytes are no frames");
    if (size_read == 0 && client->link->closed) {
        sim_check(client->gone_away || client->ended_by_error, "the server ended the connection without a word");
        sim_client_forget(client);
    }
    return size_read > 0;
}

void sim_client_finish(sim_client *client)
{
    if (client->link == NULL) {
        return;
    }
    sim_check(!client->vandal, "a vandal is still connected");
    for (size_t i = 0; i < client->request_count; i++) {
        const sim_request *asked = &client->requests[i];

        sim_check(asked->done || asked->excused, "request %" PRIu64 " of kind %d was never answered", asked->sent.seq,
                  asked->sent.kind);
    }
    for (uint32_t i = 0; i < ROOMS_MAX; i++) {
        const model_stay *stay = client->slots[i].stay;

        sim_check(stay == NULL || !stay->room->closed, "a room is closed, and the client got no RoomClosed");
        sim_check(stay == NULL || stay->room->handed_over == stay->room->handed_over_reported,
                  "the receiver of entities got no HandedOver");
        sim_check(stay == NULL || !stay->view_lost || sim_limits(client)->queue_bytes_max < SIM_ROOMY,
                  "a view got no reset");
        if (client->slots[i].views != NULL && !stay->view_lost) {
            model_views_finish(client->slots[i].views);
        }
        model_observer *observer = client->slots[i].observer;
        if (observer == NULL || observer->fold.suspended) {
            continue;
        }
        sim_check(observer->known, "a subscription got no reset");
        (void)model_fold_finish(&observer->fold);
    }
}
