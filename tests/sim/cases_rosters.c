/* SPDX-License-Identifier: Apache-2.0
 *
 * Cases of rosters: what is refused as a whole, and how long they are there.
 */
#include <string.h>

#include "cases.h"

#define IDS_MAX 8u

static const uint32_t ids[IDS_MAX] = {1, 2, 3, 4, 5, 6, 7, 8};

static uint32_t name(sim_peer *peer, uint64_t room, uint32_t roster, uint32_t first, uint32_t count)
{
    return sim_peer_send(
        peer,
        (qd_client_message){.kind = QD_CLIENT_ROSTER,
                            .as.roster = {.room = room, .roster = roster, .first = first, .count = count, .id = ids}});
}

/* To (10, y) and so on. */
static uint32_t move(sim_peer *peer, uint64_t room, uint32_t roster, uint32_t first, uint32_t count, float y)
{
    float x[IDS_MAX], ys[IDS_MAX];

    for (uint32_t i = 0; i < count; i++) {
        x[i] = 10 * (float)(i + 1);
        ys[i] = y;
    }
    return sim_peer_send(
        peer, (qd_client_message){
                  .kind = QD_CLIENT_ROSTER_MOVE,
                  .as.roster_move = {.room = room, .roster = roster, .first = first, .count = count, .x = x, .y = ys}});
}

static void step(sim_peer *peer, uint64_t room, uint32_t seq)
{
    uint32_t step_seq = sim_peer_step(peer, room);
    const qd_msg_applied *applied = &sim_peer_expect(peer, QD_SERVER_APPLIED)->as.applied;

    sim_check(applied->seq == step_seq && seq < step_seq, "Applied of %u", applied->seq);
}

/* Where entity `i` of the room is, by id. */
static void expect_at(sim_peer *peer, uint64_t room, uint32_t i, float x, float y)
{
    sim_peer_send(peer, (qd_client_message){.kind = QD_CLIENT_SNAPSHOT, .as.snapshot = {.room = room}});
    const qd_msg_entities *rows = &sim_peer_expect(peer, QD_SERVER_SNAPSHOT_RESULT)->as.snapshot_result.entities;
    sim_check(i < rows->count && rows->x[i] == x && rows->y[i] == y, "entity %u is at %g, %g", i, (double)rows->x[i],
              (double)rows->y[i]);
}

void sim_rosters_move_what_they_name(sim_house *house)
{
    sim_peer peer, other;

    sim_peer_open(&peer, house, NULL);
    sim_peer_open(&other, house, NULL);
    uint64_t room = sim_peer_open_room(&peer, "room", NULL);
    sim_peer_open_room(&other, "room", NULL);
    name(&peer, room, 255, 0, 4);
    sim_peer_spawn(&peer, room, 1, 3, 5);
    uint32_t seq = move(&peer, room, 255, 1, 3, 20);
    const qd_msg_error *error = &sim_peer_expect(&peer, QD_SERVER_ERROR)->as.error;
    sim_check(error->code == QD_ERROR_ENTRIES && error->seq == seq && error->entries_refused == 1 &&
                  error->entry_index[0] == 2 && error->entry_code[0] == QD_ERROR_UNKNOWN_ID &&
                  strstr(error->text, "entry 2 (id 4)") != NULL,
              "the refused entry: %s", error->text);
    step(&peer, room, seq);
    expect_at(&peer, room, 0, 0, 0);
    expect_at(&peer, room, 1, 10, 20);
    expect_at(&peer, room, 2, 20, 20);
    qd_msg_server_stats stats;
    qd_service_stats(&house->server.service, &stats);
    sim_check(stats.updates == 3 + 2, "%llu updates", (unsigned long long)stats.updates);

    /* What is another session's is refused, and its rosters are its own. */
    move(&other, room, 255, 0, 1, 30);
    sim_peer_expect_error(&other, QD_ERROR_UNKNOWN_ROSTER, "roster is 255");
    name(&other, room, 255, 0, 1);
    move(&other, room, 255, 0, 1, 30);
    sim_peer_expect_error(&other, QD_ERROR_ENTRIES, "NOT_OWNER");
    sim_peer_close(&peer);
    sim_peer_close(&other);
}

