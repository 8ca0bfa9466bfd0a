/* SPDX-License-Identifier: Apache-2.0
 *
 * Clients of the simulation: they do at random anything that a client may do, exchange real bytes, and check every answer
 * against their requests.
 */
#ifndef QD_TESTS_SIM_CLIENT_H
#define QD_TESTS_SIM_CLIENT_H

#include "model.h"
#include "server/app/server.h"
#include "views.h"

#define ROOMS_MAX   3u
#define CLIENTS_MAX 6u

/* Bytes of a queue that holds everything. */
#define SIM_ROOMY (1u << 20)

/* How many different tokens clients have, including none. */
#define SIM_TOKENS 3u

/* Of every query. */
#define SIM_QUERY_LIMIT 20u

/* Everything in the world of one seed. */
typedef struct sim_scene {
    sim_world world;
    qd_server server;
    uint32_t room_count;
    qd_msg_room_config configs[ROOMS_MAX];
    model_room **rooms; /* every room that was ever opened */
    size_t room_total, room_capacity;
    bool stopping;
} sim_scene;

typedef struct sim_request {
    uint32_t seq;
    qd_client_kind kind;
    uint32_t name;         /* OPEN_ROOM */
    bool has_config;       /* the same */
    uint64_t tick;         /* STEP */
    model_stay *stay;      /* NULL: for none */
    model_op *op;          /* a batch's */
    uint32_t why_b;        /* WHY */
    qd_error_code must_be; /* it is wrong on purpose; 0: it is not */
    bool done, entries_refused;
    bool excused; /* it need not be answered any more */
} sim_request;

/* A client's part in one of the rooms, by name. */
typedef struct sim_slot {
    bool opening, leaving, closing, subscribing, unsubscribing;
    model_stay *stay; /* NULL: it is not in the room */
    model_observer *observer;
    model_views *views; /* while there is a stay */
    uint32_t applied_seq;
    uint64_t applied_tick;
    uint64_t tick; /* the last one that it knows of */
} sim_slot;

typedef struct sim_client {
    sim_scene *scene;
    bool vandal;    /* breaks the protocol, and must be disconnected */
    uint32_t token; /* which one all its sessions have; 0: none */
    sim_link *link;
    qd_frame_reader reader;
    uint32_t sessions, stalled;
    bool welcomed, gone_away, ended_by_error;
    uint64_t session;
    uint32_t seq, frames;
    uint32_t handed_seq; /* the last one of the session that the server was handed */
    bool has_key, cut;   /* cut: it has no connection, or one that is not welcomed, and may resume */
    uint8_t key[QD_RESUME_KEY_BYTES];
    bool must_resume;
    uint64_t cut_ns, back_ns; /* since when, and until when it waits */
    sim_link *older;          /* half open: the server does not know that it is cut; a reference */
    uint32_t resumptions;
    sim_slot slots[ROOMS_MAX];
    sim_request *requests;
    size_t request_count, request_capacity;
} sim_client;

void sim_client_init(sim_client *client, sim_scene *scene, bool vandal, uint32_t token);
void sim_client_deinit(sim_client *client);
/* The client forgets its connection, and everything that it knew. */
void sim_client_forget(sim_client *client);

/* A new connection, with Hello. */
void sim_client_connect(sim_client *client);

/* Cuts the connection of a resumable session, at any byte, if the scenario has room for the consequences. (cuts.c, here
 * and below) */
void sim_client_cut(sim_client *client);
/* A client that is cut acts on it. */
void sim_client_act_on_cut(sim_client *client);
/* A client that is cut connects or gives up, without waiting. */
void sim_client_come_back(sim_client *client);
void sim_client_welcome(sim_client *client, const qd_msg_welcome *welcome);
/* The client is out of a room. */
void sim_client_leave_slot(sim_client *client, sim_slot *slot);
/* Whether it may leave the room, as far as the scenario has room for it. */
bool sim_slot_may_leave(const sim_slot *slot);

/* Does one thing that a client may do. */
void sim_client_act(sim_client *client);
/* For client_views.c: notes a request, which the next message is to be, with its seq; and sends that. */
sim_request *sim_client_request(sim_client *client, qd_client_kind kind, model_stay *stay);
void sim_client_write(sim_client *client, const qd_client_message *message);
/* Does one thing about views that a client in a room may do. */
void sim_client_act_on_views(sim_client *client, sim_slot *slot);
/* Names a roster, or moves by one. */
void sim_client_act_on_rosters(sim_client *client, model_stay *stay);
/* An id that a batch may name: mostly one of the stay's. */
uint32_t sim_client_target(sim_client *client, const model_stay *stay);
/* A coordinate, rarely none that is a number. */
float sim_client_coordinate(sim_client *client);
/* Whether Applied covers its effect, and refused entries are reported. */
static inline bool sim_is_batch(qd_client_kind kind)
{
    return (kind >= QD_CLIENT_SPAWN && kind <= QD_CLIENT_DESPAWN) ||
           (kind >= QD_CLIENT_DESCRIBE && kind <= QD_CLIENT_VIEW_OPTIONS) || kind == QD_CLIENT_HANDOVER ||
           kind == QD_CLIENT_ROSTER || kind == QD_CLIENT_ROSTER_MOVE;
}

/* Reads a part of what has come. Returns whether there was anything. */
bool sim_client_read(sim_client *client);
/* Makes every room that ticks by Step tick once, if the client is in it. */
void sim_client_step_all(sim_client *client);
/* At rest: checks that every request is answered, and that every subscription agrees with the model. */
void sim_client_finish(sim_client *client);

/* The callbacks of all links. */
void sim_scene_handed(sim_link *link, const uint8_t *frame, size_t size, void *scene);
void sim_scene_tap(sim_link *link, const qd_buffer *buffer, bool queued, void *scene);
/* For tap.c: entities have another owner. `stay` gets the report. (tap_owners.c) */
void sim_tap_handed_over(model_room *room, model_stay *stay, uint32_t seq, const qd_msg_handed_over *reported);
/* The room of that handle; NULL: the tap has not seen it. */
model_room *sim_scene_room(const sim_scene *scene, uint64_t handle);
/* The limit of every link's outbox. */
size_t sim_scene_outbox_bytes_max(const sim_scene *scene);

#endif
