/* SPDX-License-Identifier: Apache-2.0
 *
 * Cases of quotas: what one session, one token and one address may use, and that others may go on.
 */
#include <string.h>

#include "scenario.h"

/* Two tenants. */
static void set_tokens(sim_scenario *play)
{
    static qd_grant grants[] = {{.token = "alpha", .role = QD_ROLE_WRITER, .patterns = ""},
                                {.token = "beta", .role = QD_ROLE_WRITER, .patterns = ""}};

    sim_house_tokens(play->house, grants, 2);
}

#define OPEN_NAMED(peer, want, name_)                                                                                  \
    SEND(peer, want, OPEN_ROOM,                                                                                        \
         .open_room = {.name = (name_),                                                                                \
                       .has_config = true,                                                                             \
                       .config = {.has_bounds = true, .bounds = {.max_x = 1, .max_y = 1}, .empty_close_ms = 100}})
#define SPAWN_ONE(peer, want, number) SPAWN(peer, want, number, 1, 0)
#define AT_1_1                        .x = FLOATS(1), .y = FLOATS(1), .range = FLOATS(5)

/* ---- rooms ---- */

SCENARIO(rooms_of_a_session_are_limited, .limits = {.session_rooms_max = 2}) = {
    OPEN(A, NULL),
    ROOM(A, 0),
    ROOM(A, 1),
    OPEN_NAMED(A, "error QUOTA_SESSION: (--session-rooms-max)", "c"),
    WORLD("refused by sessions 1; refused by tokens 0"),
    /* A room that it is in is none more. */
    SEND(A, "opened", OPEN_ROOM, .open_room.name = "second"),
    LEAVE(A, "left"),
    OPEN_NAMED(A, "created in a new room up to 1", "c"),
    /* A closed room does not count, even if another session closed it. */
    IN_ROOM(0),
    CLOSE_ROOM(A, "closed: requested"),
    OPEN_NAMED(A, "created in a new room up to 1", "d"),
    OPEN_NAMED(A, "error QUOTA_SESSION", "e"),
};

/* The session keeps memberships in rooms that closed while it was away. */
SCENARIO(closed_rooms_of_a_resumed_session_do_not_count, .limits = {.session_rooms_max = 1}) = {
    RESUMABLE(A, NULL, "welcome 1 new key for 10000"),
    ROOM(A, 0),
    OPEN(B, NULL),
    CLOSE(A),
    RESUME(C, A, NULL, "welcome 1 same key for 10000 resumed last 2"),
    OPEN_NAMED(C, "error QUOTA_SESSION", "c"),
    CLOSE_ROOM(C, "closed: requested"),
    OPEN_NAMED(C, "created in a new room up to 1", "c"),
};

SCENARIO(rooms_of_a_token_are_limited_until_they_close, .limits = {.token_rooms_max = 2}) = {
    CALL(set_tokens),
    OPEN(A, "alpha"),
    OPEN(B, "alpha"),
    OPEN(C, "beta"),
    OPEN_NAMED(A, "created in a new room up to 1", "a"),
    OPEN_NAMED(B, "created in a new room up to 1", "b"),
    OPEN_NAMED(A, "error QUOTA_TOKEN: (--token-rooms-max)", "c"),
    WORLD("refused by sessions 0; refused by tokens 1"),
    /* Others are not concerned, and a room that is open may be joined. */
    OPEN_NAMED(C, "created in a new room up to 1", "c"),
    OPEN_NAMED(A, "opened in a new room up to 1", "c"),
    /* Leaving gives nothing back: closing does. */
    CLOSE(B),
    OPEN_NAMED(A, "error QUOTA_TOKEN", "d"),
    PASS(110),
    OPEN_NAMED(A, "created in a new room up to 1", "d"),
};

SCENARIO(without_tokens_the_address_counts, .limits = {.token_rooms_max = 1}) = {
    OPEN(A, "alpha"),
    OPEN(B, "beta"),
    OPEN_NAMED(A, "created in a new room up to 1", "a"),
    OPEN_NAMED(B, "error QUOTA_ADDRESS: the sessions of this address have 1 open rooms", "b"),
};

