/* SPDX-License-Identifier: Apache-2.0 */
#include "bench_field.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- positions ---- */

/* A random number from 0 to 1. */
static double random_part(qd_field_scene *scene)
{
    scene->random = scene->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(scene->random >> 33) / 2147483648.0;
}

static bool make_columns(qd_field_columns *to, uint32_t count)
{
    *to = (qd_field_columns){
        .count = count, .id = malloc(count * sizeof *to->id), .x = calloc(5 * (size_t)count, sizeof *to->x)};
    if (!to->id || !to->x) {
        return false;
    }
    to->y = to->x + count;
    to->radius = to->y + count;
    to->speed_x = to->radius + count;
    to->speed_y = to->speed_x + count;
    return true;
}

static void turn(qd_field_scene *scene, qd_field_columns *points, uint32_t point)
{
    const double angle = 2 * acos(-1) * random_part(scene);

    points->speed_x[point] = (float)(scene->config->speed * cos(angle));
    points->speed_y[point] = (float)(scene->config->speed * sin(angle));
}

static void place(qd_field_scene *scene, qd_field_columns *to, double radius_min, double radius_max)
{
    const qd_field_config *config = scene->config;

    for (uint32_t i = 0; i < to->count; i++) {
        to->id[i] = i;
        to->x[i] = (float)(config->side * random_part(scene));
        to->y[i] = (float)(config->side * random_part(scene));
        to->radius[i] = (float)(radius_min + (radius_max - radius_min) * random_part(scene));
        turn(scene, to, i);
    }
}

bool qd_field_scene_init(qd_field_scene *scene, const qd_field_config *config)
{
    *scene = (qd_field_scene){.config = config, .random = config->seed};
    if (!make_columns(&scene->observers, config->observers) || !make_columns(&scene->points, config->points)) {
        return false;
    }
    place(scene, &scene->observers, config->radius_min, config->radius_max);
    place(scene, &scene->points, 0, 0);
    return true;
}

void qd_field_scene_deinit(qd_field_scene *scene)
{
    free(scene->points.id);
    free(scene->points.x);
    free(scene->observers.id);
    free(scene->observers.x);
}

/* Moves points straight, and reflects them at the walls. */
static void move_along(float *restrict at, float *restrict speed, uint32_t count, float side)
{
    for (uint32_t i = 0; i < count; i++) {
        const float there = at[i] + speed[i], inward = there < 0 ? fabsf(speed[i]) : -fabsf(speed[i]);

        at[i] = there;
        speed[i] = there < 0 || there > side ? inward : speed[i];
    }
}

void qd_field_scene_move(qd_field_scene *scene)
{
    qd_field_columns *points = &scene->points;
    const float side = (float)scene->config->side;
    const uint32_t turn_every = scene->config->turn_every;

    for (uint32_t i = 0; turn_every > 0 && i < points->count; i++) {
        if (random_part(scene) * turn_every < 1) {
            turn(scene, points, i);
        }
    }
    move_along(points->x, points->speed_x, points->count, side);
    move_along(points->y, points->speed_y, points->count, side);
}

/* ---- brute force ---- */

/* What one observer sees. */
typedef struct seen {
    uint32_t near, in_view;
    double farthest_in, nearest_out; /* distances of near points */
} seen;

/* The distance of a point from an observer; -1: it is not near by the rule in SPEC.md (V3), in its order. */
static double distance_of(const qd_field_scene *scene, uint32_t observer, uint32_t point)
{
    const qd_field_columns *centers = scene->config->anchored ? &scene->points : &scene->observers;
    const double x = (double)scene->points.x[point] - (double)centers->x[observer];
    const double y = (double)scene->points.y[point] - (double)centers->y[observer];
    const double reach = (double)scene->observers.radius[observer];
    const double squared = x * x + y * y;
    const bool is_anchor = scene->config->anchored && observer == point;

    return squared <= reach * reach && !is_anchor ? sqrt(squared) : -1;
}

/* Whether the last relay of an entity was right: it comes at each tick. */
static bool is_placed(const qd_field_scene *scene, const qd_view_entity *entity)
{
    const qd_field_config *config = scene->config;
    const double error = config->has_relay_k ? ldexp(1, -config->relay_k - 1) : 0;

    return !config->relays || (fabs((double)entity->x - (double)scene->points.x[entity->id]) <= error &&
                               fabs((double)entity->y - (double)scene->points.y[entity->id]) <= error);
}

static bool look(const qd_field_scene *scene, const qd_view *view, uint32_t observer, seen *result, char *error,
                 size_t error_size)
{
    const char *name = scene->config->name;

    *result = (seen){.nearest_out = INFINITY};
    for (uint32_t point = 0; point < scene->points.count; point++) {
        const double distance = distance_of(scene, observer, point);

        if (distance < 0) {
            continue;
        }
        const qd_view_entity *entity = qd_view_find(view, observer, point);
        result->near++;
        if (entity == NULL && scene->config->limit == 0) {
            snprintf(error, error_size, "point %u is in %s %u, but the server did not report it", point, name,
                     observer);
            return false;
        }
        if (entity == NULL) {
            result->nearest_out = fmin(result->nearest_out, distance);
            continue;
        }
        result->in_view++;
        result->farthest_in = fmax(result->farthest_in, distance);
        if (!is_placed(scene, entity)) {
            snprintf(error, error_size, "the server reported point %u of %s %u at %.9g, %.9g, but it is at %.9g, %.9g",
                     point, name, observer, (double)entity->x, (double)entity->y, (double)scene->points.x[point],
                     (double)scene->points.y[point]);
            return false;
        }
    }
    return true;
}

bool qd_field_scene_check(const qd_field_scene *scene, const qd_view *view, uint64_t *found, char *error,
                          size_t error_size)
{
    const uint32_t limit = scene->config->limit;
    seen sees;

    for (uint32_t observer = 0; observer < scene->observers.count; observer++) {
        if (!look(scene, view, observer, &sees, error, error_size)) {
            return false;
        }
        const uint32_t expected = limit > 0 && sees.near > limit ? limit : sees.near;
        const uint32_t reported = qd_view_count_of(view, observer);
        if (reported != expected || sees.in_view != expected) {
            snprintf(error, error_size, "%s %u contains %u points, but the server reported %u, %u of them inside",
                     scene->config->name, observer, expected, reported, sees.in_view);
            return false;
        }
        /* A limit keeps the nearest, where an entity in the view counts as nearer by a 16th of the range (V6). */
        if (sees.farthest_in - (double)scene->observers.radius[observer] / 16 > sees.nearest_out) {
            snprintf(error, error_size, "%s %u has a limit of %u and sees a point at %.9g, but not one at %.9g",
                     scene->config->name, observer, limit, sees.farthest_in, sees.nearest_out);
            return false;
        }
        *found += expected;
    }
    return true;
}
