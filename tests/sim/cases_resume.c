/* SPDX-License-Identifier: Apache-2.0
 *
 * Cases of sessions that outlive their connections.
 */
#include "scenario.h"

SCENARIO(a_session_is_resumed, CONFIG(.tick_mode = QD_TICK_MODE_STEP, .grace_ms = 1)) = {
    JOIN(A, NULL),
    RESUMABLE(B, "token", "welcome 2 new key for 10000"),
    ROOM(B, 0),
    SPAWN(B, NULL, 1, 2, 0),
    SUBSCRIBE(B, NULL, ALL),
    PASS(0),
    CLOSE(B),
    /* Nobody notices, for nearly 10 s. */
    PASS(5000),
    STEP(A, "applied 1"),
    PASS(4900),
    SNAPSHOT(A, "snapshot 1 at 0 0 2 at 0 0"),
    WORLD("sessions 1; detached 1; resumed 0"),
    RESUME(
        C, B, "token",
        "welcome 2 same key for 10000 resumed last 4; applied 1 of request 3 pairs lag unasked; tick 1 reset merged 1 "
        "begin 1-2"),
    LOOK(C, ""),
    WORLD("sessions 2; detached 0; resumed 1"),
    /* It may do what it could: its entities, its place in the room, its handle. */
    SPAWN(C, NULL, 3, 1, 0),
    STEP(C, "tick 2 begin 1-3 begin 2-3; applied 2"),
    CLOSE(C),
    PASS(10100),
    STEP(A, "applied 3"),
    PASS(10),
    SNAPSHOT(A, "snapshot"),
};

SCENARIO(a_session_that_is_not_resumed_ends,
         CONFIG(.tick_mode = QD_TICK_MODE_STEP, .grace_ms = 500, .empty_close_ms = 500)) = {
    RESUMABLE(A, NULL, "welcome 1 new key for 10000"),
    ROOM(A, 0),
    SPAWN(A, "", 1, 1, 0),
    CLOSE(A),
    PASS(10400),
    WORLD("actors 1"), /* the grace of its entities runs from then on */
    PASS(1000),
    WORLD("actors 0"), /* then the room is empty, and closes */
    RESUME(B, A, NULL, "welcome 2 new key for 10000"),
    /* A session that did not ask for it is not kept. */
    JOIN(C, NULL),
    CLOSE(C),
    WORLD("detached 0"),
};

SCENARIO(wrong_key_resumes_nothing) = {
    RESUMABLE(A, "token", "welcome 1 new key for 10000"),
    ROOM(A, 0),
    CLOSE(A),
    REPEAT(24, 2),
    RESUME_WITH(B, A, "token", "welcome %u new key for 10000", .spoiled = true),
    CLOSE(B),
    AGAIN,
    RESUME(B, A, "another", "welcome 26 new key for 10000"),
    CLOSE(B),
    RESUME(B, A, NULL, "welcome 27 new key for 10000"),
    CLOSE(B),
    RESUME_WITH(B, A, "token", "welcome 28 new key for 10000", .cut = true),
    CLOSE(B),
    RESUME(B, A, "token", "welcome 1 same key for 10000 resumed last 2"),
    REJOIN(B, "opened"),
};

SCENARIO(a_connection_is_taken_over) = {
    RESUMABLE(A, NULL, "welcome 1 new key for 10000"),
    ROOM(A, 0),
    SPAWN(A, "", 1, 2, 0),
    RESUME(B, A, NULL, "welcome 1 same key for 10000 resumed last 3"),
    LOOK(A, "go away: taken over; end"),
    /* What the older one asked for is answered to the newer. */
    STEP(B, "applied 1"),
    SNAPSHOT(B, "snapshot 1 at 0 0 2 at 0 0"),
};

/* In each of these ticks more entities at the same place: one, or a pair. */
#define ENTITIES_AND_TICKS(many, tick, ticks)                                                                          \
    REPEAT(ticks, tick), SPAWN_EACH(A, NULL, 0, 10, many, 0), STEP(A, "applied %u"), AGAIN
#define ACK(peer, number) SEND(peer, NULL, ACK, .step.tick = (number)), PASS(0)

SCENARIO(what_was_missed_is_reported) = {
    JOIN(A, NULL),
    RESUMABLE(B, NULL, "welcome 2 new key for 10000"),
    ROOM(B, 0),
    SUBSCRIBE(B, "accepted; tick 0 reset", ALL),
    ENTITIES_AND_TICKS(2, 1, 5),
    /* Of five ticks that were sent it acknowledges two. Three more are not sent. */
    ACK(B, 2),
    CLOSE(B),
    ENTITIES_AND_TICKS(2, 6, 3),
    RESUME(C, B, NULL, "welcome 2 same key for 10000 resumed last 4; tick 8 reset merged 6 120 begin"),
    /* Without an Ack it counts from the first that was not sent. */
    CLOSE(C),
    ENTITIES_AND_TICKS(2, 9, 2),
    RESUME(B, C, NULL, "welcome 2 same key for 10000 resumed last 4; tick 10 reset merged 8 190 begin"),
};

