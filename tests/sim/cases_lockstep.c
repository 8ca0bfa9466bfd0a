/* SPDX-License-Identifier: Apache-2.0
 *
 * Cases of several writers in lockstep: sessions 1 to 3, which are three writers, and session 4.
 */
#include "scenario.h"

#define IN_LOCKSTEP   CONFIG(.tick_mode = QD_TICK_MODE_STEP, .writers = 3, .step_deadline_ms = 500)
#define THREE_WRITERS JOIN(A, NULL), JOIN(B, NULL), JOIN(C, NULL)
/* The next tick, which all three make. */
#define TICK_OF_ALL(tick)                                                                                              \
    STEP_TO(A, "", tick), PASS(100), STEP(B, ""), LOOK(A, ""), PASS(100), STEP_TO(C, "applied " #tick, tick),          \
        LOOK(A, "applied " #tick), LOOK(B, "applied " #tick)

/* Without seq, so that no answer comes. */
static void step_silently(sim_scenario *play)
{
    const qd_client_message silent = {.kind = QD_CLIENT_STEP, .as.step = {.room = play->rooms[0], .tick = 4}};

    sim_link_send(play->peers[B].link, &silent);
    sim_link_send(play->peers[C].link, &silent);
}

SCENARIO(lockstep_waits_for_all, IN_LOCKSTEP) = {
    THREE_WRITERS,
    TICK_OF_ALL(1),
    TICK_OF_ALL(2),
    TICK_OF_ALL(3),
    STEP_TO(A, "", 4),
    /* One Step per tick, and the tick after the next is not due. */
    STEP_TO(A, "error WRONG_TICK due 4: has stepped for tick 4 already", 4),
    STEP_TO(A, "error WRONG_TICK due 4: must be 4", 5),
    CALL(step_silently),
    LOOK(A, "applied 4 to -2"),
    LOOK(B, ""),
};

SCENARIO(lockstep_waits_no_longer_than_its_deadline, IN_LOCKSTEP) = {
    THREE_WRITERS,
    /* The others have never stepped, so the server does not know them as writers yet. */
    STEP_TO(A, "", 1),
    PASS(490),
    LOOK(A, ""),
    PASS(20),
    LOOK(A, "applied 1"),
    TICK_OF_ALL(2),
    /* The deadline counts from the first Step, not from the last tick. */
    PASS(2000),
    STEP_TO(C, "", 3),
    SPAWN(A, "", 1, 1, 0),
    PASS(490),
    LOOK(C, ""),
    PASS(20),
    LOOK(C, "applied 3 2 late 1 2"),
    /* A late writer gets its Applied, with the tick of the others. */
    LOOK(A, "applied 3"),
    STEP_TO(A, "error TICK_OVER due 4: tick is 3, but the last tick is 3", 3),
    STEP_TO(A, "error TICK_OVER due 4: must be 4", 1),
};

SCENARIO(lockstep_goes_on_without_writers_that_left, IN_LOCKSTEP) = {
    THREE_WRITERS,
    JOIN(D, NULL),
    TICK_OF_ALL(1),
    /* Two wait for the third, which goes. */
    STEP_TO(A, NULL, 2),
    STEP_TO(B, "", 2),
    LOOK(A, ""),
    CLOSE(C),
    LOOK(A, "applied 2"),
    LOOK(B, "applied 2"),
    /* Two are enough, until another takes its place. */
    STEP_TO(A, NULL, 3),
    STEP_TO(B, "applied 3", 3),
    LOOK(A, "applied 3"),
    STEP_TO(D, NULL, 4),
    STEP_TO(A, "", 4),
    STEP_TO(B, "applied 4", 4),
    LOOK(A, "applied 4"),
    LOOK(D, "applied 4"),
    /* A writer that leaves takes its Step along: the tick waits for two others, and one of them steps. */
    STEP_TO(A, "", 5),
    CLOSE(A),
    STEP_TO(B, "", 5),
    PASS(510),
    LOOK(B, "applied 5 1 late 4"),
};

SCENARIO(lockstep_answers_a_step_behind_later_requests, IN_LOCKSTEP) = {
    THREE_WRITERS,
    STEP_TO(A, NULL, 1),
    SEND(A, "accepted", UNSUBSCRIBE, .room = {0}),
    SPAWN(A, "", 1, 2, 0),
    PASS(510),
    LOOK(A, "applied 1 of request 5 to -2"), /* with what came after the Step */
    /* The room is closed while the Step waits: that is a tick, too. */
    STEP_TO(A, NULL, 2),
    CLOSE_ROOM(A, "applied 2 to -1; closed: requested"),
};
