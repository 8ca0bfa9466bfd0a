/* SPDX-License-Identifier: Apache-2.0 */
#include "cases.h"
#include "server/actor/service/reply.h"

#include <stdlib.h>
#include <string.h>

#include "server/base/alloc.h"

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

static void hello_is_due(sim_house *house)
{
    sim_peer silent, late;

    sim_peer_connect(&silent, house);
    sim_peer_connect(&late, house);
    sim_house_pass(house, QD_HELLO_MS_MAX - 10);
    sim_peer_expect_nothing(&silent);
    sim_peer_send(&late, (qd_client_message){.kind = QD_CLIENT_HELLO, .as.hello = {.version = 1}});
    (void)sim_peer_expect(&late, QD_SERVER_WELCOME);
    sim_house_pass(house, 20);
    sim_peer_expect_error(&silent, QD_ERROR_NO_HELLO, "no Hello came within 2000 ms");
    sim_check(sim_peer_expect(&silent, QD_SERVER_GO_AWAY)->as.go_away.reason == QD_GO_AWAY_PROTOCOL, "the reason");
    sim_peer_expect_end(&silent);
    /* After Hello, a client may be silent. */
    sim_house_pass(house, 100000);
    sim_peer_expect_nothing(&late);
    sim_peer_close(&silent);
    sim_peer_close(&late);
}

static void last_words_are_waited_for(sim_house *house)
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

static void tokens(sim_house *house)
{
    char *known[] = {"alpha", "beta"}, *admins[] = {"root"};
    const qd_tokens known_tokens = {known, 2}, admin_tokens = {admins, 1};

    house->server.sessions.tokens = &known_tokens;
    house->server.sessions.admin_tokens = &admin_tokens;
    sim_peer stranger, maker, twin, other, admin;
    sim_peer_connect(&stranger, house);
    sim_peer_send(&stranger,
                  (qd_client_message){.kind = QD_CLIENT_HELLO, .as.hello = {.version = 1, .token = "gamma"}});
    sim_peer_expect_error(&stranger, QD_ERROR_UNAUTHENTICATED, "--token-file");
    (void)sim_peer_expect(&stranger, QD_SERVER_GO_AWAY);
    sim_peer_expect_end(&stranger);

    sim_peer_open(&maker, house, "alpha");
    sim_peer_open(&twin, house, "alpha");
    sim_peer_open(&other, house, "beta");
    sim_peer_open(&admin, house, "root");
    uint64_t first = sim_peer_open_room(&maker, "first", NULL), second = sim_peer_open_room(&maker, "second", NULL);
    sim_peer_open_room(&other, "first", NULL);
    sim_peer_open_room(&twin, "first", NULL);
    sim_peer_open_room(&admin, "second", NULL);
    sim_peer_send(&other, for_room(QD_CLIENT_CLOSE_ROOM, first));
    sim_peer_expect_error(&other, QD_ERROR_NOT_ALLOWED, "only the session that created the room");
    uint32_t seq = sim_peer_send(&twin, for_room(QD_CLIENT_CLOSE_ROOM, first));
    const qd_server_message *closed = sim_peer_expect(&twin, QD_SERVER_ROOM_CLOSED);
    sim_check(closed->seq == seq && closed->as.room_closed.reason == QD_ROOM_CLOSED_REQUESTED, "the asker's answer");
    closed = sim_peer_expect(&other, QD_SERVER_ROOM_CLOSED);
    sim_check(closed->seq == 0 && closed->as.room_closed.room == first, "the others' news");
    sim_peer_send(&admin, for_room(QD_CLIENT_CLOSE_ROOM, second));
    (void)sim_peer_expect(&admin, QD_SERVER_ROOM_CLOSED);
    sim_peer *all[] = {&stranger, &maker, &twin, &other, &admin};
    for (int i = 0; i < 5; i++) {
        sim_peer_close(all[i]);
    }
}

