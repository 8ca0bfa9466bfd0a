/* SPDX-License-Identifier: Apache-2.0
 *
 * Cases of sessions that adopt what others of their token have left behind.
 */
#include "cases.h"
#include "server/actor/service/limits.h"
#include "server/base/alloc.h"

static const qd_msg_room_config by_step = {.tick_mode = QD_TICK_MODE_STEP};

static uint32_t adopt(sim_peer *peer, uint64_t room, uint64_t session)
{
    return sim_peer_send(peer,
                         (qd_client_message){.kind = QD_CLIENT_ADOPT, .as.adopt = {.room = room, .session = session}});
}

/* What is adopted: `count` ids from `first` on, in one frame. */
static const qd_msg_handed_over *expect_adopted(sim_peer *peer, uint32_t seq, uint32_t first, uint32_t count)
{
    const qd_server_message *message = sim_peer_expect(peer, QD_SERVER_HANDED_OVER);
    const qd_msg_handed_over *reported = &message->as.handed_over;

    sim_check(message->seq == seq && reported->last, "the answer to another request");
    sim_check(reported->count == count, "%u are handed over, not %u", reported->count, count);
    for (uint32_t i = 0; i < count; i++) {
        sim_check(reported->id[i] == first + i, "%u instead of %u", reported->id[i], first + i);
    }
    return reported;
}

/* The peer's own entities, as a snapshot has them. */
static uint32_t count_own(sim_peer *peer, uint64_t room)
{
    sim_peer_send(peer, (qd_client_message){.kind = QD_CLIENT_SNAPSHOT, .as.snapshot = {.room = room, .own = true}});
    return sim_peer_expect(peer, QD_SERVER_SNAPSHOT_RESULT)->as.snapshot_result.entities.count;
}

static void expect_may_move(sim_peer *peer, uint64_t room, uint32_t id, bool may)
{
    const float at[] = {7};

    sim_peer_send(
        peer, (qd_client_message){.kind = QD_CLIENT_MOVE,
                                  .as.batch = {.room = room, .entities = {.count = 1, .id = &id, .x = at, .y = at}}});
    if (may) {
        sim_peer_expect_nothing(peer);
    } else {
        sim_peer_expect_error(peer, QD_ERROR_ENTRIES, "NOT_OWNER");
    }
}

void sim_what_was_left_behind_is_adopted(sim_house *house)
{
    sim_peer stranger, older, left, newer; /* sessions 1 to 4 */

    sim_peer_open(&stranger, house, "another");
    sim_peer_open(&older, house, "token");
    sim_peer_open(&left, house, "token");
    sim_peer_open(&newer, house, "token");
    uint64_t room = sim_peer_open_room(&stranger, "room", &by_step);
    sim_peer_open_room(&older, "room", NULL);
    sim_peer_open_room(&left, "room", NULL);
    sim_peer_open_room(&newer, "room", NULL);
    sim_peer_send(&newer, (qd_client_message){.kind = QD_CLIENT_SUBSCRIBE,
                                              .as.subscribe = {.room = room, .scope = QD_SCOPE_OWN}});
    (void)sim_peer_expect(&newer, QD_SERVER_TICK);
    sim_peer_spawn(&stranger, room, 50, 1, 0);
    sim_peer_spawn(&older, room, 2, 2, 0);
    sim_peer_spawn(&left, room, 1, 1, 0);
    sim_peer_spawn(&newer, room, 4, 1, 0);
    sim_house_settle(house);
    sim_peer_step(&stranger, room);
    (void)sim_peer_expect(&stranger, QD_SERVER_APPLIED);
    (void)sim_peer_expect(&newer, QD_SERVER_TICK);
    (void)sim_peer_expect(&newer, QD_SERVER_APPLIED);

    /* One was cut off, one has left the room, one is a stranger. */
    sim_peer_close(&older);
    sim_peer_send(&left, (qd_client_message){.kind = QD_CLIENT_LEAVE_ROOM, .as.room = {.room = room}});
    sim_house_pass(house, 4000);
    const qd_msg_handed_over *reported = expect_adopted(&newer, adopt(&newer, room, 0), 1, 3);
    sim_check(reported->room == room && reported->from == 0 && reported->to == 4 && reported->connected_count == 0,
              "the sessions");
    const qd_msg_tick *tick = &sim_peer_expect(&newer, QD_SERVER_TICK)->as.tick;
    sim_check(tick->reset && tick->merged_ticks == 0 && tick->begins.count == 5 * 4 / 2, "%u pairs are its own",
              tick->begins.count);
    sim_house_pass(house, 2000);
    sim_check(count_own(&newer, room) == 4, "the grace of the others is over");
    expect_may_move(&newer, room, 1, true);
    expect_may_move(&newer, room, 50, false);
    reported = expect_adopted(&newer, adopt(&newer, room, 0), 0, 0);
    sim_check(reported->connected_count == 0, "nobody has anything");
    sim_peer_expect_nothing(&stranger);
    (void)sim_peer_expect(&left, QD_SERVER_APPLIED);
    (void)sim_peer_expect(&left, QD_SERVER_ROOM_LEFT);
    sim_peer_expect_nothing(&left);
    sim_peer_close(&stranger);
    sim_peer_close(&left);
    sim_peer_close(&newer);
}

