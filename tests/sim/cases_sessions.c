/* SPDX-License-Identifier: Apache-2.0
 *
 * Cases of sessions: slow readers, and entities and their owners.
 */
#include "cases.h"

/* What lies unread takes less than half of the queue, but the reset that is due would not fit: its time goes on. */
void sim_reader_whose_reset_never_fits_is_disconnected(sim_house *house)
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
        if (i == 48) {
            sim_check(qd_counted(&house->server.service.counters, QD_COUNT_TOO_SLOW) == 0, "a reader has 5 s");
        }
    }
    sim_check(qd_counted(&house->server.service.counters, QD_COUNT_TOO_SLOW) == 1, "its time is over");

    /* A reader that reads in time gets the reset, and its full time again. */
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
    sim_check(!other.link->closed && qd_counted(&house->server.service.counters, QD_COUNT_TOO_SLOW) == 1, "it reads");
    sim_peer_close(&writer);
    sim_peer_close(&reader);
    sim_peer_close(&other);
}

#define HAND_OVER(peer, want, many, to, to_room)                                                                       \
    SEND(peer, want, HANDOVER,                                                                                         \
         .handover = {.count = (many), .id = IDS(1, 2, 3, 4), .session = (to), .room_owned = (to_room)})

const sim_step sim_entities_are_handed_over[] = {
    JOIN(A, NULL), /* sessions 1 to 3; the third is not in the room */
    JOIN(B, NULL),
    OPEN(C, NULL),
    SUBSCRIBE(B, "tick 0 reset", OWN),
    SPAWN(A, NULL, 1, 2, 0),
    STEP(A, "applied 1"),
    LOOK(B, ""),
    HAND_OVER(A, "error INVALID: session is 3, which is not in the room", 1, 3, false),
    HAND_OVER(A, "error INVALID: session is 0: name the receiver", 1, 0, false),
    HAND_OVER(A, "error INVALID: session is 2, and room_owned is set", 1, 2, true),
    HAND_OVER(C, "error UNKNOWN_ROOM: OpenRoom first", 1, 2, false),
    LOOK(B, ""),
    /* 1 and 2 are there, 3 and 4 are not. */
    HAND_OVER(A, "error ENTRIES 2 UNKNOWN_ID 3 UNKNOWN_ID: UNKNOWN_ID", 4, 2, false),
    LOOK(B, "handed over 1 2 from 1 to 2 unasked; tick 1 reset begin 1-2"),
    HAND_OVER(A, "error ENTRIES 0 NOT_OWNER: NOT_OWNER", 1, 1, false),
    STEP(A, "applied 2"),
    /* Entities go with their new owner, except those that it gave to the room. Nothing reports those, nor what one takes
     * from the room. */
    HAND_OVER(B, "tick 2 reset begin 1-2", 1, 0, true),
    HAND_OVER(A, "", 1, 1, false),
    HAND_OVER(A, "", 1, 0, true),
    LOOK(B, ""),
    CLOSE(B),
    PASS(5100),
    SNAPSHOT(A, "snapshot 1 at 0 0"),
    END,
};