/* A tenant that creates rooms too fast waits, and nothing is lost. Others, and rooms that are open, do not wait. */
SCENARIO(rooms_of_a_token_are_created_at_a_rate, .limits = {.token_creations_max = 10}) = {
    CALL(set_tokens),
    OPEN(A, "alpha"),
    OPEN(B, "alpha"),
    OPEN(C, "beta"),
    REPEAT(15, 1),
    ROOM(A, 0),
    CLOSE_ROOM(A, "closed: requested"),
    AGAIN,
    OPEN_NAMED(A, "created in a new room up to 1", "a"),
    OPEN_NAMED(A, "", "b"),
    PASS(98),
    LOOK(A, ""),
    SEND(B, "opened in a new room up to 1", OPEN_ROOM, .open_room.name = "a"),
    OPEN_NAMED(C, "created in a new room up to 1", "c"),
    PASS(4),
    LOOK(A, "created in a new room up to 1"),
    /* The sessions of a token share its rate, and no room of another session is put off. */
    OPEN_NAMED(B, "created in a new room up to 1", "d"),
    OPEN_NAMED(B, "", "e"),
    OPEN_NAMED(A, "", "f"),
    PASS(94),
    LOOK(A, ""),
    PASS(6),
    LOOK(A, "created in a new room up to 1"),
    LOOK(B, ""),
    PASS(100),
    LOOK(B, "created in a new room up to 1"),
};

/* Many rooms left behind are gone when their time is over, which a client cannot make longer than the server allows. */
SCENARIO(rooms_left_behind_close_in_the_time_of_the_server, .limits = {.empty_close_ms_max = 500}) = {
    OPEN(A, NULL),
    SEND(A, "error INVALID: must be 0 to 500 (--empty-close-ms-max)", OPEN_ROOM,
         .open_room = {.name = "a",
                       .has_config = true,
                       .config = {.has_bounds = true, .bounds = {.max_x = 1, .max_y = 1}, .empty_close_ms = 501}}),
    ROOM(A, 0),
    CLOSE(A),
    PASS(490),
    WORLD("rooms 1"),
    PASS(20),
    WORLD("rooms 0"),
};

/* ---- entities ---- */

SCENARIO(entities_of_a_session_are_limited_in_all_rooms, .limits = {.session_entities_max = 3},
         CONFIG(.tick_mode = QD_TICK_MODE_STEP, .grace_ms = 100)) = {
    JOIN(A, NULL),
    SPAWN(A, "", 1, 2, 5),
    ROOM(A, 1),
    SPAWN(A, "accepted 1 QUOTA_SESSION 2 QUOTA_SESSION: (--session-entities-max)", 11, 3, 5),
    WORLD("refused by sessions 1; refused by tokens 0"),
    JOIN(B, NULL),
    SPAWN(B, "", 21, 3, 5),
    /* What is despawned is given back at once, and what is refused for another reason costs nothing. */
    IN_ROOM(0),
    SPAWN(A, "accepted 0 QUOTA_SESSION", 1, 1, 0),
    DESPAWN(A, "", 1),
    SPAWN(A, "accepted 0 ID_TAKEN", 2, 1, 0),
    SPAWN(A, "", 1, 1, 0),
    SPAWN(A, "accepted 0 QUOTA_SESSION", 3, 1, 0),
    /* Of a room that is closed, too. */
    IN_ROOM(1),
    CLOSE_ROOM(A, "applied *; closed: requested"),
    IN_ROOM(0),
    SPAWN(A, "", 3, 1, 0),
};

SCENARIO(entities_of_a_token_are_limited_until_they_expire, .limits = {.token_entities_max = 3},
         CONFIG(.tick_mode = QD_TICK_MODE_STEP, .grace_ms = 100)) = {
    CALL(set_tokens),
    JOIN(A, "alpha"),
    JOIN(B, "alpha"),
    JOIN(C, "beta"),
    SPAWN(A, "", 1, 2, 5),
    SPAWN(B, "accepted 1 QUOTA_TOKEN: the sessions of this token have 3 entities", 11, 2, 5),
    SPAWN(C, "", 21, 3, 5),
    /* Those of a session that has gone count as long as they stay. */
    CLOSE(A),
    SPAWN(B, "accepted 0 QUOTA_TOKEN", 12, 1, 0),
    PASS(120),
    SPAWN(B, "", 12, 2, 5),
    SPAWN(B, "accepted 0 QUOTA_TOKEN", 14, 1, 0),
};

