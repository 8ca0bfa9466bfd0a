/* SPDX-License-Identifier: Apache-2.0
 *
 * The tap sees all frames from and to the server, on every link. It passes on to the models in which order requests come,
 * which ticks there were, and which requests are in.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "client.h"
#include "proto/codec.h"

model_room *sim_scene_room(const sim_scene *scene, uint64_t handle)
{
    for (size_t i = 0; i < scene->room_total; i++) {
        if (scene->rooms[i]->handle == handle) {
            return scene->rooms[i];
        }
    }
    return NULL;
}

/* ---- what the server is handed ---- */

static void handed_for_room(model_room *room, model_stay *stay, const qd_client_message *message)
{
    switch (message->kind) {
    case QD_CLIENT_LEAVE_ROOM:
        stay->has_left = true;
        break;
    case QD_CLIENT_SUBSCRIBE:
        stay->subscribed = true;
        break;
    case QD_CLIENT_UNSUBSCRIBE:
        stay->subscribed = false;
        break;
    case QD_CLIENT_ACK:
        stay->acked_tick = message->as.step.tick;
        break;
    default: {
        model_op *op = model_stay_op(stay, message->seq);

        if (op != NULL) {
            model_room_take(room, op);
        }
    }
    }
}

void sim_scene_handed(sim_link *link, const uint8_t *frame, size_t size, void *context)
{
    qd_decoded_client decoded;
    const qd_client_message *message = &decoded.message;
    qd_decode_result result = qd_decode_client(frame, size, NULL, &decoded);
    bool names_room = result == QD_DECODE_OK && sim_names_room(message->kind);
    model_room *room = names_room ? sim_scene_room(context, message->as.room.room) : NULL;
    model_stay *stay = room != NULL ? model_latest_stay(room, link->session) : NULL;

    /* Hello opens a session; what a new one has by then it has by that. */
    if (result != QD_DECODE_MALFORMED && link->session == 0) {
        const sim_client *client = link->owner;

        link->hello_seq = message->seq;
        link->grant = message->kind == QD_CLIENT_HELLO ? ((const sim_scene *)context)->grants[client->token] : 0;
    } else if (result != QD_DECODE_MALFORMED) {
        ((sim_client *)link->owner)->handed_seq = message->seq;
    }
    if (stay != NULL) {
        handed_for_room(room, stay, message);
    }
    qd_decoded_client_release(&decoded, NULL);
}

/* ---- what it sends ---- */

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Stays go on where a session does. */
static void tap_welcome(const sim_scene *scene, sim_link *link, const qd_msg_welcome *welcome)
{
    sim_client *client = link->owner;

    sim_check(link->grant != SIM_GRANT_NONE, "session %llu has a token that is not listed",
              (unsigned long long)welcome->session);
    sim_check(!welcome->resumed || !client->revoked, "session %llu is resumed, and its token has changed",
              (unsigned long long)welcome->session);
    client->grant = link->grant;
    link->session = welcome->session;
    link->session_ns = scene->house.world.now_ns;
    for (size_t i = 0; welcome->resumed && i < scene->room_total; i++) {
        const model_room *room = scene->rooms[i];
        model_stay *stay = model_latest_stay(room, link->session);

        if (stay == NULL || stay->has_left) {
            continue;
        }
        uint64_t tick = room->tick_count == 0 ? 0 : room->ticks[room->tick_count - 1].tick;
        /* Perhaps a second time, before the reset of the first. */
        stay->resumed_tick = stay->resumed ? least(stay->resumed_tick, tick) : tick;
        stay->resumed_acked_tick = stay->resumed ? least(stay->resumed_acked_tick, stay->acked_tick) : stay->acked_tick;
        /* An Unsubscribe that the room has not come to has no effect yet. */
        stay->resumed = stay->subscribed || stay->unsubscribe_seq != 0;
        stay->resumed_by = link;
        stay->resumed_place = room->order_count;
        stay->view_resumed = true;
        stay->grant = link->grant;
    }
}

