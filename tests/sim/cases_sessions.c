/* SPDX-License-Identifier: Apache-2.0
 *
 * Cases of sessions that do not keep up.
 */
#include "cases.h"
#include "server/app/host.h"

/* What lies unread takes less than half of the queue, but the reset that is due would not fit: its time goes on. */
void sim_room_for_a_moment_is_no_reading(sim_house *house)
{
    sim_peer writer, reader;
    sim_peer_open(&writer, house, NULL);
    sim_peer_open(&reader, house, NULL);
    uint64_t room = sim_peer_open_room(&writer, "room", NULL);
    sim_peer_open_room(&reader, "room", NULL);
    sim_peer_subscribe(&reader, room);
    (void)sim_peer_expect(&reader, QD_SERVER_TICK);
    sim_peer_spawn(&writer, room, 1, 40, 0); /* 780 pairs: 7 KB of 16 */
    sim_peer_step(&writer, room);
    (void)sim_peer_expect(&writer, QD_SERVER_APPLIED);
    sim_peer_spawn(&writer, room, 41, 40, 0); /* 2,380 more */
    for (uint32_t i = 0; i < 60; i++) {
        sim_check(!reader.link->closed, "it is closed after %u ms", 100 * i);
        sim_peer_step(&writer, room);
        (void)sim_peer_expect(&writer, QD_SERVER_APPLIED);
        sim_house_pass(house, 100);
        if (i == 48)
            sim_check(atomic_load(&house->server.counters.too_slow) == 0, "a reader has 5 s");
    }
    sim_check(atomic_load(&house->server.counters.too_slow) == 1, "its time is over");

    /* Who reads in time gets the reset, and all its time anew. */
    sim_peer other;
    sim_peer_open(&other, house, NULL);
    sim_peer_open_room(&other, "room", NULL);
    for (uint32_t i = 0; i < 3; i++) {
        sim_peer_subscribe(&other, room);
        sim_house_settle(house);
        sim_peer_subscribe(&other, room); /* two resets of 28 KB: one is in, the other is lost */
        sim_house_pass(house, 4000);
        sim_check(sim_peer_expect(&other, QD_SERVER_TICK)->as.tick.reset, "the first reset");
        sim_house_pass(house, 400);
        const qd_msg_tick *tick = &sim_peer_expect(&other, QD_SERVER_TICK)->as.tick;
        sim_check(tick->reset && tick->begins.count == 80 * 79 / 2, "the second reset");
    }
    sim_check(!other.link->closed && atomic_load(&house->server.counters.too_slow) == 1, "it reads");
    sim_peer_close(&writer);
    sim_peer_close(&reader);
    sim_peer_close(&other);
}
