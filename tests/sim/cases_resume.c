/* SPDX-License-Identifier: Apache-2.0
 *
 * Cases of sessions that outlive their connections.
 */
#include <string.h>

#include "cases.h"

typedef struct key {
    uint8_t bytes[QD_RESUME_KEY_BYTES];
} key;

static key keep(const qd_msg_welcome *welcome)
{
    key kept;

    sim_check(welcome->resume_key.size == sizeof kept.bytes && welcome->resume_ms == 10000, "a key of %zu bytes",
              welcome->resume_key.size);
    memcpy(kept.bytes, welcome->resume_key.bytes, sizeof kept.bytes);
    return kept;
}

static key open_resumable(sim_peer *peer, sim_house *house, const char *token)
{
    return keep(sim_peer_hello(peer, house, &(qd_msg_hello){.resumable = true, .token = token}));
}

static const qd_msg_welcome *resume(sim_peer *peer, sim_house *house, const key *of, const char *token)
{
    return sim_peer_hello(peer, house,
                          &(qd_msg_hello){.resumable = true, .token = token, .resume = {sizeof of->bytes, of->bytes}});
}

/* What is in the room now, without the entities of others. */
static uint32_t count_entities(sim_peer *peer, uint64_t room)
{
    sim_peer_send(peer, (qd_client_message){.kind = QD_CLIENT_SNAPSHOT, .as.snapshot = {.room = room}});
    return sim_peer_expect(peer, QD_SERVER_SNAPSHOT_RESULT)->as.snapshot_result.entities.count;
}

static void step(sim_peer *peer, uint64_t room)
{
    sim_peer_step(peer, room);
    (void)sim_peer_expect(peer, QD_SERVER_APPLIED);
}

void sim_a_session_is_resumed(sim_house *house)
{
    const qd_msg_room_config config = {.tick_mode = QD_TICK_MODE_STEP, .grace_ms = 1};
    sim_peer other, peer, again;

    sim_peer_open(&other, house, NULL);
    uint64_t room = sim_peer_open_room(&other, "room", &config);
    key kept = open_resumable(&peer, house, "token");
    sim_peer_open_room(&peer, "room", &config);
    uint32_t spawn = sim_peer_spawn(&peer, room, 1, 2, 0);
    sim_peer_subscribe(&peer, room);
    sim_house_settle(house);
    sim_peer_close(&peer);

    /* Nobody notices, for nearly 10 s. */
    sim_house_pass(house, 5000);
    step(&other, room);
    sim_house_pass(house, 4900);
    sim_check(count_entities(&other, room) == 2, "its entities stay");
    qd_msg_server_stats stats;
    qd_service_stats(&house->server.service, &stats);
    sim_check(stats.parked == 1 && stats.sessions == 1 && stats.resumed == 0, "%u are detached", stats.parked);

    const qd_msg_welcome *welcome = resume(&again, house, &kept, "token");
    sim_check(welcome->resumed && welcome->session == 2 && welcome->last_seq == spawn + 1, "it is the same session");
    key same = keep(welcome);
    sim_check(memcmp(&same, &kept, sizeof same) == 0, "the key is the session's");
    const qd_server_message *message = sim_peer_expect(&again, QD_SERVER_APPLIED);
    sim_check(message->seq == 0 && message->as.applied.seq == spawn && message->as.applied.tick == 1, "what is in");
    const qd_msg_tick *tick = &sim_peer_expect(&again, QD_SERVER_TICK)->as.tick;
    sim_check(tick->reset && tick->tick == 1 && tick->begins.count == 1, "its subscription goes on");
    sim_peer_expect_nothing(&again);
    qd_service_stats(&house->server.service, &stats);
    sim_check(stats.parked == 0 && stats.sessions == 2 && stats.resumed == 1, "%u are detached", stats.parked);

    /* It may do what it could: its entities, its place in the room, its handle. */
    sim_peer_spawn(&again, room, 3, 1, 0);
    sim_peer_step(&again, room);
    tick = &sim_peer_expect(&again, QD_SERVER_TICK)->as.tick;
    sim_check(!tick->reset && tick->begins.count == 2, "events, as ever");
    (void)sim_peer_expect(&again, QD_SERVER_APPLIED);
    sim_peer_close(&again);
    sim_house_pass(house, 10100);
    step(&other, room);
    sim_house_pass(house, 10);
    sim_check(count_entities(&other, room) == 0, "when its time is over, it is over");
    sim_peer_close(&other);
}

