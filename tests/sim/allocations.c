/* SPDX-License-Identifier: Apache-2.0
 *
 * A life that sends every message, in a room of every index, while the allocation numbered N fails; or that one and all
 * later ones, until the end of the life. Each request is answered, by a clear code or by a disconnection that gives the
 * reason. Afterwards the server serves as if nothing had been, and when it stops, nothing is left.
 *
 * `sim_all` tries a sample of all N, `sim_all --allocations` every one (the test sim/each_allocation).
 */
#include <stdio.h>
#include <string.h>

#include "scenario.h"
#include "server/base/memory/alloc.h"

#define CASE_RUNS     100u /* of each kind, in the case */
#define REPLAYED_EACH 32u  /* one life in so many */
#define ENTITIES      60u
#define STEPS         18u /* more than the longest pause of what is suspended */

static const qd_msg_room_config configs[] = {
    {.index = QD_INDEX_AUTO},
    {.index = QD_INDEX_QUADTREE, .swept = true},
    {.index = QD_INDEX_SPARSE, .prune = QD_PRUNE_TRAVERSAL},
    {.index = QD_INDEX_HASH, .cell_size = 5},
    {.index = QD_INDEX_GRID, .writers = 2},
    {.index = QD_INDEX_BRUTE, .swept = true},
    {.dimensions = 3, .index = QD_INDEX_OCTREE, .swept = true},
    {.dimensions = 3, .index = QD_INDEX_SPARSE},
};

#define ROOMS (sizeof configs / sizeof configs[0])

/* A session, until the server disconnects it. */
typedef struct guest {
    sim_peer peer;
    bool connected;
    uint8_t key[QD_RESUME_KEY_BYTES];
    uint64_t session;
    uint64_t room[ROOMS]; /* 0: not in it */
    bool pairs_wait[ROOMS], views_wait[ROOMS];
    qd_error_code last_error;
} guest;

static struct {
    unsigned refused, refused_entries, suspended, disconnected;
} met;

static uint32_t ids[ENTITIES];
static float places[ENTITIES];

/* The third column of a batch in that room, or none. */
static const float *z_of(uint32_t i, const float *z)
{
    return configs[i].dimensions == 3 ? z : NULL;
}

/* ---- what comes ---- */

static bool is_for_memory(qd_error_code code)
{
    return code == QD_ERROR_LIMIT || code == QD_ERROR_ROOM_FULL || code == QD_ERROR_OBSERVERS_FULL;
}

/* What an earlier refusal leads to. */
static bool is_consequence(qd_error_code code)
{
    return code == QD_ERROR_UNKNOWN_ROOM || code == QD_ERROR_UNKNOWN_ROSTER || code == QD_ERROR_UNKNOWN_OBSERVER ||
           code == QD_ERROR_UNKNOWN_ID || code == QD_ERROR_INVALID || code == QD_ERROR_NOT_OWNER ||
           code == QD_ERROR_ID_TAKEN || code == QD_ERROR_WRONG_TICK || code == QD_ERROR_COLUMNS;
}

static void check_code(qd_error_code code, const char *text)
{
    sim_check(is_for_memory(code) || is_consequence(code), "%s is no clear code: %s", qd_error_code_name(code),
              text != NULL ? text : "");
}

static uint32_t place_of(const guest *g, uint64_t room)
{
    uint32_t i = 0;

    while (i < ROOMS && g->room[i] != room) {
        i++;
    }
    return i;
}

static void take_tick(guest *g, const qd_msg_tick *tick)
{
    const uint32_t i = place_of(g, tick->room);

    sim_check(!tick->suspended || tick->suspended_reason == QD_SUSPEND_MEMORY, "suspended without reason");
    met.suspended += tick->suspended;
    if (i < ROOMS) {
        sim_check(!g->pairs_wait[i] || tick->suspended || tick->reset, "events while suspended");
        g->pairs_wait[i] = tick->suspended;
    }
}

