/* SPDX-License-Identifier: Apache-2.0 */
#include "cases.h"
#include "server/actor/service/reply.h"

#include <stdlib.h>
#include <string.h>

#include "server/base/memory/alloc.h"

static qd_client_message for_room(qd_client_kind kind, uint64_t room)
{
    return (qd_client_message){.kind = kind, .as.room = {.room = room}};
}

/* Batches that one peer sends without end: as many as are in its link, none of them can fail. */
static void flood(sim_peer *peer, uint64_t room, uint32_t count)
{
    static const uint32_t id[] = {1};
    static const float at[] = {5};

    for (uint32_t i = 0; i < count; i++) {
        sim_peer_send(peer, (qd_client_message){
                                .kind = QD_CLIENT_MOVE,
                                .as.batch = {.room = room, .entities = {.count = 1, .id = id, .x = at, .y = at}}});
    }
}

/* ---- sessions ---- */

static const sim_step hello_after_deadline_ends_the_connection[] = {
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
    END,
};

static void unread_error_delays_the_close(sim_house *house)
{
    sim_peer peer;

    sim_peer_connect(&peer, house);
    sim_peer_send(&peer, (qd_client_message){.kind = QD_CLIENT_PING});
    sim_house_pass(house, QD_FLUSH_MS_MAX - 1);
    sim_check(!peer.link->closed, "the Error is not read yet");
    sim_house_pass(house, 2);
    sim_check(peer.link->closed, "the Error is not read, and its time is over");
    sim_peer_close(&peer);
}

static void set_tokens(sim_scenario *play)
{
    static char *known[] = {"alpha", "beta"}, *admins[] = {"root"};
    static const qd_tokens known_tokens = {known, 2}, admin_tokens = {admins, 1};

    play->house->server.sessions.tokens = &known_tokens;
    play->house->server.sessions.admin_tokens = &admin_tokens;
}

#define CLOSE_ROOM(peer, want) SEND(peer, want, CLOSE_ROOM, .room = {0})

static const sim_step token_decides_who_closes_a_room[] = {
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
    CLOSE_ROOM(C, "error NOT_ALLOWED: only the session that created the room"),
    CLOSE_ROOM(B, "closed: requested"),
    LOOK(C, "closed: requested unasked"),
    IN_ROOM(1),
    CLOSE_ROOM(D, "closed: requested"),
    END,
};

/* Sessions without a token share nothing. */
static const sim_step session_without_token_closes_no_other_room[] = {
    JOIN(A, ""),
    JOIN(B, ""),
    CLOSE_ROOM(B, "error NOT_ALLOWED: created"),
    END,
};

/* ---- rooms ---- */

static void closing_and_opening_in_one_go(sim_house *house)
{
    sim_peer peer;

    sim_peer_open(&peer, house, NULL);
    uint64_t room = sim_peer_open_room(&peer, "room", NULL);
    sim_peer_spawn(&peer, room, 1, 2, 0);
    sim_peer_send(&peer, for_room(QD_CLIENT_CLOSE_ROOM, room));
    qd_msg_room_config config = {
        .has_bounds = true, .bounds = {.max_x = 7, .max_y = 7}, .tick_mode = QD_TICK_MODE_STEP};
    sim_peer_send(&peer, (qd_client_message){.kind = QD_CLIENT_OPEN_ROOM,
                                             .as.open_room = {.name = "room", .has_config = true, .config = config}});
    /* The two are different rooms, so that their answers may overtake each other. */
    bool closed = false, opened = false;
    sim_house_settle(house);
    for (const qd_server_message *message; (message = sim_peer_next(&peer)) != NULL;) {
        closed |= message->kind == QD_SERVER_ROOM_CLOSED && message->as.room_closed.room == room;
        opened |= message->kind == QD_SERVER_ROOM_OPENED && message->as.room_opened.created &&
                  message->as.room_opened.room != room && message->as.room_opened.config.bounds.max_x == 7;
    }
    sim_check(closed && opened, "the room is closed, and another of its name is open");
    sim_peer_close(&peer);
}

static const qd_msg_room_config closes_soon = {.empty_close_ms = 300, .grace_ms = 200};