void sim_a_session_that_is_not_resumed_ends(sim_house *house)
{
    const qd_msg_room_config config = {.tick_mode = QD_TICK_MODE_STEP, .grace_ms = 500, .empty_close_ms = 500};
    sim_peer peer, late, plain;
    key kept = open_resumable(&peer, house, NULL);
    uint64_t room = sim_peer_open_room(&peer, "room", &config);

    sim_peer_spawn(&peer, room, 1, 1, 0);
    sim_house_settle(house);
    sim_peer_close(&peer);
    sim_house_pass(house, 10400);
    sim_check(atomic_load(&house->server.service.actors) == 1, "the grace of its entities runs from then on");
    sim_house_pass(house, 1000);
    sim_check(atomic_load(&house->server.service.actors) == 0, "then the room is empty, and closes");
    const qd_msg_welcome *welcome = resume(&late, house, &kept, NULL);
    sim_check(!welcome->resumed && welcome->session == 2 && welcome->resume_key.size > 0, "it is too late");

    /* A session that did not ask for it is not kept. */
    sim_peer_open(&plain, house, NULL);
    sim_peer_open_room(&plain, "room", &config);
    sim_peer_close(&plain);
    qd_msg_server_stats stats;
    qd_service_stats(&house->server.service, &stats);
    sim_check(stats.parked == 0, "%u are detached", stats.parked);
    sim_peer_close(&late);
}

void sim_keys_that_are_wrong_resume_nothing(sim_house *house)
{
    sim_peer peer, guest;
    key kept = open_resumable(&peer, house, "token");
    uint64_t room = sim_peer_open_room(&peer, "room", NULL);

    sim_peer_close(&peer);
    for (size_t i = 0; i < sizeof kept.bytes; i += 3) {
        key wrong = kept;

        wrong.bytes[i] ^= 0x10;
        sim_check(!resume(&guest, house, &wrong, "token")->resumed, "byte %zu is wrong", i);
        sim_peer_close(&guest);
    }
    sim_check(!resume(&guest, house, &kept, "another")->resumed, "the token is another");
    sim_peer_close(&guest);
    sim_check(!resume(&guest, house, &kept, NULL)->resumed, "there is no token");
    sim_peer_close(&guest);
    const qd_msg_hello cut = {.token = "token", .resume = {sizeof kept.bytes - 1, kept.bytes}};
    sim_check(!sim_peer_hello(&guest, house, &cut)->resumed, "the key is cut");
    sim_peer_close(&guest);
    sim_check(resume(&guest, house, &kept, "token")->resumed, "the key is right");
    sim_check(sim_peer_open_room(&guest, "room", NULL) == room, "the room is the same");
    sim_peer_close(&guest);
}

void sim_a_connection_is_taken_over(sim_house *house)
{
    sim_peer older, newer;
    key kept = open_resumable(&older, house, NULL);
    uint64_t room = sim_peer_open_room(&older, "room", NULL);

    sim_peer_spawn(&older, room, 1, 2, 0);
    sim_house_settle(house);
    const qd_msg_welcome *welcome = resume(&newer, house, &kept, NULL);
    sim_check(welcome->resumed && welcome->session == 1, "it is taken over");
    sim_check(sim_peer_expect(&older, QD_SERVER_GO_AWAY)->as.go_away.reason == QD_GO_AWAY_TAKEN_OVER, "the reason");
    sim_peer_expect_end(&older);
    /* What the older one asked for is answered to the newer. */
    sim_peer_step(&newer, room);
    sim_check(sim_peer_expect(&newer, QD_SERVER_APPLIED)->as.applied.tick == 1, "the first tick");
    sim_check(count_entities(&newer, room) == 2, "its entities are there");
    sim_peer_close(&older);
    sim_peer_close(&newer);
}