/* A house where a session's rosters may have 8 ids. */
void sim_requests_of_rosters_are_refused(sim_house *house)
{
    const qd_msg_room_config of_three = {.tick_mode = QD_TICK_MODE_STEP, .dimensions = 3};
    static const float at[] = {1, 2};
    sim_peer peer;

    sim_peer_connect(&peer, house);
    sim_peer_send(&peer, (qd_client_message){.kind = QD_CLIENT_HELLO, .as.hello = {.version = QD_PROTOCOL_VERSION}});
    const qd_msg_limits *limits = &sim_peer_expect(&peer, QD_SERVER_WELCOME)->as.welcome.limits;
    sim_check(limits->roster_ids_max == 8, "a limit of %u", limits->roster_ids_max);
    uint64_t room = sim_peer_open_room(&peer, "room", NULL);
    name(&peer, 12345, 0, 0, 1);
    sim_peer_expect_error(&peer, QD_ERROR_UNKNOWN_ROOM, "OpenRoom first");
    name(&peer, room, 256, 0, 1);
    sim_peer_expect_error(&peer, QD_ERROR_INVALID, "roster is 256: must be 0 to 255");
    move(&peer, room, 256, 0, 1, 1);
    sim_peer_expect_error(&peer, QD_ERROR_INVALID, "roster is 256");
    move(&peer, room, 7, 0, 1, 1);
    sim_peer_expect_error(&peer, QD_ERROR_UNKNOWN_ROSTER, "roster is 7");
    name(&peer, room, 7, 1, 1);
    sim_peer_expect_error(&peer, QD_ERROR_INVALID, "first is 1, but roster 7 has 0 entries");
    name(&peer, room, 7, 0, 5);
    name(&peer, room, 8, 0, 4);
    sim_peer_expect_error(&peer, QD_ERROR_LIMIT, "more than 8 together (--roster-ids-max)");
    move(&peer, room, 8, 0, 1, 1);
    sim_peer_expect_error(&peer, QD_ERROR_UNKNOWN_ROSTER, "roster is 8");
    move(&peer, room, 7, 3, 3, 1);
    sim_peer_expect_error(&peer, QD_ERROR_INVALID, "3 positions from entry 3 on: roster 7 has 5 entries");
    move(&peer, room, 7, 6, 0, 1);
    sim_peer_expect_error(&peer, QD_ERROR_INVALID, "0 positions from entry 6 on");
    uint32_t seq = move(&peer, room, 7, 5, 0, 1); /* none, from its end on: there is nothing wrong with that */
    step(&peer, room, seq);

    qd_client_message message = {.kind = QD_CLIENT_ROSTER_MOVE,
                                 .as.roster_move = {.room = room, .roster = 7, .count = 2, .x = at, .y = at, .z = at}};
    sim_peer_send(&peer, message);
    sim_peer_expect_error(&peer, QD_ERROR_INVALID, "z has values");
    message.as.roster_move.z = message.as.roster_move.y = NULL;
    sim_peer_send(&peer, message);
    sim_peer_expect_error(&peer, QD_ERROR_COLUMNS, "y");
    qd_msg_room_config config = of_three;
    config.has_bounds = true;
    config.bounds = (qd_msg_bounds){.max_x = 9, .max_y = 9, .max_z = 9};
    sim_peer_send(&peer, (qd_client_message){.kind = QD_CLIENT_OPEN_ROOM,
                                             .as.open_room = {.name = "deep", .has_config = true, .config = config}});
    message.as.roster_move.room = sim_peer_expect(&peer, QD_SERVER_ROOM_OPENED)->as.room_opened.room;
    message.as.roster_move.y = at;
    sim_peer_send(&peer, message);
    sim_peer_expect_error(&peer, QD_ERROR_COLUMNS, "column z is missing");

    /* What is dropped makes room, and is there no more. */
    name(&peer, room, 7, 0, 0);
    name(&peer, room, 8, 0, 8);
    move(&peer, room, 7, 0, 1, 1);
    sim_peer_expect_error(&peer, QD_ERROR_UNKNOWN_ROSTER, "roster is 7");
    sim_peer_close(&peer);
}

void sim_rosters_go_when_their_session_leaves(sim_house *house)
{
    sim_peer peer, again;
    const qd_msg_welcome *welcome = sim_peer_hello(&peer, house, &(qd_msg_hello){.resumable = true});
    uint8_t key[QD_RESUME_KEY_BYTES];

    memcpy(key, welcome->resume_key.bytes, sizeof key);
    uint64_t room = sim_peer_open_room(&peer, "room", NULL);
    sim_peer_spawn(&peer, room, 1, 2, 0);
    name(&peer, room, 0, 0, 2);
    uint32_t seq = move(&peer, room, 0, 0, 2, 30);
    step(&peer, room, seq);
    /* Not when its connection does. */
    sim_peer_close(&peer);
    welcome = sim_peer_hello(&again, house, &(qd_msg_hello){.resumable = true, .resume = {sizeof key, key}});
    sim_check(welcome->resumed, "it is resumed");
    (void)sim_peer_expect(&again, QD_SERVER_APPLIED);
    seq = move(&again, room, 0, 1, 1, 40);
    sim_peer_step(&again, room);
    (void)sim_peer_expect(&again, QD_SERVER_APPLIED);
    expect_at(&again, room, 0, 10, 30);
    expect_at(&again, room, 1, 10, 40);

    sim_peer_send(&again, (qd_client_message){.kind = QD_CLIENT_LEAVE_ROOM, .as.room = {.room = room}});
    (void)sim_peer_expect(&again, QD_SERVER_ROOM_LEFT);
    sim_check(sim_peer_open_room(&again, "room", NULL) == room, "the same room");
    move(&again, room, 0, 0, 2, 50);
    sim_peer_expect_error(&again, QD_ERROR_UNKNOWN_ROSTER, "roster is 0");
    sim_peer_close(&again);
}