static void take_view(guest *g, const qd_msg_view *view)
{
    const uint32_t i = place_of(g, view->room);

    sim_check(!view->suspended || view->suspended_reason == QD_SUSPEND_MEMORY, "suspended without reason");
    met.suspended += view->suspended;
    if (i < ROOMS) {
        sim_check(!g->views_wait[i] || view->suspended || view->reset || view->reset_watchers, "news while suspended");
        g->views_wait[i] = view->suspended;
    }
}

static void take(guest *g, const qd_server_message *message)
{
    switch (message->kind) {
    case QD_SERVER_ERROR:
        met.refused++;
        g->last_error = message->as.error.code;
        check_code(message->as.error.code, message->as.error.text);
        break;
    case QD_SERVER_ACCEPTED:
        met.refused_entries += message->as.accepted.refused_count;
        for (uint32_t i = 0; i < message->as.accepted.refused_count; i++) {
            check_code(message->as.accepted.refused_code[i], message->as.accepted.text);
        }
        break;
    case QD_SERVER_GO_AWAY:
        /* A frame for which there is no memory ends the connection, too. The Error before it gives the reason. */
        sim_check(message->as.go_away.reason == QD_GO_AWAY_FULL || g->last_error == QD_ERROR_LIMIT, "disconnected: %s",
                  message->as.go_away.text);
        break;
    case QD_SERVER_WELCOME:
        g->session = message->as.welcome.session;
        if (message->as.welcome.resume_key.size == sizeof g->key) {
            memcpy(g->key, message->as.welcome.resume_key.bytes, sizeof g->key);
        }
        break;
    case QD_SERVER_TICK:
        take_tick(g, &message->as.tick);
        break;
    case QD_SERVER_VIEW:
        take_view(g, &message->as.view);
        break;
    default:
        break;
    }
}

/* Whether the server answers such a request at once. */
static bool is_answered(qd_client_kind kind)
{
    switch (kind) {
    case QD_CLIENT_HELLO:
    case QD_CLIENT_OPEN_ROOM:
    case QD_CLIENT_LEAVE_ROOM:
    case QD_CLIENT_CLOSE_ROOM:
    case QD_CLIENT_LIST_ROOMS:
    case QD_CLIENT_LIST_SESSIONS:
    case QD_CLIENT_SUBSCRIBE:
    case QD_CLIENT_UNSUBSCRIBE:
    case QD_CLIENT_GET_SNAPSHOT:
    case QD_CLIENT_GET_STATS:
    case QD_CLIENT_PING:
    case QD_CLIENT_QUERY:
    case QD_CLIENT_WHY:
    case QD_CLIENT_ADOPT:
        return true;
    default:
        return false;
    }
}

static void disconnect(guest *g)
{
    sim_peer_close(&g->peer);
    g->connected = false;
}

/* Takes all that has come. Returns the room that was opened; 0: none. */
static uint64_t take_all(guest *g, uint64_t seq, bool must_answer)
{
    const qd_server_message *message;
    uint64_t opened = 0;
    bool answered = false;

    while ((message = sim_peer_next(&g->peer)) != NULL) {
        answered |= message->seq == seq;
        opened = message->kind == QD_SERVER_ROOM_OPENED ? message->as.room_opened.room : opened;
        take(g, message);
    }
    if (g->peer.link->closed || g->peer.link->close_asked) {
        met.disconnected++;
        disconnect(g);
    } else {
        sim_check(answered || !must_answer, "a request has no answer");
    }
    return opened;
}

static uint64_t ask(guest *g, qd_client_message message)
{
    if (!g->connected) {
        return 0;
    }
    const uint64_t seq = sim_peer_send(&g->peer, message);
    sim_house_settle(g->peer.house);
    return take_all(g, seq, is_answered(message.kind));
}

#define ASK(guest, name, ...) (void)ask((guest), MESSAGE(name, __VA_ARGS__))

/* ---- the life ---- */

static void come(guest *g, sim_house *house, bool resumes)
{
    qd_msg_hello hello = {.version = QD_PROTOCOL_VERSION, .token = "token", .resumable = true};

    if (resumes) {
        hello.resume.size = sizeof g->key;
        hello.resume.bytes = g->key;
    }
    sim_peer_connect(&g->peer, house);
    sim_house_settle(house);
    g->connected = !g->peer.link->closed;
    ASK(g, HELLO, .hello = hello);
}

