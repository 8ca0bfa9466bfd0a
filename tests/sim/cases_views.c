/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>

#include "scenario.h"
#include "server/actor/service/reply.h"
#include "server/base/memory/alloc.h"

#define WATCH_AROUND(peer, want, number, anchor, far)                                                                  \
    OBSERVE(peer, want, number, .entity = IDS(anchor), .range = FLOATS(far))
#define STEER(peer, want, number, ...)                                                                                 \
    SEND(peer, want, MOVE_OBSERVERS, .observers = {.count = 1, .id = IDS(number), __VA_ARGS__})
#define SET_DESCRIPTION(peer, want, number, ...)                                                                       \
    SEND(peer, want, SET_DESCRIPTION, .set_description = {.count = 1, .id = IDS(number), __VA_ARGS__})
#define SET_EXCEPTIONS(peer, want, ...) SEND(peer, want, SET_EXCEPTIONS, .set_exceptions = {.observer = 9, __VA_ARGS__})

/* Nobody is subscribed here. */
SCENARIO(observer_gets_enters_and_leaves) = {
    JOIN(A, NULL),
    SPAWN(A, NULL, 1, 4, 10), /* at (0, 0), (10, 10), (20, 20) and (30, 30) */
    SEND(A, NULL, SET_DESCRIPTION,
         .set_description = {.count = 2,
                             .id = IDS(2, 3),
                             .tag = TAGS(70, 80),
                             .payload_size = BYTES(0, 3),
                             .payload = BYTES('a', 'b', 'c')}),
    WATCH_AROUND(A, NULL, 9, 2, 15),
    STEP(A, "view 1 enter 9:1 at 0 0 enter 9:3 at 20 20 tag 80 payload abc; applied 1"),
    MOVE(A, NULL, 3, 40, 40),
    STEP(A, "view 2 leave 9:3 out of range; applied 2"),
    MOVE(A, NULL, 2, 30, 30), /* the observer goes with it */
    STEP(A, "view 3 leave 9:1 out of range enter 9:3 at 40 40 tag 80 payload abc enter 9:4 at 30 30; applied 3"),
    DESPAWN(A, NULL, 3),
    STEP(A, "view 4 leave 9:3 despawned; applied 4"),
    STEP(A, "applied 5"),
    DESPAWN(A, NULL, 2), /* and its observer */
    STEP(A, "view 6 leave 9:4 observer gone; applied 6"),
};

SCENARIO(region_and_tiers_bound_what_is_seen) = {
    JOIN(A, NULL),
    SPAWN(A, NULL, 7, 1, 0),
    MOVE(A, NULL, 7, 54, 54),
    /* A free box and a free cone, which looks along x. */
    OBSERVE(A, NULL, 1, .region = BYTES(QD_REGION_BOX), .x = FLOATS(50), .y = FLOATS(50), .half_x = FLOATS(5),
            .half_y = FLOATS(5)),
    OBSERVE(A, NULL, 2, .region = BYTES(QD_REGION_CONE), .x = FLOATS(50), .y = FLOATS(50), .range = FLOATS(40),
            .angle = FLOATS(0.1f), .direction_x = FLOATS(1), .direction_y = FLOATS(0), .tier_count = 1,
            .relay_range = FLOATS(20), .relay_every = IDS(1)),
    STEP(A, "view 1 enter 1:7 at 54 54; applied 1"),
    MOVE(A, NULL, 7, 60, 50),
    STEP(A, "view 2 leave 1:7 out of range enter 2:7 at 60 50; applied 2"),
    /* In the first tier each place is relayed, beyond the last none. */
    MOVE(A, NULL, 7, 65, 50),
    STEP(A, "view 3 relay 2:7 at 65 50; applied 3"),
    STEP(A, "applied 4"),
    MOVE(A, NULL, 7, 80, 50),
    STEP(A, "applied 5"),
    /* The cone turns away, and back; then it is moved off. */
    STEER(A, NULL, 2, .direction_x = FLOATS(0), .direction_y = FLOATS(1)),
    STEP(A, "view 6 leave 2:7 out of range; applied 6"),
    STEER(A, NULL, 2, .direction_x = FLOATS(1), .direction_y = FLOATS(0)),
    STEP(A, "view 7 enter 2:7 at 80 50; applied 7"),
    STEER(A, NULL, 2, .x = FLOATS(0), .y = FLOATS(0)),
    STEP(A, "view 8 leave 2:7 out of range; applied 8"),
};

