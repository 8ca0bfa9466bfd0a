/* SPDX-License-Identifier: Apache-2.0
 *
 * Much is asked of a room, and each answer takes long.
 */
#include "scenario.h"

#define ASKED 200u

static uint32_t answered;

/* Answers keep the order of the questions, whose seqs follow those of Hello and OpenRoom. */
static void take_answers(sim_peer *peer)
{
    for (const qd_server_message *message; (message = sim_peer_next(peer)) != NULL; answered++) {
        sim_check(message->kind == QD_SERVER_QUERY_RESULT && message->seq == 3 + answered, "answer %u", answered);
    }
}

/* Lets the room run, each answer of which takes 2 ms, until B's Move is in a tick: one comes each twentieth of a second. */
static void run_until_moved(sim_scenario *play)
{
    sim_world *world = &play->house->world;
    const qd_server_message *applied;

    answered = 0;
    world->look_ns = 2 * SIM_MS_NS;
    while ((applied = sim_peer_next(&play->peers[B])) == NULL) {
        if (!sim_run_actor(world)) {
            world->now_ns += SIM_MS_NS;
        }
        (void)sim_step_links(world, 100);
        take_answers(&play->peers[A]);
    }
    world->look_ns = 0;
    sim_check(applied->kind == QD_SERVER_APPLIED && applied->seq == play->peers[B].seq, "the move's Applied");
    sim_check(answered > 0 && answered < ASKED / 2, "the move is in after %u answers", answered);
    sim_house_settle(play->house);
    take_answers(&play->peers[A]);
    sim_check(answered == ASKED, "all is answered");
}

SCENARIO(queries_do_not_delay_other_sessions, CONFIG(.tick_hz = 20)) = {
    JOIN(A, NULL),
    JOIN(B, NULL),
    SPAWN(B, NULL, 1, 20, 1),
    PASS(100),
    LOOK(B, "applied *"),
    /* All is in the room's mailbox; the room has not run. */
    REPEAT(ASKED, 0),
    SEND(A, NULL, QUERY, .query = {.kind = QD_QUERY_CIRCLE, .where.circle = {.x = 50, .y = 50, .radius = 100}}),
    AGAIN,
    LOOPS(1000),
    LINK(A, "0 bytes in"),
    MOVE(B, NULL, 1, 7, 7),
    LOOPS(1000),
    LINK(B, "0 bytes in"),
    CALL(run_until_moved),
};