static void enter(guest *g, uint32_t i)
{
    char name[16];
    qd_msg_room_config config = configs[i];

    snprintf(name, sizeof name, "room %u", (unsigned)i);
    config.has_bounds = true;
    config.bounds = (qd_msg_bounds){.max_x = 100, .max_y = 100, .max_z = config.dimensions == 3 ? 100 : 0};
    config.tick_mode = QD_TICK_MODE_STEP;
    g->room[i] = ask(g, MESSAGE(OPEN_ROOM, .open_room = {.name = name, .has_config = true, .config = config}));
}

static void step(guest *a, guest *b, uint32_t i)
{
    ASK(a, STEP, .step = {.room = a->room[i]});
    ASK(b, STEP, .step = {.room = b->room[i]});
}

static void fill(guest *a, guest *b, uint32_t i)
{
    const uint64_t room = a->room[i];
    static const uint8_t shapes[] = {QD_SHAPE_BOX, QD_SHAPE_CIRCLE, QD_SHAPE_CAPSULE};
    qd_msg_entities crowd = {.count = ENTITIES,
                             .id = ids,
                             .x = places,
                             .y = places,
                             .z = z_of(i, places),
                             .half_x = places,
                             .half_y = places};

    ASK(a, SPAWN, .batch = {.room = room, .entities = crowd});
    ASK(b, SPAWN,
        .batch = {.room = b->room[i],
                  .room_owned = true,
                  .entities = {.count = 2,
                               .id = IDS(7000000, 1000),
                               .x = FLOATS(3, 4),
                               .y = FLOATS(3, 4),
                               .z = z_of(i, FLOATS(3, 4))}});
    ASK(a, RESHAPE, .batch = {.room = room, .entities = {.count = 3, .id = ids, .shape = shapes}});
    ASK(a, RESHAPE, .batch = {.room = room, .entities = {.count = 1, .id = ids + 5, .category = IDS(2)}});
    ASK(a, SET_ROSTER, .set_roster = {.room = room, .count = ENTITIES, .id = ids});
    ASK(b, SUBSCRIBE, .subscribe = {.room = b->room[i], .scope = QD_SCOPE_ALL, .stays = true});
    ASK(a, SUBSCRIBE, .subscribe = {.room = room, .scope = QD_SCOPE_OWN});
    ASK(b, OBSERVE,
        .observers = {.room = b->room[i],
                      .count = 2,
                      .id = IDS(1, 2),
                      .x = FLOATS(9, 30),
                      .y = FLOATS(9, 30),
                      .z = z_of(i, FLOATS(9, 30)),
                      .range = FLOATS(20, 50),
                      .leave_margin = FLOATS(0, 5)});
    ASK(a, OBSERVE,
        .observers = {.room = room,
                      .count = 1,
                      .id = IDS(1),
                      .entity = ids,
                      .range = FLOATS(60),
                      .limit = IDS(20),
                      .enter_budget = IDS(9),
                      .tier_count = 1,
                      .relay_range = FLOATS(99),
                      .relay_every = IDS(1)});
    ASK(a, SET_VIEW_OPTIONS, .set_view_options = {.room = room, .bytes_max = 5000, .watch = QD_WATCH_ALL});
    ASK(a, SET_DESCRIPTION,
        .set_description = {.room = room,
                            .count = 2,
                            .id = ids,
                            .tag = TAGS(1, 2),
                            .visible_range = FLOATS(0, 80),
                            .team = IDS(1, 2),
                            .hidden = BYTES(0, 1)});
    step(a, b, i);
}