void sim_what_was_missed_is_reported(sim_house *house)
{
    sim_peer other, peer, again;

    sim_peer_open(&other, house, NULL);
    uint64_t room = sim_peer_open_room(&other, "room", NULL);
    key kept = open_resumable(&peer, house, NULL);
    sim_peer_open_room(&peer, "room", NULL);
    sim_peer_subscribe(&peer, room);
    (void)sim_peer_expect(&peer, QD_SERVER_TICK);
    for (uint32_t i = 0; i < 5; i++) {
        sim_peer_spawn(&other, room, 10 * i, 2, 0);
        step(&other, room);
    }
    /* Of five ticks that were sent it acknowledges two. Three more are not sent. */
    sim_peer_send(&peer, (qd_client_message){.kind = QD_CLIENT_ACK, .as.step = {.room = room, .tick = 2}});
    sim_house_settle(house);
    sim_peer_close(&peer);
    for (uint32_t i = 5; i < 8; i++) {
        sim_peer_spawn(&other, room, 10 * i, 2, 0);
        step(&other, room);
    }
    sim_check(resume(&again, house, &kept, NULL)->resumed, "it is resumed");
    const qd_msg_tick *tick = &sim_peer_expect(&again, QD_SERVER_TICK)->as.tick;
    sim_check(tick->reset && tick->tick == 8 && tick->merged_ticks == 6 && tick->begins.count == 16 * 15 / 2,
              "%llu ticks are merged", (unsigned long long)tick->merged_ticks);
    /* Without an Ack it counts from the first that was not sent. */
    sim_peer_close(&again);
    for (uint32_t i = 8; i < 10; i++) {
        sim_peer_spawn(&other, room, 10 * i, 2, 0);
        step(&other, room);
    }
    sim_check(resume(&peer, house, &kept, NULL)->resumed, "it is resumed again");
    tick = &sim_peer_expect(&peer, QD_SERVER_TICK)->as.tick;
    sim_check(tick->reset && tick->tick == 10 && tick->merged_ticks == 8, "%llu ticks are merged since the Ack",
              (unsigned long long)tick->merged_ticks);
    sim_peer_close(&peer);
    sim_peer_close(&other);
}

void sim_views_go_on_at_the_next_tick(sim_house *house)
{
    static const uint32_t observer[] = {7};
    static const float place[] = {1}, range[] = {10};
    sim_peer other, peer, again;

    sim_peer_open(&other, house, NULL);
    uint64_t room = sim_peer_open_room(&other, "room", NULL);
    key kept = open_resumable(&peer, house, NULL);
    sim_peer_open_room(&peer, "room", NULL);
    sim_peer_send(
        &peer, (qd_client_message){
                   .kind = QD_CLIENT_OBSERVE,
                   .as.observers = {.room = room, .count = 1, .id = observer, .x = place, .y = place, .range = range}});
    sim_house_settle(house);
    for (uint32_t i = 0; i < 5; i++) {
        sim_peer_spawn(&other, room, 10 * i, 1, 0);
        step(&other, room);
    }
    sim_peer_send(&peer, (qd_client_message){.kind = QD_CLIENT_ACK, .as.step = {.room = room, .tick = 2}});
    sim_house_settle(house);
    sim_peer_close(&peer);
    sim_peer_spawn(&other, room, 70, 1, 0);
    step(&other, room);
    sim_check(resume(&again, house, &kept, NULL)->resumed, "it is resumed");
    const qd_server_message *applied = sim_peer_expect(&again, QD_SERVER_APPLIED);
    sim_check(applied->seq == 0, "what is in");
    sim_peer_expect_nothing(&again);
    step(&other, room);
    const qd_msg_view *view = &sim_peer_expect(&again, QD_SERVER_VIEW)->as.view;
    sim_check(view->reset && view->tick == 7 && view->merged_ticks == 5 && view->enter_count == 6,
              "%llu ticks are merged", (unsigned long long)view->merged_ticks);
    sim_peer_close(&again);
    sim_peer_close(&other);
}

void sim_a_view_that_ended_unseen_is_reset(sim_house *house)
{
    static const uint32_t observer[] = {7};
    static const float place[] = {1}, range[] = {10};
    sim_peer other, peer, again;

    sim_peer_open(&other, house, NULL);
    uint64_t room = sim_peer_open_room(&other, "room", NULL);
    key kept = open_resumable(&peer, house, NULL);
    sim_peer_open_room(&peer, "room", NULL);
    sim_peer_spawn(&other, room, 1, 1, 0);
    sim_peer_send(
        &peer, (qd_client_message){
                   .kind = QD_CLIENT_OBSERVE,
                   .as.observers = {.room = room, .count = 1, .id = observer, .x = place, .y = place, .range = range}});
    sim_house_settle(house);
    step(&other, room);
    sim_check(sim_peer_expect(&peer, QD_SERVER_VIEW)->as.view.enter_count == 1, "it sees one");
    /* The leave is on its way when the connection breaks, and nothing is observed any more. */
    sim_peer_send(&peer, (qd_client_message){.kind = QD_CLIENT_UNOBSERVE,
                                             .as.observers = {.room = room, .count = 1, .id = observer}});
    sim_house_settle(house);
    step(&other, room);
    sim_peer_close(&peer);
    sim_check(resume(&again, house, &kept, NULL)->resumed, "it is resumed");
    (void)sim_peer_expect(&again, QD_SERVER_APPLIED);
    step(&other, room);
    const qd_msg_view *view = &sim_peer_expect(&again, QD_SERVER_VIEW)->as.view;
    sim_check(view->reset && view->enter_count == 0, "it learns that it sees nothing");
    sim_peer_close(&again);
    sim_peer_close(&other);
}

