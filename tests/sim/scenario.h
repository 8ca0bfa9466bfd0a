/* SPDX-License-Identifier: Apache-2.0
 *
 * A scenario: what peers do in a house, step by step, and all frames that each of them gets, as text.
 *
 *     JOIN(A, "token"),
 *     SPAWN(A, NULL, 1, 2, 0),
 *     STEP(A, "applied 1"),
 *
 * The second argument of a step that sends is what the peer has got by then: NULL: the scenario does not look; "": nothing;
 * otherwise every frame since the last look, separated by "; " (frame_text.c writes them). Behind an error stand words of
 * its text: "error INVALID: roster is 256". Behind all frames stands "end" if the server has closed the connection.
 * Messages are for the current room unless they name another.
 */
#ifndef QD_TESTS_SIM_SCENARIO_H
#define QD_TESTS_SIM_SCENARIO_H

#include "peer.h"

enum { A, B, C, D, SIM_PEERS };

#define SIM_ROOMS 3

typedef enum sim_act {
    SIM_END = 0, /* of the steps */
    SIM_CONNECT,
    SIM_HELLO,
    SIM_CLOSE,
    SIM_OPEN_ROOM,
    SIM_IN_ROOM,
    SIM_SPAWN,
    SIM_SEND,
    SIM_LOOK,
    SIM_PASS,
    SIM_STALL,
    SIM_CALL,
    SIM_WORLD,
} sim_act;

typedef struct sim_scenario {
    sim_house *house;
    const qd_msg_room_config *config;
    sim_peer peers[SIM_PEERS];
    bool connected[SIM_PEERS];
    uint8_t keys[SIM_PEERS][QD_RESUME_KEY_BYTES];
    uint64_t rooms[SIM_ROOMS];
    uint32_t room; /* the current one */
} sim_scenario;

typedef struct sim_step {
    int line;
    sim_act act;
    uint8_t who;
    const char *gets;
    const char *text;
    bool resumable, resumes;
    uint8_t from; /* whose key is used */
    uint32_t first, count;
    float spacing;
    bool deep; /* a room of three dimensions */
    uint64_t ms;
    void (*call)(sim_scenario *play);
    qd_client_message message;
} sim_step;

/* Plays all steps in the house, whose rooms have that config; NULL: they tick by Step. At last it closes all peers. */
void sim_run_scenario(sim_house *house, const char *name, const qd_msg_room_config *config, const sim_step *steps);

/* Writes a frame that the peer got, without an Error's text. */
void sim_frame_text(const sim_scenario *play, const sim_peer *peer, const qd_server_message *message, char *text,
                    size_t size);

#define SIM_STEP(...)                                                                                                  \
    {                                                                                                                  \
        .line = __LINE__, __VA_ARGS__                                                                                  \
    }

/* Connects; the same and says Hello; the same with the key of another peer's session. */
#define CONNECT(peer)     SIM_STEP(.act = SIM_CONNECT, .who = (peer))
#define OPEN(peer, token) SIM_STEP(.act = SIM_HELLO, .who = (peer), .text = (token))
#define RESUMABLE(peer, token, want)                                                                                   \
    SIM_STEP(.act = SIM_HELLO, .who = (peer), .text = (token), .gets = (want), .resumable = true)
#define RESUME(peer, of, token, want)                                                                                  \
    SIM_STEP(.act = SIM_HELLO, .who = (peer), .text = (token), .gets = (want), .resumable = true, .resumes = true,     \
             .from = (of))
#define CLOSE(peer) SIM_STEP(.act = SIM_CLOSE, .who = (peer))
/* Opens room `number`, which becomes the current one. */
#define ROOM(peer, number)      SIM_STEP(.act = SIM_OPEN_ROOM, .who = (peer), .first = (number))
#define IN_ROOM(number)         SIM_STEP(.act = SIM_IN_ROOM, .first = (number))
#define JOIN(peer, token)       OPEN(peer, token), ROOM(peer, 0)
#define CUBE_ROOM(peer, number) SIM_STEP(.act = SIM_OPEN_ROOM, .who = (peer), .first = (number), .deep = true)
/* `many` boxes of 2 by 2 with ids from `id` on, along the diagonal. */
#define SPAWN(peer, want, id, many, apart)                                                                             \
    SIM_STEP(.act = SIM_SPAWN, .who = (peer), .gets = (want), .first = (id), .count = (many), .spacing = (apart))
#define SEND(peer, want, name, ...)                                                                                    \
    SIM_STEP(.act = SIM_SEND, .who = (peer), .gets = (want), .message = {.kind = QD_CLIENT_##name, .as = {__VA_ARGS__}})
#define STEP(peer, want)             SEND(peer, want, STEP, .step = {0})
#define STEP_TO(peer, want, number)  SEND(peer, want, STEP, .step = {.tick = (number)})
#define SUBSCRIBE(peer, want, whose) SEND(peer, want, SUBSCRIBE, .subscribe = {.scope = QD_SCOPE_##whose})
/* Joins the first room, if there is one. */
#define REJOIN(peer, want)   SEND(peer, want, OPEN_ROOM, .open_room.name = "room")
#define LEAVE(peer, want)    SEND(peer, want, LEAVE_ROOM, .room = {0})
#define SNAPSHOT(peer, want) SEND(peer, want, SNAPSHOT, .snapshot = {0})
#define MOVE(peer, want, id_, x_, y_)                                                                                  \
    SEND(peer, want, MOVE, .batch.entities = {.count = 1, .id = IDS(id_), .x = FLOATS(x_), .y = FLOATS(y_)})
#define LOOK(peer, want) SIM_STEP(.act = SIM_LOOK, .who = (peer), .gets = (want))
/* Time passes, and everything happens that becomes due; it passes, and nothing happens. */
#define PASS(time)     SIM_STEP(.act = SIM_PASS, .ms = (time))
#define STALL(time)    SIM_STEP(.act = SIM_STALL, .ms = (time))
#define CALL(function) SIM_STEP(.act = SIM_CALL, .call = (function))
/* The server counts this: "actors 1", "rooms", "sessions", "detached", "resumed", "updates", "too slow". */
#define WORLD(counted) SIM_STEP(.act = SIM_WORLD, .gets = (counted))
#define END                                                                                                            \
    {                                                                                                                  \
        .act = SIM_END                                                                                                 \
    }

#define IDS(...)    ((const uint32_t[]){__VA_ARGS__})
#define FLOATS(...) ((const float[]){__VA_ARGS__})
#define TAGS(...)   ((const uint64_t[]){__VA_ARGS__})
#define BYTES(...)  ((const uint8_t[]){__VA_ARGS__})

#endif
