/* SPDX-License-Identifier: Apache-2.0
 *
 * The scenes of tests/bench/space: boxes that move, equal to the last bit in C, in C++ and in JavaScript. scene.mjs is
 * the same code for two axes. So the scenes use only operations that IEEE 754 rounds exactly, + - * / and square roots,
 * and need -ffp-contract=off. In three dimensions they use cube roots, which come from the same C library for all.
 *
 *     W1      1,000 boxes of 10 x 10 in 500 x 500, up to 5 per axis and tick
 *     W2_n    n boxes of 1 x 1, world side 4 sqrt(n), up to 0.25 per axis and tick
 *     W3      100,000 boxes, sizes log-uniform from 0.5 to 32, world side 8 sqrt(n), 30 % of them moving
 *     W4      100,000 boxes of 1 x 1, 90 % of them in bell-shaped clusters on 5 % of the area, world side 4 sqrt(n)
 *
 * Compiled with -DSCENE_AXES=3 they are cubes in a cube. Its side makes each overlap as many others as in two dimensions:
 * W1 171, W2 3.17 cbrt(n), W3 12.45 cbrt(n), W4 as W2, with clusters on 5 % of the volume.
 *
 * Boxes bounce off the world's sides. Their corners are float32(center - half) and float32(center + half), and two boxes
 * overlap if they touch. Moving boxes come first; otherwise ids do not depend on positions.
 */
#ifndef QD_BENCH_SCENE_H
#define QD_BENCH_SCENE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef SCENE_AXES
#define SCENE_AXES 2
#endif

typedef struct scene_box {
    float lo[SCENE_AXES], hi[SCENE_AXES];
} scene_box;

typedef struct scene_workload {
    const char *name;
    uint32_t count;
    float side;    /* of the world; 0: spacing * the root of count */
    float spacing; /* the mean distance of entities */
    float size_min;
    float doublings; /* sizes reach from size_min to size_min * 2^doublings */
    float speed_max;
    float moving, clustered; /* shares */
} scene_workload;

typedef struct scene {
    const scene_workload *workload;
    uint32_t count;
    uint32_t moving; /* entities 0 to moving - 1 move at each tick, the others never */
    float side;
    float size_mean, size_max;
    float *at[SCENE_AXES], *half; /* center and half extent */
    float *speed[SCENE_AXES];
    scene_box *box;
    uint32_t random;
} scene;

static const scene_workload scene_workloads[] = {
#if SCENE_AXES == 2
    {"W1", 1000, 500, 0, 10, 0, 5, 1, 0},        {"W2_1k", 1000, 0, 4, 1, 0, 0.25f, 1, 0},
    {"W2_10k", 10000, 0, 4, 1, 0, 0.25f, 1, 0},  {"W2_100k", 100000, 0, 4, 1, 0, 0.25f, 1, 0},
    {"W2_1M", 1000000, 0, 4, 1, 0, 0.25f, 1, 0}, {"W3", 100000, 0, 8, 0.5f, 6, 0.25f, 0.3f, 0},
    {"W4", 100000, 0, 4, 1, 0, 0.25f, 1, 0.9f},
#else
    {"W1", 1000, 171, 0, 10, 0, 5, 1, 0},
    {"W2_1k", 1000, 0, 3.1748f, 1, 0, 0.25f, 1, 0},
    {"W2_10k", 10000, 0, 3.1748f, 1, 0, 0.25f, 1, 0},
    {"W2_100k", 100000, 0, 3.1748f, 1, 0, 0.25f, 1, 0},
    {"W2_1M", 1000000, 0, 3.1748f, 1, 0, 0.25f, 1, 0},
    {"W3", 100000, 0, 12.45f, 0.5f, 6, 0.25f, 0.3f, 0},
    {"W4", 100000, 0, 3.1748f, 1, 0, 0.25f, 1, 0.9f},
#endif
};

#define SCENE_CLUSTERS     10
#define SCENE_CLUSTER_AREA 0.05

/* From 0 to below 1, in steps of 2^-24. */
static inline double scene_chance(scene *s)
{
    uint32_t z = s->random += 0x9e3779b9u;

    z = (z ^ z >> 16) * 0x21f0aaadu;
    z = (z ^ z >> 15) * 0x735a2d97u;
    z ^= z >> 15;
    return (double)(z >> 8) / 16777216.0;
}

/* Bell-shaped, of variance 1: the sum of twelve numbers, without a logarithm. */
static inline double scene_bell(scene *s)
{
    double sum = -6;

    for (int i = 0; i < 12; i++) {
        sum += scene_chance(s);
    }
    return sum;
}

/* 2^exponent, bit by bit of the exponent, from square roots. */
static inline double scene_power_of_two(double exponent)
{
    double value = 1, factor = 2;

    for (; exponent >= 1; exponent -= 1) {
        value *= 2;
    }
    for (int bit = 0; bit < 24; bit++) {
        factor = sqrt(factor);
        exponent *= 2;
        if (exponent >= 1) {
            value *= factor;
            exponent -= 1;
        }
    }
    return value;
}

static inline const scene_workload *scene_workload_named(const char *name)
{
    for (size_t i = 0; i < sizeof scene_workloads / sizeof *scene_workloads; i++) {
        if (strcmp(scene_workloads[i].name, name) == 0) {
            return &scene_workloads[i];
        }
    }
    return NULL;
}

static inline void *scene_memory(size_t size)
{
    void *memory = malloc(size);

    if (memory == NULL) {
        fprintf(stderr, "no memory for %zu bytes\n", size);
        abort();
    }
    return memory;
}

