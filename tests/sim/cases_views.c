/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "server/actor/service/reply.h"
#include "server/room/room_views.h"

/* ---- what peers send ---- */

static uint32_t send_observers(sim_peer *peer, qd_client_kind kind, qd_msg_observers observers)
{
    return sim_peer_send(peer, (qd_client_message){.kind = kind, .as.observers = observers});
}

/* A circle around an entity. */
static uint32_t watch_around(sim_peer *peer, uint64_t room, uint32_t observer, uint32_t entity, float range)
{
    return send_observers(
        peer, QD_CLIENT_OBSERVE,
        (qd_msg_observers){.room = room, .count = 1, .id = &observer, .entity = &entity, .range = &range});
}

static void unobserve(sim_peer *peer, uint64_t room, uint32_t observer)
{
    send_observers(peer, QD_CLIENT_UNOBSERVE, (qd_msg_observers){.room = room, .count = 1, .id = &observer});
}

static void describe(sim_peer *peer, qd_msg_describe describe)
{
    sim_peer_send(peer, (qd_client_message){.kind = QD_CLIENT_DESCRIBE, .as.describe = describe});
}

static void despawn(sim_peer *peer, uint64_t room, uint32_t entity)
{
    sim_peer_send(peer, (qd_client_message){.kind = QD_CLIENT_DESPAWN,
                                            .as.batch = {.room = room, .entities = {.count = 1, .id = &entity}}});
}

static void watch(sim_peer *peer, uint64_t room, qd_watch how)
{
    sim_peer_send(peer,
                  (qd_client_message){.kind = QD_CLIENT_VIEW_OPTIONS, .as.view_options = {.room = room, .watch = how}});
}

/* ---- what they report ---- */

static void step_quietly(sim_peer *peer, uint64_t room)
{
    sim_peer_step(peer, room);
    (void)sim_peer_expect(peer, QD_SERVER_APPLIED);
}

static void expect_applied(sim_peer *peer)
{
    (void)sim_peer_expect(peer, QD_SERVER_APPLIED);
}

static void expect_counts(const qd_msg_view *view, uint32_t leaves, uint32_t enters, uint32_t relays)
{
    sim_check(view->leave_count == leaves && view->enter_count == enters && view->relay_count == relays,
              "%u leaves, %u enters, %u relays; there should be %u, %u and %u", view->leave_count, view->enter_count,
              view->relay_count, leaves, enters, relays);
}

static void expect_leave(const qd_msg_view *view, uint32_t observer, uint32_t id, qd_leave_reason reason)
{
    expect_counts(view, 1, 0, 0);
    sim_check(view->leave_observer[0] == observer && view->leave_id[0] == id && view->leave_reason[0] == reason,
              "%u leaves observer %u: %s", view->leave_id[0], view->leave_observer[0],
              qd_leave_reason_name(view->leave_reason[0]));
}

/* ---- cases ---- */

#define OBSERVE(peer, want, number, ...)                                                                               \
    SEND(peer, want, OBSERVE, .observers = {.count = 1, .id = IDS(number), __VA_ARGS__})
#define WATCH_AROUND(peer, want, number, anchor, far)                                                                  \
    OBSERVE(peer, want, number, .entity = IDS(anchor), .range = FLOATS(far))
#define STEER(peer, want, number, ...)                                                                                 \
    SEND(peer, want, MOVE_OBSERVERS, .observers = {.count = 1, .id = IDS(number), __VA_ARGS__})
#define DESCRIBE(peer, want, number, ...)                                                                              \
    SEND(peer, want, DESCRIBE, .describe = {.count = 1, .id = IDS(number), __VA_ARGS__})
#define EXCEPT(peer, want, ...)     SEND(peer, want, EXCEPT, .except = {.observer = 9, __VA_ARGS__})
#define DESPAWN(peer, want, number) SEND(peer, want, DESPAWN, .batch.entities = {.count = 1, .id = IDS(number)})
#define WATCH(peer, want, whom)     SEND(peer, want, VIEW_OPTIONS, .view_options = {.watch = (whom)})