static void tap_opened(sim_scene *scene, const sim_link *link, const qd_msg_room_opened *opened)
{
    model_room *room = sim_scene_room(scene, opened->room);
    uint32_t token = ((const sim_client *)link->owner)->token;

    sim_check(opened->room != 0 && opened->room < (UINT64_C(1) << 53), "a handle that a double does not hold");
    sim_check(room != NULL || opened->created, "a room that nobody created");
    sim_check(room == NULL || !room->closed, "a handle was given out again");
    if (room == NULL) {
        room = model_room_create(&scene->house.world, opened);
        room->creator = link->session;
        room->creator_token = token;
        scene->rooms = sim_grow(scene->rooms, scene->room_total, &scene->room_capacity, sizeof *scene->rooms);
        scene->rooms[scene->room_total++] = room;
    }
    model_room_named_tick(room, opened->tick);
    model_stay *stay = model_latest_stay(room, link->session);
    if (stay == NULL || stay->is_out) {
        stay = model_stay_create(room, link->session);
        stay->token = token;
        stay->grant = link->grant;
    }
}

/* It comes while the tokens are reloaded. */
static void tap_go_away(sim_link *link, const qd_msg_go_away *go_away)
{
    bool revokes = go_away->reason == QD_GO_AWAY_REVOKED;

    sim_check(!revokes || (link->is_revoked && !link->is_told),
              "session %llu is revoked, and its token allows the same", (unsigned long long)link->session);
    link->is_told |= revokes;
}

/* A reset reports how many ticks it replaces: since the first that was lost, or after a cut since the last Ack, if there
 * was one before. */
static void check_merged(const model_stay *stay, const qd_msg_tick *tick, bool resumed)
{
    if (!tick->reset) {
        sim_check(tick->merged_ticks == 0, "ticks are merged without a reset");
        return;
    }
    uint64_t known_tick = tick->tick - tick->merged_ticks;
    uint64_t earliest = stay->behind ? stay->known_tick : tick->tick, latest = earliest;
    if (resumed) {
        /* No frame shows at which tick the room resumed the session. */
        earliest = least(stay->behind ? stay->known_tick : stay->resumed_tick, stay->resumed_acked_tick);
        latest = least(latest, stay->resumed_acked_tick);
    }
    sim_check(known_tick >= earliest && known_tick <= latest, "%llu merged ticks, since %llu, and not %llu to %llu",
              (unsigned long long)tick->merged_ticks, (unsigned long long)known_tick, (unsigned long long)earliest,
              (unsigned long long)latest);
}

static void tap_tick(const model_room *room, model_stay *stay, const sim_link *link, const qd_msg_tick *tick,
                     bool queued)
{
    /* The server may still send to the older connection, which does not read. */
    bool resumed = stay->resumed && stay->resumed_by == link;

    sim_check(!tick->passed_lost || (tick->merged_ticks > 0 && room->config.swept),
              "passed pairs are lost out of place");
    /* So may one that resumed the session, too, before another took it over: since the Ack of then. */
    if (resumed || queued || !stay->resumed) {
        check_merged(stay, tick, resumed);
    }
    if (queued && tick->reset) {
        stay->behind = stay->resumed = false;
    } else if (!queued && !stay->behind && !(stay->resumed && (tick->reset || tick->suspended))) {
        /* A lost reset of a resumed session is still due, also that of a connection before the last one; and so is a
         * suspension in its place. */
        stay->behind = true;
        stay->known_tick = tick->reset ? tick->tick : tick->tick - 1 - tick->skipped;
    }
    if (!queued || tick->reset || tick->suspended) {
        stay->lost = !queued;
    }
}

/* The same for views. They do not report how many ticks were skipped before the lost one, and a reverse view that begins
 * may be of a tick that was reported. */
