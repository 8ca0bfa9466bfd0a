/* SPDX-License-Identifier: Apache-2.0
 *
 * Error texts about quotas, roles and the access of rooms.
 */
#include "errors.h"
#include "scenario.h"
#include "server/session/tenants.h"

static const qd_client_message more = {
    .kind = QD_CLIENT_OPEN_ROOM,
    .as.open_room = {
        .name = "more", .has_config = true, .config = {.has_bounds = true, .bounds = {.max_x = 1, .max_y = 1}}}};

static void ask(sim_texts *texts, sim_peer *peer, qd_client_message message)
{
    sim_peer_send(peer, message);
    sim_texts_expect(texts, peer);
}

/* ---- quotas ---- */

static void write_quotas_of_session(sim_texts *texts, sim_house *house, sim_peer *peer, uint64_t room)
{
    _Atomic uint64_t *max = house->server.service.accounts.quotas.session;
    const qd_msg_observers two = {
        .room = room, .count = 2, .id = IDS(1, 2), .x = FLOATS(1, 1), .y = FLOATS(1, 1), .range = FLOATS(5, 5)};

    max[QD_QUOTA_JOINED] = max[QD_QUOTA_ENTITIES] = max[QD_QUOTA_OBSERVERS] = max[QD_QUOTA_SUBSCRIBED] = 1;
    ask(texts, peer, more);
    ask(texts, peer,
        MESSAGE(SPAWN, .batch = {.room = room,
                                 .entities = {.count = 2, .id = IDS(1, 2), .x = FLOATS(1, 1), .y = FLOATS(1, 1)}}));
    ask(texts, peer, MESSAGE(OBSERVE, .observers = two));
    sim_peer_send(peer, MESSAGE(SUBSCRIBE, .subscribe = {.room = room}));
    sim_peer_send(peer, MESSAGE(STEP, .step = {.room = room}));
    (void)sim_texts_take(texts, peer);
    max[QD_QUOTA_JOINED] = max[QD_QUOTA_OBSERVERS] = 0;
    max[QD_QUOTA_VISIBLE] = 1;
    ask(texts, peer, MESSAGE(OBSERVE, .observers = two));
    const uint64_t second = sim_peer_open_room(peer, "subscribed", NULL);
    ask(texts, peer, MESSAGE(SUBSCRIBE, .subscribe = {.room = second}));
    max[QD_QUOTA_ENTITIES] = max[QD_QUOTA_VISIBLE] = max[QD_QUOTA_SUBSCRIBED] = 0;
}

/* With the memory of a session's rooms, which is counted like that of a tenant's. */
static void write_quotas_of_tenant(sim_texts *texts, sim_house *house, sim_peer *peer)
{
    _Atomic uint64_t *max = house->server.service.accounts.quotas.tenant;
    _Atomic uint64_t *max_of_session = house->server.service.accounts.quotas.session;
    const uint64_t rooms = max[QD_QUOTA_CREATED];

    texts->for_memory = true; /* the rooms of other cases are closing */
    max[QD_QUOTA_CREATED] = 1;
    ask(texts, peer, more);
    max[QD_QUOTA_CREATED] = rooms;
    max[QD_QUOTA_MEMORY] = 1;
    ask(texts, peer, more);
    max[QD_QUOTA_MEMORY] = 0;
    max_of_session[QD_QUOTA_MEMORY] = 1;
    ask(texts, peer, more);
    max_of_session[QD_QUOTA_MEMORY] = 0;
    texts->for_memory = false;
}

static void write_quota_of_token(sim_texts *texts, sim_house *house)
{
    static qd_grant known = {.token = "known", .role = QD_ROLE_WRITER, .patterns = ""};
    qd_limits limits = house->server.service.config.limits;
    sim_peer first, second;

    limits.token_connections_max = 1;
    qd_sessions_set_quotas(&house->server.sessions, &limits);
    sim_house_tokens(house, &known, 1);
    sim_peer_open(&first, house, "known");
    sim_peer_connect(&second, house);
    ask(texts, &second, MESSAGE(HELLO, .hello = {.version = QD_PROTOCOL_VERSION, .token = "known"}));
    sim_peer_close(&second);
    sim_peer_close(&first);
    qd_sessions_set_quotas(&house->server.sessions, &house->server.service.config.limits);
    sim_house_tokens(house, NULL, 0);
}

/* ---- access ---- */

