/* SPDX-License-Identifier: Apache-2.0
 *
 * One that is measured, as this program drives it: how the steps of a world go to its server, and how what it answers
 * becomes members (world.h) in the sets. Steps are finished in the order in which they were sent; two may be under way.
 */
#ifndef QD_BENCH_PEER_H
#define QD_BENCH_PEER_H

#include "sets.h"
#include "world.h"

typedef struct peer {
    const char *name;
    bool (*knows)(world_kind kind);
    /* Connects and tells the world as it is before the first step; the sets have what is in it then. The state lives as
     * long as the program. */
    void *(*open)(const world *w, uint16_t port, sets *s);
    void (*send)(void *state, uint32_t step);
    void (*finish)(void *state, uint32_t step, sets *s);
} peer;

extern const peer peer_quadrille;
extern const peer peer_redis_circles, peer_redis_points;
extern const peer peer_websocket;

#endif
