/* SPDX-License-Identifier: Apache-2.0
 *
 * Cases of access: the roles and room patterns of tokens, what a room's creator allows, and tokens that change while
 * sessions use them.
 */
#include <string.h>

#include "scenario.h"
#include "server/session/tenants.h"

static void set_roles(sim_scenario *play)
{
    static qd_grant grants[] = {{.token = "reader", .role = QD_ROLE_READER, .patterns = ""},
                                {.token = "writer", .role = QD_ROLE_WRITER, .patterns = ""},
                                {.token = "other", .role = QD_ROLE_WRITER, .patterns = ""},
                                {.token = "admin", .role = QD_ROLE_ADMIN, .patterns = ""}};

    sim_house_tokens(play->house, grants, 4);
}

#define ONE_AT_5               .entities = {.count = 1, .id = IDS(9), .x = FLOATS(5), .y = FLOATS(5)}
#define LIST_ROOMS(peer, want) SEND(peer, want, LIST_ROOMS, .list_rooms = {0})

/* ---- roles ---- */

SCENARIO(reader_reads_and_changes_nothing) = {
    CALL(set_roles),
    JOIN(A, "writer"),
    SPAWN(A, "", 1, 2, 0),
    OPEN(B, "reader"),
    SEND(B, "opened", OPEN_ROOM, .open_room.name = "room"),
    SUBSCRIBE(B, "accepted; tick 0 reset", ALL),
    OBSERVE(B, "", 1, .x = FLOATS(0), .y = FLOATS(0), .range = FLOATS(5)),
    STEP(A, "applied 1"),
    LOOK(B, "view 1 enter *; tick 1 begin 1-2; applied 1"),
    SNAPSHOT(B, "snapshot 1 at 0 0 2 at 0 0"),
    SEND(B, "found 2", QUERY, .query = {.kind = QD_QUERY_NEAREST}),
    SPAWN(B, "error NOT_ALLOWED: the role of this session's token is reader", 3, 1, 0),
    MOVE(B, "error NOT_ALLOWED: reader", 1, 5, 5),
    DESPAWN(B, "error NOT_ALLOWED: reader", 1),
    STEP(B, "error NOT_ALLOWED: to step a room"),
    SEND(B, "error NOT_ALLOWED: reader", TELEPORT, .batch = {ONE_AT_5}),
    SEND(B, "error NOT_ALLOWED: reader", RESHAPE, .batch = {.entities = {.count = 1, .id = IDS(1)}}),
    SEND(B, "error NOT_ALLOWED: reader", SET_DESCRIPTION, .set_description = {.count = 1, .id = IDS(1)}),
    SEND(B, "error NOT_ALLOWED: reader", HAND_OVER, .hand_over = {.count = 1, .id = IDS(1), .room_owned = true}),
    SEND(B, "error NOT_ALLOWED: reader", ADOPT, .adopt = {0}),
    SEND(B, "error NOT_ALLOWED: reader", SET_ROSTER, .set_roster = {.count = 1, .id = IDS(1)}),
    SEND(B, "error NOT_ALLOWED: reader", MOVE_ROSTER, .move_roster = {.count = 1, .x = FLOATS(1), .y = FLOATS(1)}),
    CLOSE_ROOM(B, "error NOT_ALLOWED: to close a room"),
    SEND(
        B, "error NOT_ALLOWED: to create a room", OPEN_ROOM,
        .open_room = {.name = "new", .has_config = true, .config = {.has_bounds = true, .bounds = {0, 0, 0, 1, 1, 0}}}),
    WORLD("rooms 1"),
    UNOBSERVE(B, "", 1),
    LEAVE(B, "left"),
};

/* ---- room patterns ---- */

static void set_patterns(sim_scenario *play)
{
    static qd_grant grants[] = {{.token = "all", .role = QD_ROLE_WRITER, .patterns = ""},
                                {.token = "second", .role = QD_ROLE_WRITER, .patterns = "sec*"},
                                {.token = "root", .role = QD_ROLE_ADMIN, .patterns = "t* room"}};

    sim_house_tokens(play->house, grants, 3);
}

