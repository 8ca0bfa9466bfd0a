/* SPDX-License-Identifier: Apache-2.0
 *
 * Error texts about the limits of rooms, rosters and queues, and about the memory budget.
 */
#include <string.h>

#include "errors.h"
#include "scenario.h"
#include "server/base/memory/alloc.h"

#define CROWD_SIZE    8000u
#define ALLOWANCE_MAX (320u << 10)

static uint32_t ids[60000];

static void fill_ids(void)
{
    for (uint32_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
        ids[i] = i;
    }
}

/* ---- limits ---- */

static void write_refused_connections(sim_texts *texts, sim_house *house)
{
    for (int reason = 0; reason < QD_NET_REFUSALS; reason++) {
        qd_buffer *buffer =
            reason == QD_NET_NO_MEMORY ? NULL : qd_server_refusal(&house->server, (qd_net_refusal)reason);
        qd_decoded_server decoded;

        if (buffer == NULL) {
            continue;
        }
        sim_decode(buffer, &decoded);
        fprintf(texts->file, "GO_AWAY: %s\n", decoded.message.as.go_away.text);
        qd_decoded_server_release(&decoded, NULL);
        qd_buffer_release(buffer);
    }
}

static void write_rooms_max(sim_texts *texts, sim_house *house, sim_peer *peer)
{
    static const qd_msg_open_room open = {
        .name = "another", .has_config = true, .config = {.has_bounds = true, .bounds = {.max_x = 1, .max_y = 1}}};
    const uint32_t before = house->server.service.directory.rooms_max;

    house->server.service.directory.rooms_max = house->server.service.directory.count;
    texts->for_memory = true; /* the rooms of other cases are closing */
    sim_peer_send(peer, MESSAGE(OPEN_ROOM, .open_room = open));
    sim_texts_expect(texts, peer);
    texts->for_memory = false;
    house->server.service.directory.rooms_max = before;
}

static void write_rosters(sim_texts *texts, sim_peer *peer, uint64_t room)
{
    sim_peer_send(peer, MESSAGE(SET_ROSTER, .set_roster = {.room = room, .count = 9000, .id = ids}));
    sim_texts_expect(texts, peer);
    sim_peer_send(peer, MESSAGE(SET_ROSTER, .set_roster = {.room = room, .count = 2, .id = ids}));
    sim_peer_send(peer,
                  MESSAGE(MOVE_ROSTER,
                          .move_roster = {.room = room, .first = 1, .count = 2, .x = FLOATS(1, 1), .y = FLOATS(1, 1)}));
    sim_texts_expect(texts, peer);
}

/* An answer that is longer than the queue fits into an empty queue only: not behind the first answer. */
static void write_queue(sim_texts *texts, sim_peer *peer, const qd_client_message *asked)
{
    sim_peer_send(peer, MESSAGE(PING, .ping = {0}));
    sim_peer_send(peer, *asked);
    sim_texts_expect(texts, peer);
}

/* All are anchored at entity 1. */
static void observe_many(sim_peer *peer, uint64_t room, uint32_t count)
{
    static uint32_t anchors[1100];
    static float range[1100];

    for (uint32_t i = 0; i < count; i++) {
        anchors[i] = 1;
        range[i] = 0.01f;
    }
    sim_peer_send(
        peer,
        MESSAGE(OBSERVE, .observers = {.room = room, .count = count, .id = ids, .entity = anchors, .range = range}));
}

static void write_slow_reader(sim_texts *texts, sim_house *house, sim_peer *writer, uint64_t room)
{
    sim_peer reader;

    sim_peer_open(&reader, house, NULL);
    sim_peer_open_room(&reader, "limits", NULL);
    sim_peer_send(&reader, MESSAGE(SUBSCRIBE, .subscribe = {.room = room}));
    sim_house_settle(house);
    for (uint32_t step = 0; step < 30; step++) {
        sim_peer_send_crowd(writer, room, &(sim_crowd){.first = 20000 + 100 * step, .count = 30});
        sim_peer_send(writer, MESSAGE(STEP, .step = {.room = room}));
        sim_house_pass(house, 400);
        (void)sim_texts_take(texts, writer);
    }
    sim_texts_expect(texts, &reader);
    sim_peer_close(&reader);
}