static void check_merged_views(const model_room *room, const model_stay *stay, const qd_msg_view *view)
{
    if (stay->view_resumed && view->reset) {
        /* Since the last Ack, if there was anything to miss by then. */
        sim_check(view->merged_ticks <= view->tick, "more ticks are merged than there were");
        return;
    }
    bool is_due = stay->view_behind && view->reset;
    uint64_t since = is_due ? view->tick - stay->view_lost_tick : 0;
    sim_check(is_due ? view->merged_ticks >= since : view->merged_ticks == 0, "%llu merged ticks, not %llu",
              (unsigned long long)view->merged_ticks, (unsigned long long)since);
    sim_check(!is_due || room->config.tick_hz > 0 || view->merged_ticks <= since + !stay->view_lost_reset,
              "%llu merged ticks of %llu", (unsigned long long)view->merged_ticks, (unsigned long long)since);
}

static void tap_view(const model_room *room, model_stay *stay, const qd_msg_view *view, bool queued)
{
    check_merged_views(room, stay, view);
    if (queued && view->reset) {
        stay->view_behind = stay->view_resumed = false;
        stay->view_reset_tick = view->tick;
    } else if (!queued && !stay->view_behind) {
        stay->view_behind = true;
        stay->view_lost_tick = view->tick;
        stay->view_lost_reset = view->reset;
    }
    if (!queued || view->reset || view->suspended) {
        stay->view_lost = !queued;
    }
}

/* A request is refused as a whole. */
static void tap_error(model_room *room, const model_stay *stay, const qd_msg_error *error)
{
    model_op *op = stay == NULL ? NULL : model_stay_op(stay, error->seq);

    if (op == NULL || op->place == MODEL_NOWHERE) {
        return;
    }
    op->refused_whole = true;
    /* An Adopt perhaps before its turn, and it changes nothing. */
    if (op->message.kind != QD_CLIENT_ADOPT) {
        model_room_applied(room, op->place + 1);
    }
}

/* Which entries of a batch are refused, and whether that is right. */
static void tap_accepted(model_room *room, model_stay *stay, uint64_t seq, const qd_msg_accepted *accepted)
{
    model_op *op = model_stay_op(stay, seq);

    for (uint32_t i = 0; op != NULL && i < accepted->refused_count; i++) {
        op->reported_refused[accepted->refused_index[i]] = true;
    }
    model_room_saw_accepted(room, stay, seq);
    uint32_t count = op != NULL ? op->refused_count : 0;
    sim_check(accepted->refused_total == count && accepted->refused_count == count && accepted->last,
              "%u entries of request %" PRIu64 " are refused, not %u", accepted->refused_total, seq, count);
    sim_check((count > 0) == (accepted->text[0] != '\0'), "refused entries without words, or the reverse");
    for (uint32_t i = 0; i < count; i++) {
        sim_check(accepted->refused_index[i] == op->refused[i] && accepted->refused_code[i] >= QD_ERROR_UNKNOWN_ID,
                  "another entry is refused");
    }
}

/* Lagging is what the tap saw: a frame was not queued, and no reset was since. A resumed session may have missed what was
 * queued, if there was anything to miss. */
static void check_lag(const model_stay *stay, const qd_msg_applied *applied)
{
    sim_check(applied->pairs_lagging == stay->behind || (stay->resumed && applied->pairs_lagging),
              "pairs are said to lag: %d", applied->pairs_lagging);
    sim_check(applied->views_lagging == stay->view_behind || stay->view_resumed, "views are said to lag: %d",
              applied->views_lagging);
}

/* Whether row `i` of a snapshot is the body. */
static bool is_shown(const qd_body *body, const qd_msg_entities *rows, uint32_t i, bool is_3d)
{
    const qd_body row = model_row(rows, i);

    return (rows->z != NULL) == is_3d && (is_3d || (rows->half_z == NULL && rows->axis_z == NULL)) &&
           model_same_body(&row, body);
}

/* A snapshot shows everything in the room, or the stay's own entities, if the request asks for those. Entities of stays
 * that have left may be in it. */
