/* SPDX-License-Identifier: Apache-2.0 */
#include "motion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FLOCK_SIZE   40u
#define GATES        6u
#define HALF_TURN    3.14159265f
#define LEADER_SPEED 5.0f

const char *qd_motion_name(qd_motion_kind kind)
{
    static const char *const names[QD_MOTION_KINDS] = {"uniform", "flock", "crowd"};

    return names[kind];
}

qd_motion_kind qd_motion_of_name(const char *name)
{
    qd_motion_kind kind = QD_MOTION_UNIFORM;

    while (kind < QD_MOTION_KINDS && strcmp(name, qd_motion_name(kind)) != 0) {
        kind++;
    }
    return kind;
}

/* ---- random numbers ---- */

/* SplitMix64. */
static uint32_t draw(qd_motion *motion)
{
    uint64_t mixed = motion->random += 0x9e3779b97f4a7c15u;

    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
    return (uint32_t)(mixed >> 32);
}

static float between(qd_motion *motion, float low, float high)
{
    return low + (high - low) * (float)(draw(motion) >> 8) / 16777216.0f;
}

static float clamp(float value, float low, float high)
{
    return fminf(fmaxf(value, low), high);
}

/* ---- the start ---- */

static uint32_t leaders_count(const qd_motion *motion)
{
    return (motion->count + FLOCK_SIZE - 1) / FLOCK_SIZE;
}

static bool is_3d(const qd_motion *motion)
{
    return motion->bounds.min_z < motion->bounds.max_z;
}

/* An angle out of the plane; 0 in two dimensions. */
static float draw_climb(qd_motion *motion)
{
    return is_3d(motion) ? between(motion, -HALF_TURN / 4, HALF_TURN / 4) : 0;
}

static void place(qd_motion *motion, uint32_t i)
{
    const qd_msg_bounds *bounds = &motion->bounds;
    qd_bot *bot = &motion->bots[i];
    bool is_circle = motion->kind == QD_MOTION_CROWD || draw(motion) % 2 == 0;

    motion->id[i] = i + 1;
    motion->x[i] = between(motion, bounds->min_x, bounds->max_x);
    motion->y[i] = between(motion, bounds->min_y, bounds->max_y);
    motion->z[i] = is_3d(motion) ? between(motion, bounds->min_z, bounds->max_z) : 0;
    if (is_circle) {
        motion->radius[i] = between(motion, 0.3f, 0.6f);
    } else {
        motion->half_x[i] = between(motion, 0.3f, 0.6f);
        motion->half_y[i] = between(motion, 0.3f, 0.6f);
        motion->half_z[i] = is_3d(motion) ? between(motion, 0.3f, 0.6f) : 0;
    }
    motion->shape[i] = is_circle ? QD_SHAPE_CIRCLE : QD_SHAPE_BOX;
    bot->pace = between(motion, 2, 6);
    float heading = between(motion, -HALF_TURN, HALF_TURN), climb = draw_climb(motion);
    bot->speed_x = bot->pace * cosf(heading) * cosf(climb);
    bot->speed_y = bot->pace * sinf(heading) * cosf(climb);
    bot->speed_z = bot->pace * sinf(climb);
    bot->angle = between(motion, -HALF_TURN, HALF_TURN);
    bot->distance = between(motion, 0.5f, 7);
    bot->gate = draw(motion) % GATES;
}

