/* SPDX-License-Identifier: Apache-2.0
 *
 * Cases of several writers in lockstep.
 */
#include "cases.h"

#define WRITERS 3

static const qd_msg_room_config lockstep = {
    .tick_mode = QD_TICK_MODE_STEP, .writers = WRITERS, .step_deadline_ms = 500};

static uint64_t open_all(sim_house *house, sim_peer *peers, int count)
{
    uint64_t room = 0;

    for (int i = 0; i < count; i++) {
        sim_peer_open(&peers[i], house, NULL);
        room = sim_peer_open_room(&peers[i], "room", &lockstep);
    }
    return room;
}

static void close_all(sim_peer *peers, int count)
{
    for (int i = 0; i < count; i++) {
        sim_peer_close(&peers[i]);
    }
}

static uint32_t step(sim_peer *peer, uint64_t room, uint64_t tick)
{
    return sim_peer_send(peer, (qd_client_message){.kind = QD_CLIENT_STEP, .as.step = {.room = room, .tick = tick}});
}

/* Expects the answer to that Step: the room has ticked, and that many writers were late. */
static const qd_msg_applied *expect_answer(sim_peer *peer, uint32_t seq, uint64_t tick, uint32_t late_count)
{
    const qd_server_message *message = sim_peer_expect(peer, QD_SERVER_APPLIED);
    const qd_msg_applied *applied = &message->as.applied;

    sim_check(message->seq == seq && applied->tick == tick, "%u is answered, with tick %llu", message->seq,
              (unsigned long long)applied->tick);
    sim_check(applied->late_count == late_count && applied->late_listed == late_count, "%u are late",
              applied->late_count);
    return applied;
}

static void expect_due(sim_peer *peer, qd_error_code code, const char *words, uint64_t tick_due)
{
    sim_peer_expect_error(peer, code, words);
    sim_check(peer->decoded.message.as.error.tick_due == tick_due, "tick %llu is due",
              (unsigned long long)peer->decoded.message.as.error.tick_due);
}

void sim_lockstep_waits_for_all(sim_house *house)
{
    sim_peer peers[WRITERS];
    uint64_t room = open_all(house, peers, WRITERS);

    for (uint64_t tick = 1; tick <= 3; tick++) {
        uint32_t seqs[WRITERS];

        for (int i = 0; i < WRITERS; i++) {
            for (int k = 0; k < i; k++) {
                sim_peer_expect_nothing(&peers[k]);
            }
            sim_house_pass(house, 100);
            seqs[i] = step(&peers[i], room, i == 1 ? 0 : tick);
        }
        for (int i = 0; i < WRITERS; i++) {
            expect_answer(&peers[i], seqs[i], tick, 0);
        }
    }
    /* Once is enough, and the tick after the next is not due. */
    uint32_t first = step(&peers[0], room, 4);
    step(&peers[0], room, 4);
    expect_due(&peers[0], QD_ERROR_WRONG_TICK, "has stepped for tick 4 already", 4);
    step(&peers[0], room, 5);
    expect_due(&peers[0], QD_ERROR_WRONG_TICK, "the next one is 4", 4);
    /* A writer without seq gets no answer. */
    for (int i = 1; i < WRITERS; i++) {
        uint8_t bytes[64];
        const qd_client_message silent = {.kind = QD_CLIENT_STEP, .as.step = {.room = room, .tick = 4}};

        sim_link_write(peers[i].link, bytes, qd_client_message_encode(&silent, bytes, qd_client_message_size(&silent)));
    }
    expect_answer(&peers[0], first, 4, 0);
    sim_peer_expect_nothing(&peers[1]);
    close_all(peers, WRITERS);
}