void sim_texts_of_limits(sim_texts *texts, sim_house *house)
{
    sim_peer peer;

    fill_ids();
    write_refused_connections(texts, house);
    sim_peer_open(&peer, house, NULL);
    const uint64_t room = sim_peer_open_room(&peer, "limits", NULL);
    write_rooms_max(texts, house, &peer);
    write_rosters(texts, &peer, room);
    sim_peer_send_crowd(&peer, room, &(sim_crowd){.first = 1, .count = CROWD_SIZE, .apart = 5});
    observe_many(&peer, room, 1100);
    sim_peer_send(&peer, MESSAGE(STEP, .step = {.room = room}));
    sim_texts_take(texts, &peer);
    write_queue(texts, &peer, &MESSAGE(GET_SNAPSHOT, .get_snapshot = {.room = room}));
    write_queue(texts, &peer, &MESSAGE(QUERY, .query = {.room = room, .kind = QD_QUERY_NEAREST, .limit = 65536}));
    write_queue(texts, &peer, &MESSAGE(WHY, .why = {.room = room, .a = 1, .b = 1}));
    write_slow_reader(texts, house, &peer, room);
    sim_peer_close(&peer);
}

/* ---- memory ---- */

/* A fresh room has drawn little memory ahead. */
typedef enum room_kind { NO_ROOM, FILLED, FRESH } room_kind;

static unsigned fresh_rooms;

static uint64_t open_room(sim_peer *peer, room_kind kind)
{
    char name[32] = "memory";

    if (kind == FRESH) {
        snprintf(name, sizeof name, "fresh %u", fresh_rooms++);
    }
    const uint64_t room = sim_peer_open_room(peer, name, NULL);
    if (kind == FRESH) {
        sim_peer_send_crowd(peer, room, &(sim_crowd){.first = 1, .count = 1});
    }
    observe_many(peer, room, 1);
    sim_house_settle(peer->house);
    return room;
}

/* Sends the request with ever more memory. The session has an observer, for the requests that name one. */
static void write_request(sim_texts *texts, sim_house *house, room_kind kind, const qd_client_message *asked)
{
    qd_client_message message = *asked;
    sim_peer peer;
    bool is_open = false;

    for (size_t allowance = 0; allowance < ALLOWANCE_MAX; allowance += 32 + allowance / 16) {
        if (!is_open) {
            sim_peer_open(&peer, house, "memory");
        }
        if (kind == FRESH || (kind == FILLED && !is_open)) {
            message.as.room.room = open_room(&peer, kind);
        }
        sim_peer_send(&peer, message);
        qd_memory_limit_set(qd_memory_used() + allowance);
        (void)sim_texts_take(texts, &peer);
        qd_memory_limit_set(0);
        is_open = !peer.link->closed && !peer.link->close_asked;
        if (!is_open) {
            sim_peer_close(&peer);
        }
    }
    if (is_open) {
        sim_peer_close(&peer);
    }
}

static void write_hello(sim_texts *texts, sim_house *house)
{
    static char token[257];

    memset(token, 'x', sizeof token - 1);
    for (size_t allowance = 0; allowance < 4096; allowance += 64) {
        sim_peer peer;

        sim_peer_connect(&peer, house);
        sim_house_settle(house);
        sim_peer_send(&peer, MESSAGE(HELLO, .hello = {.version = QD_PROTOCOL_VERSION, .token = token}));
        qd_memory_limit_set(qd_memory_used() + allowance);
        (void)sim_texts_take(texts, &peer);
        qd_memory_limit_set(0);
        sim_peer_close(&peer);
    }
}

static void write_resuming(sim_texts *texts, sim_house *house)
{
    for (size_t allowance = 0; allowance < 8192; allowance += 48) {
        uint8_t key[QD_RESUME_KEY_BYTES];
        sim_peer peer;

        sim_peer_connect(&peer, house);
        sim_peer_send(&peer, MESSAGE(HELLO, .hello = {.version = QD_PROTOCOL_VERSION, .resumable = true}));
        memcpy(key, sim_peer_expect(&peer, QD_SERVER_WELCOME)->as.welcome.resume_key.bytes, sizeof key);
        sim_peer_open_room(&peer, "memory", NULL);
        sim_peer_open_room(&peer, "resumed", NULL);
        sim_peer_open_room(&peer, "resumed too", NULL);
        sim_peer_close(&peer);
        sim_peer_connect(&peer, house);
        sim_peer_send(
            &peer,
            MESSAGE(HELLO, .hello = {.version = QD_PROTOCOL_VERSION, .resumable = true, .resume = {sizeof key, key}}));
        qd_memory_limit_set(qd_memory_used() + allowance);
        (void)sim_texts_take(texts, &peer);
        qd_memory_limit_set(0);
        sim_peer_close(&peer);
        sim_house_pass(house, 11000);
    }
}

