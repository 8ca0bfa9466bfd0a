/* SPDX-License-Identifier: Apache-2.0 */
#include "query_request.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "../../actor/service/limits.h"

/* A number of the query, and what it must be apart from finite. */
typedef enum demand { ANY, NOT_NEGATIVE, ZERO } demand;

typedef struct field {
    const char *name;
    float value;
    demand demand;
} field;

static bool check_field(const field *at, char *fault, size_t fault_size)
{
    const char *wrong = NULL;

    if (!isfinite(at->value)) {
        wrong = "must be finite";
    } else if (at->demand == NOT_NEGATIVE && at->value < 0) {
        wrong = "must be 0 or more";
    } else if (at->demand == ZERO && at->value != 0) {
        wrong = "but the room has two dimensions: leave it out";
    }
    if (wrong != NULL) {
        snprintf(fault, fault_size, at->demand == ZERO ? "%s is %g, %s" : "%s is %g: %s", at->name, (double)at->value,
                 wrong);
    }
    return wrong == NULL;
}

static bool check_fields(const field *fields, size_t count, char *fault, size_t fault_size)
{
    for (size_t i = 0; i < count; i++) {
        if (!check_field(&fields[i], fault, fault_size)) {
            return false;
        }
    }
    return true;
}

#define CHECK(fields) check_fields(fields, sizeof(fields) / sizeof(fields)[0], fault, fault_size)

static bool check_order(const char *name, const qd_msg_bounds *box, char *fault, size_t fault_size)
{
    const struct {
        const char *axis;
        float min, max;
    } axes[] = {{"x", box->min_x, box->max_x}, {"y", box->min_y, box->max_y}, {"z", box->min_z, box->max_z}};
    for (size_t i = 0; i < sizeof axes / sizeof axes[0]; i++) {
        if (axes[i].min <= axes[i].max) {
            continue;
        }
        snprintf(fault, fault_size, "%s goes from min_%s %g to max_%s %g: min must not be above max, nor NaN", name,
                 axes[i].axis, (double)axes[i].min, axes[i].axis, (double)axes[i].max);
        return false;
    }
    return true;
}

static bool check_box(const qd_msg_bounds *box, demand z, char *fault, size_t fault_size)
{
    const field fields[] = {
        {"box.min_x", box->min_x, ANY}, {"box.min_y", box->min_y, ANY}, {"box.min_z", box->min_z, z},
        {"box.max_x", box->max_x, ANY}, {"box.max_y", box->max_y, ANY}, {"box.max_z", box->max_z, z},
    };

    return CHECK(fields) && check_order("box", box, fault, fault_size);
}

static bool check_circle(const qd_msg_query_circle *circle, demand z, char *fault, size_t fault_size)
{
    const field fields[] = {
        {"circle.x", circle->x, ANY},
        {"circle.y", circle->y, ANY},
        {"circle.z", circle->z, z},
        {"circle.radius", circle->radius, NOT_NEGATIVE},
    };

    return CHECK(fields);
}

static bool check_nearest(const qd_msg_query_nearest *nearest, demand z, char *fault, size_t fault_size)
{
    const field fields[] = {
        {"nearest.x", nearest->x, ANY},
        {"nearest.y", nearest->y, ANY},
        {"nearest.z", nearest->z, z},
        {"nearest.within", nearest->within, NOT_NEGATIVE},
    };

    return CHECK(fields);
}

static bool check_ray(const qd_msg_query_ray *ray, demand z, char *fault, size_t fault_size)
{
    const field fields[] = {
        {"ray.x", ray->x, ANY},
        {"ray.y", ray->y, ANY},
        {"ray.z", ray->z, z},
        {"ray.direction_x", ray->direction_x, ANY},
        {"ray.direction_y", ray->direction_y, ANY},
        {"ray.direction_z", ray->direction_z, z},
        {"ray.length", ray->length, NOT_NEGATIVE},
    };

    if (!CHECK(fields)) {
        return false;
    }
    if (ray->direction_x != 0 || ray->direction_y != 0 || ray->direction_z != 0) {
        return true;
    }
    snprintf(fault, fault_size, "ray.direction is 0 on every axis: give it a length");
    return false;
}

bool qd_query_check(const qd_msg_query *query, uint32_t dimensions, char *fault, size_t fault_size)
{
    const demand z = dimensions == 3 ? ANY : ZERO;

    if (query->limit > QD_QUERY_ROWS_MAX) {
        snprintf(fault, fault_size, "limit is %" PRIu32 ": must be at most %u", query->limit, QD_QUERY_ROWS_MAX);
        return false;
    }
    switch (query->kind) {
    case QD_QUERY_BOX:
        return check_box(&query->where.box, z, fault, fault_size);
    case QD_QUERY_CIRCLE:
        return check_circle(&query->where.circle, z, fault, fault_size);
    case QD_QUERY_NEAREST:
        return check_nearest(&query->where.nearest, z, fault, fault_size);
    case QD_QUERY_RAY:
        return check_ray(&query->where.ray, z, fault, fault_size);
    case QD_QUERY_NOTHING:
        break;
    }
    snprintf(fault, fault_size, "the query says not where: give one of box, circle, nearest and ray");
    return false;
}

bool qd_region_check(const qd_msg_bounds *region, uint32_t dimensions, char *fault, size_t fault_size)
{
    if (dimensions == 2 && !(region->min_z == 0 && region->max_z == 0)) {
        snprintf(fault, fault_size,
                 "region goes from min_z %g to max_z %g, but the room has two dimensions: leave z out",
                 (double)region->min_z, (double)region->max_z);
        return false;
    }
    return check_order("region", region, fault, fault_size);
}
