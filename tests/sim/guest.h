/* SPDX-License-Identifier: Apache-2.0
 *
 * A client for the plays in which memory runs out (pressure.c). It sends at random, reads everything, and folds what it
 * gets. Requests may be refused for lack of memory, and a connection may end. But while it lasts, every request is
 * answered, and the frames agree with each other.
 */
#ifndef QD_TESTS_SIM_GUEST_H
#define QD_TESTS_SIM_GUEST_H

#include "model.h"
#include "peer.h"

#define GUEST_IDS     300u /* of entities of one connection */
#define GUEST_REGIONS 3u
#define GUEST_SIZE    200u /* of the room, on both axes */

/* A circle that an observer sees. `unsure`: an answer did not list which entries were refused. */
typedef struct guest_region {
    bool present, unsure;
    float x, y, range;
} guest_region;

/* A set that frames report. `known`: a reset came, and no suspension since. `stale`: a frame was lost for lack of memory;
 * the next one must be a reset. */
typedef struct guest_set {
    model_fold fold;
    bool known, stale;
} guest_set;

typedef struct guest_request {
    uint64_t seq;
    qd_client_kind kind;
    bool must_succeed; /* it gives something back, in a small frame */
    uint32_t region;   /* of an Observe or Unobserve */
    guest_region becomes;
} guest_request;

#define GUEST_REQUESTS 16u /* between two looks */

typedef struct sim_guest {
    sim_house *house;
    qd_index_kind index; /* of the room */
    sim_peer peer;
    bool is_connected, is_welcome, is_subscribed;
    bool pressed;  /* memory is limited, or was since the last look */
    uint64_t room; /* 0: it is in none */
    uint32_t first_id, connections;
    guest_region regions[GUEST_REGIONS];
    guest_set pairs, views;
    guest_request waiting[GUEST_REQUESTS];
    uint32_t waiting_count;
    bool has_snapshot; /* since the last look */
    uint64_t tick;     /* of the snapshot */
    uint32_t row_count, *row_ids;
    qd_body *rows;
} sim_guest;

void guest_init(sim_guest *guest, sim_house *house, uint32_t number, qd_index_kind index);
void guest_deinit(sim_guest *guest);

/* Sends one request: to get into the room, or at random what one does there. */
void guest_act(sim_guest *guest);
/* Gets it connected, into the room and subscribed, one request at each call. Returns whether it is. */
bool guest_settle_in(sim_guest *guest);
void guest_send(sim_guest *guest, qd_client_message message);
/* Breaks the connection. */
void guest_drop(sim_guest *guest);
/* Reads all that has come. Every request must be answered. */
void guest_read(sim_guest *guest);

#endif
