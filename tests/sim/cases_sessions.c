/* SPDX-License-Identifier: Apache-2.0
 *
 * Cases of sessions: slow readers, and entities and their owners.
 */
#include "cases.h"

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

static uint32_t hand_over(sim_peer *peer, uint64_t room, uint32_t first_id, uint32_t count, uint64_t session,
                          bool room_owned)
{
    uint32_t id[4];

    for (uint32_t i = 0; i < count; i++) {
        id[i] = first_id + i;
    }
    return sim_peer_send(
        peer,
        (qd_client_message){
            .kind = QD_CLIENT_HANDOVER,
            .as.handover = {.room = room, .count = count, .id = id, .session = session, .room_owned = room_owned}});
}

void sim_entities_are_handed_over(sim_house *house)
{
    sim_peer giver, taker, outsider; /* sessions 1, 2 and 3 */

    sim_peer_open(&giver, house, NULL);
    sim_peer_open(&taker, house, NULL);
    sim_peer_open(&outsider, house, NULL);
    uint64_t room = sim_peer_open_room(&giver, "room", NULL);
    sim_peer_open_room(&taker, "room", NULL);
    sim_peer_send(&taker, (qd_client_message){.kind = QD_CLIENT_SUBSCRIBE,
                                              .as.subscribe = {.room = room, .scope = QD_SCOPE_OWN}});
    (void)sim_peer_expect(&taker, QD_SERVER_TICK);
    sim_peer_spawn(&giver, room, 1, 2, 0);
    sim_peer_step(&giver, room);
    (void)sim_peer_expect(&giver, QD_SERVER_APPLIED);
    sim_peer_expect_nothing(&taker);

    hand_over(&giver, room, 1, 1, 3, false);
    sim_peer_expect_error(&giver, QD_ERROR_INVALID, "session is 3, which is not in the room");
    hand_over(&giver, room, 1, 1, 0, false);
    sim_peer_expect_error(&giver, QD_ERROR_INVALID, "session is 0: name the receiver");
    hand_over(&giver, room, 1, 1, 2, true);
    sim_peer_expect_error(&giver, QD_ERROR_INVALID, "session is 2, and room_owned is set");
    hand_over(&outsider, room, 1, 1, 2, false);
    sim_peer_expect_error(&outsider, QD_ERROR_UNKNOWN_ROOM, "OpenRoom first");
    sim_peer_expect_nothing(&taker);

    /* 1 and 2 are there, 3 and 4 are not. */
    uint32_t seq = hand_over(&giver, room, 1, 4, 2, false);
    const qd_msg_error *error = &sim_peer_expect(&giver, QD_SERVER_ERROR)->as.error;
    sim_check(error->code == QD_ERROR_ENTRIES && error->seq == seq && error->entries_refused == 2 &&
                  error->entry_index[0] == 2 && error->entry_code[0] == QD_ERROR_UNKNOWN_ID,
              "the refused entries");
    const qd_server_message *message = sim_peer_expect(&taker, QD_SERVER_HANDED_OVER);
    const qd_msg_handed_over *reported = &message->as.handed_over;
    sim_check(message->seq == 0 && reported->room == room && reported->from == 1 && reported->to == 2 && reported->last,
              "the sessions");
    sim_check(reported->count == 2 && reported->id[0] == 1 && reported->id[1] == 2 && reported->connected_count == 0,
              "the entities");
    const qd_msg_tick *tick = &sim_peer_expect(&taker, QD_SERVER_TICK)->as.tick;
    sim_check(tick->reset && tick->begins.count == 1, "what is the taker's now");
    hand_over(&giver, room, 1, 1, 1, false);
    error = &sim_peer_expect(&giver, QD_SERVER_ERROR)->as.error;
    sim_check(error->entry_code[0] == QD_ERROR_NOT_OWNER, "it is not the giver's any more");
    sim_peer_step(&giver, room);
    (void)sim_peer_expect(&giver, QD_SERVER_APPLIED);

    /* Entities go with their new owner, except those that it gave to the room. Nothing reports those, nor what one takes
     * from the room. */
    hand_over(&taker, room, 1, 1, 0, true);
    tick = &sim_peer_expect(&taker, QD_SERVER_TICK)->as.tick;
    sim_check(tick->reset && tick->begins.count == 1, "one of the two is the taker's still");
    hand_over(&giver, room, 1, 1, 1, false);
    hand_over(&giver, room, 1, 1, 0, true);
    sim_peer_expect_nothing(&giver);
    sim_peer_expect_nothing(&taker);
    sim_peer_close(&taker);
    sim_house_pass(house, 5100);
    sim_peer_send(&giver, (qd_client_message){.kind = QD_CLIENT_SNAPSHOT, .as.snapshot = {.room = room}});
    const qd_msg_snapshot_result *result = &sim_peer_expect(&giver, QD_SERVER_SNAPSHOT_RESULT)->as.snapshot_result;
    sim_check(result->entities.count == 1 && result->entities.id[0] == 1, "%u entities are left",
              result->entities.count);
    sim_peer_close(&giver);
    sim_peer_close(&outsider);
}