static void tap_snapshot(model_room *room, const model_stay *stay, uint64_t seq, const qd_msg_entities *rows)
{
    const model_op *op = model_stay_op(stay, seq);

    sim_check(op != NULL && room->now_count <= op->place, "a snapshot out of its turn");
    model_room_applied(room, op->place + 1);
    uint32_t i = 0, number;
    for (uint32_t shown = 0; shown < rows->count; shown++) {
        sim_check(model_owner(room, rows->id[shown], &number) != NULL, "a snapshot has an entity that never was");
    }
    for (uint32_t n = 0; n < room->stay_count * STAY_ENTITIES; n++) {
        const model_stay *of = room->stays[n / STAY_ENTITIES];
        const model_entity *entity = &room->now.entities[of->number][n % STAY_ENTITIES];
        uint32_t id = model_id(of, n % STAY_ENTITIES);

        for (i = 0; i < rows->count && rows->id[i] != id;) {
            i++;
        }
        bool there = i < rows->count;
        bool is_asked_for = entity->present && (!op->message.as.get_snapshot.own || entity->owner == stay->number);
        bool may_be_gone = entity->owner != MODEL_ROOM_OWNED && room->stays[entity->owner]->left;
        sim_check(there == is_asked_for || (is_asked_for && may_be_gone), "a snapshot has another set of entities: %u",
                  id);
        sim_check(!there || is_shown(&entity->body, rows, i, room->config.dimensions == 3),
                  "a snapshot has an entity as it is not");
    }
}

void sim_scene_tap(sim_link *link, const qd_server_message *message, bool queued, void *context)
{
    sim_scene *scene = context;
    bool is_error = message->kind == QD_SERVER_ERROR;
    model_room *room = sim_scene_room(scene, is_error ? message->as.error.room : sim_room_of(message));
    model_stay *stay = room != NULL ? model_latest_stay(room, link->session) : NULL;

    switch (message->kind) {
    case QD_SERVER_WELCOME:
        tap_welcome(scene, link, &message->as.welcome);
        break;
    case QD_SERVER_ROOM_OPENED:
        tap_opened(scene, link, &message->as.room_opened);
        break;
    case QD_SERVER_ROOM_LEFT:
        stay->is_out = true;
        break;
    case QD_SERVER_ROOM_CLOSED:
        room->closed = true;
        break;
    case QD_SERVER_TICK:
        model_room_saw_tick(room, message->as.tick.tick);
        tap_tick(room, stay, link, &message->as.tick, queued);
        break;
    case QD_SERVER_VIEW:
        model_room_saw_tick(room, message->as.view.tick);
        tap_view(room, stay, &message->as.view, queued);
        break;
    case QD_SERVER_ACCEPTED:
        model_room_named_tick(room, message->as.accepted.tick);
        tap_accepted(room, stay, message->seq, &message->as.accepted);
        break;
    case QD_SERVER_APPLIED:
        check_lag(stay, &message->as.applied);
        model_room_saw_applied(room, stay, message->as.applied.tick, message->as.applied.seq, message->seq == 0);
        break;
    case QD_SERVER_QUERY_RESULT:
        model_room_named_tick(room, message->as.query_result.tick);
        break;
    case QD_SERVER_WHY_RESULT:
        model_room_named_tick(room, message->as.why_result.tick);
        break;
    case QD_SERVER_SNAPSHOT_RESULT:
        model_room_named_tick(room, message->as.snapshot_result.tick);
        tap_snapshot(room, stay, message->seq, &message->as.snapshot_result.entities);
        break;
    case QD_SERVER_HANDED_OVER:
        sim_tap_handed_over(room, stay, message->seq, &message->as.handed_over);
        break;
    case QD_SERVER_GO_AWAY:
        tap_go_away(link, &message->as.go_away);
        break;
    case QD_SERVER_ERROR:
        tap_error(room, stay, &message->as.error);
        break;
    default:
        break;
    }
}
