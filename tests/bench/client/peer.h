/* SPDX-License-Identifier: Apache-2.0
 *
 * A measured system: how to send the steps of a world to its server, and how to fold its answers into the sets. Steps are
 * finished in the order in which they were sent; two may be under way.
 */
#ifndef QD_BENCH_PEER_H
#define QD_BENCH_PEER_H

#include "sets.h"
#include "world.h"

typedef struct peer {
    const char *name;
    bool (*knows)(world_kind kind);
    /* Connects, sends the world before the first step, and puts its members into the sets. The state lives as long as the
     * program. */
    void *(*open)(const world *w, uint16_t port, sets *s);
    void (*send)(void *state, uint32_t step);
    void (*finish)(void *state, uint32_t step, sets *s);
} peer;

extern const peer peer_quadrille;
extern const peer peer_redis_circles, peer_redis_points;
extern const peer peer_websocket;

#endif
