/* SPDX-License-Identifier: Apache-2.0 */
#include "scenario.h"
#include "server/actor/service/reply.h"

#include <string.h>

#include "server/base/memory/alloc.h"

/* ---- sessions ---- */

SCENARIO(hello_after_deadline_ends_the_connection) = {
    CONNECT(A),
    CONNECT(B),
    PASS(QD_HELLO_MS_MAX - 10),
    LOOK(A, ""),
    SEND(B, "welcome 2", HELLO, .hello.version = 1),
    PASS(20),
    LOOK(A, "error NO_HELLO unasked: no Hello came within 2000 ms; go away: protocol within 1000; end"),
    /* After Hello, a client may be silent. */
    PASS(100000),
    LOOK(B, ""),
};

SCENARIO(unread_error_delays_the_close) = {
    CONNECT(A),        SEND(A, NULL, PING, .ping = {0}), PASS(QD_FLUSH_MS_MAX - 1), LINK(A, "open"), PASS(2),
    LINK(A, "closed"),
};

static void set_tokens(sim_scenario *play)
{
    static qd_grant grants[] = {{.token = "alpha", .role = QD_ROLE_WRITER, .patterns = ""},
                                {.token = "beta", .role = QD_ROLE_WRITER, .patterns = ""},
                                {.token = "root", .role = QD_ROLE_ADMIN, .patterns = ""}};

    sim_house_tokens(play->house, grants, 3);
}

SCENARIO(token_decides_who_closes_a_room) = {
    CALL(set_tokens),
    CONNECT(A),
    SEND(A, "error UNAUTHENTICATED: --token-file; go away: protocol within 1000; end", HELLO,
         .hello = {.version = 1, .token = "gamma"}),
    CLOSE(A),
    JOIN(A, "alpha"),
    ROOM(A, 1),
    OPEN(B, "alpha"),
    OPEN(C, "beta"),
    OPEN(D, "root"),
    ROOM(D, 1),
    ROOM(B, 0),
    ROOM(C, 0),
    CLOSE_ROOM(C, "error NOT_ALLOWED: another session created the room"),
    CLOSE_ROOM(B, "closed: requested"),
    LOOK(C, "closed: requested unasked"),
    IN_ROOM(1),
    CLOSE_ROOM(D, "closed: requested"),
};

/* Sessions without a token share nothing. */
SCENARIO(session_without_token_closes_no_other_room) = {
    JOIN(A, ""),
    JOIN(B, ""),
    CLOSE_ROOM(B, "error NOT_ALLOWED: created"),
};

/* ---- rooms ---- */

/* The two are different rooms. */
SCENARIO(closing_and_opening_in_one_go) = {
    JOIN(A, NULL),
    SPAWN(A, NULL, 1, 2, 0),
    CLOSE_ROOM(A, NULL),
    /* Either may run first. */
    SEND(A, "...; closed: requested to -1; ...", OPEN_ROOM,
         .open_room = {.name = "room",
                       .has_config = true,
                       .config = {.has_bounds = true, .bounds = {.max_x = 7, .max_y = 7}}}),
    REJOIN(A, "opened in a new room up to 7"),
};

SCENARIO(an_empty_room_closes_in_its_time, CONFIG(.empty_close_ms = 300, .grace_ms = 200)) = {
    JOIN(A, NULL),
    SPAWN(A, NULL, 1, 3, 0),
    LEAVE(A, "left"),
    /* 200 ms of grace, and then 300 ms with nothing in the room. */
    PASS(480),
    REJOIN(A, "opened"),
    LEAVE(A, "left"),
    PASS(290),
    WORLD("actors 1"), /* its time starts again */
    PASS(20),
    WORLD("actors 0"),
    REJOIN(A, "error UNKNOWN_ROOM: Send a config"),
    SEND(A, "created in a new room up to 1", OPEN_ROOM,
         .open_room = {.name = "room",
                       .has_config = true,
                       .config = {.has_bounds = true, .bounds = {0, 0, 0, 1, 1, 0}}}),
};

SCENARIO(room_with_room_owned_entities_stays, CONFIG(.empty_close_ms = 1, .grace_ms = 1)) = {
    JOIN(A, NULL),
    SEND(A, NULL, SPAWN,
         .batch = {.room_owned = true, .entities = {.count = 1, .id = IDS(7), .x = FLOATS(5), .y = FLOATS(5)}}),
    LEAVE(A, "left"),
    PASS(10000),
    REJOIN(A, "opened"),
};

