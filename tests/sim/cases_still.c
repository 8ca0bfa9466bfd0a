/* SPDX-License-Identifier: Apache-2.0
 *
 * A clock room without entities and observers stands still, even with sessions in it, and starts again with any change.
 */
#include "cases.h"

static uint64_t ticks(const sim_house *house)
{
    return qd_counted(&house->server.service.counters, QD_COUNT_TICKS);
}

static void expect_stillness(sim_house *house, sim_peer *peer)
{
    sim_house_pass(house, 20); /* a last tick, for what has changed */
    uint64_t before = ticks(house);
    sim_house_pass(house, 10000);
    sim_check(ticks(house) == before, "the room ticks");
    sim_peer_expect_nothing(peer);
}

void sim_clocks_stand_still_and_start_again(sim_house *house)
{
    const qd_msg_room_config config = {.tick_hz = 100, .grace_ms = 100};
    const uint32_t id = 1;
    const float at = 5;
    sim_peer peer;

    sim_peer_open(&peer, house, NULL);
    uint64_t room = sim_peer_open_room(&peer, "room", &config);
    sim_peer_subscribe(&peer, room);
    sim_check(sim_peer_expect(&peer, QD_SERVER_TICK)->as.tick.reset, "the answer to Subscribe");
    expect_stillness(house, &peer);

    /* Even a refusal is followed by its Applied. */
    for (int i = 0; i < 10; i++) {
        sim_peer_send(&peer, (qd_client_message){
                                 .kind = QD_CLIENT_MOVE,
                                 .as.batch = {.room = room, .entities = {.count = 1, .id = &id, .x = &at, .y = &at}}});
        sim_peer_expect_error(&peer, QD_ERROR_ENTRIES, "UNKNOWN_ID");
        sim_house_pass(house, 11);
        (void)sim_peer_expect(&peer, QD_SERVER_APPLIED);
        expect_stillness(house, &peer);
    }

    sim_peer goes;
    sim_peer_open(&goes, house, NULL);
    sim_peer_open_room(&goes, "room", &config);
    sim_peer_spawn(&goes, room, 1, 2, 0);
    sim_house_pass(house, 21);
    const qd_msg_tick *tick = &sim_peer_expect(&peer, QD_SERVER_TICK)->as.tick;
    sim_check(tick->begins.count == 1 && tick->skipped == 0, "the pair, after a long rest");
    uint64_t before = ticks(house);
    sim_house_pass(house, 1000);
    sim_check(ticks(house) >= before + 99, "the clock runs while entities are there");

    /* They go with their owner, and only the subscription waits for that. */
    sim_peer_close(&goes);
    sim_house_pass(house, 120);
    sim_check(sim_peer_expect(&peer, QD_SERVER_TICK)->as.tick.ends.count == 1, "the pair's end");
    expect_stillness(house, &peer);
    sim_peer_close(&peer);
}
