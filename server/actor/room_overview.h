/* SPDX-License-Identifier: Apache-2.0
 *
 * What operators see of the rooms, and the closing of one: for threads that are no loop and no run. Each call takes the
 * directory's lock for moments, reads only atomics and what is constant, and waits for no room. [any]
 */
#ifndef QD_ACTOR_ROOM_OVERVIEW_H
#define QD_ACTOR_ROOM_OVERVIEW_H

#include "state/room_actor_state.h"

typedef struct qd_room_overview {
    char name[QD_ROOM_NAME_BYTES_MAX + 1];
    uint64_t room; /* its handle */
    uint64_t tick;
    uint32_t entities, sessions;
    uint32_t tick_us;   /* of the last tick */
    uint32_t slowed_hz; /* the rate that the room holds; 0: it holds its own */
    uint64_t creator;   /* a session's number */
    qd_msg_room_config config;
} qd_room_overview;

/* Writes up to `max` rooms with names after that one, in the order of their names; "": from the first on. Returns their
 * number; *more: there are others behind them. */
uint32_t qd_room_overview_list(qd_service *service, const char *after, uint32_t max, qd_room_overview *rows,
                               bool *more);
/* Writes up to `max` rooms with the most entities, in descending order. Returns their number. */
uint32_t qd_room_overview_largest(qd_service *service, uint32_t max, qd_room_overview *rows);
/* Returns whether there is a room of that name. */
bool qd_room_overview_find(qd_service *service, const char *name, qd_room_overview *row);
/* Has the room of that name close soon, with the reason REQUESTED. The name is free at once. *room gets its handle.
 * Returns whether there is one. */
bool qd_room_overview_close(qd_service *service, const char *name, uint64_t *room);

#endif