SCENARIO(an_idle_room_is_small_and_stands_still, CONFIG(.empty_close_ms = 86400000, .tick_hz = 1000)) = {
    OPEN(A, NULL), MARK, ROOM(A, 0), LEAVE(A, "left"), GREW(16384), PASS(10), /* its last tick, for what has left */
    STILL(10000),
};

static const qd_server_message *leave(sim_peer *peer, uint64_t room)
{
    sim_peer_send(peer, MESSAGE(LEAVE_ROOM, .room = {room}));
    return sim_peer_expect(peer, QD_SERVER_ROOM_LEFT);
}

/* However the two meet: the room is still there, or another one is made. */
CASE(an_open_meets_the_closing)
{
    const qd_msg_room_config config = {.empty_close_ms = 10};
    sim_peer peer;

    sim_peer_open(&peer, house, NULL);
    house->world.restless = true;
    for (int i = 0; i < 500; i++) {
        uint64_t room = sim_peer_open_room(&peer, "room", &config);

        (void)leave(&peer, room);
        sim_house_pass(house, 9);
        sim_peer_send(&peer, MESSAGE(OPEN_ROOM, .open_room = {.name = "room"}));
        uint32_t steps = sim_pick(&house->world, 4);
        while (steps-- > 0) {
            (void)sim_step_links(&house->world, 100);
        }
        house->world.now_ns += 3 * SIM_MS_NS;
        (void)sim_run_actor(&house->world);
        sim_house_settle(house);
        const qd_server_message *answer = sim_peer_next(&peer);
        bool opened = answer->kind == QD_SERVER_ROOM_OPENED && answer->as.room_opened.room == room;
        bool too_late = answer->kind == QD_SERVER_ERROR && strstr(answer->as.error.text, "Send a config") != NULL;
        sim_check(opened || too_late, "an answer of kind %d", answer->kind);
        if (opened) {
            (void)leave(&peer, room);
        }
    }
    sim_peer_close(&peer);
}

/* A session keeps little of the rooms that it was in. */
SCENARIO(closed_rooms_are_forgotten) = {
    OPEN(A, NULL), REPEAT(1000, 1), ROOM(A, 0), CLOSE_ROOM(A, "closed: requested"), AGAIN, WORLD("actors 8"),
};

/* ---- ticks ---- */

SCENARIO(a_step_names_the_next_tick) = {
    JOIN(A, NULL),
    STEP_TO(A, "error WRONG_TICK due 1: but the last tick is 0", 2),
    STEP_TO(A, "error WRONG_TICK due 1: but the last tick is 0", 7),
    STEP_TO(A, "error WRONG_TICK due 1: but the last tick is 0", UINT64_MAX),
    STEP_TO(A, "applied 1", 1),
    STEP_TO(A, "error WRONG_TICK due 2: tick is 1, but the last tick is 1", 1),
};

SCENARIO(a_clock_room_takes_no_step, CONFIG(.tick_hz = 30)) = {
    JOIN(A, NULL),
    STEP(A, "error NOT_STEP_MODE: its own clock, 30 times a second"),
};

SCENARIO(ticks_that_cannot_be_held_are_skipped, CONFIG(.tick_hz = 100)) = {
    JOIN(A, NULL),
    SUBSCRIBE(A, "accepted; tick 0 reset", ALL),
    SPAWN(A, NULL, 1, 2, 0),
    PASS(11),
    LOOK(A, "tick 1 begin 1-2; applied 1"),
    /* The world stops for 35 ms: the ticks at 20, 30 and 40 ms are due at once, and only one is made. */
    STALL(35),
    LOOK(A, "tick 4 skipped 2"),
    /* The beat is the old one. */
    PASS(3),
    LOOK(A, ""),
    SPAWN(A, NULL, 3, 1, 0),
    PASS(5),
    LOOK(A, "tick 5 begin 1-3 begin 2-3; applied 5"),
};