/* The receiver pays for what it gets. What the room owns, its creator's token pays for. */
SCENARIO(handed_over_entities_are_charged_to_the_receiver, .limits = {.session_entities_max = 2}) = {
    JOIN(A, NULL),
    JOIN(B, NULL),
    SPAWN(A, "", 1, 2, 5),
    SPAWN(B, "", 11, 1, 0),
    SEND(A, "accepted 1 QUOTA_SESSION: entry 1 (id 2): this session has 2 entities", HAND_OVER,
         .hand_over = {.count = 2, .id = IDS(1, 2), .session = 2}),
    LOOK(B, "handed over 1 from 1 to 2 unasked"),
    SPAWN(B, "accepted 0 QUOTA_SESSION", 12, 1, 0),
    SPAWN(A, "", 3, 1, 0),
    SPAWN(A, "accepted 0 QUOTA_SESSION", 4, 1, 0),
    SEND(A, "", HAND_OVER, .hand_over = {.count = 2, .id = IDS(2, 3), .room_owned = true}),
    SPAWN(A, "", 4, 2, 5),
    SEND(A, "", SPAWN,
         .batch = {.room_owned = true, .entities = {.count = 1, .id = IDS(6), .x = FLOATS(5), .y = FLOATS(5)}}),
    /* Despawning what the room owns gives nothing back to the session. */
    DESPAWN(A, "", 6),
    SPAWN(A, "accepted 0 QUOTA_SESSION", 7, 1, 0),
};

/* Adopting never fails: the entities are there, and their token has paid for them. */
SCENARIO(adopting_may_exceed_the_quota_of_the_session, .limits = {.session_entities_max = 2}) = {
    JOIN(A, "one"),
    JOIN(B, "one"),
    SPAWN(A, "", 1, 2, 5),
    SPAWN(B, "", 11, 2, 5),
    SEND(B, "handed over 1 2 from 1 to 2", ADOPT, .adopt = {.session = 1}),
    LOOK(A, "handed over 1 2 from 1 to 2 unasked"),
    SPAWN(A, "", 3, 2, 5),
    DESPAWN(B, "", 1),
    DESPAWN(B, "", 2),
    SPAWN(B, "accepted 0 QUOTA_SESSION", 12, 1, 0),
    DESPAWN(B, "", 11),
    SPAWN(B, "accepted 0 ID_TAKEN", 12, 1, 0),
    SPAWN(B, "", 13, 1, 0),
};

SCENARIO(room_owned_entities_are_charged_to_the_creators_token, .limits = {.token_entities_max = 2},
         CONFIG(.tick_mode = QD_TICK_MODE_STEP, .grace_ms = 100)) = {
    CALL(set_tokens),
    JOIN(A, "alpha"),
    JOIN(B, "beta"),
    SEND(B, "", SPAWN,
         .batch = {.room_owned = true,
                   .entities = {.count = 2, .id = IDS(1, 2), .x = FLOATS(5, 6), .y = FLOATS(5, 6)}}),
    SPAWN(B, "", 11, 2, 5),
    SPAWN(A, "accepted 0 QUOTA_TOKEN", 21, 1, 0),
    SEND(B, "accepted 0 QUOTA_TOKEN: the sessions of this token have 2 entities", SPAWN,
         .batch = {.room_owned = true, .entities = {.count = 1, .id = IDS(3), .x = FLOATS(5), .y = FLOATS(5)}}),
};

/* A resumed session has the same account. */
SCENARIO(resumed_session_keeps_what_it_is_charged_for, .limits = {.session_entities_max = 2}) = {
    RESUMABLE(A, NULL, "welcome 1 new key for 10000"),
    ROOM(A, 0),
    SPAWN(A, "", 1, 2, 5),
    CLOSE(A),
    RESUME(B, A, NULL, "welcome 1 same key for 10000 resumed last 3"),
    SPAWN(B, "accepted 0 QUOTA_SESSION", 3, 1, 0),
    DESPAWN(B, "", 1),
    SPAWN(B, "", 3, 1, 0),
    SPAWN(B, "accepted 0 QUOTA_SESSION", 4, 1, 0),
};

