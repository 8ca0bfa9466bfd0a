/* SPDX-License-Identifier: Apache-2.0
 *
 * Clients of the simulation: they do at random anything that a client may do, exchange real bytes, and check every answer
 * against their requests.
 */
#ifndef QD_TESTS_SIM_CLIENT_H
#define QD_TESTS_SIM_CLIENT_H

#include "model.h"
#include "peer.h"
#include "play.h"
#include "views.h"

#define ROOMS_MAX   3u
#define CLIENTS_MAX 6u

/* Bytes of a queue that holds everything. */
#define SIM_ROOMY (1u << 20)

/* How many different tokens clients have, including none; and all that there are. */
#define SIM_TOKENS        3u
#define SIM_TOKEN_HOSTILE 3u
#define SIM_TOKENS_ALL    4u
extern const char *const sim_tokens[SIM_TOKENS_ALL];

/* What the server's tokens allow (reload.c). Without tokens, everybody has SIM_GRANT_ALL. */
typedef enum sim_grant { SIM_GRANT_NONE, SIM_GRANT_ALL, SIM_GRANT_PATTERN } sim_grant;

/* Of every query. */
#define SIM_QUERY_LIMIT 20u

/* Everything in the world of one seed. */
typedef struct sim_scene {
    sim_house house;
    uint32_t traits; /* sim_trait */
    uint32_t room_count;
    qd_msg_room_config configs[ROOMS_MAX];
    model_room **rooms; /* every room that was ever opened */
    size_t room_total, room_capacity;
    uint8_t grants[SIM_TOKENS_ALL]; /* sim_grant */
    bool stopping;
} sim_scene;

typedef struct sim_request {
    qd_client_message sent; /* what it points to is gone */
    uint32_t name;          /* OPEN_ROOM */
    model_stay *stay;       /* NULL: for none */
    model_op *op;           /* a batch's */
    qd_error_code must_be;  /* it is wrong on purpose; 0: it is not */
    bool done, accepted;
    bool excused; /* it need not be answered any more */
} sim_request;

/* A client's part in one of the rooms, by name. */
typedef struct sim_slot {
    bool opening, leaving, closing, subscribing, unsubscribing;
    model_stay *stay; /* NULL: it is not in the room */
    model_observer *observer;
    model_views *views; /* while there is a stay */
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
    uint64_t seq;
    bool has_written;    /* a frame, on this connection */
    uint64_t handed_seq; /* the last one of the session that the server was handed */
    bool has_key, cut;   /* cut: it has no connection, or one that is not welcomed, and may resume */
    uint8_t key[QD_RESUME_KEY_BYTES];
    uint8_t grant; /* sim_grant: of the session, as the tap saw it */
    bool revoked;  /* with `cut`: it has lost that since, so that nobody resumes it */
    bool must_resume;
    uint64_t cut_ns, back_ns; /* since when, and until when it waits */
    sim_link *older;          /* half open: the server does not know that it is cut; a reference */
    uint32_t resumptions;
    sim_slot slots[ROOMS_MAX];
    sim_request *requests;
    size_t request_count, request_capacity;
    model_op *draft; /* the next one that it sends */
} sim_client;

static inline const qd_limits *sim_limits(const sim_client *client)
{
    return &client->scene->house.server.service.config.limits;
}

static inline uint32_t pick(sim_client *client, uint32_t count)
{
    return sim_pick(&client->scene->house.world, count);
}

static inline bool percent(sim_client *client, uint32_t share)
{
    return sim_percent(&client->scene->house.world, share);
}

void sim_client_deinit(sim_client *client);
/* The client forgets its connection, and everything that it knew. */
void sim_client_forget(sim_client *client);

/* A new connection, with Hello. */
void sim_client_connect(sim_client *client);

/* Cuts the connection, at any byte, if the scenario has room for the consequences. (cuts.c, here and below) */
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
/* Sends a request with the next seq, and notes it. `stay`: of the room that it is for; NULL: as it is. */
sim_request *sim_client_send(sim_client *client, model_stay *stay, qd_client_message message);
/* The same without sending it. */
sim_request *sim_client_note(sim_client *client, model_stay *stay, qd_client_message *message);
/* Moves entities of several rooms of that many dimensions in one frame. (client_rooms.c) */
void sim_client_move_together(sim_client *client, uint32_t dimensions);
/* A coordinate, rarely none that is a number. An id that a batch may name: mostly one of the stay's. */
float sim_client_coordinate(sim_client *client);
uint32_t sim_client_target(sim_client *client, const model_stay *stay);
/* An empty op to be filled. It is used again unless it is sent. */
model_op *sim_client_draft(sim_client *client, qd_client_kind kind);
void sim_client_send_draft(sim_client *client, model_stay *stay);
/* The column in a room of three dimensions, else NULL. */
const float *sim_third(const model_stay *stay, const float *column);
/* Does one thing about views that a client in a room may do. */
void sim_client_act_on_views(sim_client *client, sim_slot *slot);
/* Whether Applied covers its effect, and Accepted may answer it. */
static inline bool sim_is_batch(qd_client_kind kind)
{
    return (kind >= QD_CLIENT_SPAWN && kind <= QD_CLIENT_DESPAWN) ||
           (kind >= QD_CLIENT_SET_DESCRIPTION && kind <= QD_CLIENT_SET_VIEW_OPTIONS) || kind == QD_CLIENT_HAND_OVER ||
           kind == QD_CLIENT_SET_ROSTER || kind == QD_CLIENT_MOVE_ROSTER;
}

/* Reads a part of what has come. Returns whether there was anything. */
bool sim_client_read(sim_client *client);
/* Makes every room that ticks by Step tick once, if the client is in it. */
void sim_client_step_all(sim_client *client);
/* At rest: checks that every request is answered, and that every subscription agrees with the model. */
void sim_client_finish(sim_client *client);

/* The callbacks of all links. */
void sim_scene_handed(sim_link *link, const uint8_t *frame, size_t size, void *scene);
void sim_scene_tap(sim_link *link, const qd_server_message *message, bool queued, void *scene);
/* For tap.c: entities have another owner. `stay` gets the report. (tap_owners.c) */
void sim_tap_handed_over(model_room *room, model_stay *stay, uint64_t seq, const qd_msg_handed_over *reported);
/* The room of that handle; NULL: the tap has not seen it. */
model_room *sim_scene_room(const sim_scene *scene, uint64_t handle);

#endif
