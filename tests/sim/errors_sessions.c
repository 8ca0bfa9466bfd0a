/* SPDX-License-Identifier: Apache-2.0
 *
 * Error texts about sessions, tokens, lockstep and the end of the server.
 */
#include <string.h>

#include "errors.h"
#include "scenario.h"

static void say_hello(sim_texts *texts, sim_house *house, qd_msg_hello hello)
{
    sim_peer peer;

    hello.version = QD_PROTOCOL_VERSION;
    sim_peer_connect(&peer, house);
    sim_peer_send(&peer, MESSAGE(HELLO, .hello = hello));
    sim_texts_expect(texts, &peer);
    sim_peer_close(&peer);
}

static void write_hellos(sim_texts *texts, sim_house *house)
{
    static qd_grant known = {.token = "known", .role = QD_ROLE_WRITER, .patterns = ""};
    static char long_text[1025];
    static const char *names[33];

    memset(long_text, 'x', sizeof long_text - 1);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        names[i] = "name";
    }
    say_hello(texts, house, (qd_msg_hello){.token = long_text});
    say_hello(texts, house, (qd_msg_hello){.client = long_text});
    say_hello(texts, house, (qd_msg_hello){.features = names, .feature_count = 33});
    names[1] = "";
    say_hello(texts, house, (qd_msg_hello){.features = names, .feature_count = 2});
    sim_house_tokens(house, &known, 1);
    say_hello(texts, house, (qd_msg_hello){.token = "unknown"});
    sim_house_tokens(house, NULL, 0);
}

/* What only the network knows: quotas of addresses, full pools, silent peers. */
static void write_network(sim_texts *texts, sim_house *house)
{
    static qd_grant known = {.token = "known", .role = QD_ROLE_WRITER, .patterns = ""};
    static const char *const features[] = {"pings"};
    static const qd_msg_hello hello = {.version = QD_PROTOCOL_VERSION, .features = features, .feature_count = 1};
    sim_peer peer;

    sim_house_tokens(house, &known, 1);
    sim_peer_connect(&peer, house);
    peer.link->failed_tokens_max = 0;
    sim_peer_send(&peer, MESSAGE(HELLO, .hello = hello));
    sim_texts_expect(texts, &peer);
    sim_peer_close(&peer);
    sim_house_tokens(house, NULL, 0);

    sim_peer_connect(&peer, house);
    peer.link->is_full = true;
    sim_peer_send(&peer, MESSAGE(HELLO, .hello = hello));
    sim_texts_expect(texts, &peer);
    sim_peer_close(&peer);

    for (int lost = 0; lost < 2; lost++) {
        sim_peer_connect(&peer, house);
        sim_peer_send(&peer, MESSAGE(HELLO, .hello = hello));
        sim_peer_expect(&peer, QD_SERVER_WELCOME);
        sim_check(peer.link->watched_ms > 0, "the link is not watched");
        const qd_link_handler *handler = &peer.link->handler;
        if (lost) {
            handler->silent(handler->context, &peer.link->link);
            sim_peer_expect(&peer, QD_SERVER_PING);
            sim_peer_send(&peer, MESSAGE(PONG, .ping = {0}));
            handler->lost(handler->context, &peer.link->link);
        } else {
            handler->fault(handler->context, &peer.link->link, QD_LINK_FRAME_SLOW, 1000);
        }
        sim_texts_expect(texts, &peer);
        sim_peer_close(&peer);
    }
}

static void write_owners(sim_texts *texts, sim_house *house)
{
    sim_peer owner, stranger;

    sim_peer_open(&owner, house, "owner");
    const uint64_t session = owner.decoded.message.as.welcome.session;
    sim_peer_open(&stranger, house, "stranger");
    const uint64_t room = sim_peer_open_room(&owner, "owned", NULL);
    sim_peer_open_room(&stranger, "owned", NULL);
    sim_peer_send(&owner, MESSAGE(ADOPT, .adopt = {.room = room, .session = session}));
    sim_texts_expect(texts, &owner);
    sim_peer_send(&stranger, MESSAGE(ADOPT, .adopt = {.room = room, .session = session}));
    sim_texts_expect(texts, &stranger);
    sim_peer_send(&stranger, MESSAGE(CLOSE_ROOM, .room = {.room = room}));
    sim_texts_expect(texts, &stranger);
    sim_peer_close(&stranger);
    sim_peer_close(&owner);
}