SCENARIO(observer_sees_what_lists_and_teams_allow) = {
    JOIN(A, NULL),
    SPAWN(A, NULL, 1, 2, 10),
    OBSERVE(A, NULL, 9, .entity = IDS(1), .range = FLOATS(100), .team = IDS(5)),
    STEP(A, "view 1 enter 9:2 at 10 10; applied 1"),
    SET_DESCRIPTION(A, NULL, 2, .hidden = BYTES(1)),
    STEP(A, "view 2 leave 9:2 hidden; applied 2"),
    SET_EXCEPTIONS(A, NULL, .show_count = 1, .show = IDS(2)),
    STEP(A, "view 3 enter 9:2 at 10 10; applied 3"),
    SET_EXCEPTIONS(A, NULL, .hide_count = 1, .hide = IDS(2)),
    STEP(A, "view 4 leave 9:2 excepted; applied 4"),
    SET_EXCEPTIONS(A, NULL, .show_count = 0),
    SET_DESCRIPTION(A, NULL, 2, .hidden = BYTES(0), .team = IDS(5)),
    STEP(A, "view 5 enter 9:2 at 10 10; applied 5"),
    SET_DESCRIPTION(A, NULL, 2, .team = IDS(6)),
    STEP(A, "view 6 leave 9:2 team changed; applied 6"),
};

/* In a house where a room may have three observers. */
SCENARIO(bad_requests_of_views_are_refused, .limits = {.observers_max = 3}) = {
    JOIN(A, NULL),
    JOIN(B, NULL),
    SPAWN(A, NULL, 1, 1, 0),
    SPAWN(B, NULL, 2, 1, 0),
    LOOK(B, ""),
    STEP(A, "applied 1"),
    LOOK(B, "applied *"),
    OBSERVE(A, "error UNKNOWN_ROOM: room is 77", 1, .room = 77, .entity = IDS(1), .range = FLOATS(5)),
    OBSERVE(A, "error COLUMNS: column x is missing, but entry 0 is free", 1),
    STEER(A, "error COLUMNS: column y is missing", 1, .x = FLOATS(1)),
    SET_DESCRIPTION(A, "error INVALID: payload_size of entry 0 is 33", 1, .payload_size = BYTES(33),
                    .payload = (uint8_t[33]){0}),
    WATCH(A, "error INVALID: watch is 9", (qd_watch)9),
    SET_EXCEPTIONS(A, "error UNKNOWN_OBSERVER: observer is 9", .show_count = 1, .show = IDS(1)),
    SET_DESCRIPTION(A, "accepted 0 NOT_OWNER: another session owns the entity", 2),
    SET_DESCRIPTION(A, "accepted 0 NEGATIVE_SIZE of field 6: entry 0 (id 1): visible_range is -1", 1,
                    .visible_range = FLOATS(-1)),
    WATCH_AROUND(A, "accepted 0 NOT_OWNER of field 5: entity is 2, which another session owns", 9, 2, 5),
    WATCH_AROUND(A, "accepted 0 UNKNOWN_ID of field 5: entry 0 (observer 9): entity is 3", 9, 3, 5),
    WATCH_AROUND(A, "accepted 0 NEGATIVE_SIZE of field 9: range is -1", 9, 1, -1),
    OBSERVE(A, "accepted 0 BAD_REGION of field 3: region is 7", 9, .entity = IDS(1), .region = BYTES(7)),
    UNOBSERVE(A, "accepted 0 UNKNOWN_OBSERVER: no observer of this id", 9),
    STEER(A, "accepted 0 UNKNOWN_OBSERVER: no observer of this id", 9, .x = FLOATS(1), .y = FLOATS(1)),
    /* The room takes three, of whomever. */
    WATCH_AROUND(A, NULL, 1, 1, 5),
    WATCH_AROUND(B, NULL, 1, 2, 5),
    WATCH_AROUND(A, "", 3, 1, 5),
    LOOK(B, ""),
    WATCH_AROUND(B, "accepted 0 OBSERVERS_FULL: the room has 3 observers", 4, 2, 5),
    SEND(A, "error UNKNOWN_ID: a is 8, an entity, and b is 1, an entity", WHY, .why = {.a = 8, .b = 1}),
};

SCENARIO(watched_session_gets_its_watchers) = {
    OPEN(A, NULL), /* session 1 sees, session 2 is seen */
    JOIN(B, NULL),
    ROOM(A, 0),
    SPAWN(B, NULL, 1, 2, 10),
    SPAWN(A, NULL, 11, 2, 10),
    WATCH(B, NULL, QD_WATCH_OWN),
    WATCH_AROUND(A, NULL, 4, 11, 5),
    LOOK(B, "view 0 reset watchers"), /* the reverse view starts at once */
    STEP(B, "view 1 watch 4:1:1; applied 1"),
    MOVE(B, NULL, 1, 50, 50),
    MOVE(B, NULL, 2, 1, 1),
    STEP(B, "view 2 unwatch 4:1:1 watch 4:2:1; applied 2"),
    /* A session that is gone is named anyway, and not by the number of the session in its place. */
    LEAVE(A, NULL),
    ROOM(B, 0),
    JOIN(C, NULL),
    STEP(B, "view 3 unwatch 4:2:1; applied 3"),
};