void sim_lockstep_waits_no_longer_than_its_deadline(sim_house *house)
{
    sim_peer peers[WRITERS];
    uint64_t room = open_all(house, peers, WRITERS);
    /* The others have never stepped, so the server does not know them as writers yet. */
    uint32_t seq = step(&peers[0], room, 1);

    sim_house_pass(house, 490);
    sim_peer_expect_nothing(&peers[0]);
    sim_house_pass(house, 20);
    expect_answer(&peers[0], seq, 1, 0);
    for (int i = 0; i < WRITERS; i++) {
        step(&peers[i], room, 2);
    }
    for (int i = 0; i < WRITERS; i++) {
        (void)sim_peer_expect(&peers[i], QD_SERVER_APPLIED);
    }

    /* It counts from the first Step, not from the last tick. */
    sim_house_pass(house, 2000);
    seq = step(&peers[2], room, 3);
    uint32_t spawn = sim_peer_spawn(&peers[0], room, 1, 1, 0);
    sim_house_pass(house, 490);
    sim_peer_expect_nothing(&peers[2]);
    sim_house_pass(house, 20);
    const qd_msg_applied *applied = expect_answer(&peers[2], seq, 3, 2);
    sim_check(applied->late[0] == 1 && applied->late[1] == 2, "sessions %llu and %llu are late",
              (unsigned long long)applied->late[0], (unsigned long long)applied->late[1]);
    /* A late writer gets its Applied, with the tick of the others. */
    expect_answer(&peers[0], spawn, 3, 0);
    step(&peers[0], room, 3);
    expect_due(&peers[0], QD_ERROR_TICK_OVER, "tick is 3, but the last tick is 3: the next one is 4", 4);
    step(&peers[0], room, 1);
    expect_due(&peers[0], QD_ERROR_TICK_OVER, "the next one is 4", 4);
    close_all(peers, WRITERS);
}

void sim_lockstep_does_not_wait_for_who_has_left(sim_house *house)
{
    sim_peer peers[WRITERS + 1];
    uint64_t room = open_all(house, peers, WRITERS + 1);

    for (int i = 0; i < WRITERS; i++) {
        step(&peers[i], room, 1);
    }
    for (int i = 0; i < WRITERS; i++) {
        (void)sim_peer_expect(&peers[i], QD_SERVER_APPLIED);
    }

    /* Two wait for the third, which goes. */
    uint32_t first = step(&peers[0], room, 2), second = step(&peers[1], room, 2);
    sim_peer_expect_nothing(&peers[0]);
    sim_peer_close(&peers[2]);
    expect_answer(&peers[0], first, 2, 0);
    expect_answer(&peers[1], second, 2, 0);

    /* Two are enough, until another takes its place. */
    first = step(&peers[0], room, 3);
    second = step(&peers[1], room, 3);
    expect_answer(&peers[0], first, 3, 0);
    expect_answer(&peers[1], second, 3, 0);
    uint32_t third = step(&peers[3], room, 4);
    first = step(&peers[0], room, 4);
    sim_peer_expect_nothing(&peers[0]);
    second = step(&peers[1], room, 4);
    expect_answer(&peers[1], second, 4, 0);
    expect_answer(&peers[0], first, 4, 0);
    expect_answer(&peers[3], third, 4, 0);

    /* A writer that leaves takes its Step along: the tick waits for two others, and one of them steps. */
    step(&peers[0], room, 5);
    sim_house_settle(house);
    sim_peer_close(&peers[0]);
    second = step(&peers[1], room, 5);
    sim_peer_expect_nothing(&peers[1]);
    sim_house_pass(house, 510);
    sim_check(expect_answer(&peers[1], second, 5, 1)->late[0] == 4, "the fourth session is late");
    sim_peer_close(&peers[1]);
    sim_peer_close(&peers[3]);
}

void sim_lockstep_answers_a_step_behind_later_requests(sim_house *house)
{
    sim_peer peers[WRITERS];
    uint64_t room = open_all(house, peers, WRITERS);
    uint32_t seq = step(&peers[0], room, 1);
    uint32_t unsubscribe =
        sim_peer_send(&peers[0], (qd_client_message){.kind = QD_CLIENT_UNSUBSCRIBE, .as.room = {.room = room}});

    expect_answer(&peers[0], unsubscribe, 0, 0);
    uint32_t spawn = sim_peer_spawn(&peers[0], room, 1, 2, 0);
    sim_peer_expect_nothing(&peers[0]);
    sim_house_pass(house, 510);
    const qd_msg_applied *applied = expect_answer(&peers[0], seq, 1, 0);
    sim_check(applied->seq == spawn, "what came after the Step is in: %u", applied->seq);
    sim_peer_expect_nothing(&peers[0]);

    /* The room is closed while it waits: that is a tick, too. */
    seq = step(&peers[0], room, 2);
    sim_peer_send(&peers[0], (qd_client_message){.kind = QD_CLIENT_CLOSE_ROOM, .as.room = {.room = room}});
    expect_answer(&peers[0], seq, 2, 0);
    (void)sim_peer_expect(&peers[0], QD_SERVER_ROOM_CLOSED);
    close_all(peers, WRITERS);
}
