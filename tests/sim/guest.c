/* SPDX-License-Identifier: Apache-2.0 */
#include "guest.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static uint32_t pick(sim_guest *guest, uint32_t count)
{
    return sim_pick(&guest->house->world, count);
}

static void set_init(guest_set *set, const char *what)
{
    *set = (guest_set){0};
    model_fold_init(&set->fold, NULL, what, NULL);
}

void guest_init(sim_guest *guest, sim_house *house, uint32_t number, qd_index_kind index)
{
    *guest = (sim_guest){.house = house, .first_id = number << 24, .index = index};
    set_init(&guest->pairs, "pairs");
    set_init(&guest->views, "views");
}

static void forget(guest_set *set, bool known)
{
    set->fold.set_count = 0;
    set->fold.in_tick = false;
    set->known = known;
    set->stale = false;
}

/* It is out of the room. */
static void leave(sim_guest *guest)
{
    guest->room = 0;
    guest->is_subscribed = false;
    memset(guest->regions, 0, sizeof guest->regions);
    forget(&guest->pairs, false);
    forget(&guest->views, false);
}

void guest_drop(sim_guest *guest)
{
    if (guest->is_connected) {
        sim_peer_close(&guest->peer);
    }
    guest->is_connected = guest->is_welcome = false;
    guest->waiting_count = 0;
    leave(guest);
}

void guest_deinit(sim_guest *guest)
{
    guest_drop(guest);
    free(guest->pairs.fold.set);
    free(guest->views.fold.set);
    free(guest->rows);
    free(guest->row_ids);
}

/* ---- sending ---- */

/* Frames up to this size succeed without memory if they leave or remove something. */
#define SMALL_FRAME 1024u

static bool must_succeed(const qd_client_message *message)
{
    const qd_client_kind kind = message->kind;

    return (kind == QD_CLIENT_LEAVE_ROOM || kind == QD_CLIENT_CLOSE_ROOM || kind == QD_CLIENT_DESPAWN ||
            kind == QD_CLIENT_UNSUBSCRIBE || kind == QD_CLIENT_UNOBSERVE) &&
           qd_client_message_size(message) <= SMALL_FRAME;
}

static guest_request *ask(sim_guest *guest, qd_client_message message)
{
    guest_request *asked = &guest->waiting[guest->waiting_count];

    sim_check(guest->waiting_count < GUEST_REQUESTS, "a guest sends too much at once");
    guest->waiting_count++;
    message.confirm = message.kind >= QD_CLIENT_SPAWN;
    if (sim_names_room(message.kind)) {
        message.as.room.room = guest->room; /* the first field of all these messages */
    }
    const uint64_t room = guest->room;
    const uint32_t size = message.as.batch.entities.count;
    if (message.kind == QD_CLIENT_MOVE && pick(guest, 3) == 0) {
        const qd_msg_entities moved = message.as.batch.entities;

        message.kind = QD_CLIENT_MOVE_ROOMS;
        message.as.move_rooms = (qd_msg_move_rooms){.part_count = 1,
                                                    .part_room = &room,
                                                    .part_size = &size,
                                                    .count = size,
                                                    .id = moved.id,
                                                    .x = moved.x,
                                                    .y = moved.y};
    }
    *asked = (guest_request){.kind = message.kind, .must_succeed = must_succeed(&message)};
    asked->seq = sim_peer_send(&guest->peer, message);
    return asked;
}

void guest_send(sim_guest *guest, qd_client_message message)
{
    (void)ask(guest, message);
}