static void write_roles(sim_texts *texts, sim_house *house, uint64_t room)
{
    sim_peer reader, guest;

    sim_peer_open(&reader, house, "reader");
    sim_peer_open_room(&reader, "read", NULL);
    ask(texts, &reader, more);
    ask(texts, &reader, MESSAGE(DESPAWN, .batch = {.room = room}));
    ask(texts, &reader, MESSAGE(STEP, .step = {.room = room}));
    ask(texts, &reader, MESSAGE(CLOSE_ROOM, .room = {.room = room}));
    sim_peer_open(&guest, house, "guest");
    ask(texts, &guest, more);
    sim_peer_close(&guest);
    sim_peer_close(&reader);
}

static void write_rooms(sim_texts *texts, sim_peer *owner, sim_peer *other)
{
    const qd_msg_room_config shared = {
        .tick_mode = QD_TICK_MODE_STEP, .write = QD_ACCESS_SAME_TOKEN, .step = QD_ACCESS_CREATOR};
    const qd_msg_room_config private = {.tick_mode = QD_TICK_MODE_STEP, .join = QD_ACCESS_SAME_TOKEN};
    const uint64_t room = sim_peer_open_room(owner, "shared", &shared);

    sim_peer_open_room(owner, "private", &private);
    sim_peer_open_room(other, "shared", NULL);
    ask(texts, other, MESSAGE(DESPAWN, .batch = {.room = room}));
    ask(texts, other, MESSAGE(STEP, .step = {.room = room}));
    ask(texts, other, MESSAGE(OPEN_ROOM, .open_room = {.name = "private"}));
    ask(texts, other,
        MESSAGE(OPEN_ROOM, .open_room = {.name = "bad", .has_config = true, .config = {.join = (qd_access)9}}));
}

static void write_access(sim_texts *texts, sim_house *house)
{
    static qd_grant grants[] = {{.token = "owner", .role = QD_ROLE_WRITER, .patterns = ""},
                                {.token = "other", .role = QD_ROLE_WRITER, .patterns = ""},
                                {.token = "reader", .role = QD_ROLE_READER, .patterns = ""},
                                {.token = "guest", .role = QD_ROLE_WRITER, .patterns = "g*"}};
    static qd_tokens one;
    sim_peer owner, other;

    sim_house_tokens(house, grants, 4);
    sim_peer_open(&owner, house, "owner");
    sim_peer_open(&other, house, "other");
    write_roles(texts, house, sim_peer_open_room(&owner, "read", NULL));
    write_rooms(texts, &owner, &other);
    one = (qd_tokens){.references = 1, .grants = grants, .count = 1};
    (void)qd_sessions_reload(&house->server.sessions, &one);
    sim_texts_expect(texts, &other);
    sim_peer_close(&other);
    sim_peer_close(&owner);
    sim_house_tokens(house, NULL, 0);
}

/* ---- join tokens ---- */

#define SECRET "0123456789abcdef0123456789abcdef"

static void say_token(sim_texts *texts, sim_house *house, qd_join_claims claims)
{
    char token[QD_TOKEN_BYTES_MAX + 1], error[200];
    sim_peer peer;

    sim_check(qd_join_token_mint(&claims, SECRET, token, error, sizeof error), "%s", error);
    sim_peer_connect(&peer, house);
    ask(texts, &peer, MESSAGE(HELLO, .hello = {.version = QD_PROTOCOL_VERSION, .token = token}));
    sim_peer_close(&peer);
}

static void write_join_tokens(sim_texts *texts, sim_house *house)
{
    static qd_grant key = {.token = "key:k1", .role = QD_ROLE_READER, .patterns = "", .secret = SECRET};
    qd_join_claims claims = {
        .key = "k1", .name = "gateway", .expires_s = SIM_WALL_S - 1, .role = QD_ROLE_READER, .patterns = ""};
    char token[QD_TOKEN_BYTES_MAX + 1], error[200];
    sim_peer peer;

    sim_house_tokens(house, &key, 1);
    say_token(texts, house, claims);
    claims.expires_s = sim_wall_s(&house->world) + 5;
    claims.role = QD_ROLE_WRITER;
    say_token(texts, house, claims);
    claims.role = QD_ROLE_READER;
    sim_check(qd_join_token_mint(&claims, SECRET, token, error, sizeof error), "%s", error);
    sim_peer_open(&peer, house, token);
    sim_house_pass(house, 7000);
    sim_texts_expect(texts, &peer);
    sim_peer_close(&peer);
    sim_house_tokens(house, NULL, 0);
}

void sim_texts_of_access(sim_texts *texts, sim_house *house)
{
    sim_peer peer;

    sim_peer_open(&peer, house, NULL);
    write_quotas_of_session(texts, house, &peer, sim_peer_open_room(&peer, "quotas", NULL));
    write_quotas_of_tenant(texts, house, &peer);
    sim_peer_close(&peer);
    write_quota_of_token(texts, house);
    write_access(texts, house);
    write_join_tokens(texts, house);
}