static const sim_step an_empty_room_closes_in_its_time[] = {
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
    REJOIN(A, "error UNKNOWN_ROOM: send a config"),
    SEND(A, "created in a new room", OPEN_ROOM,
         .open_room = {.name = "room",
                       .has_config = true,
                       .config = {.has_bounds = true, .bounds = {0, 0, 0, 1, 1, 0}}}),
    END,
};

static const qd_msg_room_config closes_at_once = {.empty_close_ms = 1, .grace_ms = 1};

static const sim_step room_with_room_owned_entities_stays[] = {
    JOIN(A, NULL),
    SEND(A, NULL, SPAWN,
         .batch = {.room_owned = true, .entities = {.count = 1, .id = IDS(7), .x = FLOATS(5), .y = FLOATS(5)}}),
    LEAVE(A, "left"),
    PASS(10000),
    REJOIN(A, "opened"),
    END,
};

static void an_idle_room_is_small_and_stands_still(sim_house *house)
{
    const qd_msg_room_config config = {.empty_close_ms = 86400000, .tick_hz = 1000};
    sim_peer peer;

    sim_peer_open(&peer, house, NULL);
    size_t before = qd_memory_used();
    uint64_t room = sim_peer_open_room(&peer, "room", &config);
    sim_peer_send(&peer, for_room(QD_CLIENT_LEAVE_ROOM, room));
    (void)sim_peer_expect(&peer, QD_SERVER_ROOM_LEFT);
    sim_check(qd_memory_used() - before <= 16384, "an idle room takes %zu bytes", qd_memory_used() - before);
    sim_house_pass(house, 10); /* its last tick, for what has left */
    uint64_t ticks = qd_counted(&house->server.service.counters, QD_COUNT_TICKS);
    sim_house_pass(house, 10000);
    sim_check(qd_counted(&house->server.service.counters, QD_COUNT_TICKS) == ticks, "a room with nothing in it ticks");
    sim_peer_close(&peer);
}

/* However the two meet: the room is still there, or another one is made. */
static void an_open_meets_the_closing(sim_house *house)
{
    const qd_msg_room_config config = {.empty_close_ms = 10};
    sim_peer peer;

    sim_peer_open(&peer, house, NULL);
    house->world.restless = true;
    for (int i = 0; i < 500; i++) {
        uint64_t room = sim_peer_open_room(&peer, "room", &config);

        sim_peer_send(&peer, for_room(QD_CLIENT_LEAVE_ROOM, room));
        (void)sim_peer_expect(&peer, QD_SERVER_ROOM_LEFT);
        sim_house_pass(house, 9);
        sim_peer_send(&peer, (qd_client_message){.kind = QD_CLIENT_OPEN_ROOM, .as.open_room = {.name = "room"}});
        uint32_t steps = sim_pick(&house->world, 4);
        while (steps-- > 0) {
            (void)sim_step_links(&house->world, 100);
        }
        house->world.now_ns += 3 * SIM_MS_NS;
        (void)sim_run_actor(&house->world);
        sim_house_settle(house);
        const qd_server_message *answer = sim_peer_next(&peer);
        bool opened = answer->kind == QD_SERVER_ROOM_OPENED && answer->as.room_opened.room == room;
        bool too_late = answer->kind == QD_SERVER_ERROR && strstr(answer->as.error.text, "send a config") != NULL;
        sim_check(opened || too_late, "an answer of kind %d", answer->kind);
        if (opened) {
            sim_peer_send(&peer, for_room(QD_CLIENT_LEAVE_ROOM, room));
            (void)sim_peer_expect(&peer, QD_SERVER_ROOM_LEFT);
        }
    }
    sim_peer_close(&peer);
}

/* A session keeps little of the rooms that it was in. */
static void closed_rooms_are_forgotten(sim_house *house)
{
    sim_peer peer;

    sim_peer_open(&peer, house, NULL);
    for (int i = 0; i < 1000; i++) {
        uint64_t room = sim_peer_open_room(&peer, "room", NULL);

        sim_peer_send(&peer, for_room(QD_CLIENT_CLOSE_ROOM, room));
        (void)sim_peer_expect(&peer, QD_SERVER_ROOM_CLOSED);
        sim_check(atomic_load(&house->server.service.actors) <= 32, "%u rooms are kept",
                  atomic_load(&house->server.service.actors));
    }
    sim_peer_close(&peer);
}

/* ---- ticks ---- */

