/* SPDX-License-Identifier: Apache-2.0
 *
 * The scenes of space_tick.c: crowds that move, in two dimensions or three.
 *
 *     W1        1,000 boxes of 10, up to 5 per axis and tick
 *     W2_n      n boxes of 1, up to 0.25 per axis and tick
 *     W3        100,000 boxes of 0.5 to 32 (log-uniform), 30 % moving
 *     W4        100,000 boxes of 1, 90 % of them in clusters on 5 % of the world
 *     rest, few, border, huge, teleport     W2_100k: all at rest; 1 % moving; a tenth crossing the middle line back and
 *                                           forth; one box over all others; all teleported at each tick
 *     outside   W2_100k in a space whose bounds are half as long
 *     crowd     10,000 boxes of 1, jittering on one spot
 *     turns     100,000 boxes of 1, of which other 2 % walk for five ticks, and the rest stand
 *     gather    10,000 boxes of 1, spread evenly, that walk to ten clusters within 60 ticks
 *     pile      10,000 boxes of 1 on one spot, which move together: by half of their size per tick
 *     rush      the same by more than their size, so that none overlaps where it was
 *     deep      10,000 boxes of 0.01 to 1, in ten tiny clusters in a world a million long
 *     lines     10,000 boxes of 0.6 of the world's side by 0.05, and 100,000 of them
 *     decades   10,000 boxes of 0.001 to 100 (log-uniform)
 *     contract  100,000 boxes of 1, which come 1 % closer to the middle of the world at each tick
 *     explode   100,000 boxes of 1, in a twentieth of the world's side at first, which go 6 % farther from its middle
 *
 * Worlds are squares or cubes of such a side that a box overlaps as many others in three dimensions as in two: W2 in a
 * square of 4 sqrt(n), or a cube of 3.17 cbrt(n).
 */
#ifndef QD_BENCH_CROWD_H
#define QD_BENCH_CROWD_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "server/space/space.h"
#include "support/rng.h"

typedef enum hard_case {
    PLAIN,
    REST,
    FEW,
    BORDER,
    HUGE_BOX,
    TELEPORT,
    OUTSIDE,
    CROWD,
    PILE,
    TURNS,
    GATHER,
    DEEP,
    LINES,
    CONTRACT,
    EXPLODE
} hard_case;

typedef struct workload {
    const char *name;
    uint32_t count, ticks;
    double spacing[2]; /* in two dimensions and in three: world side = spacing * the root of count */
    double size_min, size_max;
    float speed;
    double moving, clustered;
    hard_case hard;
} workload;