SCENARIO(patterns_decide_which_rooms_a_token_sees) = {
    CALL(set_patterns),
    OPEN(A, "all"),
    ROOM(A, 0),
    ROOM(A, 1),
    ROOM(A, 2),
    OPEN(B, "second"),
    OPEN(C, "root"),
    LIST_ROOMS(A, "rooms room second third"),
    LIST_ROOMS(B, "rooms second"),
    LIST_ROOMS(C, "rooms room third"),
    SEND(C, "rooms room more", LIST_ROOMS, .list_rooms = {.limit = 1}),
    SEND(C, "rooms third", LIST_ROOMS, .list_rooms = {.after = "room", .limit = 1}),
    SEND(B, "opened *", OPEN_ROOM, .open_room.name = "second"),
    SEND(B, "error NOT_ALLOWED: this session's token is not for rooms of this name", OPEN_ROOM,
         .open_room.name = "room"),
    /* Whether it is open or not. */
    SEND(B, "error NOT_ALLOWED", OPEN_ROOM, .open_room.name = "nowhere"),
    SEND(C, "error NOT_ALLOWED", OPEN_ROOM, .open_room.name = "second"),
};

/* ---- rooms ---- */

#define RESTRICTED(...) CONFIG(.tick_mode = QD_TICK_MODE_STEP, __VA_ARGS__)

SCENARIO(room_for_its_creators_token_refuses_others, RESTRICTED(.join = QD_ACCESS_SAME_TOKEN)) = {
    CALL(set_roles),        JOIN(A, "writer"),
    OPEN(B, "writer"),      OPEN(C, "other"),
    OPEN(D, "admin"),       LIST_ROOMS(B, "rooms room"),
    LIST_ROOMS(C, "rooms"), LIST_ROOMS(D, "rooms room"),
    REJOIN(B, "opened"),    REJOIN(C, "error NOT_ALLOWED: the room's join is ACCESS_SAME_TOKEN"),
    REJOIN(D, "opened"),
};

SCENARIO(room_for_its_creator_refuses_even_its_token,
         RESTRICTED(.join = QD_ACCESS_CREATOR, .write = QD_ACCESS_CREATOR)) = {
    CALL(set_roles),
    RESUMABLE(A, "writer", "welcome 1 new key for 10000"),
    ROOM(A, 0),
    OPEN(B, "writer"),
    REJOIN(B, "error NOT_ALLOWED: the room's join is ACCESS_CREATOR"),
    /* Resumed, it is the same session. */
    CLOSE(A),
    RESUME(C, A, "writer", "welcome 1 same key for 10000 resumed last 2"),
    SPAWN(C, "", 1, 1, 0),
    LEAVE(C, "left"),
    REJOIN(C, "opened"),
    SPAWN(C, "", 2, 1, 0),
};

SCENARIO(rooms_decide_who_writes_and_who_steps,
         RESTRICTED(.write = QD_ACCESS_SAME_TOKEN, .step = QD_ACCESS_CREATOR)) = {
    CALL(set_roles),
    JOIN(A, "writer"),
    JOIN(B, "writer"),
    JOIN(C, "other"),
    JOIN(D, "admin"),
    SPAWN(A, "", 1, 1, 0),
    SPAWN(B, "", 2, 1, 0),
    SPAWN(C, "error NOT_ALLOWED: the room's write is ACCESS_SAME_TOKEN", 3, 1, 0),
    SPAWN(D, "", 4, 1, 0),
    STEP(B, "error NOT_ALLOWED: the room's step is ACCESS_CREATOR"),
    STEP(C, "error NOT_ALLOWED: the room's step is ACCESS_CREATOR"),
    STEP(D, "applied 1"),
    STEP(A, "applied *; applied 2"),
    SUBSCRIBE(C, "accepted; tick 2 reset begin *", ALL),
    SNAPSHOT(C, "snapshot *"),
};

