/* SPDX-License-Identifier: Apache-2.0
 *
 * One frame moves entities of many rooms: its parts apply in order, each answers for itself, and a full room delays its
 * own.
 */
#include <string.h>

#include "scenario.h"

typedef struct two_rooms {
    sim_peer peer;
    uint64_t a, b; /* each has entities 1 and 2 */
} two_rooms;

static void open_two(two_rooms *two, sim_house *house)
{
    const sim_crowd crowd = {.first = 1, .count = 2, .apart = 20};

    sim_peer_open(&two->peer, house, NULL);
    two->a = sim_peer_open_room(&two->peer, "a", NULL);
    two->b = sim_peer_open_room(&two->peer, "b", NULL);
    sim_peer_send_crowd(&two->peer, two->a, &crowd);
    sim_peer_send_crowd(&two->peer, two->b, &crowd);
    sim_house_settle(house);
}

/* The entity is there after a tick. */
static void expect_at(two_rooms *two, uint64_t room, uint32_t entity, float x)
{
    const qd_msg_snapshot_result *snapshot;

    sim_peer_send(&two->peer, MESSAGE(GET_SNAPSHOT, .get_snapshot = {.room = room}));
    sim_house_settle(two->peer.house);
    const qd_server_message *message = sim_peer_next(&two->peer);
    while (message != NULL && message->kind != QD_SERVER_SNAPSHOT_RESULT) {
        message = sim_peer_next(&two->peer);
    }
    sim_check(message != NULL, "no snapshot");
    snapshot = &message->as.snapshot_result;
    sim_check(snapshot->entities.id[entity - 1] == entity, "another entity");
    sim_check(memcmp(&snapshot->entities.x[entity - 1], &x, sizeof x) == 0, "entity %u is at %f", entity,
              (double)snapshot->entities.x[entity - 1]);
}

static void expect_error(two_rooms *two, uint64_t seq, uint64_t room, qd_error_code code)
{
    const qd_msg_error *error = &sim_peer_expect(&two->peer, QD_SERVER_ERROR)->as.error;

    sim_check(error->seq == seq && error->room == room && error->code == code, "error %d to %llu: %s", (int)error->code,
              (unsigned long long)error->seq, error->text);
}

/* Room a has the first part and the last one: the last position counts. */
CASE(refused_part_names_itself_and_the_others_apply)
{
    two_rooms two;

    open_two(&two, house);
    const uint64_t seq = sim_peer_send(&two.peer, MESSAGE(MOVE_ROOMS, .move_rooms = {
                                                                          .part_count = 4,
                                                                          .part_room = TAGS(two.a, 77, two.b, two.a),
                                                                          .part_size = IDS(2, 1, 2, 1),
                                                                          .count = 6,
                                                                          .id = IDS(1, 2, 1, 2, 9, 1),
                                                                          .x = FLOATS(10, 20, 30, 40, 50, 60),
                                                                          .y = FLOATS(1, 1, 1, 1, 1, 1),
                                                                      }));
    expect_error(&two, seq + 1, 77, QD_ERROR_UNKNOWN_ROOM);
    const qd_server_message *message = sim_peer_expect(&two.peer, QD_SERVER_ACCEPTED);
    sim_check(message->seq == seq + 2 && message->as.accepted.room == two.b &&
                  message->as.accepted.refused_total == 1 && message->as.accepted.refused_index[0] == 1,
              "another entry is refused");
    sim_peer_send(&two.peer, MESSAGE(STEP, .step = {.room = two.a}));
    message = sim_peer_expect(&two.peer, QD_SERVER_APPLIED);
    sim_check(message->as.applied.seq == seq + 4, "the Step has the number behind the parts");
    expect_at(&two, two.a, 1, 60);
    expect_at(&two, two.a, 2, 20);
    expect_at(&two, two.b, 2, 40);
    sim_peer_close(&two.peer);
}

/* Without ids. Room b has no roster 3. */
CASE(parts_move_rosters)
{
    two_rooms two;

    open_two(&two, house);
    sim_peer_send(&two.peer, MESSAGE(SET_ROSTER, .set_roster = {.room = two.a, .count = 2, .id = IDS(2, 1)}));
    sim_peer_send(&two.peer, MESSAGE(SET_ROSTER, .set_roster = {.room = two.b, .count = 2, .id = IDS(2, 1)}));
    qd_msg_move_rooms move = {.part_count = 3,
                              .part_room = TAGS(two.a, two.b, two.b),
                              .part_size = IDS(2, 1, 1),
                              .part_roster = IDS(0, 3, 0),
                              .part_first = IDS(0, 0, 1),
                              .count = 4,
                              .x = FLOATS(10, 20, 30, 40),
                              .y = FLOATS(1, 1, 1, 1)};
    const uint64_t seq = sim_peer_send(&two.peer, MESSAGE(MOVE_ROOMS, .move_rooms = move));
    expect_error(&two, seq + 1, two.b, QD_ERROR_UNKNOWN_ROSTER);
    expect_at(&two, two.a, 1, 20);
    expect_at(&two, two.a, 2, 10);
    expect_at(&two, two.b, 1, 40);
    move.part_roster = move.part_first = NULL; /* all are 0 */
    sim_peer_send(&two.peer, MESSAGE(MOVE_ROOMS, .move_rooms = move));
    sim_house_settle(house);
    expect_at(&two, two.b, 2, 40);
    sim_peer_close(&two.peer);
}

/* The next number of a client must not be one of a part. */
CASE(number_of_the_last_part_has_a_limit)
{
    two_rooms two;

    open_two(&two, house);
    qd_client_message message =
        MESSAGE(MOVE_ROOMS, .move_rooms = {.part_count = 2, .part_room = TAGS(two.a, two.b), .part_size = IDS(0, 0)});
    message.seq = QD_SEQ_MAX;
    sim_link_send(two.peer.link, &message);
    expect_error(&two, QD_SEQ_MAX, 0, QD_ERROR_INVALID);
    sim_peer_close(&two.peer);
}

static void send_to_a(two_rooms *two, uint32_t frames)
{
    while (frames-- > 0) {
        sim_peer_send(&two->peer, MESSAGE(MOVE_ROOMS, .move_rooms = {.part_count = 1,
                                                                     .part_room = TAGS(two->a),
                                                                     .part_size = IDS(1),
                                                                     .count = 1,
                                                                     .id = IDS(1),
                                                                     .x = FLOATS(7),
                                                                     .y = FLOATS(7)}));
    }
    for (uint32_t i = 0; i < 1000; i++) {
        (void)sim_step_links(&two->peer.house->world, 100);
    }
    sim_check(two->peer.link->in_size == 0 || two->peer.link->pauses > 0, "frames are left");
}

/* A Move more than 4 would pause the connection. Of parts, four times as many may wait. */
CASE(full_room_delays_its_own_parts_within_a_bound, .limits = {.room_batches_max = 4})
{
    two_rooms two;

    open_two(&two, house);
    sim_peer_send_crowd(&two.peer, two.a, &(sim_crowd){.first = 10, .count = 1});
    send_to_a(&two, 14);
    sim_check(two.peer.link->pauses == 0, "15 messages wait, and the connection is paused");
    send_to_a(&two, 1);
    sim_check(two.peer.link->pauses == 1, "16 messages wait, and the connection is not paused");
    sim_house_settle(house);
    sim_check(two.peer.link->pauses == 0, "nothing waits, and the connection is paused");
    expect_at(&two, two.a, 1, 7);
    sim_peer_close(&two.peer);
}