static void change(guest *a, guest *b, uint32_t i)
{
    const uint64_t room = a->room[i];
    float moved[ENTITIES];

    for (uint32_t k = 0; k < ENTITIES; k++) {
        moved[k] = 90 - places[k];
    }
    ASK(a, MOVE,
        .batch = {.room = room,
                  .entities = {.count = ENTITIES, .id = ids, .x = moved, .y = places, .z = z_of(i, places)}});
    ASK(a, MOVE_ROSTER,
        .move_roster = {.room = room, .count = ENTITIES / 2, .x = moved, .y = moved, .z = z_of(i, moved)});
    ASK(a, MOVE_ROOMS,
        .move_rooms = {.part_count = 2,
                       .part_room = TAGS(room, a->room[configs[i].dimensions == 3 ? i : 0]),
                       .part_size = IDS(3, 2),
                       .count = 5,
                       .id = ids + ENTITIES - 5, /* room 0 still has these */
                       .x = moved,
                       .y = moved,
                       .z = z_of(i, moved)});
    ASK(a, TELEPORT,
        .batch = {.room = room,
                  .entities = {.count = 1, .id = ids, .x = FLOATS(1), .y = FLOATS(1), .z = z_of(i, FLOATS(1))}});
    ASK(b, MOVE_OBSERVERS,
        .observers = {
            .room = b->room[i], .count = 1, .id = IDS(1), .x = FLOATS(50), .y = FLOATS(50), .z = z_of(i, FLOATS(50))});
    ASK(b, SET_EXCEPTIONS,
        .set_exceptions = {
            .room = b->room[i], .observer = 1, .show_count = 2, .show = ids, .hide_count = 1, .hide = ids + 4});
    step(a, b, i);
    ASK(a, HAND_OVER, .hand_over = {.room = room, .count = 9, .id = ids, .session = b->session});
    ASK(a, ADOPT, .adopt = {.room = room, .session = b->session});
    ASK(a, MOVE,
        .batch = {.room = room,
                  .entities = {.count = ENTITIES, .id = ids, .x = places, .y = moved, .z = z_of(i, moved)}});
    step(a, b, i);
}

static void read(guest *a, guest *b, uint32_t i)
{
    ASK(a, GET_SNAPSHOT, .get_snapshot = {.room = a->room[i]});
    ASK(b, QUERY, .query = {.room = b->room[i], .kind = QD_QUERY_NEAREST, .limit = 30});
    ASK(b, QUERY,
        .query = {.room = b->room[i], .kind = QD_QUERY_CIRCLE, .where.circle = {.x = 9, .y = 9, .radius = 60}});
    ASK(b, WHY, .why = {.room = b->room[i], .a = 1, .observer = true, .b = ids[3]});
    ASK(a, GET_STATS, .room = {.room = a->room[i]});
    ASK(a, ACK, .step = {.room = a->room[i], .tick = 2});
}

static void empty(guest *a, guest *b, uint32_t i)
{
    ASK(a, DESPAWN, .batch = {.room = a->room[i], .entities = {.count = ENTITIES / 2, .id = ids}});
    ASK(b, UNOBSERVE, .observers = {.room = b->room[i], .count = 1, .id = IDS(2)});
    ASK(a, UNSUBSCRIBE, .room = {.room = a->room[i]});
    step(a, b, i);
}

static void live(sim_house *house, guest *a, guest *b)
{
    come(a, house, false);
    come(b, house, false);
    for (uint32_t i = 0; i < ROOMS; i++) {
        enter(a, i);
        enter(b, i);
        fill(a, b, i);
        change(a, b, i);
        read(a, b, i);
        empty(a, b, i);
    }
    ASK(a, LIST_ROOMS, .list_rooms = {0});
    ASK(a, LIST_SESSIONS, .list_sessions = {0});
    ASK(b, PING, .ping = {.data = 7});
    ASK(b, PONG, .ping = {.data = 7});
    if (a->connected) {
        disconnect(a);
        come(a, house, true);
    }
    ASK(a, LEAVE_ROOM, .room = {.room = a->room[0]});
    ASK(a, CLOSE_ROOM, .room = {.room = a->room[1]});
    sim_house_pass(house, 50);
    if (a->connected) {
        (void)take_all(a, 0, false);
    }
    if (b->connected) {
        (void)take_all(b, 0, false);
    }
}

/* ---- afterwards ---- */