static inline float scene_inside(double at, double half, double side)
{
    return (float)(at < half ? half : at > side - half ? side - half : at);
}

static inline double scene_root(double value)
{
    return SCENE_AXES == 2 ? sqrt(value) : cbrt(value);
}

static inline void scene_place(scene *s, uint32_t i)
{
    for (uint32_t k = 0; k < SCENE_AXES; k++) {
        s->box[i].lo[k] = s->at[k][i] - s->half[i];
        s->box[i].hi[k] = s->at[k][i] + s->half[i];
    }
}

/* The radius of a cluster: a disc or a ball with its share of the world. */
static inline double scene_cluster_radius(const scene *s)
{
    double side = s->side, area = side * side * SCENE_CLUSTER_AREA / SCENE_CLUSTERS / 3.141592653589793;

    return SCENE_AXES == 2 ? sqrt(area) : cbrt(area * side * 0.75);
}

/* A bell-shaped offset from the center of a cluster, within its radius. */
static inline void scene_stray(scene *s, double radius, double away[SCENE_AXES])
{
    double square;

    do {
        square = 0;
        for (uint32_t k = 0; k < SCENE_AXES; k++) {
            away[k] = scene_bell(s) * radius * 0.5;
            square += away[k] * away[k];
        }
    } while (square > radius * radius);
}

static inline void scene_populate(scene *s)
{
    const scene_workload *load = s->workload;
    double center[SCENE_CLUSTERS][SCENE_AXES], radius = scene_cluster_radius(s), size_sum = 0;

    for (int cluster = 0; cluster < SCENE_CLUSTERS; cluster++) {
        for (uint32_t k = 0; k < SCENE_AXES; k++) {
            center[cluster][k] = s->side * (0.05 + 0.9 * scene_chance(s));
        }
    }
    for (uint32_t i = 0; i < s->count; i++) {
        double half = 0.5 * load->size_min * scene_power_of_two(load->doublings * scene_chance(s));
        double at[SCENE_AXES];

        for (uint32_t k = 0; k < SCENE_AXES; k++) {
            at[k] = half + scene_chance(s) * (s->side - 2 * half);
        }
        if (scene_chance(s) < load->clustered) {
            int cluster = (int)(scene_chance(s) * SCENE_CLUSTERS);

            scene_stray(s, radius, at);
            for (uint32_t k = 0; k < SCENE_AXES; k++) {
                at[k] += center[cluster][k];
            }
        }
        s->half[i] = (float)half;
        for (uint32_t k = 0; k < SCENE_AXES; k++) {
            s->at[k][i] = scene_inside(at[k], s->half[i], s->side);
        }
        for (uint32_t k = 0; k < SCENE_AXES; k++) {
            s->speed[k][i] = (float)((scene_chance(s) * 2 - 1) * load->speed_max);
        }
        scene_place(s, i);
        size_sum += 2 * half;
        s->size_max = 2 * s->half[i] > s->size_max ? 2 * s->half[i] : s->size_max;
    }
    s->size_mean = (float)(size_sum / s->count);
}

/* With fewer entities than the workload has, the world is smaller, at the same density. */
static inline void scene_init(scene *s, const scene_workload *load, uint32_t count)
{
    size_t column = count * sizeof(float);

    memset(s, 0, sizeof *s);
    s->workload = load;
    s->count = count;
    s->moving = (uint32_t)((double)count * load->moving);
    s->side = load->side > 0 ? load->side : (float)(load->spacing * scene_root(count));
    for (uint32_t k = 0; k < SCENE_AXES; k++) {
        s->at[k] = (float *)scene_memory(column);
        s->speed[k] = (float *)scene_memory(column);
    }
    s->half = (float *)scene_memory(column);
    s->box = (scene_box *)scene_memory(count * sizeof *s->box);
    s->random = 20240229u;
    scene_populate(s);
}

static inline void scene_deinit(scene *s)
{
    for (uint32_t k = 0; k < SCENE_AXES; k++) {
        free(s->at[k]);
        free(s->speed[k]);
    }
    free(s->half);
    free(s->box);
}

static inline void scene_bounce(float *at, float *speed, float half, float side)
{
    float next = *at + *speed, end = side - half;

    if (next < half || next > end) {
        *speed = -*speed;
        next = next < half ? half : end;
    }
    *at = next;
}

static inline void scene_step(scene *s)
{
    for (uint32_t i = 0; i < s->moving; i++) {
        for (uint32_t k = 0; k < SCENE_AXES; k++) {
            scene_bounce(&s->at[k][i], &s->speed[k][i], s->half[i], s->side);
        }
        scene_place(s, i);
    }
}

/* Of all corners, bit for bit. */
static inline uint32_t scene_checksum(const scene *s)
{
    uint32_t sum = 0, word[2 * SCENE_AXES];

    for (uint32_t i = 0; i < s->count; i++) {
        memcpy(word, &s->box[i], sizeof word);
        for (int k = 0; k < 2 * SCENE_AXES; k++) {
            sum = (sum ^ word[k]) * 0x01000193u;
            sum ^= sum >> 15;
        }
    }
    return sum;
}

static inline bool scene_overlap(const scene_box *a, const scene_box *b)
{
    bool overlap = (a->lo[0] <= b->hi[0]) & (b->lo[0] <= a->hi[0]) & (a->lo[1] <= b->hi[1]) & (b->lo[1] <= a->hi[1]);

#if SCENE_AXES == 3
    overlap &= (a->lo[2] <= b->hi[2]) & (b->lo[2] <= a->hi[2]);
#endif
    return overlap;
}

#endif