/* ---- observers and subscriptions ---- */

SCENARIO(observers_are_limited, .limits = {.session_observers_max = 2, .token_observers_max = 3}) = {
    JOIN(A, NULL),
    OBSERVE(A, "", 1, AT_1_1),
    ROOM(A, 1),
    OBSERVE(A, "", 1, AT_1_1),
    OBSERVE(A, "accepted 0 QUOTA_SESSION: (--session-observers-max)", 2, AT_1_1),
    /* One that is there may change. */
    OBSERVE(A, "", 1, AT_1_1),
    JOIN(B, NULL),
    OBSERVE(B, "", 1, AT_1_1),
    OBSERVE(B, "accepted 0 QUOTA_ADDRESS: (--token-observers-max)", 2, AT_1_1),
    IN_ROOM(1),
    UNOBSERVE(A, "", 1),
    IN_ROOM(0),
    OBSERVE(B, "", 2, AT_1_1),
    OBSERVE(A, "accepted 0 QUOTA_ADDRESS", 2, AT_1_1),
    LEAVE(B, "left"),
    OBSERVE(A, "", 2, AT_1_1),
};

SCENARIO(observers_that_reach_too_much_get_no_others, .limits = {.session_visible_entries_max = 6}) = {
    JOIN(A, NULL),
    JOIN(B, NULL),
    SPAWN(A, "", 1, 4, 0),
    OBSERVE(A, "", 1, AT_1_1),
    STEP(A, "view 1 enter *; applied *"),
    OBSERVE(A, "", 2, AT_1_1),
    STEP(A, "view 2 enter *; applied *"),
    OBSERVE(A, "accepted 0 QUOTA_SESSION: (--session-visible-entries-max)", 3, AT_1_1),
    OBSERVE(B, "", 3, AT_1_1),
    /* They are counted after the tick. */
    UNOBSERVE(A, "", 1),
    UNOBSERVE(A, "", 2),
    OBSERVE(A, "", 3, AT_1_1),
};

SCENARIO(subscriptions_are_limited, .limits = {.session_subscriptions_max = 1, .token_subscriptions_max = 2}) = {
    JOIN(A, NULL),
    SUBSCRIBE(A, "accepted; tick 0 reset", ALL),
    SUBSCRIBE(A, "accepted; tick 0 reset", OWN), /* again */
    ROOM(A, 1),
    SUBSCRIBE(A, "error QUOTA_SESSION: (--session-subscriptions-max)", ALL),
    JOIN(B, NULL),
    SUBSCRIBE(B, "accepted; tick 0 reset", ALL),
    JOIN(C, NULL),
    SUBSCRIBE(C, "error QUOTA_ADDRESS", ALL),
    SEND(B, "accepted", UNSUBSCRIBE, .room = {0}),
    SUBSCRIBE(C, "accepted; tick 0 reset", ALL),
    CLOSE(A),
    SUBSCRIBE(B, "accepted; tick 0 reset", ALL),
};

/* ---- memory ---- */

/* Rooms of a token that use too much do not grow; leaving and despawning go on. */
SCENARIO(memory_of_a_tokens_rooms_is_limited, .limits = {.token_memory_max = 1u << 20},
         CONFIG(.tick_mode = QD_TICK_MODE_STEP, .grace_ms = 100)) = {
    CALL(set_tokens),
    JOIN(A, "alpha"),
    JOIN(B, "beta"),
    CROWD(B, "", .first = 1, .count = 20000, .apart = 0.004F),
    SPAWN_ONE(B, "accepted 0 QUOTA_TOKEN: (--token-memory-max)", 30000),
    OBSERVE(B, "accepted 0 QUOTA_TOKEN", 1, AT_1_1),
    SEND(B, "error QUOTA_TOKEN", SET_ROSTER, .set_roster = {.count = 1, .id = IDS(1)}),
    SEND(B, "error QUOTA_TOKEN", SET_EXCEPTIONS, .set_exceptions = {.observer = 1, .hide_count = 1, .hide = IDS(1)}),
    OPEN_NAMED(A, "error QUOTA_TOKEN: --token-memory-max", "another"),
    /* What needs no memory goes on. */
    SEND(B, "", HAND_OVER, .hand_over = {.count = 1, .id = IDS(2), .room_owned = true}),
    WORLD("refused by tokens 5"),
    /* The room that the other token creates. */
    ROOM(B, 1),
    SPAWN_ONE(B, "", 30000),
    IN_ROOM(0),
    DESPAWN(B, "", 1),
    CLOSE_ROOM(A, "closed: requested"),
    OPEN_NAMED(A, "created in a new room up to 1", "another"),
};