static void step_links(sim_house *house)
{
    while (sim_step_links(&house->world, 100)) {
        continue;
    }
}

/* A request meets a room that another session has just closed: the room gets both at once. */
static void write_closed_room(sim_texts *texts, sim_house *house)
{
    sim_peer closer, late;

    sim_peer_open(&closer, house, "owner");
    sim_peer_open(&late, house, "owner");
    const uint64_t room = sim_peer_open_room(&closer, "closed", NULL);
    sim_peer_open_room(&late, "closed", NULL);
    sim_house_settle(house);
    sim_peer_send(&closer, MESSAGE(CLOSE_ROOM, .room = {.room = room}));
    step_links(house);
    sim_peer_send(&late, MESSAGE(GET_STATS, .room = {.room = room}));
    step_links(house);
    texts->for_memory = true; /* the handle depends on the rooms before it */
    sim_texts_expect(texts, &late);
    texts->for_memory = false;
    sim_peer_close(&late);
    sim_peer_close(&closer);
}

static void write_lockstep(sim_texts *texts, sim_house *house)
{
    const qd_msg_room_config config = {.tick_mode = QD_TICK_MODE_STEP, .writers = 2, .step_deadline_ms = 500};
    sim_peer first, second;

    sim_peer_open(&first, house, NULL);
    sim_peer_open(&second, house, NULL);
    const uint64_t room = sim_peer_open_room(&first, "lockstep", &config);
    sim_peer_open_room(&second, "lockstep", &config);
    sim_peer_send(&first, MESSAGE(STEP, .step = {.room = room}));
    sim_peer_send(&first, MESSAGE(STEP, .step = {.room = room}));
    sim_texts_expect(texts, &first);
    sim_house_pass(house, 600);
    sim_peer_send(&second, MESSAGE(STEP, .step = {.room = room, .tick = 1}));
    sim_texts_expect(texts, &second);
    sim_peer_close(&second);
    sim_peer_close(&first);
}

static void write_taken_over(sim_texts *texts, sim_house *house)
{
    uint8_t key[QD_RESUME_KEY_BYTES];
    sim_peer older, newer;

    sim_peer_connect(&older, house);
    sim_peer_send(&older, MESSAGE(HELLO, .hello = {.version = QD_PROTOCOL_VERSION, .resumable = true}));
    memcpy(key, sim_peer_expect(&older, QD_SERVER_WELCOME)->as.welcome.resume_key.bytes, sizeof key);
    sim_peer_connect(&newer, house);
    sim_peer_send(
        &newer,
        MESSAGE(HELLO, .hello = {.version = QD_PROTOCOL_VERSION, .resumable = true, .resume = {sizeof key, key}}));
    sim_texts_expect(texts, &older);
    sim_peer_close(&older);
    sim_peer_close(&newer);
}

void sim_texts_of_sessions(sim_texts *texts, sim_house *house)
{
    write_hellos(texts, house);
    write_owners(texts, house);
    write_closed_room(texts, house);
    write_lockstep(texts, house);
    write_taken_over(texts, house);
    write_network(texts, house);
}

void sim_texts_of_stopping(sim_texts *texts, sim_house *house)
{
    sim_peer peer;

    sim_peer_open(&peer, house, NULL);
    qd_server_close_rooms(&house->server);
    sim_peer_send(&peer, MESSAGE(OPEN_ROOM, .open_room = {.name = "late"}));
    sim_texts_expect(texts, &peer);
    qd_server_go_away(&house->server, 0);
    sim_texts_expect(texts, &peer);
    sim_peer_close(&peer);
}