/* Sessions without a token share nothing. */
static void no_token_is_no_bond(sim_house *house)
{
    sim_peer maker, other;

    sim_peer_open(&maker, house, "");
    sim_peer_open(&other, house, "");
    uint64_t room = sim_peer_open_room(&maker, "room", NULL);
    sim_peer_open_room(&other, "room", NULL);
    sim_peer_send(&other, for_room(QD_CLIENT_CLOSE_ROOM, room));
    sim_peer_expect_error(&other, QD_ERROR_NOT_ALLOWED, "created");
    sim_peer_close(&maker);
    sim_peer_close(&other);
}

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

static void an_empty_room_closes_in_its_time(sim_house *house)
{
    const qd_msg_room_config config = {.empty_close_ms = 300, .grace_ms = 200};
    sim_peer peer;

    sim_peer_open(&peer, house, NULL);
    uint64_t first = sim_peer_open_room(&peer, "room", &config);
    sim_peer_spawn(&peer, first, 1, 3, 0);
    sim_peer_send(&peer, for_room(QD_CLIENT_LEAVE_ROOM, first));
    (void)sim_peer_expect(&peer, QD_SERVER_ROOM_LEFT);
    /* 200 ms of grace, and then 300 ms with nothing in the room. */
    sim_house_pass(house, 480);
    sim_check(sim_peer_open_room(&peer, "room", &config) == first, "the room is there until its time is over");
    sim_peer_send(&peer, for_room(QD_CLIENT_LEAVE_ROOM, first));
    (void)sim_peer_expect(&peer, QD_SERVER_ROOM_LEFT);
    sim_house_pass(house, 290);
    sim_check(atomic_load(&house->server.service.actors) == 1, "its time starts again");
    sim_house_pass(house, 20);
    sim_check(atomic_load(&house->server.service.actors) == 0, "the room is closed and freed");
    sim_check(sim_peer_open_room(&peer, "room", &config) != first, "another room of that name has another handle");
    sim_peer_close(&peer);
}

static void a_room_of_its_own_entities_stays(sim_house *house)
{
    static const uint32_t id[] = {7};
    static const float at[] = {5};
    const qd_msg_room_config config = {.empty_close_ms = 1, .grace_ms = 1};
    sim_peer peer;

    sim_peer_open(&peer, house, NULL);
    uint64_t room = sim_peer_open_room(&peer, "room", &config);
    sim_peer_send(&peer, (qd_client_message){.kind = QD_CLIENT_SPAWN,
                                             .as.batch = {.room = room,
                                                          .room_owned = true,
                                                          .entities = {.count = 1, .id = id, .x = at, .y = at}}});
    sim_peer_send(&peer, for_room(QD_CLIENT_LEAVE_ROOM, room));
    (void)sim_peer_expect(&peer, QD_SERVER_ROOM_LEFT);
    sim_house_pass(house, 10000);
    sim_check(sim_peer_open_room(&peer, "room", &config) == room, "the room is still there");
    sim_peer_close(&peer);
}

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

static void a_step_names_the_next_tick(sim_house *house)
{
    sim_peer peer;

    sim_peer_open(&peer, house, NULL);
    uint64_t room = sim_peer_open_room(&peer, "room", NULL);
    const uint64_t wrong[] = {2, 7, UINT64_MAX};
    for (int i = 0; i < 3; i++) {
        sim_peer_send(&peer, (qd_client_message){.kind = QD_CLIENT_STEP, .as.step = {.room = room, .tick = wrong[i]}});
        sim_peer_expect_error(&peer, QD_ERROR_WRONG_TICK, "but the last tick is 0: the next one is 1");
    }
    sim_peer_send(&peer, (qd_client_message){.kind = QD_CLIENT_STEP, .as.step = {.room = room, .tick = 1}});
    sim_check(sim_peer_expect(&peer, QD_SERVER_APPLIED)->as.applied.tick == 1, "the first tick");
    sim_peer_send(&peer, (qd_client_message){.kind = QD_CLIENT_STEP, .as.step = {.room = room, .tick = 1}});
    sim_peer_expect_error(&peer, QD_ERROR_WRONG_TICK, "tick is 1, but the last tick is 1: the next one is 2");
    const qd_msg_room_config clock = {.tick_hz = 30};
    uint64_t other = sim_peer_open_room(&peer, "clock", &clock);
    sim_peer_step(&peer, other);
    sim_peer_expect_error(&peer, QD_ERROR_NOT_STEP_MODE, "its own clock, 30 times a second");
    sim_peer_close(&peer);
}