static const sim_step a_step_names_the_next_tick[] = {
    JOIN(A, NULL),
    STEP_TO(A, "error WRONG_TICK due 1: but the last tick is 0: the next one is 1", 2),
    STEP_TO(A, "error WRONG_TICK due 1: but the last tick is 0: the next one is 1", 7),
    STEP_TO(A, "error WRONG_TICK due 1: but the last tick is 0: the next one is 1", UINT64_MAX),
    STEP_TO(A, "applied 1", 1),
    STEP_TO(A, "error WRONG_TICK due 2: tick is 1, but the last tick is 1: the next one is 2", 1),
    END,
};

static const qd_msg_room_config hz_30 = {.tick_hz = 30}, hz_100 = {.tick_hz = 100};
static const qd_msg_room_config hz_1000 = {.tick_hz = 1000, .grace_ms = 500};

static const sim_step a_clock_room_takes_no_step[] = {
    JOIN(A, NULL),
    STEP(A, "error NOT_STEP_MODE: its own clock, 30 times a second"),
    END,
};

static const sim_step ticks_that_cannot_be_held_are_skipped[] = {
    JOIN(A, NULL),
    SUBSCRIBE(A, "tick 0 reset", ALL),
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
    END,
};

static const sim_step grace_runs_out[] = {
    JOIN(A, NULL),
    JOIN(B, NULL),
    SPAWN(A, NULL, 1, 1, 0),
    SPAWN(B, NULL, 2, 1, 0),
    PASS(5),
    SUBSCRIBE(A, "applied 1 to -1; tick 5 reset begin 1-2", ALL),
    CLOSE(B),
    PASS(498),
    LOOK(A, ""),
    PASS(4),
    LOOK(A, "tick 505 end 1-2 expired"),
    END,
};

static const sim_step requests_in_one_go_are_answered_in_order[] = {
    JOIN(A, NULL),
    SUBSCRIBE(A, NULL, ALL),
    SPAWN(A, NULL, 1, 2, 0),
    STEP(A, NULL),
    SUBSCRIBE(A, NULL, ALL),
    SNAPSHOT(A, NULL),
    STEP(A, NULL),
    SEND(A,
         "tick 0 reset; tick 1 begin 1-2; applied 1 to -4; tick 1 reset begin 1-2; snapshot 1 at 0 0 2 at 0 0 to -2; "
         "applied 2 to -1; applied 2",
         UNSUBSCRIBE, .room = {0}),
    END,
};

/* ---- limits ---- */

/* One room, one run of its actor: the writer's share is waiting, and not one batch more. */
static void a_writer_waits_for_its_share_alone(sim_house *house)
{
    sim_peer loud, quiet;

    sim_peer_open(&loud, house, NULL);
    sim_peer_open(&quiet, house, NULL);
    uint64_t room = sim_peer_open_room(&loud, "room", NULL);
    sim_peer_open_room(&quiet, "room", NULL);
    sim_peer_spawn(&loud, room, 1, 1, 0);
    sim_peer_spawn(&quiet, room, 2, 1, 0);
    sim_house_settle(house);

    flood(&loud, room, 100);
    for (int i = 0; i < 1000; i++) {
        (void)sim_step_links(&house->world, 100);
    }
    sim_check(loud.link->pauses == 1 && loud.link->frames_handed_out == 3 + 4,
              "the share of 8 between two is 4, not %u", loud.link->frames_handed_out - 3);
    uint32_t step = sim_peer_step(&quiet, room);
    for (int i = 0; i < 100; i++) {
        (void)sim_step_links(&house->world, 100);
    }
    sim_check(quiet.link->pauses == 0 && quiet.link->in_size == 0, "the other writer is read on");
    sim_check(sim_peer_expect(&quiet, QD_SERVER_APPLIED)->seq == step, "and its Step is done");
    sim_check(loud.link->pauses == 0 && loud.link->in_size == 0, "in the end all is read");
    sim_peer_close(&loud);
    sim_peer_close(&quiet);
}