bool qd_motion_init(qd_motion *motion, qd_motion_kind kind, const qd_msg_bounds *bounds, uint32_t count, uint64_t seed)
{
    *motion = (qd_motion){.kind = kind, .bounds = *bounds, .count = count, .random = seed};
    motion->id = calloc(count, sizeof *motion->id);
    motion->x = calloc(7 * (size_t)count, sizeof *motion->x);
    motion->shape = calloc(count, sizeof *motion->shape);
    motion->bots = calloc(count, sizeof *motion->bots);
    motion->leaders = calloc(leaders_count(motion), sizeof *motion->leaders);
    if (motion->id == NULL || motion->x == NULL || motion->shape == NULL || motion->bots == NULL ||
        motion->leaders == NULL) {
        qd_motion_deinit(motion);
        return false;
    }
    motion->y = motion->x + count;
    motion->z = motion->y + count;
    motion->half_x = motion->z + count;
    motion->half_y = motion->half_x + count;
    motion->half_z = motion->half_y + count;
    motion->radius = motion->half_z + count;
    for (uint32_t i = 0; i < count; i++) {
        place(motion, i);
    }
    for (uint32_t i = 0; i < leaders_count(motion); i++) {
        motion->leaders[i] = (qd_leader){.x = between(motion, bounds->min_x, bounds->max_x),
                                         .y = between(motion, bounds->min_y, bounds->max_y),
                                         .z = is_3d(motion) ? between(motion, bounds->min_z, bounds->max_z) : 0,
                                         .climb = draw_climb(motion),
                                         .heading = between(motion, -HALF_TURN, HALF_TURN)};
    }
    return true;
}

void qd_motion_deinit(qd_motion *motion)
{
    free(motion->id);
    free(motion->x);
    free(motion->shape);
    free(motion->bots);
    free(motion->leaders);
    *motion = (qd_motion){0};
}

/* ---- a step ---- */

static void advance(qd_motion *motion, uint32_t i, float seconds)
{
    motion->x[i] += motion->bots[i].speed_x * seconds;
    motion->y[i] += motion->bots[i].speed_y * seconds;
    motion->z[i] += motion->bots[i].speed_z * seconds;
}

/* Reverses the speed at a wall. */
static void bounce(float *at, float *speed, float low, float high)
{
    if ((*at < low && *speed < 0) || (*at > high && *speed > 0)) {
        *speed = -*speed;
    }
    *at = clamp(*at, low, high);
}

static void keep_inside(qd_motion *motion, uint32_t i)
{
    qd_bot *bot = &motion->bots[i];

    bounce(&motion->x[i], &bot->speed_x, motion->bounds.min_x, motion->bounds.max_x);
    bounce(&motion->y[i], &bot->speed_y, motion->bounds.min_y, motion->bounds.max_y);
    bounce(&motion->z[i], &bot->speed_z, motion->bounds.min_z, motion->bounds.max_z);
}

static void wander(qd_motion *motion, qd_leader *leader, float seconds)
{
    const qd_msg_bounds *bounds = &motion->bounds;
    float forth = cosf(leader->climb);
    float speed_x = cosf(leader->heading) * forth, speed_y = sinf(leader->heading) * forth,
          speed_z = sinf(leader->climb);

    leader->x += LEADER_SPEED * speed_x * seconds;
    leader->y += LEADER_SPEED * speed_y * seconds;
    leader->z += LEADER_SPEED * speed_z * seconds;
    bounce(&leader->x, &speed_x, bounds->min_x, bounds->max_x);
    bounce(&leader->y, &speed_y, bounds->min_y, bounds->max_y);
    bounce(&leader->z, &speed_z, bounds->min_z, bounds->max_z);
    leader->climb = asinf(clamp(speed_z, -1, 1));
    leader->heading = atan2f(speed_y, speed_x) + between(motion, -2, 2) * seconds;
}

/* A damped spring pulls each bot to its place, which circles the leader at the leader's height. */
static void step_flock(qd_motion *motion, float seconds)
{
    for (uint32_t i = 0; i < leaders_count(motion); i++) {
        wander(motion, &motion->leaders[i], seconds);
    }
    for (uint32_t i = 0; i < motion->count; i++) {
        qd_bot *bot = &motion->bots[i];
        const qd_leader *leader = &motion->leaders[i / FLOCK_SIZE];

        bot->angle += bot->pace * 0.2f * seconds;
        float to_x = leader->x + bot->distance * cosf(bot->angle) - motion->x[i];
        float to_y = leader->y + bot->distance * sinf(bot->angle) - motion->y[i];
        float to_z = leader->z - motion->z[i];
        bot->speed_x += (2 * to_x - 1.5f * bot->speed_x) * seconds;
        bot->speed_y += (2 * to_y - 1.5f * bot->speed_y) * seconds;
        bot->speed_z += (2 * to_z - 1.5f * bot->speed_z) * seconds;
    }
}