static void ticks_that_cannot_be_held_are_skipped(sim_house *house)
{
    const qd_msg_room_config config = {.tick_hz = 100};
    sim_peer peer;

    sim_peer_open(&peer, house, NULL);
    uint64_t room = sim_peer_open_room(&peer, "room", &config);
    sim_peer_subscribe(&peer, room);
    sim_check(sim_peer_expect(&peer, QD_SERVER_TICK)->as.tick.reset, "the answer to Subscribe");
    sim_peer_spawn(&peer, room, 1, 2, 0);
    sim_house_pass(house, 11);
    sim_check(sim_peer_expect(&peer, QD_SERVER_TICK)->as.tick.tick == 1, "the first tick");
    sim_check(sim_peer_expect(&peer, QD_SERVER_APPLIED)->as.applied.tick == 1, "what it contains");
    /* The world stops for 35 ms: the ticks at 20, 30 and 40 ms are due at once, and only one is made. */
    house->world.now_ns += 35 * SIM_MS_NS;
    const qd_msg_tick *tick = &sim_peer_expect(&peer, QD_SERVER_TICK)->as.tick;
    sim_check(tick->tick == 4 && tick->skipped == 2 && tick->begins.count == 0, "tick %llu, %u skipped",
              (unsigned long long)tick->tick, tick->skipped);
    /* The beat is the old one. */
    sim_house_pass(house, 3);
    sim_peer_expect_nothing(&peer);
    sim_peer_spawn(&peer, room, 3, 1, 0);
    sim_house_pass(house, 5);
    tick = &sim_peer_expect(&peer, QD_SERVER_TICK)->as.tick;
    sim_check(tick->tick == 5 && tick->skipped == 0, "tick %llu, %u skipped", (unsigned long long)tick->tick,
              tick->skipped);
    sim_peer_close(&peer);
}

static void grace_runs_out(sim_house *house)
{
    const qd_msg_room_config config = {.tick_hz = 1000, .grace_ms = 500};
    sim_peer stays, goes;

    sim_peer_open(&stays, house, NULL);
    sim_peer_open(&goes, house, NULL);
    uint64_t room = sim_peer_open_room(&stays, "room", &config);
    sim_peer_open_room(&goes, "room", &config);
    sim_peer_spawn(&stays, room, 1, 1, 0);
    sim_peer_spawn(&goes, room, 2, 1, 0);
    sim_house_pass(house, 5);
    sim_peer_subscribe(&stays, room);
    (void)sim_peer_expect(&stays, QD_SERVER_APPLIED);
    sim_check(sim_peer_expect(&stays, QD_SERVER_TICK)->as.tick.begins.count == 1, "the pair");
    sim_peer_close(&goes);
    sim_house_pass(house, 498);
    sim_peer_expect_nothing(&stays);
    sim_house_pass(house, 4);
    const qd_msg_tick *tick = &sim_peer_expect(&stays, QD_SERVER_TICK)->as.tick;
    sim_check(tick->ends.count == 1 && tick->end_reason[0] == QD_END_EXPIRED, "the end");
    sim_peer_close(&stays);
}