/* What a session's rooms use counts for the session, and not for others with its token. */
SCENARIO(memory_of_a_sessions_rooms_is_limited, .limits = {.session_memory_max = 1u << 20},
         CONFIG(.tick_mode = QD_TICK_MODE_STEP, .grace_ms = 100)) = {
    CALL(set_tokens),
    JOIN(A, "alpha"),
    JOIN(B, "beta"),
    CROWD(B, "", .first = 1, .count = 20000, .apart = 0.004F),
    SPAWN_ONE(B, "accepted 0 QUOTA_SESSION: (--session-memory-max)", 30000),
    OPEN_NAMED(A, "error QUOTA_SESSION: --session-memory-max", "another"),
    JOIN(C, "alpha"),
    OPEN_NAMED(C, "created in a new room up to 1", "another"),
    /* The room outlives the session, and still counts for the token only. */
    CLOSE(A),
    SPAWN_ONE(B, "accepted 0 QUOTA_SESSION: (--session-memory-max)", 30000),
    DESPAWN(B, "", 1),
};

/* ---- addresses ---- */

/* Whether a session from there may create a room of that name. */
static bool may_create(sim_house *house, sim_peer *peer, const char *address, const char *name)
{
    const qd_msg_room_config config = {.has_bounds = true, .bounds = {.max_x = 1, .max_y = 1}};

    sim_peer_connect(peer, house);
    strcpy(peer->link->link.peer, address);
    sim_peer_send(peer, MESSAGE(HELLO, .hello = {.version = QD_PROTOCOL_VERSION}));
    (void)sim_peer_expect(peer, QD_SERVER_WELCOME);
    sim_peer_send(peer, MESSAGE(OPEN_ROOM, .open_room = {.name = name, .has_config = true, .config = config}));
    sim_house_settle(house);
    return sim_peer_next(peer)->kind == QD_SERVER_ROOM_OPENED;
}

CASE(ports_and_the_last_64_bits_of_an_address_do_not_count, .limits = {.token_rooms_max = 1})
{
    static const struct {
        const char *address;
        bool is_new;
    } rows[] = {
        {"10.0.0.1:1000", true},          {"10.0.0.1:2000", false},         {"10.0.0.2:1000", true},
        {"[2001:db8::1]:1000", true},     {"[2001:db8::2:3]:1000", false},  {"[2001:db8:0:1::1]:1000", true},
        {"[::ffff:10.0.0.7]:1000", true}, {"[::ffff:10.0.0.8]:1000", true}, {"[::ffff:10.0.0.8]:2", false},
    };
    sim_peer peers[sizeof rows / sizeof rows[0]];

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        sim_check(may_create(house, &peers[i], rows[i].address, rows[i].address) == rows[i].is_new, "%s",
                  rows[i].address);
    }
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        sim_peer_close(&peers[i]);
    }
}

/* ---- connections and detached sessions ---- */

SCENARIO(connections_of_a_token_are_limited, .limits = {.token_connections_max = 2}) = {
    CALL(set_tokens),
    OPEN(A, "alpha"),
    OPEN(B, "alpha"),
    CONNECT(C),
    SEND(C, "error QUOTA_TOKEN: (--token-connections-max); go away: quota within 1000; end", HELLO,
         .hello = {.version = 1, .token = "alpha"}),
    CLOSE(C),
    OPEN(C, "beta"),
    CLOSE(A),
    OPEN(D, "alpha"),
};