SCENARIO(grace_runs_out, CONFIG(.tick_hz = 100, .grace_ms = 500)) = {
    JOIN(A, NULL),
    JOIN(B, NULL),
    SPAWN(A, NULL, 1, 1, 0),
    SPAWN(B, NULL, 2, 1, 0),
    PASS(55),
    SUBSCRIBE(A, "applied 1 to -1; accepted; tick 5 reset begin 1-2", ALL),
    CLOSE(B),
    PASS(498),
    LOOK(A, ""),
    PASS(10),
    LOOK(A, "tick 56 end 1-2 expired"),
};

SCENARIO(requests_in_one_go_are_answered_in_order) = {
    JOIN(A, NULL),
    SUBSCRIBE(A, NULL, ALL),
    SPAWN(A, NULL, 1, 2, 0),
    STEP(A, NULL),
    SUBSCRIBE(A, NULL, ALL),
    SNAPSHOT(A, NULL),
    STEP(A, NULL),
    SEND(A,
         "accepted to -6; tick 0 reset; tick 1 begin 1-2; applied 1 to -4; accepted to -3; tick 1 reset begin 1-2; "
         "snapshot 1 at 0 0 2 at 0 0 to -2; applied 2 to -1; accepted",
         UNSUBSCRIBE, .room = {0}),
};

/* A clock room without entities and observers stands still, even with sessions in it, and starts again with any change. */
SCENARIO(clocks_stand_still_and_start_again, CONFIG(.tick_hz = 100, .grace_ms = 100)) = {
    JOIN(A, NULL),
    SUBSCRIBE(A, "accepted; tick 0 reset", ALL),
    PASS(20),
    STILL(10000),
    LOOK(A, ""),
    /* Even a refusal is followed by its Applied. */
    REPEAT(10, 1),
    MOVE(A, "accepted 0 UNKNOWN_ID: no entity in the room has this id", 1, 5, 5),
    PASS(11),
    LOOK(A, "applied *"),
    PASS(20), /* a last tick, for what has changed */
    STILL(10000),
    LOOK(A, ""),
    AGAIN,
    /* After a long rest no tick counts as skipped. */
    JOIN(B, NULL),
    SPAWN(B, NULL, 1, 2, 0),
    PASS(21),
    LOOK(A, "tick 11 begin 1-2"),
    WORLD("ticks 12"),
    PASS(30),
    STILL(970),
    /* They go with their owner, and only the subscription waits for that. */
    CLOSE(B),
    PASS(120),
    LOOK(A, "tick 123 end 1-2 expired"),
    PASS(20),
    STILL(10000),
    LOOK(A, ""),
};

/* ---- limits ---- */

/* Of one room: the writer's share is waiting, and not one batch more. */
SCENARIO(queries_count_like_batches, .limits = {.room_batches_max = 8}) = {
    JOIN(A, NULL),
    JOIN(B, NULL),
    SPAWN(A, "", 1, 1, 0),
    SEND(B, "found *", QUERY, .query = {.kind = QD_QUERY_CIRCLE, .where.circle = {.radius = 100}}),
    REPEAT(100, 1),
    SEND(A, NULL, QUERY, .query = {.kind = QD_QUERY_CIRCLE, .where.circle = {.radius = 100}}),
    AGAIN,
    LOOPS(1000),
    LINK(A, "1 pauses; 7 frames"), /* half of 8, as a writer's share */
};

SCENARIO(a_writer_waits_for_its_share_alone, .limits = {.room_batches_max = 8}) = {
    JOIN(A, NULL),
    JOIN(B, NULL),
    SPAWN(A, NULL, 1, 1, 0),
    SPAWN(B, "", 2, 1, 0),
    REPEAT(100, 1),
    SEND(A, NULL, TELEPORT, .batch.entities = {.count = 1, .id = IDS(1), .x = FLOATS(5), .y = FLOATS(5)}),
    AGAIN,
    LOOPS(1000),
    LINK(A, "1 pauses; 7 frames"), /* half of 8, behind Hello, OpenRoom and Spawn */
    STEP(B, NULL),
    LOOPS(100),
    LINK(B, "0 pauses; 4 frames; 0 bytes in"),
    LOOK(B, "applied 1"),
    LINK(A, "0 pauses; 103 frames; 0 bytes in"),
};