static void requests_in_one_go_are_answered_in_order(sim_house *house)
{
    sim_peer peer;

    sim_peer_open(&peer, house, NULL);
    uint64_t room = sim_peer_open_room(&peer, "room", NULL);
    sim_peer_subscribe(&peer, room);
    uint32_t spawn = sim_peer_spawn(&peer, room, 1, 2, 0), first = sim_peer_step(&peer, room);
    sim_peer_subscribe(&peer, room);
    uint32_t snapshot =
        sim_peer_send(&peer, (qd_client_message){.kind = QD_CLIENT_SNAPSHOT, .as.snapshot = {.room = room}});
    uint32_t second = sim_peer_step(&peer, room), last = sim_peer_send(&peer, for_room(QD_CLIENT_UNSUBSCRIBE, room));
    const qd_msg_tick *tick = &sim_peer_expect(&peer, QD_SERVER_TICK)->as.tick;
    sim_check(tick->reset && tick->tick == 0 && tick->begins.count == 0, "the reset before the first tick");
    tick = &sim_peer_expect(&peer, QD_SERVER_TICK)->as.tick;
    sim_check(!tick->reset && tick->tick == 1 && tick->begins.count == 1, "the first tick");
    sim_check(sim_peer_expect(&peer, QD_SERVER_APPLIED)->as.applied.seq == first && first > spawn, "its Applied");
    tick = &sim_peer_expect(&peer, QD_SERVER_TICK)->as.tick;
    sim_check(tick->reset && tick->tick == 1 && tick->begins.count == 1, "the second reset");
    sim_check(sim_peer_expect(&peer, QD_SERVER_SNAPSHOT_RESULT)->seq == snapshot, "the snapshot");
    sim_check(sim_peer_expect(&peer, QD_SERVER_APPLIED)->seq == second, "the second step's Applied");
    sim_check(sim_peer_expect(&peer, QD_SERVER_APPLIED)->seq == last, "the Unsubscribe's");
    sim_peer_expect_nothing(&peer);
    sim_peer_close(&peer);
}

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

static void a_reader_that_does_not_read_is_reset_then_shown_out(sim_house *house)
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

static void rooms_are_limited(sim_house *house)
{
    sim_peer peer;

    sim_peer_open(&peer, house, NULL);
    sim_peer_open_room(&peer, "a", NULL);
    uint64_t room = sim_peer_open_room(&peer, "b", NULL);
    const qd_client_message third = {.kind = QD_CLIENT_OPEN_ROOM,
                                     .as.open_room = {.name = "c",
                                                      .has_config = true,
                                                      .config = {.has_bounds = true, .bounds = {0, 0, 0, 1, 1, 0}}}};
    sim_peer_send(&peer, third);
    sim_peer_expect_error(&peer, QD_ERROR_LIMIT, "2 rooms are open, which is all the server takes (--rooms-max)");
    sim_peer_send(&peer, for_room(QD_CLIENT_CLOSE_ROOM, room));
    (void)sim_peer_expect(&peer, QD_SERVER_ROOM_CLOSED);
    sim_peer_send(&peer, third);
    (void)sim_peer_expect(&peer, QD_SERVER_ROOM_OPENED);
    sim_peer_close(&peer);
}

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

static void stopping(sim_house *house)
{
    sim_peer peer;

    sim_peer_open(&peer, house, NULL);
    uint64_t room = sim_peer_open_room(&peer, "room", NULL);
    sim_peer_subscribe(&peer, room);
    sim_peer_spawn(&peer, room, 1, 2, 0);
    sim_peer_step(&peer, room);
    (void)sim_peer_expect(&peer, QD_SERVER_TICK);
    (void)sim_peer_expect(&peer, QD_SERVER_TICK);
    (void)sim_peer_expect(&peer, QD_SERVER_APPLIED);
    qd_server_close_rooms(&house->server);
    sim_peer_send(&peer, (qd_client_message){.kind = QD_CLIENT_OPEN_ROOM, .as.open_room = {.name = "another"}});
    const qd_msg_tick *tick = &sim_peer_expect(&peer, QD_SERVER_TICK)->as.tick;
    sim_check(tick->ends.count == 1 && tick->end_reason[0] == QD_END_ROOM_CLOSED, "the end of the pair");
    const qd_msg_room_closed *closed = &sim_peer_expect(&peer, QD_SERVER_ROOM_CLOSED)->as.room_closed;
    sim_check(closed->room == room && closed->reason == QD_ROOM_CLOSED_SHUTDOWN, "the reason");
    sim_peer_expect_error(&peer, QD_ERROR_NOT_ALLOWED, "the server is stopping");
    qd_server_go_away(&house->server, 2000);
    const qd_msg_go_away *go_away = &sim_peer_expect(&peer, QD_SERVER_GO_AWAY)->as.go_away;
    sim_check(go_away->reason == QD_GO_AWAY_SHUTDOWN && go_away->deadline_ms == 2000, "the reason");
    sim_peer_expect_end(&peer);
    sim_peer_close(&peer);
}

