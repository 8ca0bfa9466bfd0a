/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>

#include "../../actor/service/limits.h"
#include "requests.h"

/* A number of the query, and what it must be apart from finite. */
typedef enum demand { ANY, NOT_NEGATIVE, ZERO } demand;

typedef struct field {
    const char *name;
    float value;
    demand demand;
} field;

static bool check_fields(const field *fields, size_t count, qd_fault *fault)
{
    for (const field *at = fields; at < fields + count; at++) {
        if (!isfinite(at->value)) {
            return qd_fault_invalid(fault, "%s is %g; must be finite", at->name, (double)at->value);
        }
        if (at->demand == NOT_NEGATIVE && at->value < 0) {
            return qd_fault_invalid(fault, "%s is %g; must be 0 or more", at->name, (double)at->value);
        }
        if (at->demand == ZERO && at->value != 0) {
            return qd_fault_invalid(fault, "%s is %g, but the room has two dimensions; must be 0. Leave it out",
                                    at->name, (double)at->value);
        }
    }
    return true;
}

#define CHECK(fields) check_fields(fields, sizeof(fields) / sizeof(fields)[0], fault)

static bool check_order(const char *name, const qd_msg_bounds *box, qd_fault *fault)
{
    const struct {
        const char *axis;
        float min, max;
    } axes[] = {{"x", box->min_x, box->max_x}, {"y", box->min_y, box->max_y}, {"z", box->min_z, box->max_z}};
    for (size_t i = 0; i < sizeof axes / sizeof axes[0]; i++) {
        if (!(axes[i].min <= axes[i].max)) {
            return qd_fault_invalid(
                fault,
                "%s goes from min_%s %g to max_%s %g; must be numbers with min at most max. Exchange or correct them",
                name, axes[i].axis, (double)axes[i].min, axes[i].axis, (double)axes[i].max);
        }
    }
    return true;
}

static bool check_box(const qd_msg_bounds *box, demand z, qd_fault *fault)
{
    const field fields[] = {
        {"box.min_x", box->min_x, ANY}, {"box.min_y", box->min_y, ANY}, {"box.min_z", box->min_z, z},
        {"box.max_x", box->max_x, ANY}, {"box.max_y", box->max_y, ANY}, {"box.max_z", box->max_z, z},
    };

    return CHECK(fields) && check_order("box", box, fault);
}

static bool check_circle(const qd_msg_query_circle *circle, demand z, qd_fault *fault)
{
    const field fields[] = {
        {"circle.x", circle->x, ANY},
        {"circle.y", circle->y, ANY},
        {"circle.z", circle->z, z},
        {"circle.radius", circle->radius, NOT_NEGATIVE},
    };

    return CHECK(fields);
}

static bool check_nearest(const qd_msg_query_nearest *nearest, demand z, qd_fault *fault)
{
    const field fields[] = {
        {"nearest.x", nearest->x, ANY},
        {"nearest.y", nearest->y, ANY},
        {"nearest.z", nearest->z, z},
        {"nearest.within", nearest->within, NOT_NEGATIVE},
    };

    return CHECK(fields);
}

static bool check_ray(const qd_msg_query_ray *ray, demand z, qd_fault *fault)
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
    return qd_fault_invalid(
        fault, "ray.direction is 0 on every axis; must have a length above 0. Send where the ray points to");
}

bool qd_limit_check(uint32_t limit, uint32_t max, qd_fault *fault)
{
    return limit <= max || qd_fault_invalid(fault, "limit is %" PRIu32 "; must be at most %" PRIu32, limit, max);
}

bool qd_query_check(const qd_msg_query *query, uint32_t dimensions, qd_fault *fault)
{
    const demand z = dimensions == 3 ? ANY : ZERO;

    if (!qd_limit_check(query->limit, QD_QUERY_ROWS_MAX, fault)) {
        return false;
    }
    switch (query->kind) {
    case QD_QUERY_BOX:
        return check_box(&query->where.box, z, fault);
    case QD_QUERY_CIRCLE:
        return check_circle(&query->where.circle, z, fault);
    case QD_QUERY_NEAREST:
        return check_nearest(&query->where.nearest, z, fault);
    case QD_QUERY_RAY:
        return check_ray(&query->where.ray, z, fault);
    case QD_QUERY_NOTHING:
        break;
    }
    return qd_fault_invalid(fault,
                            "the query has no region; must have a box, circle, nearest or ray. Send one of them");
}

bool qd_region_check(const qd_msg_bounds *region, uint32_t dimensions, qd_fault *fault)
{
    if (dimensions == 2 && !(region->min_z == 0 && region->max_z == 0)) {
        return qd_fault_invalid(
            fault,
            "region goes from min_z %g to max_z %g, but the room has two dimensions; both must be 0. Leave z out",
            (double)region->min_z, (double)region->max_z);
    }
    return check_order("region", region, fault);
}