static void bytes_that_wait_are_bounded(sim_house *house)
{
    sim_peer peer;

    sim_peer_open(&peer, house, NULL);
    uint64_t room = sim_peer_open_room(&peer, "room", NULL);
    sim_house_settle(house);
    size_t before = qd_memory_used();
    for (uint32_t i = 0; i < 40; i++) {
        sim_peer_spawn(&peer, room, 1000 * i, 400, 1);
    }
    for (int i = 0; i < 10000; i++) {
        (void)sim_step_links(&house->world, 100);
    }
    /* 40 batches of 8 KiB each, of which 2 frames of 16 KiB may wait, and the one that goes beyond. */
    sim_check(peer.link->pauses == 1, "the link is paused");
    sim_check(qd_memory_used() - before < 2 * 16384 + 16384, "%zu bytes wait", qd_memory_used() - before);
    sim_house_settle(house);
    sim_check(peer.link->pauses == 0 && peer.link->in_size == 0, "in the end all is read");
    sim_peer_close(&peer);
}

static void reader_that_stops_is_reset_then_disconnected(sim_house *house)
{
    sim_peer writer, reader;

    sim_peer_open(&writer, house, NULL);
    sim_peer_open(&reader, house, NULL);
    uint64_t room = sim_peer_open_room(&writer, "room", NULL);
    sim_peer_open_room(&reader, "room", NULL);
    sim_peer_subscribe(&reader, room);
    (void)sim_peer_expect(&reader, QD_SERVER_TICK);
    for (uint32_t i = 0; i < 20; i++) {
        sim_peer_spawn(&writer, room, 100 * i, 30, 0);
        sim_peer_step(&writer, room);
        (void)sim_peer_expect(&writer, QD_SERVER_APPLIED);
    }
    size_t queued = qd_link_queued(&reader.link->link);
    sim_check(queued > 0 && queued <= 16384, "%zu bytes are queued", queued);

    /* It reads, and gets the present set. */
    bool reset = false;
    uint32_t pairs = 0;
    for (int i = 0; i < 2; i++) {
        for (const qd_server_message *message; (message = sim_peer_next(&reader)) != NULL;) {
            const qd_msg_tick *tick = &message->as.tick;

            reset |= tick->reset;
            pairs = (tick->reset ? 0 : pairs) + tick->begins.count;
        }
        sim_house_settle(house);
    }
    sim_check(reset && pairs == 600 * 599 / 2, "a reset with %u pairs", pairs);

    /* It never reads again. */
    sim_peer_send(&writer, (qd_client_message){.kind = QD_CLIENT_STEP, .as.step = {.room = room}});
    for (uint32_t i = 0; i < 20; i++) {
        sim_peer_spawn(&writer, room, 10000 + 100 * i, 30, 0);
        sim_peer_step(&writer, room);
    }
    sim_house_pass(house, 4700);
    sim_check(!reader.link->closed && qd_counted(&house->server.service.counters, QD_COUNT_TOO_SLOW) == 0,
              "a reader has 5 s");
    sim_house_pass(house, 700);
    sim_check(!reader.link->closed && qd_counted(&house->server.service.counters, QD_COUNT_TOO_SLOW) == 1,
              "its last words are queued");
    qd_go_away_reason reason = 0;
    for (const qd_server_message *message; (message = sim_peer_next(&reader)) != NULL;) {
        reason = message->kind == QD_SERVER_GO_AWAY ? message->as.go_away.reason : 0;
    }
    sim_check(reason == QD_GO_AWAY_TOO_SLOW, "its last words: %d", reason);
    sim_peer_expect_end(&reader);
    sim_check(!writer.link->closed, "others are not touched");
    sim_peer_close(&writer);
    sim_peer_close(&reader);
}

#define OPEN_THIRD(peer, want)                                                                                         \
    SEND(peer, want, OPEN_ROOM,                                                                                        \
         .open_room = {.name = "c", .has_config = true, .config = {.has_bounds = true, .bounds = {0, 0, 0, 1, 1, 0}}})

static const sim_step rooms_are_limited[] = {
    JOIN(A, NULL),
    ROOM(A, 1),
    OPEN_THIRD(A, "error LIMIT: 2 rooms are open, which is all the server takes (--rooms-max)"),
    CLOSE_ROOM(A, "closed: requested"),
    OPEN_THIRD(A, "created in a new room"),
    END,
};