/* 40 batches of 8 KiB each, of which 2 frames of 16 KiB may wait, and the one that goes beyond. */
SCENARIO(bytes_that_wait_are_bounded, .limits = {.frame_bytes_max = 16384}) = {
    JOIN(A, NULL),
    PASS(0),
    MARK,
    REPEAT(40, 0),
    SPAWN_EACH(A, NULL, 0, 1000, 400, 1),
    AGAIN,
    LOOPS(10000),
    LINK(A, "1 pauses"),
    GREW(2 * 16384 + 16384),
    LOOK(A, ""),
    LINK(A, "0 pauses; 42 frames; 0 bytes in"),
};

SCENARIO(reader_that_stops_is_reset_then_disconnected, .limits = {.queue_bytes_max = 16384}) = {
    JOIN(A, NULL),
    JOIN(B, NULL),
    SUBSCRIBE(B, "accepted; tick 0 reset", ALL),
    REPEAT(20, 1),
    SPAWN_EACH(A, NULL, 0, 100, 30, 0),
    STEP(A, "applied %u"),
    AGAIN,
    LINK(B, "14198 bytes out"),
    /* It reads, and gets the present set. */
    LOOK(B, "tick 1 435 begin; tick 2 1335 begin; tick 20 reset merged 18 in 2 parts 179700 begin"),
    /* It never reads again. */
    STEP(A, NULL),
    REPEAT(20, 1),
    SPAWN_EACH(A, NULL, 10000, 100, 30, 0),
    STEP(A, NULL),
    AGAIN,
    PASS(4700),
    LINK(B, "open"),
    WORLD("too slow 0"),
    PASS(700),
    /* Its last words are queued. Others are not touched. */
    LINK(B, "open"),
    WORLD("too slow 1"),
    LOOK(B, "...; go away: too slow within 1000; end"),
    LINK(A, "open"),
};

/* What lies unread takes less than half of the queue, but the reset that is due would not fit: its time goes on. */
SCENARIO(reader_whose_reset_never_fits_is_disconnected, .limits = {.queue_bytes_max = 16384}) = {
    JOIN(A, NULL),
    JOIN(B, NULL),
    SUBSCRIBE(B, "accepted; tick 0 reset", ALL),
    SPAWN(A, NULL, 1, 40, 0), /* 780 pairs: 7 KB of 16 */
    STEP(A, "applied 1"),
    SPAWN(A, NULL, 41, 40, 0), /* 2,380 more */
    REPEAT(49, 2),
    STEP(A, "applied %u"),
    PASS(100),
    AGAIN,
    WORLD("too slow 0"),
    LINK(B, "open"),
    REPEAT(10, 51),
    STEP(A, "applied %u"),
    LINK(B, "open"),
    PASS(100),
    AGAIN,
    WORLD("too slow 1"),
    /* A reader that reads in time gets the reset, and its full time again. */
    JOIN(C, NULL),
    REPEAT(3, 1),
    SUBSCRIBE(C, NULL, ALL), /* a reset of 28 KB fits into an empty queue only: not behind the answer */
    PASS(4000),
    LOOK(C, "accepted"),
    PASS(300),
    LOOK(C, "tick 60 reset 3160 begin"),
    PASS(100),
    AGAIN,
    LINK(C, "open"),
    WORLD("too slow 1"),
};

#define OPEN_THIRD(peer, want)                                                                                         \
    SEND(peer, want, OPEN_ROOM,                                                                                        \
         .open_room = {.name = "c", .has_config = true, .config = {.has_bounds = true, .bounds = {0, 0, 0, 1, 1, 0}}})

SCENARIO(rooms_are_limited, .limits = {.rooms_max = 2}) = {
    JOIN(A, NULL),
    ROOM(A, 1),
    OPEN_THIRD(A, "error LIMIT: 2 rooms are open"),
    CLOSE_ROOM(A, "closed: requested"),
    OPEN_THIRD(A, "created in a new room up to 1"),
};

/* Registers a roster of entities 1 to 1000 in two pieces, and moves them. */
static void name_and_move(sim_scenario *play)
{
    uint32_t id[1000];
    float at[1000];
    qd_client_message message = {.kind = QD_CLIENT_SET_ROSTER, .as.set_roster.room = play->rooms[0]};

    for (uint32_t i = 0; i < 1000; i++) {
        id[i] = 1 + i;
        at[i] = (float)i;
    }
    message.as.set_roster = (qd_msg_set_roster){.room = play->rooms[0], .roster = 17, .count = 700, .id = id};
    sim_peer_send(&play->peers[A], message);
    message.as.set_roster =
        (qd_msg_set_roster){.room = play->rooms[0], .roster = 17, .first = 700, .count = 300, .id = id + 700};
    sim_peer_send(&play->peers[A], message);
    message.kind = QD_CLIENT_MOVE_ROSTER;
    message.as.move_roster =
        (qd_msg_move_roster){.room = play->rooms[0], .roster = 17, .count = 1000, .x = at, .y = at};
    sim_peer_send(&play->peers[A], message);
}

