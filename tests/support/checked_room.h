/* SPDX-License-Identifier: Apache-2.0
 *
 * A room on the session layer that changes at random. It knows where everything is, and compares the sets of pairs and
 * views, and what the handlers have reported, with brute force by the oracle. It has no line about connections.
 *
 *     qd_session *session = qd_session_create(address, &options, &checked_room_handlers);
 *     checked_room_begin(&room, session, "arena", true, 5000, &rng);
 *     checked_room_change(&room);
 *     checked_room_tick(&room, false);
 *     checked_room_check(&room);
 */
#ifndef QD_TESTS_SUPPORT_CHECKED_ROOM_H
#define QD_TESTS_SUPPORT_CHECKED_ROOM_H

#include <stdbool.h>
#include <stdint.h>

#include "client/quadrille-session.h"
#include "rng.h"
#include "server/space/types.h"

#define CHECKED_IDS       48u
#define CHECKED_OBSERVERS 8u /* the first half is anchored at the entities of the same ids */
#define CHECKED_SIDE      60u

struct checked_observer {
    bool used;
    float x, y, range; /* anchored: without x and y */
};

struct checked_room {
    qd_session *session;
    qd_room *room;
    bool steps, hides[CHECKED_IDS];
    rng_stream *rng;
    qd_body bodies[CHECKED_IDS]; /* shape 0: not there */
    uint64_t tags[CHECKED_IDS];
    uint32_t spawns;
    struct checked_observer observers[CHECKED_OBSERVERS];
    bool reported[CHECKED_IDS][CHECKED_IDS];
    bool seen[CHECKED_OBSERVERS][CHECKED_IDS];
    uint64_t tick, requested; /* requested: by the last checked_room_request */
    uint32_t checks, view_checks, pairs;
};

/* For the session of such rooms. A refused request fails the test. */
extern const qd_session_handlers checked_room_handlers;

/* Opens the room and fills it. `steps`: it ticks by Step, else 100 times per second. */
void checked_room_begin(struct checked_room *room, qd_session *session, const char *name, bool steps, uint32_t grace_ms,
                        rng_stream *rng);
void checked_room_change(struct checked_room *room);
/* Steps the room, or sends a move that changes nothing to a room on its clock. */
void checked_room_request(struct checked_room *room);
/* Waits until a tick has that request. `restarted`: since the last tick, the server may have been replaced. Fails if a
 * Step made another tick than the next. */
void checked_room_await(struct checked_room *room, bool restarted);
/* Both. */
void checked_room_tick(struct checked_room *room, bool restarted);
/* Compares the pairs, and the views if the room is settled. In a step room, views may wait for a further tick. */
void checked_room_check(struct checked_room *room);

/* Whether the shapes of two ids touch. */
bool checked_touch(const qd_body *bodies, uint32_t a, uint32_t b);
/* Whether a circle around x, y contains the center of the body. */
bool checked_within(float x, float y, float range, const qd_body *body);

#endif
