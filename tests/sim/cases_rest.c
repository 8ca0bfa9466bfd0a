/* SPDX-License-Identifier: Apache-2.0
 *
 * Cases of rooms at rest: a room that ticks by its clock makes no ticks while they would change and send nothing, but
 * counts them.
 */
#include "scenario.h"

#define HZ    100
#define CLOCK CONFIG(.tick_hz = HZ, .grace_ms = 20000)

/* Time in which a room makes its last ticks before it rests. */
#define SETTLE PASS(60)

#define SUBSCRIBE_STAYS(peer, want) SEND(peer, want, SUBSCRIBE, .subscribe = {.stays = true})
#define OBSERVE_AT(peer, want, where, far, ...)                                                                        \
    OBSERVE(peer, want, 9, .x = FLOATS(where), .y = FLOATS(where), .range = FLOATS(far), __VA_ARGS__)

/* The beat goes on at multiples of 10 ms, and the tick numbers with it. */
SCENARIO(room_at_rest_goes_on_in_phase, CLOCK) = {
    JOIN(A, NULL),
    SUBSCRIBE(A, NULL, ALL),
    SPAWN(A, NULL, 1, 2, 0),
    PASS(11),
    LOOK(A, "accepted to -1; tick 0 reset; tick 1 begin 1-2; applied 1"),
    SETTLE,
    /* 10003 ms have passed. */
    STILL(9932),
    LOOK(A, ""),
    MOVE(A, "", 1, 50, 50),
    PASS(6),
    LOOK(A, ""),
    PASS(2),
    LOOK(A, "tick 1001 end 1-2 moved apart; applied 1001"),
    SETTLE,
    /* So it goes again and again: 2 s for each of these rounds, from 10071 ms on. */
    REPEAT(30, 0),
    STILL(929),
    MOVE(A, "", 1, 0, 0),
    PASS(71),
    MOVE(A, "tick * begin 1-2; applied *", 1, 50, 50),
    PASS(1000),
    LOOK(A, "tick * end 1-2 moved apart; applied *"),
    AGAIN,
    /* At 70080 ms. */
    STILL(2),
    MOVE(A, "", 1, 0, 0),
    PASS(11),
    LOOK(A, "tick 7008 begin 1-2; applied 7008"),
};

SCENARIO(rate_that_is_no_part_of_a_second_keeps_its_ticks, CONFIG(.tick_hz = 7)) = {
    JOIN(A, NULL),
    SPAWN(A, NULL, 1, 1, 0),
    PASS(1000),
    LOOK(A, "applied 1"),
    STILL(8999500), /* nearly 9000.5 s, or 63003.5 periods */
    MOVE(A, "", 1, 5, 5),
    PASS(60),
    LOOK(A, ""),
    PASS(20),
    LOOK(A, "applied 63004"),
};

/* ---- what wakes it, and what does not ---- */

static uint64_t start_ns; /* just before the first change */

static void note_start(sim_scenario *play)
{
    start_ns = play->house->world.now_ns;
}

/* The last tick that an answer names. */
static uint64_t named_tick(const qd_server_message *message)
{
    switch (message->kind) {
    case QD_SERVER_ROOM_OPENED:
        return message->as.room_opened.tick;
    case QD_SERVER_ROOM_LIST:
        return message->as.room_list.rooms[0].tick;
    case QD_SERVER_SNAPSHOT_RESULT:
        return message->as.snapshot_result.tick;
    case QD_SERVER_QUERY_RESULT:
        return message->as.query_result.tick;
    case QD_SERVER_WHY_RESULT:
        return message->as.why_result.tick;
    case QD_SERVER_STATS:
        return message->as.stats.room.tick;
    case QD_SERVER_ACCEPTED:
        return message->as.accepted.tick;
    case QD_SERVER_TICK:
        return message->as.tick.tick;
    default:
        sim_fail("a message of kind %d names no tick", message->kind);
    }
}

