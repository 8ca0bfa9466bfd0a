/* SPDX-License-Identifier: Apache-2.0
 *
 * Cases of entities that get another owner: handed over, or adopted from a session of the same token.
 */
#include "scenario.h"
#include "server/base/memory/alloc.h"

#define HAND_OVER(peer, want, many, to, to_room)                                                                       \
    SEND(peer, want, HAND_OVER,                                                                                        \
         .hand_over = {.count = (many), .id = IDS(1, 2, 3, 4), .session = (to), .room_owned = (to_room)})

SCENARIO(entities_are_handed_over) = {
    JOIN(A, NULL), /* sessions 1 to 3; the third is not in the room */
    JOIN(B, NULL),
    OPEN(C, NULL),
    SUBSCRIBE(B, "accepted; tick 0 reset", OWN),
    SPAWN(A, NULL, 1, 2, 0),
    STEP(A, "applied 1"),
    LOOK(B, ""),
    HAND_OVER(A, "error INVALID: session is 3, which is not in the room", 1, 3, false),
    HAND_OVER(A, "error INVALID: session is 0", 1, 0, false),
    HAND_OVER(A, "error INVALID: session is 2, and room_owned is set", 1, 2, true),
    HAND_OVER(C, "error UNKNOWN_ROOM: OpenRoom first", 1, 2, false),
    LOOK(B, ""),
    /* 1 and 2 are there, 3 and 4 are not. */
    HAND_OVER(A, "accepted 2 UNKNOWN_ID 3 UNKNOWN_ID: no entity in the room has this id", 4, 2, false),
    LOOK(B, "handed over 1 2 from 1 to 2 unasked; tick 1 reset begin 1-2"),
    HAND_OVER(A, "accepted 0 NOT_OWNER: another session owns the entity", 1, 1, false),
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
};

#define ADOPT(peer, want, number) SEND(peer, want, ADOPT, .adopt.session = (number))
#define OWN(peer, want)           SEND(peer, want, GET_SNAPSHOT, .get_snapshot.own = true)

SCENARIO(what_was_left_behind_is_adopted) = {
    JOIN(A, "another"), /* sessions 1 to 4 */
    JOIN(B, "token"),
    JOIN(C, "token"),
    JOIN(D, "token"),
    SUBSCRIBE(D, "accepted; tick 0 reset", OWN),
    SPAWN(A, NULL, 50, 1, 0),
    SPAWN(B, NULL, 2, 2, 0),
    SPAWN(C, NULL, 1, 1, 0),
    SPAWN(D, "", 4, 1, 0),
    STEP(A, "applied 1"),
    LOOK(D, "tick 1 begin 1-4 begin 2-4 begin 3-4 begin 4-50; applied 1"),
    /* One was cut off, one has left the room, one is a stranger. */
    CLOSE(B),
    LEAVE(C, "applied 1 to -1; left"),
    PASS(4000),
    ADOPT(D, "handed over 1 2 3 from 0 to 4; tick 1 reset 10 begin", 0),
    PASS(2000),
    OWN(D, "snapshot 1 at 0 0 2 at 0 0 3 at 0 0 4 at 0 0"), /* the grace of the others is over */
    MOVE(D, "", 1, 7, 7),
    MOVE(D, "accepted 0 NOT_OWNER: another session owns the entity", 50, 7, 7),
    ADOPT(D, "handed over from 0 to 4", 0),
    LOOK(A, ""),
    LOOK(C, ""),
};

SCENARIO(adopt_of_another_token_is_refused) = {
    JOIN(A, "token"), /* sessions 1 to 4 */
    JOIN(B, NULL),
    JOIN(C, "toke"),
    OPEN(D, "token"),
    SPAWN(A, "", 1, 2, 0),
    CLOSE(A),
    ADOPT(B, "error NOT_ALLOWED: this session has no token", 0),
    ADOPT(C, "error NOT_ALLOWED: session is 1, which has another token", 1),
    ADOPT(C, "handed over from 0 to 3", 0),
    ADOPT(C, "handed over from 77 to 3", 77),
    ADOPT(D, "error UNKNOWN_ROOM: OpenRoom first", 0),
    ROOM(D, 0),
    ADOPT(D, "error INVALID: session is 4, which is this one", 4),
    ADOPT(D, "handed over 1 2 from 1 to 4", 1),
};

SCENARIO(connected_session_keeps_its_entities) = {
    JOIN(A, "token"), /* sessions 1 to 3 */
    JOIN(B, "token"), JOIN(C, "token"), SPAWN(A, NULL, 1, 2, 0), SPAWN(B, "", 5, 1, 0), CLOSE(B),
    ADOPT(C, "handed over 5 from 0 to 3 1 connected 1", 0), LOOK(A, ""), MOVE(A, "", 1, 7, 7),
    /* A connected session is adopted from by its number. It gets a report. */
    ADOPT(C, "handed over 1 2 from 1 to 3", 1), LOOK(A, "handed over 1 2 from 1 to 3 unasked"),
    MOVE(A, "accepted 0 NOT_OWNER: another session owns the entity", 1, 7, 7), MOVE(C, "", 1, 7, 7),
    ADOPT(C, "handed over from 0 to 3", 0), /* a session that has nothing is not named */
};