static const workload workloads[] = {
    {"W1", 1000, 400, {15.8113883, 17.0997595}, 10, 10, 5, 1, 0, PLAIN},
    {"W2_1k", 1000, 400, {4, 3.1748021}, 1, 1, 0.25f, 1, 0, PLAIN},
    {"W2_10k", 10000, 100, {4, 3.1748021}, 1, 1, 0.25f, 1, 0, PLAIN},
    {"W2_100k", 100000, 50, {4, 3.1748021}, 1, 1, 0.25f, 1, 0, PLAIN},
    {"W2_1M", 1000000, 15, {4, 3.1748021}, 1, 1, 0.25f, 1, 0, PLAIN},
    {"W3", 100000, 50, {8, 12.45}, 0.5, 32, 0.25f, 0.3, 0, PLAIN},
    {"W4", 100000, 50, {4, 3.1748021}, 1, 1, 0.25f, 1, 0.9, PLAIN},
    {"rest", 100000, 50, {4, 3.1748021}, 1, 1, 0.25f, 0, 0, REST},
    {"few", 100000, 50, {4, 3.1748021}, 1, 1, 0.25f, 0.01, 0, FEW},
    {"border", 100000, 50, {4, 3.1748021}, 1, 1, 0.25f, 1, 0, BORDER},
    {"huge", 100000, 50, {4, 3.1748021}, 1, 1, 0.25f, 1, 0, HUGE_BOX},
    {"teleport", 100000, 20, {4, 3.1748021}, 1, 1, 0.25f, 1, 0, TELEPORT},
    {"outside", 100000, 50, {4, 3.1748021}, 1, 1, 0.25f, 1, 0, OUTSIDE},
    {"crowd", 10000, 20, {4, 3.1748021}, 1, 1, 0, 1, 0, CROWD},
    {"pile", 10000, 20, {4, 3.1748021}, 1, 1, 0.5f, 1, 0, PILE},
    {"rush", 10000, 20, {4, 3.1748021}, 1, 1, 1.2f, 1, 0, PILE},
    {"turns", 100000, 50, {4, 3.1748021}, 1, 1, 0.25f, 1, 0, TURNS},
    {"gather", 10000, 50, {4, 3.1748021}, 1, 1, 0.02f, 1, 1, GATHER},
    {"deep", 10000, 50, {10000, 46415.888}, 0.01, 1, 0.02f, 1, 1, DEEP},
    {"lines", 10000, 50, {4, 3.1748021}, 0.05, 0.05, 0.25f, 1, 0, LINES},
    {"lines_100k", 100000, 15, {4, 3.1748021}, 0.05, 0.05, 0.25f, 1, 0, LINES},
    {"decades", 10000, 100, {83.4, 97.5}, 0.001, 100, 0.25f, 1, 0, PLAIN},
    {"contract", 100000, 200, {4, 3.1748021}, 1, 1, 0.25f, 1, 0, CONTRACT},
    {"explode", 100000, 50, {4, 3.1748021}, 1, 1, 0.25f, 1, 0, EXPLODE},
};

#define CLUSTERS     10
#define GATHER_TICKS 60u
#define TURN_TICKS   5u
#define TURN_SHARE   50u /* one of so many walks */
#define CLOSER       0.99f
#define FARTHER      1.06f
#define EXPLODE_FROM 0.05f /* of the side */

typedef struct crowd {
    const workload *load;
    uint32_t dimensions;
    double side;
    uint32_t count, moving; /* those that move come first */
    float *at[3], *speed[3], *home[3], *half;
    uint32_t tick;
    rng_stream rng;
} crowd;

static double crowd_chance(crowd *c)
{
    return (double)rng_fraction(&c->rng);
}

static double crowd_normal(crowd *c)
{
    double radius = sqrt(-2 * log(1 - crowd_chance(c)));

    return radius * cos(6.283185307179586 * crowd_chance(c));
}

/* Half of an entity's extent along an axis. */
static float crowd_half(const crowd *c, uint32_t i, uint32_t k)
{
    return c->load->hard == LINES && k == 0 ? (float)(c->side * 0.3) : c->half[i];
}

static float crowd_inside(const crowd *c, double at, double half)
{
    return (float)fmin(fmax(at, half), c->side - half);
}

/* The radius of a cluster: all clusters together cover 5 % of the world, in `deep` nearly nothing. */
static double crowd_cluster_radius(const crowd *c)
{
    if (c->load->hard == DEEP) {
        return 20;
    }
    double share = 0.05 / CLUSTERS;
    return c->side * (c->dimensions == 2 ? sqrt(share / 3.14159265) : cbrt(share * 0.75 / 3.14159265));
}