/* The gates are evenly spaced on an ellipse near the walls; in three dimensions at different heights. */
static void gate_at(const qd_motion *motion, uint32_t gate, float *x, float *y, float *z)
{
    const qd_msg_bounds *bounds = &motion->bounds;
    float angle = 2 * HALF_TURN * (float)gate / (float)GATES;

    *x = (bounds->min_x + bounds->max_x) / 2 + cosf(angle) * 0.45f * (bounds->max_x - bounds->min_x);
    *y = (bounds->min_y + bounds->max_y) / 2 + sinf(angle) * 0.45f * (bounds->max_y - bounds->min_y);
    *z = bounds->min_z + (bounds->max_z - bounds->min_z) * ((float)gate + 0.5f) / (float)GATES;
}

static void push_apart(qd_motion *motion, uint32_t i, uint32_t j)
{
    float dx = motion->x[j] - motion->x[i], dy = motion->y[j] - motion->y[i], dz = motion->z[j] - motion->z[i];
    float distance = sqrtf(dx * dx + dy * dy + dz * dz), depth = motion->radius[i] + motion->radius[j] - distance;

    if (depth <= 0) {
        return;
    }
    /* Two bots at one point part along the x axis. */
    float part = depth * 0.25f, push_x = distance > 0 ? dx / distance * part : part;
    float push_y = distance > 0 ? dy / distance * part : 0, push_z = distance > 0 ? dz / distance * part : 0;
    motion->x[i] -= push_x;
    motion->y[i] -= push_y;
    motion->z[i] -= push_z;
    motion->x[j] += push_x;
    motion->y[j] += push_y;
    motion->z[j] += push_z;
}

static void step_crowd(qd_motion *motion, float seconds, const qd_pairs *pairs)
{
    for (uint32_t i = 0; i < motion->count; i++) {
        qd_bot *bot = &motion->bots[i];
        float gate_x, gate_y, gate_z;

        gate_at(motion, bot->gate, &gate_x, &gate_y, &gate_z);
        float dx = gate_x - motion->x[i], dy = gate_y - motion->y[i], dz = gate_z - motion->z[i];
        float distance = sqrtf(dx * dx + dy * dy + dz * dz);
        if (distance < 2) {
            bot->gate = (bot->gate + 1 + draw(motion) % (GATES - 1)) % GATES;
            continue;
        }
        /* The bot turns to the gate gradually. */
        float turn = clamp(2 * seconds, 0, 1);
        bot->speed_x += (dx / distance * bot->pace - bot->speed_x) * turn;
        bot->speed_y += (dy / distance * bot->pace - bot->speed_y) * turn;
        bot->speed_z += (dz / distance * bot->pace - bot->speed_z) * turn;
    }
    size_t cursor = 0;
    uint32_t a, b;
    while (pairs != NULL && qd_pairs_next(pairs, &cursor, &a, &b)) {
        if (a >= 1 && b <= motion->count) {
            push_apart(motion, a - 1, b - 1);
        }
    }
}

void qd_motion_step(qd_motion *motion, float seconds, const qd_pairs *pairs)
{
    if (motion->kind == QD_MOTION_FLOCK) {
        step_flock(motion, seconds);
    } else if (motion->kind == QD_MOTION_CROWD) {
        step_crowd(motion, seconds, pairs);
    }
    for (uint32_t i = 0; i < motion->count; i++) {
        advance(motion, i, seconds);
        keep_inside(motion, i);
    }
}