static void limit_memory(sim_scenario *play)
{
    qd_memory_limit_set(play->memory + play->round * 1531);
}

static void lift_limit(sim_scenario *play)
{
    (void)play;
    qd_memory_limit_set(0);
}

#define BY_STEP                                                                                                        \
    {                                                                                                                  \
        .tick_mode = QD_TICK_MODE_STEP, .has_bounds = true, .bounds = { 0, 0, 0, 100, 100, 0 }                         \
    }
#define OPEN_NAMED(peer, called)                                                                                       \
    SEND(peer, NULL, OPEN_ROOM, .open_room = {.name = (called), .has_config = true, .config = BY_STEP})

/* With ever less memory: every request is answered or its connection closed, and nothing breaks. B is not touched. */
SCENARIO(memory_runs_out) = {
    JOIN(B, NULL),
    MARK,
    REPEAT(402, 0),
    CALL(limit_memory),
    CONNECT(A),
    SEND(A, NULL, HELLO, .hello = {.version = 1, .token = "t"}),
    OPEN_NAMED(A, "room"),
    OPEN_NAMED(A, "b"),
    OPEN_NAMED(A, "c"),
    SPAWN(A, NULL, 1, 2000, 0.5f),
    SUBSCRIBE(A, NULL, ALL),
    SEND(A, NULL, SET_DESCRIPTION,
         .set_description =
             {.count = 4, .id = IDS(1, 2, 3, 4), .tag = TAGS(1, 2, 3, 4), .visible_range = FLOATS(1, 10, 100, 9)}),
    SEND(A, NULL, OBSERVE,
         .observers = {.count = 4,
                       .id = IDS(1, 2, 3, 4),
                       .entity = IDS(1, 2, 3, 4),
                       .range = FLOATS(1, 10, 100, 1000),
                       .leave_margin = FLOATS(1, 10, 100, 1000),
                       .limit = IDS(0, 5, 0, 100),
                       .tier_count = 1,
                       .relay_range = FLOATS(50),
                       .relay_every = IDS(1)}),
    SEND(A, NULL, SET_EXCEPTIONS,
         .set_exceptions = {.observer = 2, .show_count = 2, .show = IDS(1, 2), .hide_count = 2, .hide = IDS(3, 4)}),
    WATCH(A, NULL, QD_WATCH_ALL),
    CALL(name_and_move),
    STEP(A, NULL),
    SEND(A, NULL, WHY, .why = {.a = 1, .b = 2}),
    SNAPSHOT(A, NULL),
    SEND(A, "...", LIST_ROOMS, .list_rooms = {0}),
    SEND(A, "...", LIST_SESSIONS, .list_sessions = {0}),
    CLOSE(A),
    CALL(lift_limit),
    PASS(70000), /* the grace, and the end of the empty rooms */
    STEP(B, "applied *"),
    AGAIN,
};

/* ---- stopping ---- */

static void close_rooms(sim_scenario *play)
{
    qd_server_close_rooms(&play->house->server);
}

static void send_away(sim_scenario *play)
{
    qd_server_go_away(&play->house->server, 2000);
}

SCENARIO(stopping_server_closes_rooms_then_connections) = {
    JOIN(A, NULL),
    SUBSCRIBE(A, NULL, ALL),
    SPAWN(A, NULL, 1, 2, 0),
    STEP(A, "accepted to -2; tick 0 reset; tick 1 begin 1-2; applied 1"),
    CALL(close_rooms),
    SEND(A,
         "tick 2 end 1-2 room closed; closed: shutdown unasked; error NOT_ALLOWED: the server is stopping. Open the "
         "room on another",
         OPEN_ROOM, .open_room.name = "another"),
    CALL(send_away),
    LOOK(A, "go away: shutdown within 2000; end"),
};