#define ASK_WHY(peer, want, from, to, is_observer)                                                                     \
    SEND(peer, want, WHY, .why = {.a = (from), .b = (to), .observer = (is_observer)})

SCENARIO(why_names_the_rule) = {
    JOIN(A, NULL),
    SPAWN(A, NULL, 1, 3, 30),
    WATCH_AROUND(A, NULL, 8, 1, 50),
    WATCH_AROUND(A, NULL, 9, 1, 10),
    STEP(A, "view 1 enter 8:2 at 30 30; applied 1"),
    ASK_WHY(A, "why 1 8 at 42 of 50 sees 1: seen 9 at 42 of 10 sees 0: not seen: out of range", 1, 2, false),
    ASK_WHY(A, "why 1 9 at 42 of 10 sees 0: not seen: out of range", 9, 2, true),
    ASK_WHY(A, "error UNKNOWN_OBSERVER: a is 7, an observer of this session", 7, 2, true),
    /* Without observers there is nothing to report. */
    ASK_WHY(A, "why 1", 2, 1, false),
};

SCENARIO(a_view_that_is_not_read_is_reset, .limits = {.queue_bytes_max = 16384}) = {
    JOIN(A, NULL),
    JOIN(B, NULL),
    SPAWN(B, NULL, 1, 1, 0),
    WATCH_AROUND(B, NULL, 5, 1, 50),
    WATCH(B, NULL, QD_WATCH_ALL),
    STEP(A, "applied 1"),
    REPEAT(20, 1),
    SPAWN_EACH(A, NULL, 0, 100, 30, 0),
    STEP(A, "applied *"),
    AGAIN,
    LINK(B, "15338 bytes out"),
    /* It reads; when it has, the next tick brings a reset. */
    LOOK(B, "...; view 12 30 enter 30 watch"),
    STEP(A, "applied 22"),
    LOOK(B, "view 22 reset reset watchers merged 10 600 enter 600 watch"),
    /* Then all goes on as if nothing had been. */
    DESPAWN(A, NULL, 100),
    STEP(A, "applied 23"),
    LOOK(B, "view 23 leave 5:100 despawned unwatch 5:100:2"),
    /* It never reads again. */
    REPEAT(40, 1),
    SPAWN_EACH(A, NULL, 10000, 100, 30, 0),
    STEP(A, NULL),
    AGAIN,
    PASS(4900),
    LINK(B, "open"),
    PASS(200 + QD_FLUSH_MS_MAX),
    LINK(B, "closed"),
    LINK(A, "open"),
};

static const uint32_t thirty[] = {100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 114,
                                  115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129};

/* In a house where a room may have 20 sightings. */
SCENARIO(view_above_visible_entries_max_is_suspended, .limits = {.visible_entries_max = 20}) = {
    JOIN(A, NULL),
    SPAWN(A, NULL, 1, 10, 0),
    WATCH_AROUND(A, NULL, 5, 1, 50),
    STEP(A, "view 1 9 enter; applied 1"),
    SPAWN(A, NULL, 100, 30, 0),
    STEP(A, "view 2 suspended; applied 2"),
    STEP(A, "applied 3"),
    SEND(A, NULL, DESPAWN, .batch.entities = {.count = 30, .id = thirty}),
    STEP(A, "view 4 reset 9 enter; applied 4"),
};

/* In a room that ticks by its clock, without a subscription. */
SCENARIO(views_end_with_grace_and_room, CONFIG(.tick_hz = 100, .grace_ms = 200)) = {
    JOIN(A, NULL),
    JOIN(B, NULL),
    SPAWN(A, NULL, 1, 2, 1),
    SPAWN(B, NULL, 11, 1, 1),
    WATCH_AROUND(A, NULL, 5, 1, 50),
    PASS(25),
    LOOK(A, "view 1 enter 5:2 at 1 1 enter 5:11 at 0 0; applied 1"),
    LEAVE(B, NULL),
    PASS(150),
    LOOK(A, ""),
    PASS(100),
    LOOK(A, "view 23 leave 5:11 expired"),
    CLOSE_ROOM(A, "view 28 leave 5:2 room closed; closed: requested"),
};

static const qd_msg_server_stats *stats_of(sim_peer *peer)
{
    sim_peer_send(peer, (qd_client_message){.kind = QD_CLIENT_GET_STATS});
    return &sim_peer_expect(peer, QD_SERVER_STATS)->as.stats.server;
}

