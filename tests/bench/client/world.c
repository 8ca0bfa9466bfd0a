/* SPDX-License-Identifier: Apache-2.0 */
#include "world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

static const world worlds[] = {
    {.name = "fences",
     .kind = WORLD_FENCES,
     .points = 10000,
     .circles = 23000,
     .side = 10000,
     .radius_min = 10,
     .radius_max = 100,
     .speed_max = 5},
    {.name = "neighbors",
     .kind = WORLD_NEIGHBORS,
     .points = 5000,
     .circles = 100,
     .side = 2000,
     .radius_min = 100,
     .radius_max = 100,
     .speed_max = 5},
    {.name = "pairs", .kind = WORLD_PAIRS, .points = 10000, .side = 400, .speed_max = 0.25f, .half = 0.5f},
};

static float *column(uint32_t count)
{
    return program_memory(NULL, (count + 1) * sizeof(float));
}

static void place(world *w)
{
    for (uint32_t i = 0; i < w->points; i++) {
        w->id[i] = i;
        w->x[0][i] = w->side * rng_fraction(&w->rng);
        w->y[0][i] = w->side * rng_fraction(&w->rng);
        w->speed_x[i] = w->speed_max * (2 * rng_fraction(&w->rng) - 1);
        w->speed_y[i] = w->speed_max * (2 * rng_fraction(&w->rng) - 1);
    }
    for (uint32_t i = 0; i < w->circles; i++) {
        w->fence_x[i] = w->side * rng_fraction(&w->rng);
        w->fence_y[i] = w->side * rng_fraction(&w->rng);
        w->radius[i] = w->radius_min + (w->radius_max - w->radius_min) * rng_fraction(&w->rng);
    }
}

world *world_create(const char *name, uint32_t share)
{
    size_t at = 0;

    while (at < sizeof worlds / sizeof *worlds && strcmp(worlds[at].name, name) != 0) {
        at++;
    }
    if (at == sizeof worlds / sizeof *worlds) {
        return NULL;
    }
    world *w = program_memory(NULL, sizeof *w);
    *w = worlds[at];
    w->points /= share;
    w->circles /= share;
    w->side /= sqrtf((float)share);
    w->id = program_memory(NULL, w->points * sizeof *w->id);
    for (int turn = 0; turn < 2; turn++) {
        w->x[turn] = column(w->points);
        w->y[turn] = column(w->points);
    }
    w->speed_x = column(w->points);
    w->speed_y = column(w->points);
    w->fence_x = column(w->circles);
    w->fence_y = column(w->circles);
    w->radius = column(w->circles);
    place(w);
    return w;
}

/* Moves straight ahead and bounces off the walls. */
static void move_axis(const float *from, float *to, float *speed, uint32_t count, float side)
{
    for (uint32_t i = 0; i < count; i++) {
        if (from[i] + speed[i] < 0 || from[i] + speed[i] > side) {
            speed[i] = -speed[i];
        }
        to[i] = from[i] + speed[i];
    }
}

void world_move(world *w, uint32_t step)
{
    const uint32_t now = step % 2;

    move_axis(w->x[!now], w->x[now], w->speed_x, w->points, w->side);
    move_axis(w->y[!now], w->y[now], w->speed_y, w->points, w->side);
}

/* Closed boxes, by their float32 corners. */
static bool touch(float a, float b, float half)
{
    const float a_low = a - half, a_high = a + half, b_low = b - half, b_high = b + half;

    return a_low <= b_high && b_low <= a_high;
}

bool world_has(const world *w, uint32_t step, uint32_t high, uint32_t low)
{
    const float *x = w->x[step % 2], *y = w->y[step % 2];

    if (w->kind == WORLD_PAIRS) {
        return touch(x[high], x[low], w->half) && touch(y[high], y[low], w->half);
    }
    if (w->kind == WORLD_NEIGHBORS && high == low) {
        return false;
    }
    const double from_x = (double)(w->kind == WORLD_FENCES ? w->fence_x : x)[high];
    const double from_y = (double)(w->kind == WORLD_FENCES ? w->fence_y : y)[high];
    const double dx = (double)x[low] - from_x, dy = (double)y[low] - from_y, reach = (double)w->radius[high];
    return dx * dx + dy * dy <= reach * reach;
}

uint64_t *world_members(const world *w, uint32_t step, size_t *count)
{
    const uint32_t highs = w->kind == WORLD_PAIRS ? w->points : w->circles;
    uint64_t *members = NULL;
    size_t capacity = 0;

    *count = 0;
    for (uint32_t high = 0; high < highs; high++) {
        for (uint32_t low = w->kind == WORLD_PAIRS ? high + 1 : 0; low < w->points; low++) {
            if (!world_has(w, step, high, low)) {
                continue;
            }
            if (*count == capacity) {
                capacity = capacity > 0 ? 2 * capacity : 1024;
                members = program_memory(members, capacity * sizeof *members);
            }
            members[(*count)++] = world_key(high, low);
        }
    }
    return members;
}