void sim_a_room_closes_while_nobody_looks(sim_house *house)
{
    sim_peer other, peer, again;
    key kept = open_resumable(&peer, house, "token");
    uint64_t first = sim_peer_open_room(&peer, "first", NULL), second = sim_peer_open_room(&peer, "second", NULL);

    sim_peer_open(&other, house, "token");
    sim_peer_open_room(&other, "first", NULL);
    sim_peer_close(&peer);
    sim_peer_send(&other, (qd_client_message){.kind = QD_CLIENT_CLOSE_ROOM, .as.room = {.room = first}});
    (void)sim_peer_expect(&other, QD_SERVER_ROOM_CLOSED);
    sim_check(resume(&again, house, &kept, "token")->resumed, "it is resumed");
    const qd_msg_room_closed *closed = &sim_peer_expect(&again, QD_SERVER_ROOM_CLOSED)->as.room_closed;
    sim_check(closed->room == first && closed->reason == QD_ROOM_CLOSED_REQUESTED, "the room that was closed");
    sim_peer_step(&again, first);
    sim_peer_expect_error(&again, QD_ERROR_UNKNOWN_ROOM, "OpenRoom first");
    sim_peer_step(&other, first);
    sim_peer_expect_error(&other, QD_ERROR_UNKNOWN_ROOM, "OpenRoom first");
    step(&again, second);
    sim_house_pass(house, 100);
    sim_check(atomic_load(&house->server.service.rooms) == 1, "the closed room is gone");
    /* Also where all its rooms are closed, and it does not come back. */
    sim_peer_send(&other, (qd_client_message){.kind = QD_CLIENT_OPEN_ROOM, .as.open_room = {.name = "second"}});
    (void)sim_peer_expect(&other, QD_SERVER_ROOM_OPENED);
    sim_peer_close(&again);
    sim_peer_send(&other, (qd_client_message){.kind = QD_CLIENT_CLOSE_ROOM, .as.room = {.room = second}});
    (void)sim_peer_expect(&other, QD_SERVER_ROOM_CLOSED);
    sim_house_pass(house, 10100);
    sim_check(atomic_load(&house->server.service.actors) <= 1, "%u rooms are kept",
              atomic_load(&house->server.service.actors));
    qd_msg_server_stats stats;
    qd_service_stats(&house->server.service, &stats);
    sim_check(stats.parked == 0, "%u are detached", stats.parked);
    sim_peer_close(&other);
}

void sim_detached_sessions_are_limited(sim_house *house)
{
    for (uint32_t i = 0; i < 5; i++) {
        sim_peer peer;

        (void)open_resumable(&peer, house, NULL);
        sim_peer_open_room(&peer, "room", NULL);
        sim_peer_close(&peer);
        qd_msg_server_stats stats;
        qd_service_stats(&house->server.service, &stats);
        sim_check(stats.parked == (i < 2 ? i + 1 : 2), "%u are detached", stats.parked);
    }
}

static uint32_t count_detached(sim_house *house)
{
    qd_msg_server_stats stats;

    qd_service_stats(&house->server.service, &stats);
    return stats.parked;
}

void sim_detached_sessions_expire_one_by_one(sim_house *house)
{
    sim_peer peers[3], again;
    key kept[3];

    for (uint32_t i = 0; i < 3; i++) {
        kept[i] = open_resumable(&peers[i], house, NULL);
        sim_peer_open_room(&peers[i], "room", NULL);
        sim_peer_close(&peers[i]);
        sim_house_pass(house, 3000);
    }
    /* The first one is resumed just before its time is over; the others keep theirs. */
    sim_check(resume(&again, house, &kept[0], NULL)->resumed && count_detached(house) == 2, "the first is resumed");
    sim_house_pass(house, 3000);
    sim_check(count_detached(house) == 2, "%u are detached after 12 s", count_detached(house));
    sim_house_pass(house, 3000);
    sim_check(count_detached(house) == 1, "%u are detached after 15 s", count_detached(house));
    sim_house_pass(house, 3000);
    sim_check(count_detached(house) == 0, "%u are detached after 18 s", count_detached(house));
    sim_peer_close(&again);
    sim_house_pass(house, 9000);
    sim_check(count_detached(house) == 1, "the first is detached again");
    sim_house_pass(house, 2000);
    sim_check(count_detached(house) == 0, "and expires again");
}