static void crowd_place(crowd *c, uint32_t i, double center[CLUSTERS][3], double radius)
{
    const workload *load = c->load;
    double half = 0.5 * load->size_min * pow(load->size_max / load->size_min, crowd_chance(c));
    bool is_clustered = crowd_chance(c) < load->clustered;
    uint32_t cluster = (uint32_t)(crowd_chance(c) * CLUSTERS);

    if (load->hard == HUGE_BOX && i == 0) {
        half = c->side * 0.495;
    }
    c->half[i] = (float)half;
    for (uint32_t k = 0; k < c->dimensions; k++) {
        double at = crowd_chance(c) * c->side;

        if (is_clustered) {
            at = center[cluster][k] + crowd_normal(c) * radius * 0.5;
        } else if (load->hard == CROWD || load->hard == PILE) {
            at = c->side * 0.37 + crowd_chance(c) * 0.2;
        } else if (load->hard == BORDER && k == 0 && i < c->count / 10) {
            at = c->side * 0.5 + (crowd_chance(c) - 0.5);
        } else if (load->hard == HUGE_BOX && i == 0) {
            at = c->side * 0.5;
        }
        if (load->hard == EXPLODE) {
            at = c->side / 2 + (at - c->side / 2) * (double)EXPLODE_FROM;
        }
        c->at[k][i] = c->home[k][i] = crowd_inside(c, at, (double)crowd_half(c, i, k));
        c->speed[k][i] = (float)(crowd_chance(c) * 2 - 1) * load->speed;
        if (load->hard == PILE) {
            c->speed[k][i] = k == 0 ? load->speed : 0;
        }
        if (load->hard == GATHER) {
            c->at[k][i] = crowd_inside(c, crowd_chance(c) * c->side, half);
        }
    }
}

static void crowd_init(crowd *c, const workload *load, uint32_t dimensions)
{
    *c = (crowd){.load = load, .dimensions = dimensions, .count = load->count, .rng = {12345}};
    c->side = load->spacing[dimensions - 2] * (dimensions == 2 ? sqrt(load->count) : cbrt(load->count));
    c->moving = (uint32_t)(load->count * load->moving);
    c->half = malloc(c->count * sizeof(float));
    double center[CLUSTERS][3];
    for (uint32_t k = 0; k < dimensions; k++) {
        c->at[k] = malloc(c->count * sizeof(float));
        c->speed[k] = malloc(c->count * sizeof(float));
        c->home[k] = malloc(c->count * sizeof(float));
        for (int i = 0; i < CLUSTERS; i++) {
            center[i][k] = c->side * (0.05 + 0.9 * crowd_chance(c));
        }
    }
    for (uint32_t i = 0; i < c->count; i++) {
        crowd_place(c, i, center, crowd_cluster_radius(c));
    }
}

static void crowd_deinit(crowd *c)
{
    for (uint32_t k = 0; k < c->dimensions; k++) {
        free(c->at[k]);
        free(c->speed[k]);
        free(c->home[k]);
    }
    free(c->half);
}

static void crowd_move(crowd *c, uint32_t i, uint32_t k)
{
    const uint32_t crossing = c->load->hard == BORDER && k == 0 ? c->count / 10 : 0;
    float *at = &c->at[k][i], half = crowd_half(c, i, k);

    if (c->load->hard == TELEPORT) {
        *at = crowd_inside(c, crowd_chance(c) * c->side, half);
    } else if (c->load->hard == CROWD) {
        *at = c->home[k][i] + (float)(crowd_chance(c) - 0.5) * 0.1f;
    } else if (c->load->hard == GATHER && c->tick < GATHER_TICKS) {
        *at += (c->home[k][i] - *at) / (float)(GATHER_TICKS - c->tick);
    } else if (c->load->hard == CONTRACT || c->load->hard == EXPLODE) {
        const float middle = (float)c->side / 2, way = c->load->hard == CONTRACT ? CLOSER : FARTHER;

        *at = crowd_inside(c, (double)(middle + (*at - middle) * way), (double)half);
    } else if (i < crossing) {
        *at = c->home[k][i] + ((c->tick + i) % 2 ? 0.6f : -0.6f);
    } else {
        float next = *at + c->speed[k][i];

        if (next < half || next > (float)c->side - half) {
            c->speed[k][i] = -c->speed[k][i];
            next = crowd_inside(c, next, half);
        }
        *at = next;
    }
}

static void crowd_step(crowd *c)
{
    c->tick++;
    for (uint32_t i = 0; i < c->moving; i++) {
        if (c->load->hard == TURNS && (i + c->tick / TURN_TICKS * 7) % TURN_SHARE != 0) {
            continue;
        }
        for (uint32_t k = 0; k < c->dimensions; k++) {
            crowd_move(c, i, k);
        }
    }
}

#endif
