/* SPDX-License-Identifier: Apache-2.0 */
#include "query.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "limits.h"

#define ROWS_DEFAULT 1024u

/* A number of the query, and what it must be besides finite. */
typedef enum demand { ANY, NOT_NEGATIVE, ZERO } demand;

typedef struct field {
    const char *name;
    float value;
    demand demand;
} field;

static bool check_field(const field *at, char *fault, size_t fault_size)
{
    const char *wrong = NULL;
    if (!isfinite(at->value))
        wrong = "must be finite";
    else if (at->demand == NOT_NEGATIVE && at->value < 0)
        wrong = "must be 0 or more";
    else if (at->demand == ZERO && at->value != 0)
        wrong = "but the room has two dimensions: leave it out";
    if (wrong != NULL)
        snprintf(fault, fault_size, at->demand == ZERO ? "%s is %g, %s" : "%s is %g: %s", at->name, (double)at->value,
                 wrong);
    return wrong == NULL;
}

static bool check_fields(const field *fields, size_t count, char *fault, size_t fault_size)
{
    for (size_t i = 0; i < count; i++) {
        if (!check_field(&fields[i], fault, fault_size))
            return false;
    }
    return true;
}

#define CHECK(fields) check_fields(fields, sizeof(fields) / sizeof(fields)[0], fault, fault_size)

static bool check_box(const qd_msg_bounds *box, char *fault, size_t fault_size)
{
    const field fields[] = {
        {"box.min_x", box->min_x, ANY}, {"box.min_y", box->min_y, ANY}, {"box.min_z", box->min_z, ZERO},
        {"box.max_x", box->max_x, ANY}, {"box.max_y", box->max_y, ANY}, {"box.max_z", box->max_z, ZERO},
    };
    if (!CHECK(fields))
        return false;
    if (box->min_x <= box->max_x && box->min_y <= box->max_y)
        return true;
    snprintf(fault, fault_size, "box goes from (%g, %g) to (%g, %g): min must not be above max", (double)box->min_x,
             (double)box->min_y, (double)box->max_x, (double)box->max_y);
    return false;
}

static bool check_circle(const qd_msg_query_circle *circle, char *fault, size_t fault_size)
{
    const field fields[] = {
        {"circle.x", circle->x, ANY},
        {"circle.y", circle->y, ANY},
        {"circle.z", circle->z, ZERO},
        {"circle.radius", circle->radius, NOT_NEGATIVE},
    };
    return CHECK(fields);
}

static bool check_nearest(const qd_msg_query_nearest *nearest, char *fault, size_t fault_size)
{
    const field fields[] = {
        {"nearest.x", nearest->x, ANY},
        {"nearest.y", nearest->y, ANY},
        {"nearest.z", nearest->z, ZERO},
        {"nearest.within", nearest->within, NOT_NEGATIVE},
    };
    return CHECK(fields);
}

static bool check_ray(const qd_msg_query_ray *ray, char *fault, size_t fault_size)
{
    const field fields[] = {
        {"ray.x", ray->x, ANY},
        {"ray.y", ray->y, ANY},
        {"ray.z", ray->z, ZERO},
        {"ray.direction_x", ray->direction_x, ANY},
        {"ray.direction_y", ray->direction_y, ANY},
        {"ray.direction_z", ray->direction_z, ZERO},
        {"ray.length", ray->length, NOT_NEGATIVE},
    };
    if (!CHECK(fields))
        return false;
    if (ray->direction_x != 0 || ray->direction_y != 0)
        return true;
    snprintf(fault, fault_size, "ray.direction is (0, 0): one of direction_x and direction_y must not be 0");
    return false;
}

bool qd_query_check(const qd_msg_query *query, char *fault, size_t fault_size)
{
    if (query->limit > QD_QUERY_ROWS_MAX) {
        snprintf(fault, fault_size, "limit is %" PRIu32 ": must be at most %u", query->limit, QD_QUERY_ROWS_MAX);
        return false;
    }
    switch (query->kind) {
    case QD_QUERY_BOX:
        return check_box(&query->where.box, fault, fault_size);
    case QD_QUERY_CIRCLE:
        return check_circle(&query->where.circle, fault, fault_size);
    case QD_QUERY_NEAREST:
        return check_nearest(&query->where.nearest, fault, fault_size);
    case QD_QUERY_RAY:
        return check_ray(&query->where.ray, fault, fault_size);
    case QD_QUERY_NOTHING:
        break;
    }
    snprintf(fault, fault_size, "the query says not where: give one of box, circle, nearest and ray");
    return false;
}

/* 0 stands for without end. */
static double reach_of(float value)
{
    return value == 0 ? (double)INFINITY : (double)value;
}

void qd_query_translate(const qd_msg_query *query, qd_space_query *result)
{
    *result = (qd_space_query){
        .categories = query->categories,
        .limit = query->limit == 0 ? ROWS_DEFAULT : query->limit,
    };
    switch (query->kind) {
    case QD_QUERY_BOX:
        result->kind = QD_SPACE_IN_BOX;
        result->min_x = query->where.box.min_x;
        result->min_y = query->where.box.min_y;
        result->max_x = query->where.box.max_x;
        result->max_y = query->where.box.max_y;
        break;
    case QD_QUERY_CIRCLE:
        result->kind = QD_SPACE_IN_CIRCLE;
        result->x = query->where.circle.x;
        result->y = query->where.circle.y;
        result->radius = query->where.circle.radius;
        break;
    case QD_QUERY_NEAREST:
        result->kind = QD_SPACE_NEAREST;
        result->x = query->where.nearest.x;
        result->y = query->where.nearest.y;
        result->reach = reach_of(query->where.nearest.within);
        break;
    case QD_QUERY_RAY:
        result->kind = QD_SPACE_RAY;
        result->x = query->where.ray.x;
        result->y = query->where.ray.y;
        result->direction_x = query->where.ray.direction_x;
        result->direction_y = query->where.ray.direction_y;
        result->reach = reach_of(query->where.ray.length);
        break;
    case QD_QUERY_NOTHING:
        break;
    }
}