/* Memory is there again: who is still connected gets resets, and new sessions are served. */
static void recover(sim_house *house, guest *a, guest *b)
{
    static guest fresh;

    memset(&fresh, 0, sizeof fresh);
    come(&fresh, house, false);
    sim_check(fresh.connected, "no new session after memory has come back");
    for (uint32_t i = 2; i < ROOMS; i++) {
        for (uint32_t k = 0; k < STEPS; k++) {
            step(a, b, i);
        }
        sim_house_pass(house, 1000); /* longer than a writer's deadline */
        sim_check(!b->connected || b->room[i] == 0 || (!b->pairs_wait[i] && !b->views_wait[i]),
                  "suspended after memory has come back");
        enter(&fresh, i);
        sim_check(fresh.room[i] != 0, "no room after memory has come back");
        ASK(&fresh, SPAWN,
            .batch = {
                .room = fresh.room[i],
                .entities = {.count = 1, .id = IDS(99), .x = FLOATS(1), .y = FLOATS(1), .z = z_of(i, FLOATS(1))}});
        ASK(&fresh, SUBSCRIBE, .subscribe = {.room = fresh.room[i], .scope = QD_SCOPE_ALL});
        ASK(&fresh, OBSERVE,
            .observers = {.room = fresh.room[i],
                          .count = 1,
                          .id = IDS(1),
                          .x = FLOATS(1),
                          .y = FLOATS(1),
                          .z = z_of(i, FLOATS(1)),
                          .range = FLOATS(9)});
        step(&fresh, b, i);
        sim_house_pass(house, 1000);
        (void)take_all(&fresh, 0, false);
        sim_check(!fresh.pairs_wait[i] && !fresh.views_wait[i], "suspended after memory has come back");
    }
    sim_check(fresh.connected, "a session ends after memory has come back");
    disconnect(&fresh);
}

/* Returns how many allocations there were. */
static uint64_t play(uint64_t first, uint64_t count)
{
    static const qd_limits limits = {0};
    static guest a, b;
    static sim_house house;

    memset(&a, 0, sizeof a);
    memset(&b, 0, sizeof b);
    sim_house_open(&house, &limits);
    /* A replay takes twice as long as the life. */
    house.recorded.is_dropped = first % REPLAYED_EACH != 0;
    (void)qd_memory_fail(first, count);
    live(&house, &a, &b);
    const uint64_t tries = qd_memory_fail(0, 0);
    recover(&house, &a, &b);
    if (a.connected) {
        disconnect(&a);
    }
    if (b.connected) {
        disconnect(&b);
    }
    sim_house_close(&house);
    return tries;
}

static uint64_t play_all(uint64_t runs)
{
    for (uint32_t i = 0; i < ENTITIES; i++) {
        ids[i] = 10 + i * (i % 3 == 0 ? 1 : 70000);
        places[i] = (float)(i * 7 % 40) + 1;
    }
    const uint64_t tries = play(0, 0), every = runs == 0 || runs > tries ? 1 : tries / runs;

    sim_check(met.refused == 0 && met.refused_entries == 0,
              "%u requests and %u entries are refused although none fails", met.refused, met.refused_entries);
    for (uint64_t n = 1; n <= tries; n += every) {
        (void)play(n, 1);
        (void)play(n, UINT64_MAX);
    }
    sim_check(met.refused > 0 && met.refused_entries > 0 && met.suspended > 0 && met.disconnected > 0,
              "something never came up");
    return tries;
}

uint64_t sim_fail_each_allocation(void)
{
    return play_all(0);
}

CASE(failed_allocation_is_answered_and_leaves_nothing)
{
    (void)house;
    (void)play_all(CASE_RUNS);
}

static void send_confirmed(sim_peer *peer, qd_client_message message)
{
    message.confirm = true;
    (void)sim_peer_send(peer, message);
    const qd_msg_accepted *accepted = &sim_peer_expect(peer, QD_SERVER_ACCEPTED)->as.accepted;
    sim_check(accepted->refused_total == 0, "%u entries are refused: %s", (unsigned)accepted->refused_total,
              accepted->text);
}