/* With ever less memory: every request is answered or its connection closed, and nothing breaks. */
static void memory_runs_out(sim_house *house)
{
    sim_peer witness;

    sim_peer_open(&witness, house, NULL);
    uint64_t room = sim_peer_open_room(&witness, "witness", NULL);
    size_t floor = qd_memory_used();
    for (size_t allowance = 0; allowance < (600u << 10); allowance += 1531) {
        qd_memory_limit_set(floor + allowance);
        sim_peer peer;
        sim_peer_connect(&peer, house);
        sim_peer_send(&peer, (qd_client_message){.kind = QD_CLIENT_HELLO, .as.hello = {.version = 1, .token = "t"}});
        for (uint32_t i = 0; i < 3; i++) {
            const char *names[] = {"witness", "b", "c"};

            sim_peer_send(&peer, (qd_client_message){.kind = QD_CLIENT_OPEN_ROOM,
                                                     .as.open_room = {.name = names[i],
                                                                      .has_config = true,
                                                                      .config = {.tick_mode = QD_TICK_MODE_STEP,
                                                                                 .has_bounds = true,
                                                                                 .bounds = {0, 0, 0, 100, 100, 0}}}});
        }
        sim_peer_spawn(&peer, room, 1, 2000, 0.5f);
        sim_peer_subscribe(&peer, room);
        sim_peer_look_around(&peer, room);
        sim_peer_name_and_move(&peer, room);
        sim_peer_step(&peer, room);
        sim_peer_send(&peer, (qd_client_message){.kind = QD_CLIENT_WHY, .as.why = {.room = room, .a = 1, .b = 2}});
        sim_peer_send(&peer, (qd_client_message){.kind = QD_CLIENT_SNAPSHOT, .as.snapshot = {.room = room}});
        sim_peer_send(&peer, (qd_client_message){.kind = QD_CLIENT_LIST_ROOMS});
        sim_house_settle(house);
        while (sim_peer_next(&peer) != NULL) {
            sim_house_settle(house);
        }
        sim_peer_close(&peer);
        qd_memory_limit_set(0);
        sim_house_pass(house, 70000); /* the grace, and the end of the empty rooms */
        sim_peer_step(&witness, room);
        (void)sim_peer_expect(&witness, QD_SERVER_APPLIED);
    }
    sim_peer_close(&witness);
}

/* ---- stopping ---- */

static void close_rooms(sim_scenario *play)
{
    qd_server_close_rooms(&play->house->server);
}

static void send_away(sim_scenario *play)
{
    qd_server_go_away(&play->house->server, 2000);
}

static const sim_step stopping_server_closes_rooms_then_connections[] = {
    JOIN(A, NULL),
    SUBSCRIBE(A, NULL, ALL),
    SPAWN(A, NULL, 1, 2, 0),
    STEP(A, "tick 0 reset; tick 1 begin 1-2; applied 1"),
    CALL(close_rooms),
    SEND(A,
         "tick 2 end 1-2 room closed; closed: shutdown unasked; error NOT_ALLOWED: the server is stopping: open the "
         "room on another",
         OPEN_ROOM, .open_room.name = "another"),
    CALL(send_away),
    LOOK(A, "go away: shutdown within 2000; end"),
    END,
};

/* A case in code, and one of steps; with limits or a config for its rooms. */
#define CASE(function, ...)                                                                                            \
    {                                                                                                                  \
        .name = #function, .run = function, __VA_ARGS__                                                                \
    }
#define SCENARIO(array, ...)                                                                                           \
    {                                                                                                                  \
        .name = #array, .steps = array, __VA_ARGS__                                                                    \
    }