void sim_who_may_adopt(sim_house *house)
{
    sim_peer older, none, other, same; /* sessions 1 to 4 */

    sim_peer_open(&older, house, "token");
    sim_peer_open(&none, house, NULL);
    sim_peer_open(&other, house, "toke");
    sim_peer_open(&same, house, "token");
    uint64_t room = sim_peer_open_room(&older, "room", &by_step);
    sim_peer_open_room(&none, "room", NULL);
    sim_peer_open_room(&other, "room", NULL);
    sim_peer_spawn(&older, room, 1, 2, 0);
    sim_house_settle(house);
    sim_peer_close(&older);
    adopt(&none, room, 0);
    sim_peer_expect_error(&none, QD_ERROR_NOT_ALLOWED, "--token-file");
    adopt(&other, room, 1);
    sim_peer_expect_error(&other, QD_ERROR_NOT_ALLOWED, "session is 1, which has another token");
    expect_adopted(&other, adopt(&other, room, 0), 0, 0);
    expect_adopted(&other, adopt(&other, room, 77), 0, 0);
    adopt(&same, room, 0);
    sim_peer_expect_error(&same, QD_ERROR_UNKNOWN_ROOM, "OpenRoom first");
    sim_peer_open_room(&same, "room", NULL);
    adopt(&same, room, 4);
    sim_peer_expect_error(&same, QD_ERROR_INVALID, "session is 4, which is this one");
    expect_adopted(&same, adopt(&same, room, 1), 1, 2);
    sim_peer_close(&none);
    sim_peer_close(&other);
    sim_peer_close(&same);
}

void sim_who_is_connected_keeps_its_own(sim_house *house)
{
    sim_peer open, gone, newer; /* sessions 1 to 3 */

    sim_peer_open(&open, house, "token");
    sim_peer_open(&gone, house, "token");
    sim_peer_open(&newer, house, "token");
    uint64_t room = sim_peer_open_room(&open, "room", &by_step);
    sim_peer_open_room(&gone, "room", NULL);
    sim_peer_open_room(&newer, "room", NULL);
    sim_peer_spawn(&open, room, 1, 2, 0);
    sim_peer_spawn(&gone, room, 5, 1, 0);
    sim_house_settle(house);
    sim_peer_close(&gone);
    const qd_msg_handed_over *reported = expect_adopted(&newer, adopt(&newer, room, 0), 5, 1);
    sim_check(reported->connected_count == 1 && reported->connected_listed == 1 && reported->connected[0] == 1,
              "who is connected");
    sim_peer_expect_nothing(&open);
    expect_may_move(&open, room, 1, true);

    /* By its number it can be adopted from. If it is connected after all, it gets a report. */
    reported = expect_adopted(&newer, adopt(&newer, room, 1), 1, 2);
    sim_check(reported->from == 1 && reported->to == 3 && reported->connected_count == 0, "whose they were");
    reported = expect_adopted(&open, 0, 1, 2);
    sim_check(reported->from == 1 && reported->to == 3 && reported->connected_count == 0, "whose they are");
    expect_may_move(&open, room, 1, false);
    expect_may_move(&newer, room, 1, true);
    reported = expect_adopted(&newer, adopt(&newer, room, 0), 0, 0);
    sim_check(reported->connected_count == 0, "who has nothing is not named");
    sim_peer_close(&open);
    sim_peer_close(&newer);
}