/* The members of a room grow by doubling, and beyond what the room's heap has drawn ahead. */
static void write_joining(sim_texts *texts, sim_house *house)
{
    static sim_peer members[70];
    const qd_client_message open = MESSAGE(OPEN_ROOM, .open_room = {.name = "joining"});
    uint32_t count = 0;
    sim_peer keeper;

    sim_peer_open(&keeper, house, NULL);
    sim_peer_open_room(&keeper, "joining", NULL);
    for (size_t allowance = 0; allowance < 12000; allowance += 200) {
        sim_peer *peer = &members[count];

        sim_peer_open(peer, house, NULL);
        sim_peer_send(peer, open);
        qd_memory_limit_set(qd_memory_used() + allowance);
        const unsigned taken = sim_texts_take(texts, peer);
        qd_memory_limit_set(0);
        if (taken > 0) {
            sim_peer_close(peer);
        } else {
            count++;
        }
    }
    while (count > 0) {
        sim_peer_close(&members[--count]);
    }
    sim_peer_close(&keeper);
}

void sim_texts_of_memory(sim_texts *texts, sim_house *house)
{
    static float at[4000];
    static uint8_t none[4000];
    sim_peer keeper;

    texts->for_memory = true;
    for (uint32_t i = 0; i < 4000; i++) {
        at[i] = (float)i / 50;
    }
    sim_peer_open(&keeper, house, "memory");
    const uint64_t session = keeper.decoded.message.as.welcome.session;
    const uint64_t room = sim_peer_open_room(&keeper, "memory", NULL);
    sim_peer_send(&keeper, MESSAGE(SPAWN, .batch = {.room = room,
                                                    .room_owned = true,
                                                    .entities = {.count = 4000, .id = ids, .x = at, .y = at}}));
    sim_peer_send(&keeper, MESSAGE(STEP, .step = {.room = room}));
    observe_many(&keeper, room, 1000);
    sim_house_settle(house);
    write_hello(texts, house);
    write_resuming(texts, house);
    write_joining(texts, house);
    const qd_client_message requests[] = {
        MESSAGE(OPEN_ROOM, .open_room = {.name = "more",
                                         .has_config = true,
                                         .config = {.has_bounds = true, .bounds = {.max_x = 1, .max_y = 1}}}),
        MESSAGE(OPEN_ROOM, .open_room = {.name = "memory"}),
        MESSAGE(LIST_ROOMS, .list_rooms = {0}),
        MESSAGE(LIST_SESSIONS, .list_sessions = {0}),
        MESSAGE(MOVE_ROOMS, .move_rooms = {.part_count = 3, .part_room = TAGS(1, 2, 3), .part_size = IDS(0, 0, 0)}),
    };
    for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++) {
        write_request(texts, house, NO_ROOM, &requests[i]);
    }
    const qd_client_message in_room[] = {
        MESSAGE(GET_SNAPSHOT, .get_snapshot = {0}),
        MESSAGE(QUERY, .query = {.kind = QD_QUERY_NEAREST, .limit = 4000}),
        MESSAGE(WHY, .why = {.a = 1, .b = 1}),
        MESSAGE(HAND_OVER, .hand_over = {.count = 60000, .id = ids, .session = session}),
    };
    const qd_client_message in_fresh[] = {
        MESSAGE(SET_ROSTER, .set_roster = {.count = 8000, .id = ids}),
        MESSAGE(SPAWN, .batch = {.entities = {.count = 600, .id = ids + 5000, .x = at, .y = at}}),
        MESSAGE(OBSERVE, .observers = {.count = 1100, .id = ids, .x = at, .y = at, .range = at, .anchored = none}),
        MESSAGE(SET_EXCEPTIONS, .set_exceptions = {.show_count = 1000, .show = ids, .hide_count = 1000, .hide = ids}),
    };
    for (size_t i = 0; i < sizeof in_room / sizeof in_room[0]; i++) {
        write_request(texts, house, FILLED, &in_room[i]);
    }
    for (size_t i = 0; i < sizeof in_fresh / sizeof in_fresh[0]; i++) {
        write_request(texts, house, FRESH, &in_fresh[i]);
    }
    sim_peer_close(&keeper);
    texts->for_memory = false;
}