/* Every answer names the tick that is over, halfway between two ticks. */
static void ask_everything(sim_scenario *play)
{
    const uint64_t room = play->rooms[0];
    const qd_client_message asked[] = {
        MESSAGE(OPEN_ROOM, .open_room = {.name = "room"}),
        MESSAGE(LIST_ROOMS, .list_rooms = {0}),
        MESSAGE(GET_SNAPSHOT, .get_snapshot = {.room = room}),
        MESSAGE(QUERY, .query = {.room = room, .kind = QD_QUERY_CIRCLE, .where.circle = {.radius = 100}}),
        MESSAGE(WHY, .why = {.room = room, .a = 1, .b = 2}),
        MESSAGE(GET_STATS, .room = {room}),
        MESSAGE(SUBSCRIBE, .subscribe = {.room = room}), /* Accepted, and a reset */
        MESSAGE(UNSUBSCRIBE, .room = {room}),
    };
    sim_peer *peer = &play->peers[B];
    uint32_t answers = 0;

    for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++) {
        sim_house_pass(play->house, 2000);
        sim_peer_send(peer, asked[i]);
        sim_house_settle(play->house);
        const uint64_t due = (play->house->world.now_ns - start_ns) * HZ / 1000000000;
        for (const qd_server_message *message; (message = sim_peer_next(peer)) != NULL; answers++) {
            sim_check(named_tick(message) == due, "answer %u names tick %llu, not %llu", answers,
                      (unsigned long long)named_tick(message), (unsigned long long)due);
        }
    }
    sim_check(answers == sizeof asked / sizeof asked[0] + 1, "%u answers", answers);
}

SCENARIO(who_only_reads_does_not_wake_a_room, CLOCK) = {
    JOIN(A, NULL),
    JOIN(B, NULL),
    CALL(note_start),
    SPAWN(A, NULL, 1, 2, 0),
    PASS(105),
    LOOK(A, "applied 1"),
    WORLD("ticks 5"),
    CALL(ask_everything),
    WORLD("ticks 9"), /* a Subscribe may want pairs that stay */
    /* A roster changes nothing, but its Applied is due. */
    SEND(A, "", SET_ROSTER, .set_roster = {.roster = 1, .count = 1, .id = IDS(1)}),
    PASS(6),
    LOOK(A, "applied *"),
    SETTLE,
    STILL(1000),
};

SCENARIO(pairs_that_stay_keep_a_room_running, CLOCK) = {
    JOIN(A, NULL),
    SPAWN(A, NULL, 1, 2, 0),
    PASS(1005),
    LOOK(A, "applied 1"),
    SUBSCRIBE_STAYS(A, "accepted; tick 100 reset begin 1-2"),
    PASS(40),
    LOOK(A, "tick 101 stay 1-2; tick 102 stay 1-2; tick 103 stay 1-2; tick 104 stay 1-2"),
    PASS(40),
    LOOK(A, "tick 105 stay 1-2; tick 106 stay 1-2; tick 107 stay 1-2; tick 108 stay 1-2"),
    SEND(A, "accepted", UNSUBSCRIBE, .room = {0}),
    SETTLE,
    STILL(1000),
    /* Without such pairs there is nothing to send. */
    MOVE(A, NULL, 1, 50, 50),
    SUBSCRIBE_STAYS(A, "accepted; tick * reset begin 1-2"),
    SETTLE,
    LOOK(A, "tick * end 1-2 moved apart; applied *"),
    STILL(1000),
};

/* ---- views that wait for later ticks ---- */

SCENARIO(relay_of_a_slow_tier_comes_before_the_rest, CLOCK) = {
    JOIN(A, NULL),
    SPAWN(A, NULL, 1, 1, 0),
    OBSERVE_AT(A, NULL, 0, 50, .tier_count = 1, .relay_range = FLOATS(50), .relay_every = IDS(40)),
    PASS(15),
    LOOK(A, "view 1 enter 9:1 at 0 0; applied 1"),
    MOVE(A, NULL, 1, 5, 5),
    PASS(10),
    LOOK(A, "applied 2"),
    PASS(360),
    LOOK(A, ""),
    PASS(10),
    LOOK(A, "view 39 relay 9:1 at 5 5"), /* (39 + 1) % 40 is 0 */
    PASS(410),
    STILL(5000),
    UNOBSERVE(A, NULL, 9),
    PASS(10),
    LOOK(A, "view 581 leave 9:1 observer gone; applied 581"),
    SETTLE,
    STILL(1000),
};

