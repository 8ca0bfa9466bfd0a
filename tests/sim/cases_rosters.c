/* SPDX-License-Identifier: Apache-2.0
 *
 * Cases of rosters: what is refused as a whole, and how long they are there.
 */
#include "scenario.h"

#define NAME(peer, want, number, from, many)                                                                           \
    SEND(peer, want, SET_ROSTER,                                                                                       \
         .set_roster = {.roster = (number), .first = (from), .count = (many), .id = IDS(1, 2, 3, 4, 5, 6, 7, 8)})
/* Entries `from` and so on to (10, to), (20, to) and (30, to). */
#define MOVE_ENTRIES(peer, want, number, from, many, to)                                                               \
    SEND(peer, want, MOVE_ROSTER,                                                                                      \
         .move_roster = {                                                                                              \
             .roster = (number), .first = (from), .count = (many), .x = FLOATS(10, 20, 30), .y = FLOATS(to, to, to)})

SCENARIO(rosters_move_what_they_name) = {
    JOIN(A, NULL),
    JOIN(B, NULL),
    NAME(A, NULL, 255, 0, 4),
    SPAWN(A, NULL, 1, 3, 5),
    MOVE_ENTRIES(A, "accepted 2 UNKNOWN_ID: entry 2 (id 4)", 255, 1, 3, 20),
    STEP(A, "applied 1"),
    SNAPSHOT(A, "snapshot 1 at 0 0 2 at 10 20 3 at 20 20"),
    WORLD("updates 5"),
    /* What is another session's is refused, and its rosters are its own. */
    MOVE_ENTRIES(B, "error UNKNOWN_ROSTER: roster is 255", 255, 0, 1, 30),
    NAME(B, NULL, 255, 0, 1),
    MOVE_ENTRIES(B, "accepted 0 NOT_OWNER: another session owns the entity", 255, 0, 1, 30),
};

#define COLUMNS(...) .move_roster = {.roster = 7, .count = 2, .x = FLOATS(1, 2), __VA_ARGS__}

/* In a house where a session's rosters may have 8 ids. */
SCENARIO(bad_requests_of_rosters_are_refused, .limits = {.roster_ids_max = 8}) = {
    CONNECT(A),
    SEND(A, "welcome 1 roster ids 8", HELLO, .hello.version = 1),
    ROOM(A, 0),
    SEND(A, "error UNKNOWN_ROOM: OpenRoom first", SET_ROSTER, .set_roster = {.room = 12345, .count = 1, .id = IDS(1)}),
    NAME(A, "error INVALID: roster is 256", 256, 0, 1),
    MOVE_ENTRIES(A, "error INVALID: roster is 256", 256, 0, 1, 1),
    MOVE_ENTRIES(A, "error UNKNOWN_ROSTER: roster is 7", 7, 0, 1, 1),
    NAME(A, "error INVALID: first is 1, but roster 7 has 0 entries", 7, 1, 1),
    NAME(A, "", 7, 0, 5),
    NAME(A, "error LIMIT: at most 8 together (--roster-ids-max)", 8, 0, 4),
    MOVE_ENTRIES(A, "error UNKNOWN_ROSTER: roster is 8", 8, 0, 1, 1),
    MOVE_ENTRIES(A, "error INVALID: 3 positions come from entry 3 on", 7, 3, 3, 1),
    MOVE_ENTRIES(A, "error INVALID: 0 positions come from entry 6 on", 7, 6, 0, 1),
    MOVE_ENTRIES(A, "", 7, 5, 0, 1), /* no position, from the end on: there is nothing wrong with that */
    STEP(A, "applied 1"),
    SEND(A, "error INVALID: z has values", MOVE_ROSTER, COLUMNS(.y = FLOATS(1, 2), .z = FLOATS(1, 2))),
    SEND(A, "error COLUMNS: y", MOVE_ROSTER, COLUMNS()),
    CUBE_ROOM(A, 1),
    SEND(A, "error COLUMNS: column z is missing", MOVE_ROSTER, COLUMNS(.y = FLOATS(1, 2))),
    IN_ROOM(0),
    /* What is dropped makes room, and is there no more. */
    NAME(A, "", 7, 0, 0),
    NAME(A, "", 8, 0, 8),
    MOVE_ENTRIES(A, "error UNKNOWN_ROSTER: roster is 7", 7, 0, 1, 1),
};

SCENARIO(rosters_go_when_their_session_leaves) = {
    RESUMABLE(A, NULL, "welcome 1 new key for 10000"),
    ROOM(A, 0),
    SPAWN(A, NULL, 1, 2, 0),
    NAME(A, NULL, 0, 0, 2),
    MOVE_ENTRIES(A, NULL, 0, 0, 2, 30),
    STEP(A, "applied 1"),
    /* Not when its connection does. */
    CLOSE(A),
    RESUME(B, A, NULL, "welcome 1 same key for 10000 resumed last 6; applied 1 of request 6 unasked"),
    MOVE_ENTRIES(B, "", 0, 1, 1, 40),
    STEP(B, "applied 2"),
    SNAPSHOT(B, "snapshot 1 at 10 30 2 at 10 40"),
    LEAVE(B, "left"),
    ROOM(B, 0),
    MOVE_ENTRIES(B, "error UNKNOWN_ROSTER: roster is 0", 0, 0, 2, 50),
};