unsigned sim_run_cases(void)
{
    static const struct {
        void (*run)(sim_house *house);
        qd_limits limits;
    } cases[] = {
        {hello_is_due, {0}},
        {last_words_are_waited_for, {0}},
        {tokens, {0}},
        {no_token_is_no_bond, {0}},
        {closing_and_opening_in_one_go, {0}},
        {an_empty_room_closes_in_its_time, {0}},
        {a_room_of_its_own_entities_stays, {0}},
        {an_idle_room_is_small_and_stands_still, {0}},
        {an_open_meets_the_closing, {0}},
        {closed_rooms_are_forgotten, {0}},
        {a_step_names_the_next_tick, {0}},
        {ticks_that_cannot_be_held_are_skipped, {0}},
        {grace_runs_out, {0}},
        {requests_in_one_go_are_answered_in_order, {0}},
        {sim_a_large_tick_comes_in_parts, {0}},
        {sim_all_kinds_of_events_come_in_parts, {0}},
        {sim_observers_see, {0}},
        {sim_regions_and_tiers, {0}},
        {sim_who_is_allowed, {0}},
        {sim_requests_of_views_are_refused, {.observers_max = 3}},
        {sim_watchers, {0}},
        {sim_why, {0}},
        {sim_a_large_view_comes_in_parts, {.queue_bytes_max = 64u << 20}},
        {sim_a_view_that_is_not_read_is_reset, {.queue_bytes_max = 16384}},
        {sim_too_many_sightings, {.sightings_max = 20}},
        {sim_the_end_of_views, {0}},
        {a_writer_waits_for_its_share_alone, {.room_batches_max = 8}},
        {bytes_that_wait_are_bounded, {.frame_bytes_max = 16384}},
        {a_reader_that_does_not_read_is_reset_then_shown_out, {.queue_bytes_max = 16384}},
        {sim_room_for_a_moment_is_no_reading, {.queue_bytes_max = 16384}},
        {sim_entities_are_handed_over, {0}},
        {sim_what_was_left_behind_is_adopted, {0}},
        {sim_who_may_adopt, {0}},
        {sim_who_is_connected_keeps_its_own, {0}},
        {sim_who_is_kept_goes_on_without, {0}},
        {sim_many_are_adopted, {0}},
        {sim_owners_change_without_memory, {0}},
        {sim_rosters_move_what_they_name, {0}},
        {sim_requests_of_rosters_are_refused, {.roster_ids_max = 8}},
        {sim_rosters_go_when_their_session_leaves, {0}},
        {sim_a_session_is_resumed, {0}},
        {sim_a_session_that_is_not_resumed_ends, {0}},
        {sim_keys_that_are_wrong_resume_nothing, {0}},
        {sim_a_connection_is_taken_over, {0}},
        {sim_what_was_missed_is_reported, {0}},
        {sim_views_go_on_at_the_next_tick, {0}},
        {sim_a_view_that_ended_unseen_is_reset, {0}},
        {sim_a_room_closes_while_nobody_looks, {0}},
        {sim_detached_sessions_are_limited, {.connections_max = 2}},
        {sim_detached_sessions_expire_one_by_one, {0}},
        {sim_clocks_stand_still_and_start_again, {0}},
        {sim_the_others_do_not_wait_for_who_asks, {0}},
        {sim_lockstep_waits_for_all, {0}},
        {sim_lockstep_waits_no_longer_than_its_deadline, {0}},
        {sim_lockstep_does_not_wait_for_who_has_left, {0}},
        {sim_lockstep_answers_a_step_behind_later_requests, {0}},
        {rooms_are_limited, {.rooms_max = 2}},
        {memory_runs_out, {0}},
        {stopping, {0}},
    };
    unsigned count = sizeof cases / sizeof cases[0];
    for (unsigned i = 0; i < count; i++) {
        static sim_house house;

        sim_house_init(&house, &cases[i].limits);
        cases[i].run(&house);
        sim_house_deinit(&house);
    }
    return count;
}