SCENARIO(entities_enter_by_a_budget_before_the_rest, CLOCK) = {
    JOIN(A, NULL),
    RESUMABLE(B, NULL, "welcome 2 new key for 10000"),
    ROOM(B, 0),
    SPAWN(A, NULL, 1, 20, 1),
    OBSERVE_AT(A, NULL, 0, 90, .enter_budget = IDS(1)),
    OBSERVE_AT(B, NULL, 0, 90, .enter_budget = IDS(1)),
    PASS(15),
    LOOK(A, "view 1 enter 9:1 at 0 0; applied 1"),
    /* It goes on while the session has no connection. */
    CLOSE(B),
    PASS(190),
    LOOK(A, "...; view 20 enter 9:20 at 19 19"),
    SETTLE,
    STILL(5000),
    RESUME(B, B, NULL,
           "welcome 2 same key for 10000 resumed last 3; applied 526 of request 3 views lag unasked; "
           "view 527 reset merged 526 20 enter"),
    LOOK(A, ""),
};

/* What the longest tier or a budget holds back for good keeps no room running. */
SCENARIO(entity_that_never_fits_lets_the_room_rest, CLOCK) = {
    JOIN(A, NULL),
    SEND(A, NULL, SET_VIEW_OPTIONS, .set_view_options = {.bytes_max = 32}),
    SPAWN(A, NULL, 1, 1, 0),
    OBSERVE_AT(A, NULL, 0, 90, .enter_budget = IDS(1)),
    SETTLE,
    LOOK(A, "applied 1"),
    STILL(1000),
};

/* ---- sessions ---- */

SCENARIO(session_that_resumes_in_a_room_at_rest_has_missed_its_ticks, CLOCK) = {
    JOIN(A, NULL),
    RESUMABLE(B, NULL, "welcome 2 new key for 10000"),
    ROOM(B, 0),
    SUBSCRIBE(B, NULL, ALL),
    SPAWN(A, NULL, 1, 2, 0),
    PASS(15),
    LOOK(B, "accepted; tick 0 reset; tick 1 begin 1-2"),
    SEND(B, "", ACK, .step = {.tick = 1}),
    CLOSE(B),
    SETTLE,
    STILL(5000),
    RESUME(B, B, NULL, "welcome 2 same key for 10000 resumed last 4; tick 507 reset merged 506 begin 1-2"),
};

SCENARIO(entities_that_expire_wake_the_room, CLOCK) = {
    JOIN(A, NULL),
    JOIN(B, NULL),
    SUBSCRIBE(A, NULL, ALL),
    SPAWN(A, NULL, 1, 1, 0),
    SPAWN(B, NULL, 2, 1, 0),
    PASS(15),
    CLOSE(B),
    SETTLE,
    LOOK(A, "accepted to -1; tick 0 reset; tick 1 begin 1-2; applied 1"),
    STILL(19900),
    PASS(60),
    LOOK(A, "tick 2002 end 1-2 expired"),
    SETTLE,
    STILL(1000),
};

SCENARIO(room_that_closes_at_rest_ends_its_pairs, CLOCK) = {
    JOIN(A, NULL),
    SUBSCRIBE(A, NULL, ALL),
    SPAWN(A, NULL, 1, 2, 0),
    PASS(1005),
    LOOK(A, "accepted to -1; tick 0 reset; tick 1 begin 1-2; applied 1"),
    CLOSE_ROOM(A, "tick 101 end 1-2 room closed; closed: requested"),
};