/* Nobody is subscribed here. */
const sim_step sim_observer_gets_enters_and_leaves[] = {
    JOIN(A, NULL),
    SPAWN(A, NULL, 1, 4, 10), /* at (0, 0), (10, 10), (20, 20) and (30, 30) */
    SEND(A, NULL, DESCRIBE,
         .describe = {.count = 2,
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
    END,
};

const sim_step sim_region_and_tiers_bound_what_is_seen[] = {
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
    END,
};

const sim_step sim_observer_sees_what_lists_and_teams_allow[] = {
    JOIN(A, NULL),
    SPAWN(A, NULL, 1, 2, 10),
    OBSERVE(A, NULL, 9, .entity = IDS(1), .range = FLOATS(100), .team = IDS(5)),
    STEP(A, "view 1 enter 9:2 at 10 10; applied 1"),
    DESCRIBE(A, NULL, 2, .hidden = BYTES(1)),
    STEP(A, "view 2 leave 9:2 hidden; applied 2"),
    EXCEPT(A, NULL, .show_count = 1, .show = IDS(2)),
    STEP(A, "view 3 enter 9:2 at 10 10; applied 3"),
    EXCEPT(A, NULL, .hide_count = 1, .hide = IDS(2)),
    STEP(A, "view 4 leave 9:2 excepted; applied 4"),
    EXCEPT(A, NULL, .show_count = 0),
    DESCRIBE(A, NULL, 2, .hidden = BYTES(0), .team = IDS(5)),
    STEP(A, "view 5 enter 9:2 at 10 10; applied 5"),
    DESCRIBE(A, NULL, 2, .team = IDS(6)),
    STEP(A, "view 6 leave 9:2 team changed; applied 6"),
    END,
};

/* In a house where a room may have three observers. */
const sim_step sim_bad_requests_of_views_are_refused[] = {
    JOIN(A, NULL),
    JOIN(B, NULL),
    SPAWN(A, NULL, 1, 1, 0),
    SPAWN(B, NULL, 2, 1, 0),
    STEP(A, "applied 1"),
    OBSERVE(A, "error UNKNOWN_ROOM: no room with handle 77", 1, .room = 77, .entity = IDS(1), .range = FLOATS(5)),
    OBSERVE(A, "error COLUMNS: column x is missing, but entry 0 is free: send it", 1),
    STEER(A, "error COLUMNS: column y is missing", 1, .x = FLOATS(1)),
    DESCRIBE(A, "error INVALID: payload_size of entry 0 is 33", 1, .payload_size = BYTES(33),
             .payload = (uint8_t[33]){0}),
    WATCH(A, "error INVALID: watch is 9", (qd_watch)9),
    EXCEPT(A, "error UNKNOWN_OBSERVER: observer is 9", .show_count = 1, .show = IDS(1)),
    DESCRIBE(A, "error ENTRIES 0 NOT_OWNER: NOT_OWNER", 2),
    DESCRIBE(A, "error ENTRIES 0 NEGATIVE_SIZE: NEGATIVE_SIZE", 1, .visible_range = FLOATS(-1)),
    WATCH_AROUND(A, "error ENTRIES 0 NOT_OWNER: NOT_OWNER", 9, 2, 5),
    WATCH_AROUND(A, "error ENTRIES 0 UNKNOWN_ID: UNKNOWN_ID", 9, 3, 5),
    WATCH_AROUND(A, "error ENTRIES 0 NEGATIVE_SIZE: NEGATIVE_SIZE", 9, 1, -1),
    OBSERVE(A, "error ENTRIES 0 BAD_REGION: BAD_REGION", 9, .entity = IDS(1), .region = BYTES(7)),
    SEND(A, "error ENTRIES 0 UNKNOWN_OBSERVER: UNKNOWN_OBSERVER", UNOBSERVE, .observers = {.count = 1, .id = IDS(9)}),
    STEER(A, "error ENTRIES 0 UNKNOWN_OBSERVER: UNKNOWN_OBSERVER", 9, .x = FLOATS(1), .y = FLOATS(1)),
    /* The room takes three, of whomever. */
    WATCH_AROUND(A, NULL, 1, 1, 5),
    WATCH_AROUND(B, NULL, 1, 2, 5),
    WATCH_AROUND(A, "", 3, 1, 5),
    LOOK(B, ""),
    WATCH_AROUND(B, "error ENTRIES 0 OBSERVERS_FULL: OBSERVERS_FULL", 4, 2, 5),
    SEND(A, "error UNKNOWN_ID: a is 8, an entity, and b is 1, an entity: one of them is not", WHY,
         .why = {.a = 8, .b = 1}),
    END,
};

const sim_step sim_watched_session_gets_its_watchers[] = {
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
    END,
};

#define ASK_WHY(peer, want, from, to, is_observer)                                                                     \
    SEND(peer, want, WHY, .why = {.a = (from), .b = (to), .observer = (is_observer)})

const sim_step sim_why_names_the_rule[] = {
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
    END,
};

/* More enters, with payloads of changing length, and more leaves than a frame takes. */
void sim_a_large_view_comes_in_parts(sim_house *house)
{
    enum { COUNT = 40000, FIRST = 1000 };
    sim_peer peer;
    sim_peer_open(&peer, house, NULL);
    uint64_t room = sim_peer_open_room(&peer, "room", NULL);
    sim_peer_spawn(&peer, room, FIRST, COUNT, 0.002f);
    uint32_t *id = malloc(COUNT * sizeof *id);
    uint8_t *sizes = malloc(COUNT), *payload = malloc(32u * COUNT);
    sim_check(id != NULL && sizes != NULL && payload != NULL, "out of memory");
    size_t bytes = 0;
    for (uint32_t i = 0; i < COUNT; i++) {
        id[i] = FIRST + i;
        sizes[i] = (uint8_t)(i % 33);
        memset(payload + bytes, (int)(i % 251), sizes[i]);
        bytes += sizes[i];
    }
    describe(&peer,
             (qd_msg_describe){.room = room, .count = COUNT, .id = id, .payload_size = sizes, .payload = payload});
    watch_around(&peer, room, 1, FIRST, 200);
    watch(&peer, room, QD_WATCH_ALL);
    sim_check(sim_peer_expect(&peer, QD_SERVER_VIEW)->as.view.reset_watchers, "the reverse view starts at once");
    sim_peer_step(&peer, room);
    uint32_t next = FIRST + 1, watchers = 0, frames = 0; /* it does not see its anchor */
    bool last = false;
    while (!last) {
        const qd_msg_view *view = &sim_peer_expect(&peer, QD_SERVER_VIEW)->as.view;

        sim_check(qd_server_message_size(&peer.decoded.message) <= QD_VIEW_FRAME_BYTES_MAX + 200,
                  "a frame is too long");
        const uint8_t *at = view->enter_payload;
        for (uint32_t i = 0; i < view->enter_count; i++, next++) {
            uint32_t number = next - FIRST;

            sim_check(view->enter.id[i] == next && view->enter_payload_size[i] == number % 33,
                      "the order of all parts");
            for (uint32_t k = 0; k < view->enter_payload_size[i]; k++) {
                sim_check(*at++ == number % 251, "the payload of %u", next);
            }
        }
        sim_check(view->watcher_enter_count == 0 || next == FIRST + COUNT, "watchers come when all enters have");
        watchers += view->watcher_enter_count;
        frames++;
        last = view->last;
    }
    sim_check(next == FIRST + COUNT && watchers == COUNT - 1 && frames > 2, "%u of them in %u frames", next - FIRST,
              frames);
    expect_applied(&peer);

    /* The first frames of this are full of leaves, then come the enters of a second observer. */
    unobserve(&peer, room, 1);
    for (uint32_t i = 2; i < 6; i++) {
        watch_around(&peer, room, i, FIRST, 200);
    }
    sim_peer_step(&peer, room);
    uint32_t leaves = 0, enters = 0;
    for (last = false; !last;) {
        const qd_msg_view *view = &sim_peer_expect(&peer, QD_SERVER_VIEW)->as.view;

        sim_check(view->leave_count == 0 || enters == 0, "leaves come first");
        leaves += view->leave_count;
        enters += view->enter_count;
        sim_check(view->enter_count == 0 || leaves == COUNT - 1, "enters come when all leaves have");
        last = view->last;
    }
    sim_check(leaves == COUNT - 1 && enters == 4 * (COUNT - 1), "%u leaves, %u enters", leaves, enters);
    free(id);
    free(sizes);
    free(payload);
    sim_peer_close(&peer);
}

void sim_a_view_that_is_not_read_is_reset(sim_house *house)
{
    sim_peer writer, reader;

    sim_peer_open(&writer, house, NULL);
    sim_peer_open(&reader, house, NULL);
    uint64_t room = sim_peer_open_room(&writer, "room", NULL);
    sim_peer_open_room(&reader, "room", NULL);
    sim_peer_spawn(&reader, room, 1, 1, 0);
    watch_around(&reader, room, 5, 1, 50);
    watch(&reader, room, QD_WATCH_ALL);
    step_quietly(&writer, room);
    for (uint32_t i = 1; i <= 20; i++) {
        sim_peer_spawn(&writer, room, 100 * i, 30, 0);
        step_quietly(&writer, room);
    }
    size_t queued = qd_link_queued(&reader.link->link);
    sim_check(queued > 0 && queued <= 16384, "%zu bytes are queued", queued);
    uint32_t seen = 0, watchers = 0;
    bool reset = false;
    /* It reads; when it has, the next tick brings a reset. */
    for (int i = 0; i < 3; i++) {
        for (const qd_server_message *message; (message = sim_peer_next(&reader)) != NULL;) {
            const qd_msg_view *view = &message->as.view;

            if (message->kind != QD_SERVER_VIEW) {
                continue;
            }
            sim_check(!view->reset || view->reset_watchers, "both start again");
            sim_check(!view->reset || view->merged_ticks > 1, "a reset that stands for nothing");
            reset |= view->reset;
            seen = (view->reset ? 0 : seen) + view->enter_count;
            watchers = (view->reset_watchers ? 0 : watchers) + view->watcher_enter_count;
        }
        sim_house_settle(house);
        step_quietly(&writer, room);
    }
    sim_check(reset && seen == 600 && watchers == 600, "a reset with %u seen and %u watchers", seen, watchers);
    /* Then all goes on as if nothing had been. */
    despawn(&writer, room, 100);
    step_quietly(&writer, room);
    expect_leave(&sim_peer_expect(&reader, QD_SERVER_VIEW)->as.view, 5, 100, QD_LEAVE_DESPAWNED);
    sim_peer_expect_nothing(&reader);

    /* It never reads again. */
    for (uint32_t i = 1; i <= 40; i++) {
        sim_peer_spawn(&writer, room, 10000 + 100 * i, 30, 0);
        sim_peer_step(&writer, room);
    }
    sim_house_pass(house, house->server.service.config.limits.slow_ms_max - 100);
    sim_check(!reader.link->closed, "a reader has slow_ms_max");
    sim_house_pass(house, 200 + QD_FLUSH_MS_MAX);
    sim_check(reader.link->closed && !writer.link->closed, "it alone is disconnected");
    sim_peer_close(&writer);
    sim_peer_close(&reader);
}

static const uint32_t thirty[] = {100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 114,
                                  115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129};

/* In a house where a room may have 20 sightings. */
const sim_step sim_view_above_sightings_max_is_suspended[] = {
    JOIN(A, NULL),
    SPAWN(A, NULL, 1, 10, 0),
    WATCH_AROUND(A, NULL, 5, 1, 50),
    STEP(A, "view 1 9 enters; applied 1"),
    SPAWN(A, NULL, 100, 30, 0),
    STEP(A, "view 2 suspended; applied 2"),
    STEP(A, "applied 3"),
    SEND(A, NULL, DESPAWN, .batch.entities = {.count = 30, .id = thirty}),
    STEP(A, "view 4 reset 9 enters; applied 4"),
    END,
};

const qd_msg_room_config sim_quick_clock = {.tick_hz = 100, .grace_ms = 200};

/* In a room that ticks by its clock, without a subscription. */
const sim_step sim_views_end_with_grace_and_room[] = {
    JOIN(A, NULL),
    JOIN(B, NULL),
    SPAWN(A, NULL, 1, 2, 1),
    SPAWN(B, NULL, 11, 1, 1),
    WATCH_AROUND(A, NULL, 5, 1, 50),
    PASS(20),
    LOOK(A, "view 1 enter 5:2 at 1 1 enter 5:11 at 0 0; applied 1"),
    LEAVE(B, NULL),
    PASS(150),
    LOOK(A, ""),
    PASS(100),
    LOOK(A, "view 22 leave 5:11 expired"),
    SEND(A, "view 27 leave 5:2 room closed; closed: requested", CLOSE_ROOM, .room = {0}),
    END,
};
