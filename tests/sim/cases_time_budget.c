/* SPDX-License-Identifier: Apache-2.0
 *
 * Much is asked of a room, and each answer takes long.
 */
#include "cases.h"

#define ASKED 200u /* in all four tenths of a second; the room ticks each twentieth */

static uint32_t ask(sim_peer *peer, uint64_t room)
{
    return sim_peer_send(peer, (qd_client_message){.kind = QD_CLIENT_QUERY,
                                                   .as.query = {.room = room,
                                                                .kind = QD_QUERY_CIRCLE,
                                                                .where.circle = {.x = 50, .y = 50, .radius = 100}}});
}

/* All that was sent is in the room's mailbox; the room has not run. */
static void hand_in(sim_house *house, const sim_peer *peer)
{
    for (int i = 0; i < 1000; i++) {
        (void)sim_step_links(&house->world, 100);
    }
    sim_check(peer->link->in_size == 0, "all is handed in");
}

/* Takes the answers that have come, which keep the order of the questions. */
static uint32_t take_answers(sim_peer *peer, uint32_t first, uint32_t count)
{
    const qd_server_message *message;

    for (; (message = sim_peer_next(peer)) != NULL; count++) {
        sim_check(message->kind == QD_SERVER_QUERY_RESULT && message->seq == first + count, "answer %u", count);
    }
    return count;
}

void sim_queries_do_not_delay_other_sessions(sim_house *house)
{
    const qd_msg_room_config config = {.tick_hz = 20};
    const uint32_t id = 1;
    const float at = 7;
    sim_peer asks, moves;

    sim_peer_open(&asks, house, NULL);
    sim_peer_open(&moves, house, NULL);
    uint64_t room = sim_peer_open_room(&moves, "room", &config);
    sim_peer_open_room(&asks, "room", &config);
    sim_peer_spawn(&moves, room, 1, 20, 1);
    sim_house_pass(house, 100);
    (void)sim_peer_expect(&moves, QD_SERVER_APPLIED);

    uint32_t first = ask(&asks, room), answered = 0;
    for (uint32_t i = 1; i < ASKED; i++) {
        (void)ask(&asks, room);
    }
    hand_in(house, &asks);
    uint32_t move = sim_peer_send(
        &moves,
        (qd_client_message){.kind = QD_CLIENT_MOVE,
                            .as.batch = {.room = room, .entities = {.count = 1, .id = &id, .x = &at, .y = &at}}});
    hand_in(house, &moves);

    house->world.look_ns = 2 * SIM_MS_NS;
    const qd_server_message *applied;
    while ((applied = sim_peer_next(&moves)) == NULL) {
        if (!sim_run_actor(&house->world)) {
            house->world.now_ns += SIM_MS_NS;
        }
        (void)sim_step_links(&house->world, 100);
        answered = take_answers(&asks, first, answered);
    }
    sim_check(applied->kind == QD_SERVER_APPLIED && applied->seq == move, "the move's Applied");
    sim_check(answered > 0 && answered < ASKED / 2, "the move is in after %u answers", answered);
    house->world.look_ns = 0;
    sim_house_settle(house);
    sim_check(take_answers(&asks, first, answered) == ASKED, "all is answered");
    sim_peer_close(&asks);
    sim_peer_close(&moves);
}