CASE(leaving_succeeds_without_memory)
{
    enum { LEAVING = 200 };
    uint32_t id[LEAVING];
    sim_peer peer;

    for (uint32_t i = 0; i < LEAVING; i++) {
        id[i] = i + 1;
    }
    sim_peer_open(&peer, house, NULL);
    const uint64_t room = sim_peer_open_room(&peer, "full", NULL), other = sim_peer_open_room(&peer, "other", NULL);
    const sim_crowd crowd = {.first = 1, .count = LEAVING, .apart = 0.1f};
    (void)sim_peer_send_crowd(&peer, room, &crowd);
    sim_peer_send(&peer, MESSAGE(SUBSCRIBE, .subscribe = {.room = room, .scope = QD_SCOPE_ALL}));
    sim_peer_send(
        &peer, MESSAGE(OBSERVE, .observers = {.room = room, .count = 1, .id = id, .entity = id, .range = FLOATS(50)}));
    sim_peer_send(&peer, MESSAGE(STEP, .step = {.room = room}));
    sim_house_settle(house);
    while (sim_peer_next(&peer) != NULL) {
    }
    qd_memory_limit_set(qd_memory_used());
    (void)sim_peer_send_crowd(&peer, room, &(sim_crowd){.first = 1000, .count = 1000, .apart = 0.1f});
    (void)sim_peer_expect(&peer, QD_SERVER_ERROR);
    send_confirmed(&peer, MESSAGE(UNOBSERVE, .observers = {.room = room, .count = 1, .id = id}));
    (void)sim_peer_send(&peer, MESSAGE(UNSUBSCRIBE, .room = {room}));
    (void)sim_peer_expect(&peer, QD_SERVER_ACCEPTED);
    send_confirmed(&peer, MESSAGE(DESPAWN, .batch = {.room = room, .entities = {.count = LEAVING, .id = id}}));
    (void)sim_peer_send(&peer, MESSAGE(LEAVE_ROOM, .room = {room}));
    (void)sim_peer_expect(&peer, QD_SERVER_ROOM_LEFT);
    (void)sim_peer_send(&peer, MESSAGE(CLOSE_ROOM, .room = {other}));
    (void)sim_peer_expect(&peer, QD_SERVER_ROOM_CLOSED);
    qd_memory_limit_set(0);
    sim_peer_close(&peer);
}

/* Nobody is left who could send Step. */
CASE(empty_step_room_gives_its_memory_back)
{
    sim_peer keeper, writer;

    sim_peer_open(&keeper, house, NULL);
    sim_peer_open(&writer, house, NULL);
    (void)sim_peer_open_room(&writer, "filled", NULL);
    sim_peer_close(&writer);
    sim_house_pass(house, 1);
    const size_t before = qd_memory_used();
    sim_peer_open(&writer, house, NULL);
    const uint64_t room = sim_peer_open_room(&writer, "filled", NULL);
    const uint64_t epoch = writer.decoded.message.as.room_opened.epoch;
    sim_peer_send_crowd(&writer, room, &(sim_crowd){.first = 1, .count = 20000, .apart = 0.001f});
    sim_peer_send(
        &writer,
        MESSAGE(OBSERVE,
                .observers = {
                    .room = room, .count = 1, .id = IDS(1), .x = FLOATS(1), .y = FLOATS(1), .range = FLOATS(90)}));
    sim_peer_send(&writer, MESSAGE(STEP, .step = {.room = room}));
    sim_house_settle(house);
    sim_check(qd_memory_used() > before + 1000000, "the room is not full");
    while (sim_peer_next(&writer) != NULL) {
    }
    sim_peer_close(&writer);
    sim_house_pass(house, 30000);
    sim_check(atomic_load(&house->server.service.rooms) == 1, "the room is closed");
    sim_check(qd_memory_used() <= before + 4096, "%zu bytes are left of what was in the room",
              qd_memory_used() - before);
    sim_peer_open(&writer, house, NULL);
    (void)sim_peer_open_room(&writer, "filled", NULL);
    const qd_msg_room_opened *opened = &writer.decoded.message.as.room_opened;
    sim_check(opened->tick == 2 && opened->epoch != epoch, "tick %u, epoch %s", (unsigned)opened->tick,
              opened->epoch == epoch ? "the same" : "new");
    sim_peer_close(&writer);
    sim_peer_close(&keeper);
}