/* A token's closed sessions leave those of others their resume. */
SCENARIO(detached_sessions_of_a_token_are_limited, .limits = {.connections_max = 4, .token_detached_max = 2}) = {
    CALL(set_tokens),
    REPEAT(4, 1),
    RESUMABLE(A, "alpha", "welcome %u new key for 10000"),
    ROOM(A, 0),
    CLOSE(A),
    AGAIN,
    WORLD("detached 2"),
    WORLD("refused by tokens 2"),
    RESUMABLE(B, "beta", "welcome 5 new key for 10000"),
    ROOM(B, 0),
    CLOSE(B),
    WORLD("detached 3"),
    RESUME(C, B, "beta", "welcome 5 same key for 10000 resumed last 2"),
    /* The places come back. */
    PASS(10100),
    WORLD("detached 0"),
    RESUMABLE(A, "alpha", "welcome 7 new key for 10000"),
    ROOM(A, 0),
    CLOSE(A),
    WORLD("detached 1"),
};

/* ---- changed while the server runs ---- */

static void set_entities(sim_scenario *play, uint32_t of_session, uint32_t of_token)
{
    qd_limits limits = play->house->server.service.config.limits;

    limits.session_entities_max = of_session;
    limits.token_entities_max = of_token;
    qd_sessions_set_quotas(&play->house->server.sessions, &limits);
}

static void lower(sim_scenario *play)
{
    set_entities(play, 1, 9);
}

static void raise_session(sim_scenario *play)
{
    set_entities(play, 4, 3);
}

/* Sessions keep what they have. */
SCENARIO(changed_quotas_hold_for_sessions_that_are_open, .limits = {.session_entities_max = 2, .token_entities_max = 9},
         CONFIG(.tick_mode = QD_TICK_MODE_STEP, .grace_ms = 100)) = {
    CALL(set_tokens),
    JOIN(A, "alpha"),
    SPAWN(A, "", 1, 2, 5),
    CALL(lower),
    SPAWN(A, "accepted 0 QUOTA_SESSION: must have at most 1 (--session-entities-max)", 3, 1, 0),
    DESPAWN(A, "", 1),
    SPAWN(A, "accepted 0 QUOTA_SESSION", 3, 1, 0),
    CALL(raise_session),
    SPAWN(A, "", 3, 2, 5),
    SPAWN(A, "accepted 0 QUOTA_TOKEN: must have at most 3 (--token-entities-max)", 5, 1, 0),
};

/* ---- defaults ---- */

static uint64_t tenant_max(const sim_house *house, qd_quota quota)
{
    return atomic_load(&house->server.service.accounts.quotas.tenant[quota]);
}

/* A game backend with one token for all its gateways uses the whole server. */
CASE(one_token_may_use_all_and_two_share)
{
    static qd_grant grants[] = {{.token = "alpha", .role = QD_ROLE_WRITER, .patterns = ""},
                                {.token = "beta", .role = QD_ROLE_WRITER, .patterns = ""}};
    qd_limits limits = house->server.service.config.limits;

    limits.token_rooms_max = limits.token_detached_max = limits.token_connections_max = 0;
    limits.token_entities_max = limits.token_observers_max = 0;
    qd_sessions_set_quotas(&house->server.sessions, &limits);
    sim_house_tokens(house, grants, 1);
    sim_check(tenant_max(house, QD_QUOTA_CREATED) == 0 && tenant_max(house, QD_QUOTA_DETACHED) == 0 &&
                  tenant_max(house, QD_QUOTA_CONNECTIONS) == 0 && tenant_max(house, QD_QUOTA_ENTITIES) == 0,
              "one token may not use all");
    sim_house_tokens(house, grants, 2);
    sim_check(tenant_max(house, QD_QUOTA_CREATED) == 50 && tenant_max(house, QD_QUOTA_DETACHED) == 50 &&
                  tenant_max(house, QD_QUOTA_ENTITIES) == QD_TOKEN_ENTITIES_MAX &&
                  tenant_max(house, QD_QUOTA_OBSERVERS) == QD_TOKEN_OBSERVERS_MAX,
              "two tokens do not share");
    sim_house_tokens(house, NULL, 0);
    sim_check(tenant_max(house, QD_QUOTA_CREATED) == 50, "an address does not share");
}
