/* SPDX-License-Identifier: Apache-2.0
 *
 * Cases of tokens and admins: which sessions are listed, and which entities may be observed.
 */
#include "scenario.h"

static void set_admin(sim_scenario *play)
{
    static qd_grant grants[] = {{.token = "alpha", .role = QD_ROLE_WRITER, .patterns = ""},
                                {.token = "beta", .role = QD_ROLE_WRITER, .patterns = ""},
                                {.token = "root", .role = QD_ROLE_ADMIN, .patterns = ""}};

    sim_house_tokens(play->house, grants, 3);
}

#define LIST(peer, want, ...) SEND(peer, want, LIST_SESSIONS, .list_sessions = {__VA_ARGS__})

SCENARIO(token_decides_which_sessions_are_listed) = {
    CALL(set_admin),
    OPEN(A, "alpha"),
    RESUMABLE(B, "alpha", "welcome *"),
    OPEN(C, "beta"),
    OPEN(D, "root"),
    ROOM(A, 1),
    ROOM(B, 0),
    LIST(A, "sessions 1:1 2:1", .after = 0),
    LIST(C, "sessions 3:0", .after = 0),
    LIST(D, "sessions 1:1 2:1 3:0 4:0", .after = 0),
    LIST(D, "sessions 2:1 3:0 and more", .after = 1, .limit = 2),
    LIST(D, "sessions 4:0", .after = 3, .limit = 2),
    LIST(D, "error UNKNOWN_ROOM", .room = 77),
    LIST(D, "error INVALID", .limit = 1001),
    CLOSE(B),
    PASS(10),
    LIST(A, "sessions 1:1 2:1-", .after = 0),
    IN_ROOM(1),
    LEAVE(A, "left"),
    LIST(A, "sessions 1:0 2:1-", .after = 0),
    CLOSE(A),
    PASS(10),
    LIST(D, "sessions 2:1- 3:0 4:0", .after = 0),
};

SCENARIO(admin_observes_entity_of_another_session) = {
    CALL(set_admin),
    JOIN(A, "alpha"),
    JOIN(B, "alpha"),
    JOIN(C, "root"),
    SPAWN(A, "", 1, 3, 1),
    SEND(B, "accepted 0 NOT_OWNER of field 5: entity is 1", OBSERVE,
         .observers = {.count = 1, .id = IDS(9), .entity = IDS(1), .range = FLOATS(5)}),
    SEND(C, "", OBSERVE, .observers = {.count = 1, .id = IDS(9), .entity = IDS(1), .range = FLOATS(5)}),
    SEND(C, "accepted 0 UNKNOWN_ID of field 5: entity is 7", OBSERVE,
         .observers = {.count = 1, .id = IDS(8), .entity = IDS(7), .range = FLOATS(5)}),
    SEND(C, "accepted 0 NOT_OWNER: another session owns", DESPAWN, .batch = {.entities = {.count = 1, .id = IDS(2)}}),
    STEP(A, "applied *"),
    LOOK(C, "view 1 enter 9:2 at 1 1 enter 9:3 at 2 2; applied 1"),
};