SCENARIO(access_of_a_room_is_agreed_on, RESTRICTED(.write = QD_ACCESS_CREATOR)) = {
    JOIN(A, NULL),
    SEND(A, "error CONFIG_MISMATCH: write is ACCESS_ANYBODY, but the room has ACCESS_CREATOR", OPEN_ROOM,
         .open_room = {.name = "room", .has_config = true, .config = {.write = QD_ACCESS_ANYBODY}}),
    SEND(A, "opened", OPEN_ROOM, .open_room = {.name = "room", .has_config = true}),
    SEND(A, "error INVALID: join is 7", OPEN_ROOM,
         .open_room = {.name = "room", .has_config = true, .config = {.join = (qd_access)7}}),
};

/* ---- tokens that change ---- */

static void reload(sim_scenario *play)
{
    static qd_grant grants[] = {{.token = "writer", .role = QD_ROLE_WRITER, .patterns = ""},
                                {.token = "other", .role = QD_ROLE_WRITER, .patterns = "room*"}};
    static qd_tokens tokens;

    tokens = (qd_tokens){.references = 1, .grants = grants, .count = 2};
    (void)qd_sessions_reload(&play->house->server.sessions, &tokens);
}

#define REVOKED "go away: revoked within 1000; end"

SCENARIO(session_whose_token_changes_ends) = {
    CALL(set_roles),
    JOIN(A, "writer"),
    RESUMABLE(B, "other", "welcome 2 new key for 10000"),
    ROOM(B, 0),
    JOIN(C, "reader"),
    CONNECT(D),
    CALL(reload),
    /* The token is the same, allows less, or is gone. */
    SPAWN(A, "", 1, 1, 0),
    LOOK(B, REVOKED),
    LOOK(C, REVOKED),
    /* A connection without Hello goes on, by the new tokens. */
    SEND(D, "error UNAUTHENTICATED; go away: protocol within 1000; end", HELLO,
         .hello = {.version = 1, .token = "reader"}),
    CLOSE(B),
    CLOSE(C),
    CLOSE(D),
    WORLD("sessions 1; detached 0"),
    /* What allowed more is over: it is another session. */
    RESUME(B, B, "other", "welcome 5 new key for 10000"),
    REJOIN(B, "opened"),
};

/* The detached session may still be there, until the timer actor runs. */
CASE(session_whose_token_changes_is_resumed_by_nobody)
{
    sim_scenario play = {.house = house};
    uint8_t key[QD_RESUME_KEY_BYTES];
    sim_peer before, after;

    set_roles(&play);
    sim_peer_connect(&before, house);
    sim_peer_send(&before,
                  MESSAGE(HELLO, .hello = {.version = QD_PROTOCOL_VERSION, .token = "other", .resumable = true}));
    memcpy(key, sim_peer_expect(&before, QD_SERVER_WELCOME)->as.welcome.resume_key.bytes, sizeof key);
    (void)sim_peer_open_room(&before, "room", NULL);
    sim_peer_close(&before);
    reload(&play);
    sim_peer_connect(&after, house);
    sim_peer_send(&after, MESSAGE(HELLO, .hello = {.version = QD_PROTOCOL_VERSION,
                                                   .token = "other",
                                                   .resume = {.size = sizeof key, .bytes = key}}));
    while (sim_step_links(&house->world, 100)) {
    }
    sim_check(!sim_peer_expect(&after, QD_SERVER_WELCOME)->as.welcome.resumed, "the session is resumed");
    sim_peer_close(&after);
}

SCENARIO(detached_session_whose_token_changes_ends, CONFIG(.tick_mode = QD_TICK_MODE_STEP, .grace_ms = 100)) = {
    CALL(set_roles),
    RESUMABLE(A, "writer", "welcome 1 new key for 10000"),
    ROOM(A, 0),
    RESUMABLE(B, "other", "welcome 2 new key for 10000"),
    ROOM(B, 0),
    CLOSE(A),
    CLOSE(B),
    WORLD("detached 2"),
    CALL(reload),
    PASS(1),
    WORLD("detached 1"),
    RESUME(C, A, "writer", "welcome 1 same key for 10000 resumed last 2"),
};