/* The first two entities are left behind by the session's first stay in the room. */
SCENARIO(all_stays_of_a_session_are_adopted) = {
    JOIN(A, "token"), /* sessions 1 and 2 */
    JOIN(B, "token"),
    SPAWN(A, "", 1, 2, 0),
    LEAVE(A, "left"),
    ROOM(A, 0),
    SPAWN(A, "", 3, 1, 0),
    ADOPT(B, "handed over 1 2 3 from 1 to 2", 1),
    LOOK(A, "handed over 3 from 1 to 2 unasked"),
};

SCENARIO(resumed_session_misses_what_was_adopted) = {
    RESUMABLE(A, "token", "welcome 1 new key for 10000"),
    ROOM(A, 0),
    SPAWN(A, "", 1, 2, 0),
    CLOSE(A),
    JOIN(B, "token"),
    ADOPT(B, "handed over 1 2 from 0 to 2", 0),
    RESUME(C, A, "token", "welcome 1 same key for 10000 resumed last 3"),
    OWN(C, "snapshot"),
    OWN(B, "snapshot 1 at 0 0 2 at 0 0"),
    /* Open again, the session is not taken from. */
    SPAWN(C, "", 7, 1, 0),
    ADOPT(B, "handed over from 0 to 2 1 connected 1", 0),
};

#define OWNED 40000u

/* The giver's entities change their owner, as the request asks, in a server with so much memory left. Returns whether
 * they did; if not, the request was refused with a code. Both sessions stay in any case. */
static bool change_owner(sim_house *house, qd_client_kind kind, size_t memory_left)
{
    static uint32_t id[OWNED];
    sim_peer giver, taker;
    uint32_t given = 0, reported = 0, refused = 0;

    sim_peer_open(&taker, house, "token");
    sim_peer_open(&giver, house, "token");
    const uint64_t from = giver.decoded.message.as.welcome.session, to = taker.decoded.message.as.welcome.session;
    const uint64_t room = sim_peer_open_room(&giver, "room", NULL);
    sim_peer_open_room(&taker, "room", NULL);
    sim_peer_send_crowd(&giver, room, &(sim_crowd){.first = 1, .count = OWNED});
    sim_house_settle(house);
    for (uint32_t i = 0; i < OWNED; i++) {
        id[i] = i + 1;
    }
    if (kind == QD_CLIENT_ADOPT) {
        sim_peer_send(&taker, MESSAGE(ADOPT, .adopt = {.room = room, .session = from}));
    } else {
        sim_peer_send(&giver, MESSAGE(HAND_OVER, .hand_over = {.room = room, .count = OWNED, .id = id, .session = to}));
    }
    /* The request is in the room's hands before memory runs out. */
    for (uint32_t i = 0; i < 1000; i++) {
        (void)sim_step_links(&house->world, 100);
    }
    qd_memory_limit_set(qd_memory_used() + memory_left);
    sim_house_settle(house);
    for (uint32_t i = 0; i < 2; i++) {
        sim_peer *peer = i == 0 ? &taker : &giver;

        for (const qd_server_message *message; (message = sim_peer_next(peer)) != NULL;) {
            sim_check(message->kind != QD_SERVER_GO_AWAY, "a session ends with %zu bytes left", memory_left);
            given += message->kind == QD_SERVER_HANDED_OVER && peer == &taker ? message->as.handed_over.count : 0;
            reported += message->kind == QD_SERVER_HANDED_OVER && peer == &giver ? message->as.handed_over.count : 0;
            refused += message->kind == QD_SERVER_ERROR && message->as.error.code == QD_ERROR_LIMIT;
        }
    }
    sim_check(given == (refused > 0 ? 0 : OWNED), "%u ids reported, and %u refusals", given, refused);
    sim_check(reported == (kind == QD_CLIENT_ADOPT ? given : 0), "%u ids reported to the owner before", reported);
    qd_memory_limit_set(0);
    sim_peer_close(&giver);
    sim_peer_close(&taker);
    sim_house_pass(house, 6000);
    return given > 0;
}

CASE(owners_change_as_a_whole_or_not_at_all_without_memory)
{
    static const qd_client_kind kinds[] = {QD_CLIENT_HAND_OVER, QD_CLIENT_ADOPT};
    sim_peer keeper;

    sim_peer_open(&keeper, house, NULL);
    sim_peer_open_room(&keeper, "room", NULL);
    for (size_t i = 0; i < 2; i++) {
        uint32_t changed = 0, tries = 0;

        for (size_t memory_left = 20000; memory_left < 4000000; memory_left += 400000, tries++) {
            changed += change_owner(house, kinds[i], memory_left);
        }
        sim_check(changed > 0 && changed < tries, "%u of %u change the owner", changed, tries);
    }
    sim_peer_close(&keeper);
}