void sim_who_is_kept_goes_on_without(sim_house *house)
{
    sim_peer older, newer, again;
    const qd_msg_hello hello = {.resumable = true, .token = "token"};
    const qd_msg_key key = sim_peer_hello(&older, house, &hello)->resume_key;
    uint8_t kept[QD_RESUME_KEY_BYTES];

    for (size_t i = 0; i < sizeof kept; i++) {
        kept[i] = key.bytes[i];
    }
    uint64_t room = sim_peer_open_room(&older, "room", &by_step);
    sim_peer_spawn(&older, room, 1, 2, 0);
    sim_house_settle(house);
    sim_peer_close(&older);
    sim_peer_open(&newer, house, "token");
    sim_peer_open_room(&newer, "room", NULL);
    expect_adopted(&newer, adopt(&newer, room, 0), 1, 2);
    sim_check(sim_peer_hello(&again, house, &(qd_msg_hello){.token = "token", .resume = {sizeof kept, kept}})->resumed,
              "it is resumed");
    sim_check(count_own(&again, room) == 0 && count_own(&newer, room) == 2, "they are the adopter's");
    sim_peer_expect_nothing(&again);
    /* Open again, it is not taken from. */
    sim_peer_spawn(&again, room, 7, 1, 0);
    sim_house_settle(house);
    const qd_msg_handed_over *reported = expect_adopted(&newer, adopt(&newer, room, 0), 0, 0);
    sim_check(reported->connected_count == 1 && reported->connected[0] == 1, "who is connected");
    sim_peer_close(&newer);
    sim_peer_close(&again);
}

void sim_many_are_adopted(sim_house *house)
{
    const uint32_t count = QD_HANDED_OVER_IDS_MAX + 1000, half = count / 2;
    sim_peer older, newer;

    sim_peer_open(&older, house, "token");
    uint64_t room = sim_peer_open_room(&older, "room", &by_step);
    sim_peer_spawn(&older, room, 10 + half, count - half, 0);
    sim_peer_spawn(&older, room, 10, half, 0);
    sim_house_settle(house);
    sim_peer_close(&older);
    sim_peer_open(&newer, house, "token");
    sim_peer_open_room(&newer, "room", NULL);
    uint32_t seq = adopt(&newer, room, 0), next = 10, frames = 0;
    for (bool last = false; !last; frames++) {
        const qd_server_message *message = sim_peer_expect(&newer, QD_SERVER_HANDED_OVER);
        const qd_msg_handed_over *reported = &message->as.handed_over;

        sim_check(message->seq == seq && reported->to == 2, "a frame of something else");
        for (uint32_t i = 0; i < reported->count; i++, next++) {
            sim_check(reported->id[i] == next, "%u comes instead of %u", reported->id[i], next);
        }
        last = reported->last;
    }
    sim_check(frames == 2 && next == 10 + count, "%u in %u frames", next - 10, frames);
    sim_peer_close(&newer);
}

/* A session that cannot get its report is disconnected, with the reason. Otherwise nothing changes. */
void sim_owners_change_without_memory(sim_house *house)
{
    static const uint32_t id[] = {1, 2, 3, 4};
    sim_peer keeper;
    uint32_t refused = 0, disconnected = 0, reported = 0;

    sim_peer_open(&keeper, house, NULL);
    uint64_t room = sim_peer_open_room(&keeper, "room", &by_step);
    for (size_t allowance = 0; allowance < 8000; allowance += 41) {
        sim_peer giver, taker;
        const uint64_t session = sim_peer_hello(&taker, house, &(qd_msg_hello){.token = "token"})->session;

        sim_peer_open(&giver, house, "token");
        sim_peer_open_room(&giver, "room", NULL);
        sim_peer_open_room(&taker, "room", NULL);
        sim_peer_spawn(&giver, room, 1, 8, 0);
        sim_house_settle(house);
        sim_peer_send(&giver,
                      (qd_client_message){.kind = QD_CLIENT_HANDOVER,
                                          .as.handover = {.room = room, .count = 4, .id = id, .session = session}});
        adopt(&taker, room, session + 1);
        qd_memory_limit_set(qd_memory_used() + allowance);
        sim_house_settle(house);
        for (const qd_server_message *message; (message = sim_peer_next(&taker)) != NULL;) {
            refused += message->kind == QD_SERVER_ERROR;
            reported += message->kind == QD_SERVER_HANDED_OVER;
            disconnected += message->kind == QD_SERVER_GO_AWAY;
        }
        qd_memory_limit_set(0);
        sim_peer_close(&giver);
        sim_peer_close(&taker);
        sim_house_pass(house, 6000);
    }
    sim_check(refused > 0 && disconnected > 0 && reported > 0, "%u are refused, %u disconnected, %u reported", refused,
              disconnected, reported);
    sim_peer_close(&keeper);
}