/* Neither the pairs of a crowd nor its views fit into what is left. */
CASE(suspensions_for_memory_are_counted)
{
    enum { CROWD = 1000, OBSERVERS = 1000 };
    static uint32_t id[OBSERVERS];
    static float x[OBSERVERS], range[OBSERVERS];
    sim_peer peer;
    uint32_t pairs = 0, views = 0;

    for (uint32_t i = 0; i < OBSERVERS; i++) {
        id[i] = i + 1;
        x[i] = 50;
        range[i] = 50;
    }
    sim_peer_open(&peer, house, NULL);
    const uint64_t room = sim_peer_open_room(&peer, "room", NULL);
    sim_peer_send(&peer, MESSAGE(SUBSCRIBE, .subscribe = {.room = room, .scope = QD_SCOPE_ALL}));
    sim_peer_send(&peer, MESSAGE(STEP, .step = {.room = room}));
    sim_house_settle(house);
    sim_peer_send_crowd(&peer, room, &(sim_crowd){.first = 1, .count = CROWD, .x = 50, .y = 50});
    sim_peer_send(
        &peer,
        MESSAGE(OBSERVE, .observers = {.room = room, .count = OBSERVERS, .id = id, .x = x, .y = x, .range = range}));
    sim_house_settle(house);
    sim_peer_send(&peer, MESSAGE(STEP, .step = {.room = room}));
    qd_memory_limit_set(qd_memory_used() + 100000);
    sim_house_settle(house);
    qd_memory_limit_set(0);
    for (const qd_server_message *message; (message = sim_peer_next(&peer)) != NULL;) {
        pairs += message->kind == QD_SERVER_TICK && message->as.tick.suspended_reason == QD_SUSPEND_MEMORY;
        views += message->kind == QD_SERVER_VIEW && message->as.view.suspended_reason == QD_SUSPEND_MEMORY;
    }
    sim_check(pairs == 1 && views == 1, "%u subscriptions and %u views are suspended", pairs, views);
    const uint64_t counted = stats_of(&peer)->suspended_memory;
    sim_check(counted == 2, "%" PRIu64 " suspensions are counted", counted);
    sim_peer_close(&peer);
}

/* Reads what there is. Returns the reports among it. */
static uint32_t read_reports(sim_peer *reader)
{
    uint32_t reports = 0;

    for (const qd_server_message *message; (message = sim_peer_next(reader)) != NULL;) {
        sim_check(message->kind != QD_SERVER_GO_AWAY, "a client that reads is sent away: %s", message->as.go_away.text);
        reports += message->kind == QD_SERVER_TICK;
    }
    return reports;
}

/* All of a crowd meet, or none. */
static void step_crowd(sim_peer *writer, uint64_t room, uint32_t count, bool meet)
{
    sim_peer_send_crowd(
        writer, room,
        &(sim_crowd){.first = 1, .count = count, .x = 1, .y = 1, .apart = meet ? 0 : 2.4f, .moves = true});
    sim_peer_send(writer, MESSAGE(STEP, .step = {.room = room}));
    sim_house_settle(writer->house);
    (void)read_reports(writer);
}

/* For some time there is memory for all but the frames of reports, with 780 pairs. The reader has a few bytes to read. */
CASE(readers_are_not_slow_because_memory_is_short)
{
    enum { CROWD = 40, STEPS = 40, STEP_MS = 250 };
    sim_peer writer, reader;
    uint32_t missed_all = 0;

    sim_peer_open(&writer, house, NULL);
    sim_peer_open(&reader, house, NULL);
    const uint64_t room = sim_peer_open_room(&writer, "room", NULL), seen = sim_peer_open_room(&reader, "room", NULL);
    sim_peer_send_crowd(&writer, room, &(sim_crowd){.first = 1, .count = CROWD, .x = 1, .y = 1});
    sim_peer_send(&reader, MESSAGE(SUBSCRIBE, .subscribe = {.room = seen, .scope = QD_SCOPE_ALL}));
    for (uint32_t spare = 500; spare < 20000; spare += spare / 2) {
        uint32_t reports;

        step_crowd(&writer, room, CROWD, true);
        step_crowd(&writer, room, CROWD, false);
        (void)read_reports(&reader);
        qd_memory_limit_set(qd_memory_used() + spare);
        sim_peer_send(&reader, (qd_client_message){.kind = QD_CLIENT_PING});
        for (uint32_t i = 0; i < STEPS; i++) {
            step_crowd(&writer, room, CROWD, true);
            sim_house_pass(house, STEP_MS);
        }
        reports = read_reports(&reader);
        qd_memory_limit_set(0);
        missed_all += reports == 0;
        step_crowd(&writer, room, CROWD, true);
        sim_check(reports + read_reports(&reader) == 1, "a reader gets no report after memory was short");
    }
    sim_check(missed_all > 0, "all reports found memory");
    sim_peer_close(&reader);
    sim_peer_close(&writer);
}
