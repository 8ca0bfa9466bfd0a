/* SPDX-License-Identifier: Apache-2.0
 *
 * The replay of one room: the room actor of the server, with the messages and the answers of a record in place of
 * links, clocks and other rooms. After each entry, what the room sent is compared with the record.
 *
 *     entry --> qd_command_run, qd_room_keep_up... --> sums equal? --> the next entry
 *                     ^ answers of the entry
 */
#ifndef QD_APP_REPLAY_REPLAY_ROOM_H
#define QD_APP_REPLAY_REPLAY_ROOM_H

#include "../../actor/room_actor.h"

typedef enum qd_replay_state {
    QD_REPLAY_RUNNING = 0,
    QD_REPLAY_CLOSED,  /* the room closed, as in the record */
    QD_REPLAY_STOPPED, /* at the tick that was asked for */
    QD_REPLAY_LOST,    /* the record of the room ends: entries were lost */
    QD_REPLAY_DIFFERS, /* the room did something else than in the record */
    QD_REPLAY_DAMAGED, /* an entry is none */
    QD_REPLAY_NO_MEMORY,
} qd_replay_state;

struct qd_replay_room;

/* Receives the frames that the room sends to a session. */
typedef void (*qd_replay_sent_fn)(void *context, const struct qd_replay_room *room, uint64_t session,
                                  qd_buffer *const *frames, size_t count);

/* What all rooms of a replay share. */
typedef struct qd_replay_config {
    qd_service *service;
    uint64_t *random;       /* the next number that the service draws */
    uint64_t *now_ns;       /* the time of the service */
    uint64_t until;         /* stop after this tick */
    qd_replay_sent_fn sent; /* may be NULL */
    void *context;
} qd_replay_config;

typedef struct qd_replay_room {
    qd_journal journal; /* first */
    const qd_replay_config *config;
    uint64_t handle;
    char name[QD_ROOM_NAME_BYTES_MAX + 1];
    qd_replay_state state;
    uint64_t entries, tick;    /* replayed; the last one */
    bool was_short;            /* memory was short at an entry before */
    char text[400];            /* of the states from LOST on: why */
    struct qd_replay_run *run; /* private */
} qd_replay_room;

/* NULL: no memory. */
qd_replay_room *qd_replay_room_create(const qd_replay_config *config, uint64_t handle) QD_MUST_USE;
void qd_replay_room_destroy(qd_replay_room *room);
/* The name of the room that the entry opens. False: it opens none. */
bool qd_replay_room_name(const uint8_t *bytes, size_t size, char name[QD_ROOM_NAME_BYTES_MAX + 1]);
/* Replays the next entry of the room, the first of which opens it. Nothing is replayed after the state has changed. */
void qd_replay_room_entry(qd_replay_room *room, const uint8_t *bytes, size_t size);

#endif