#define OBSERVE_CORNER(peer, want)                                                                                     \
    SEND(peer, want, OBSERVE,                                                                                          \
         .observers = {.count = 1, .id = IDS(7), .x = FLOATS(1), .y = FLOATS(1), .range = FLOATS(10)})

SCENARIO(views_go_on_at_the_next_tick) = {
    JOIN(A, NULL),
    RESUMABLE(B, NULL, "welcome 2 new key for 10000"),
    ROOM(B, 0),
    OBSERVE_CORNER(B, ""),
    ENTITIES_AND_TICKS(1, 1, 5),
    ACK(B, 2),
    CLOSE(B),
    ENTITIES_AND_TICKS(1, 6, 1),
    RESUME(C, B, NULL, "welcome 2 same key for 10000 resumed last 4; applied 6 of request 3 views lag unasked"),
    LOOK(C, ""),
    STEP(A, "applied 7"),
    LOOK(C, "view 7 reset merged 5 enter 7:10 at 0 0 enter 7:20 at 0 0 enter 7:30 at 0 0 enter 7:40 at 0 0 enter 7:50 "
            "at 0 0 enter 7:60 at 0 0"),
};

SCENARIO(a_view_that_ended_unseen_is_reset) = {
    JOIN(A, NULL),
    RESUMABLE(B, NULL, "welcome 2 new key for 10000"),
    ROOM(B, 0),
    SPAWN(A, NULL, 1, 1, 0),
    OBSERVE_CORNER(B, ""),
    STEP(A, "applied 1"),
    LOOK(B, "view 1 enter 7:1 at 0 0; applied 1"),
    /* The leave is on its way when the connection breaks, and nothing is observed any more. */
    UNOBSERVE(B, "", 7),
    STEP(A, "applied 2"),
    CLOSE(B),
    RESUME(C, B, NULL, "welcome 2 same key for 10000 resumed last 4; applied 2 of request 4 views lag unasked"),
    STEP(A, "applied 3"),
    LOOK(C, "view 3 reset merged 1"),
};

SCENARIO(room_closed_while_detached_is_reported) = {
    RESUMABLE(A, "token", "welcome 1 new key for 10000"),
    ROOM(A, 0),
    ROOM(A, 1),
    JOIN(B, "token"),
    CLOSE(A),
    CLOSE_ROOM(B, "closed: requested"),
    RESUME(C, A, "token", "welcome 1 same key for 10000 resumed last 3; closed: requested unasked"),
    STEP(C, "error UNKNOWN_ROOM: OpenRoom first"),
    STEP(B, "error UNKNOWN_ROOM: OpenRoom first"),
    IN_ROOM(1),
    STEP(C, "applied 1"),
    PASS(100),
    WORLD("rooms 1"),
    /* Also where all its rooms are closed, and it does not come back. */
    ROOM(B, 1),
    CLOSE(C),
    CLOSE_ROOM(B, "closed: requested"),
    PASS(10100),
    WORLD("actors 1; rooms 0; sessions 1; detached 0"),
};

#define DETACH(peer, number) RESUMABLE(peer, NULL, "welcome " #number " new key for 10000"), ROOM(peer, 0), CLOSE(peer)

/* In a house that keeps two. */
SCENARIO(detached_sessions_are_limited, .limits = {.connections_max = 2}) = {
    DETACH(A, 1),        WORLD("detached 1"), DETACH(A, 2),        WORLD("detached 2"), DETACH(A, 3),
    WORLD("detached 2"), DETACH(A, 4),        WORLD("detached 2"), DETACH(A, 5),        WORLD("detached 2"),
};

SCENARIO(detached_sessions_expire_one_by_one) = {
    DETACH(A, 1),
    PASS(3000),
    DETACH(B, 2),
    PASS(3000),
    DETACH(C, 3),
    PASS(3000),
    /* The first one is resumed just before its time is over; the others keep theirs. */
    RESUME(D, A, NULL, "welcome 1 same key for 10000 resumed last 2"),
    WORLD("detached 2"),
    PASS(3000),
    WORLD("detached 2"), /* after 12 s */
    PASS(3000),
    WORLD("detached 1"), /* after 15 s */
    PASS(3000),
    WORLD("detached 0"), /* after 18 s */
    CLOSE(D),
    PASS(9000),
    WORLD("detached 1"),
    PASS(2000),
    WORLD("detached 0"),
};
