/* SPDX-License-Identifier: Apache-2.0
 *
 * A replay: the rooms of a record, each on its own (replay_room.h), with the service that they share. One thread.
 */
#ifndef QD_APP_REPLAY_REPLAY_H
#define QD_APP_REPLAY_REPLAY_H

#include "../../base/memory/map.h"
#include "replay_room.h"

/* What a replay has to know of the server that recorded. */
typedef struct qd_replay_server {
    qd_limits limits;
    uint32_t width; /* tasks that ran at once */
} qd_replay_server;

typedef struct qd_replay {
    /* The caller may set these two before the first entry. */
    qd_replay_config config;
    const char *only; /* replay only rooms of this name; NULL: all */

    qd_service service;
    qd_scheduler scheduler;
    qd_executor executor;
    uint64_t now_ns;
    uint64_t random[2];

    qd_heap heap;
    qd_map by_handle; /* -> an index in rooms */
    qd_replay_room **rooms;
    uint32_t count, capacity;
    uint64_t unopened; /* rooms of which the record has no opening */
    bool failed;       /* no memory */
} qd_replay;

/* It must not be moved. */
void qd_replay_init(qd_replay *replay, const qd_replay_server *server);
void qd_replay_deinit(qd_replay *replay);
/* Replays the next entry of a room. */
void qd_replay_entry_of(qd_replay *replay, uint64_t handle, const uint8_t *bytes, size_t size);

#endif