static void send_batch(sim_guest *guest)
{
    static const qd_client_kind kinds[] = {QD_CLIENT_SPAWN, QD_CLIENT_SPAWN,    QD_CLIENT_MOVE,
                                           QD_CLIENT_MOVE,  QD_CLIENT_TELEPORT, QD_CLIENT_DESPAWN};
    static uint32_t id[GUEST_IDS];
    static float x[GUEST_IDS], y[GUEST_IDS], half[GUEST_IDS];
    uint32_t count = 1 + pick(guest, pick(guest, 4) == 0 ? GUEST_IDS : 8), first = pick(guest, GUEST_IDS);
    qd_client_message message = {.kind = kinds[pick(guest, 6)]};
    qd_msg_entities *entities = &message.as.batch.entities;

    for (uint32_t i = 0; i < count; i++) {
        id[i] = guest->first_id + (first + i) % GUEST_IDS;
        x[i] = (float)pick(guest, GUEST_SIZE);
        y[i] = (float)pick(guest, GUEST_SIZE);
        half[i] = (float)pick(guest, 3);
    }
    *entities = (qd_msg_entities){.count = count, .id = id};
    if (message.kind != QD_CLIENT_DESPAWN) {
        entities->x = x;
        entities->y = y;
    }
    if (message.kind == QD_CLIENT_SPAWN) {
        entities->half_x = entities->half_y = half;
    }
    guest_send(guest, message);
}

static void observe(sim_guest *guest)
{
    static const uint8_t circle = QD_REGION_CIRCLE;
    uint32_t region = pick(guest, GUEST_REGIONS);
    const guest_region becomes = {.present = true,
                                  .x = (float)pick(guest, GUEST_SIZE),
                                  .y = (float)pick(guest, GUEST_SIZE),
                                  .range = (float)pick(guest, 60)};
    const qd_msg_observers observers = {
        .count = 1, .id = &region, .region = &circle, .x = &becomes.x, .y = &becomes.y, .range = &becomes.range};
    guest_request *asked = ask(guest, MESSAGE(OBSERVE, .observers = observers));

    asked->region = region;
    asked->becomes = becomes;
}

static void unobserve(sim_guest *guest)
{
    uint32_t region = pick(guest, GUEST_REGIONS);

    ask(guest, MESSAGE(UNOBSERVE, .observers = {.count = 1, .id = &region}))->region = region;
}

static void act_in_room(sim_guest *guest)
{
    uint32_t draw = pick(guest, 100);

    if (draw < 50) {
        send_batch(guest);
    } else if (draw < 65) {
        observe(guest);
    } else if (draw < 70) {
        unobserve(guest);
    } else if (draw < 82) {
        guest_send(guest, MESSAGE(SUBSCRIBE, .subscribe = {.scope = QD_SCOPE_ALL}));
    } else if (draw < 84) {
        guest_send(guest, MESSAGE(UNSUBSCRIBE, .room = {0}));
    } else if (draw < 92) {
        guest_send(guest,
                   MESSAGE(QUERY, .query = {.kind = QD_QUERY_CIRCLE, .where.circle.radius = 300, .limit = 1000}));
    } else if (draw < 94) {
        guest_send(guest, MESSAGE(GET_STATS, .room = {0}));
    } else if (draw < 97) {
        guest_send(guest, MESSAGE(LIST_ROOMS, .list_rooms = {.after = "", .limit = 10}));
    } else if (draw < 98) {
        guest_send(guest, MESSAGE(LEAVE_ROOM, .room = {0}));
        leave(guest); /* what comes for the room by then is for nobody */
    } else {
        guest_drop(guest);
    }
}

static void connect(sim_guest *guest)
{
    sim_peer_connect(&guest->peer, guest->house);
    guest->is_connected = true;
    guest->first_id = (guest->first_id & 0xff000000) + ++guest->connections * GUEST_IDS;
    guest_send(guest, MESSAGE(HELLO, .hello = {.version = QD_PROTOCOL_VERSION, .client = "guest"}));
}

static void open_room(sim_guest *guest)
{
    const qd_msg_room_config config = {.tick_mode = QD_TICK_MODE_STEP,
                                       .has_bounds = true,
                                       .bounds = {.max_x = GUEST_SIZE, .max_y = GUEST_SIZE},
                                       .index = guest->index,
                                       .grace_ms = 1,
                                       .empty_close_ms = 1};

    guest_send(guest, MESSAGE(OPEN_ROOM, .open_room = {.name = "yard", .has_config = true, .config = config}));
}

