/* SPDX-License-Identifier: Apache-2.0
 *
 * For the cases: a server in a world of its own, and peers that send and expect what the case tells them to.
 */
#ifndef QD_TESTS_SIM_PEER_H
#define QD_TESTS_SIM_PEER_H

#include "proto/codec.h"
#include "recorded.h"
#include "server/app/server.h"
#include "world.h"

#define SIM_MS_NS UINT64_C(1000000)

/* A server in a world of its own. */
typedef struct sim_house {
    sim_world world;
    qd_server server;
    qd_tokens tokens;
    sim_recorded recorded;
    size_t memory_before;
} sim_house;

/* A message with its one member: MESSAGE(STEP, .step = {.room = room}). */
#define MESSAGE(name, ...) ((qd_client_message){.kind = QD_CLIENT_##name, .as = {__VA_ARGS__}})

typedef struct sim_peer {
    sim_house *house;
    sim_link *link;
    qd_buffer **frames; /* that have come */
    size_t count, capacity, taken;
    qd_decoded_server decoded;
    bool has_decoded;
    uint64_t seq;
} sim_peer;

void sim_house_init(sim_house *house, uint64_t seed);
/* Starts the server. */
void sim_house_start(sim_house *house, const qd_limits *limits, uint64_t time_budget_ns);
/* Checks that nothing is left of the server. */
void sim_house_deinit(sim_house *house);
/* For the cases: init and start, where a limit of 0 stands for a large one; and closes everything before deinit. */
void sim_house_open(sim_house *house, const qd_limits *limits);
void sim_house_close(sim_house *house);
/* From now on, Hello needs one of these tokens; with 0 of them, none. No session has said Hello so far. */
void sim_house_tokens(sim_house *house, qd_grant *grants, size_t count);
/* Lets everything happen that needs no time. */
void sim_house_settle(sim_house *house);
/* Lets time pass, and everything happen that becomes due. */
void sim_house_pass(sim_house *house, uint64_t ms);

/* Connects, without Hello. */
void sim_peer_connect(sim_peer *peer, sim_house *house);
/* Connects, sends Hello and takes Welcome. */
void sim_peer_open(sim_peer *peer, sim_house *house, const char *token);
/* Breaks the connection, if it is not closed yet. */
void sim_peer_close(sim_peer *peer);

/* Sends with the next seq, which it returns. Nothing happens until the house settles. */
uint32_t sim_peer_send(sim_peer *peer, qd_client_message message);
/* Reads everything that has come, and returns the next message; NULL: none. It is valid until the next call. */
const qd_server_message *sim_peer_next(sim_peer *peer);
/* Settles, and returns the next message, which must be of that kind. */
const qd_server_message *sim_peer_expect(sim_peer *peer, qd_server_kind kind);
/* Opens a room of 100 by 100 and takes the answer. `config` may be NULL: one that ticks by Step. */
uint64_t sim_peer_open_room(sim_peer *peer, const char *name, const qd_msg_room_config *config);
/* Spawns or moves many entities, with ids from `first` on: boxes of 2 by 2. */
typedef struct sim_crowd {
    bool moves;
    uint32_t first, stride, count;
    float x, y, apart;       /* the first one is at (x, y), each further one so far from it on both axes */
    uint32_t category, mask; /* 0: as usual */
} sim_crowd;

uint32_t sim_peer_send_crowd(sim_peer *peer, uint64_t room, const sim_crowd *crowd);
/* Whether a message names a room, which is its first field. */
bool sim_names_room(qd_client_kind kind);
/* The room that a message is about; 0: none. */
uint64_t sim_room_of(const qd_server_message *message);

#endif