unsigned sim_run_cases(void)
{
    static const struct {
        const char *name;
        void (*run)(sim_house *house); /* NULL: the steps */
        const sim_step *steps;
        const qd_msg_room_config *config;
        qd_limits limits;
    } cases[] = {
        SCENARIO(hello_after_deadline_ends_the_connection),
        CASE(unread_error_delays_the_close),
        SCENARIO(token_decides_who_closes_a_room),
        SCENARIO(session_without_token_closes_no_other_room),
        CASE(closing_and_opening_in_one_go),
        SCENARIO(an_empty_room_closes_in_its_time, .config = &closes_soon),
        SCENARIO(room_with_room_owned_entities_stays, .config = &closes_at_once),
        CASE(an_idle_room_is_small_and_stands_still),
        CASE(an_open_meets_the_closing),
        CASE(closed_rooms_are_forgotten),
        SCENARIO(a_step_names_the_next_tick),
        SCENARIO(a_clock_room_takes_no_step, .config = &hz_30),
        SCENARIO(ticks_that_cannot_be_held_are_skipped, .config = &hz_100),
        SCENARIO(grace_runs_out, .config = &hz_1000),
        SCENARIO(requests_in_one_go_are_answered_in_order),
        CASE(sim_a_large_tick_comes_in_parts),
        CASE(sim_all_kinds_of_events_come_in_parts),
        SCENARIO(sim_observer_gets_enters_and_leaves),
        SCENARIO(sim_region_and_tiers_bound_what_is_seen),
        SCENARIO(sim_observer_sees_what_lists_and_teams_allow),
        SCENARIO(sim_bad_requests_of_views_are_refused, .limits = {.observers_max = 3}),
        SCENARIO(sim_watched_session_gets_its_watchers),
        SCENARIO(sim_why_names_the_rule),
        CASE(sim_a_large_view_comes_in_parts, .limits = {.queue_bytes_max = 64u << 20}),
        CASE(sim_a_view_that_is_not_read_is_reset, .limits = {.queue_bytes_max = 16384}),
        SCENARIO(sim_view_above_sightings_max_is_suspended, .limits = {.sightings_max = 20}),
        SCENARIO(sim_views_end_with_grace_and_room, .config = &sim_quick_clock),
        CASE(a_writer_waits_for_its_share_alone, .limits = {.room_batches_max = 8}),
        CASE(bytes_that_wait_are_bounded, .limits = {.frame_bytes_max = 16384}),
        CASE(reader_that_stops_is_reset_then_disconnected, .limits = {.queue_bytes_max = 16384}),
        CASE(sim_reader_whose_reset_never_fits_is_disconnected, .limits = {.queue_bytes_max = 16384}),
        SCENARIO(sim_entities_are_handed_over),
        SCENARIO(sim_what_was_left_behind_is_adopted),
        SCENARIO(sim_adopt_of_another_token_is_refused),
        SCENARIO(sim_connected_session_keeps_its_entities),
        SCENARIO(sim_resumed_session_misses_what_was_adopted),
        CASE(sim_many_entities_are_adopted_in_parts),
        CASE(sim_owners_change_without_memory),
        SCENARIO(sim_rosters_move_what_they_name),
        SCENARIO(sim_bad_requests_of_rosters_are_refused, .limits = {.roster_ids_max = 8}),
        SCENARIO(sim_rosters_go_when_their_session_leaves),
        SCENARIO(sim_a_session_is_resumed, .config = &sim_short_grace),
        SCENARIO(sim_a_session_that_is_not_resumed_ends, .config = &sim_half_second),
        CASE(sim_wrong_key_resumes_nothing),
        SCENARIO(sim_a_connection_is_taken_over),
        SCENARIO(sim_what_was_missed_is_reported),
        SCENARIO(sim_views_go_on_at_the_next_tick),
        SCENARIO(sim_a_view_that_ended_unseen_is_reset),
        SCENARIO(sim_room_closed_while_detached_is_reported),
        SCENARIO(sim_detached_sessions_are_limited, .limits = {.connections_max = 2}),
        SCENARIO(sim_detached_sessions_expire_one_by_one),
        CASE(sim_clocks_stand_still_and_start_again),
        CASE(sim_queries_do_not_delay_other_sessions),
        SCENARIO(sim_lockstep_waits_for_all, .config = &sim_lockstep),
        SCENARIO(sim_lockstep_waits_no_longer_than_its_deadline, .config = &sim_lockstep),
        SCENARIO(sim_lockstep_goes_on_without_writers_that_left, .config = &sim_lockstep),
        SCENARIO(sim_lockstep_answers_a_step_behind_later_requests, .config = &sim_lockstep),
        SCENARIO(rooms_are_limited, .limits = {.rooms_max = 2}),
        CASE(memory_runs_out),
        SCENARIO(stopping_server_closes_rooms_then_connections),
    };
    unsigned count = sizeof cases / sizeof cases[0];
    for (unsigned i = 0; i < count; i++) {
        static sim_house house;

        sim_house_open(&house, &cases[i].limits);
        if (cases[i].steps != NULL) {
            sim_run_scenario(&house, cases[i].name, cases[i].config, cases[i].steps);
        } else {
            cases[i].run(&house);
        }
        sim_house_close(&house);
    }
    return count;
}