/* Takes a step towards the room. Returns whether it is in it. */
static bool get_in(sim_guest *guest)
{
    if (!guest->is_connected) {
        connect(guest);
    } else if (guest->is_welcome && guest->room == 0) {
        open_room(guest);
    }
    return guest->room != 0;
}

void guest_act(sim_guest *guest)
{
    if (get_in(guest)) {
        for (uint32_t i = 1 + pick(guest, 3); i > 0 && guest->room != 0; i--) {
            act_in_room(guest);
        }
    }
}

bool guest_settle_in(sim_guest *guest)
{
    if (!get_in(guest)) {
        return false;
    }
    if (!guest->is_subscribed) {
        guest_send(guest, MESSAGE(SUBSCRIBE, .subscribe = {.scope = QD_SCOPE_ALL}));
    }
    return guest->is_subscribed;
}

/* ---- folding ---- */

enum { GROUP_REMOVED = 1, GROUP_ADDED, GROUP_KEPT };

/* A frame begins or goes on with a tick. */
static void begin(guest_set *set, uint64_t tick, bool reset)
{
    if (!model_fold_begin(&set->fold, reset)) {
        return;
    }
    sim_check(reset || (set->known && !set->stale), "%s: a tick without a reset before it", set->fold.what);
    sim_check(tick >= set->fold.tick, "%s: tick %" PRIu64 " comes after %" PRIu64, set->fold.what, tick,
              set->fold.tick);
    set->fold.tick = tick;
    if (reset) {
        forget(set, true);
        set->fold.in_tick = true;
    }
}

static void on_tick(sim_guest *guest, const qd_msg_tick *tick)
{
    guest_set *set = &guest->pairs;

    if (tick->suspended) {
        forget(set, false);
        return;
    }
    begin(set, tick->tick, tick->reset);
    model_fold_group(&set->fold, GROUP_REMOVED, MODEL_REMOVES, tick->ends.count, tick->ends.a, tick->ends.b);
    model_fold_group(&set->fold, GROUP_ADDED, MODEL_ADDS, tick->begins.count, tick->begins.a, tick->begins.b);
    set->fold.in_tick = !tick->last;
}

static void on_view(sim_guest *guest, const qd_msg_view *view)
{
    guest_set *set = &guest->views;

    if (view->suspended) {
        forget(set, false);
        return;
    }
    begin(set, view->tick, view->reset);
    model_fold_group(&set->fold, GROUP_REMOVED, MODEL_REMOVES, view->leave_count, view->leave_observer, view->leave_id);
    model_fold_group(&set->fold, GROUP_ADDED, MODEL_ADDS, view->enter_count, view->enter_observer, view->enter.id);
    model_fold_group(&set->fold, GROUP_KEPT, MODEL_RELAYS, view->relay_count, view->relay_observer, view->relay_id);
    set->fold.in_tick = !view->last;
}

static void keep_snapshot(sim_guest *guest, const qd_msg_entities *rows)
{
    guest->row_count = rows->count;
    guest->rows = realloc(guest->rows, (rows->count + 1) * sizeof *guest->rows);
    guest->row_ids = realloc(guest->row_ids, (rows->count + 1) * sizeof *guest->row_ids);
    sim_check(guest->rows != NULL && guest->row_ids != NULL, "out of memory");
    for (uint32_t i = 0; i < rows->count; i++) {
        guest->rows[i] = model_row(rows, i);
        guest->row_ids[i] = rows->id[i];
    }
    guest->has_snapshot = true;
}

/* ---- answers ---- */

/* The request with that seq, which is answered; false: the client did not send it. */
static bool take(sim_guest *guest, uint64_t seq, guest_request *taken)
{
    for (uint32_t i = 0; i < guest->waiting_count; i++) {
        if (guest->waiting[i].seq == seq) {
            *taken = guest->waiting[i];
            guest->waiting[i] = guest->waiting[--guest->waiting_count];
            return true;
        }
    }
    return false;
}

static void on_accepted(sim_guest *guest, const guest_request *asked, const qd_msg_accepted *accepted)
{
    guest_region *region = &guest->regions[asked->region];
    bool by_region = asked->kind == QD_CLIENT_OBSERVE || asked->kind == QD_CLIENT_UNOBSERVE;

    for (uint32_t i = 0; i < accepted->refused_count; i++) {
        sim_check(accepted->refused_code[i] != QD_ERROR_LIMIT || (guest->pressed && !asked->must_succeed),
                  "an entry is refused for lack of %s", accepted->text);
    }
    sim_check(accepted->refused_count == accepted->refused_total || guest->pressed, "refused entries are not listed");
    if (guest->room == 0) {
        return; /* it has left since */
    }
    if (asked->kind == QD_CLIENT_SUBSCRIBE) {
        guest->is_subscribed = true;
    } else if (asked->kind == QD_CLIENT_UNSUBSCRIBE) {
        guest->is_subscribed = false;
        forget(&guest->pairs, false);
    } else if (by_region && accepted->refused_total == 0) {
        *region = asked->becomes;
    } else if (by_region && asked->kind == QD_CLIENT_UNOBSERVE) {
        sim_check(!region->present, "an observer that is there cannot be removed: %s", accepted->text);
    }
}

static void on_error(const sim_guest *guest, const guest_request *asked, const qd_msg_error *error)
{
    sim_check(error->code == QD_ERROR_LIMIT && guest->pressed && !asked->must_succeed,
              "request %" PRIu64 " of kind %d gets %s: %s", error->seq, asked->kind, qd_error_code_name(error->code),
              error->text);
}

static void on_message(sim_guest *guest, const qd_server_message *message)
{
    guest_request asked = {0};
    bool is_answer = message->seq != 0 && take(guest, message->seq, &asked);
    uint64_t room = sim_room_of(message);

    /* Accepted has answered what an Applied names. */
    sim_check(message->seq == 0 || is_answer || message->kind == QD_SERVER_APPLIED,
              "an answer to %" PRIu64 ", which was not asked", message->seq);
    if (room != 0 && room != guest->room && message->kind != QD_SERVER_ROOM_OPENED) {
        return;
    }
    switch (message->kind) {
    case QD_SERVER_WELCOME:
        guest->is_welcome = true;
        break;
    case QD_SERVER_ROOM_OPENED:
        guest->room = room;
        forget(&guest->views, true);
        guest->pairs.fold.tick = guest->views.fold.tick = 0;
        break;
    case QD_SERVER_TICK:
        on_tick(guest, &message->as.tick);
        break;
    case QD_SERVER_VIEW:
        on_view(guest, &message->as.view);
        break;
    case QD_SERVER_ACCEPTED:
        on_accepted(guest, &asked, &message->as.accepted);
        break;
    case QD_SERVER_SNAPSHOT_RESULT:
        sim_check(message->as.snapshot_result.last, "a small snapshot comes in parts");
        guest->tick = message->as.snapshot_result.tick;
        keep_snapshot(guest, &message->as.snapshot_result.entities);
        break;
    case QD_SERVER_ERROR:
        on_error(guest, &asked, &message->as.error);
        break;
    case QD_SERVER_GO_AWAY:
        sim_check(guest->pressed, "GoAway: %s", message->as.go_away.text);
        break;
    case QD_SERVER_ROOM_CLOSED:
        sim_fail("a room is closed while somebody is in it");
    default:
        break;
    }
}

void guest_read(sim_guest *guest)
{
    if (!guest->is_connected) {
        return;
    }
    for (const qd_server_message *message; (message = sim_peer_next(&guest->peer)) != NULL;) {
        on_message(guest, message);
    }
    if (guest->peer.link->closed) {
        sim_check(guest->pressed, "a connection ends");
        guest_drop(guest);
        return;
    }
    sim_check(guest->waiting_count == 0 || guest->peer.link->close_asked,
              "request %" PRIu64 " of kind %d is not answered", guest->waiting[0].seq, guest->waiting[0].kind);
}
