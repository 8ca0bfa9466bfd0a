/* SPDX-License-Identifier: Apache-2.0
 *
 * What tests and benchmarks of the space share: the names of its indexes, its configuration, bodies as the exact test
 * takes them, and events in one order.
 */
#ifndef QD_TESTS_SUPPORT_SPACES_H
#define QD_TESTS_SUPPORT_SPACES_H

#include <stdlib.h>
#include <string.h>

#include "server/space/geometry/geometry.h"
#include "server/space/space.h"
#include "server/space/tuning.h"

static const char *const space_index_names[] = {"", "auto", "quadtree", "octree", "sparse", "hash", "grid", "brute"};

/* 0: there is no such index. */
static inline qd_space_index space_index_named(const char *name)
{
    for (uint32_t i = QD_SPACE_AUTO; i <= QD_SPACE_BRUTE; i++) {
        if (strcmp(name, space_index_names[i]) == 0) {
            return (qd_space_index)i;
        }
    }
    return (qd_space_index)0;
}

/* A space whose bounds are a square or a cube. */
static inline qd_space_config space_config_of(uint32_t dimensions, qd_space_index index, float lo, float hi,
                                              uint32_t bodies_max)
{
    return (qd_space_config){.dimensions = dimensions,
                             .min_x = lo,
                             .min_y = lo,
                             .min_z = dimensions == 3 ? lo : 0,
                             .max_x = hi,
                             .max_y = hi,
                             .max_z = dimensions == 3 ? hi : 0,
                             .index = index,
                             .bodies_max = bodies_max};
}

static inline uint32_t space_kernel_count(void)
{
    uint32_t count = 0;

    while (qd_space_kernel_at(count) != NULL) {
        count++;
    }
    return count;
}

static inline qd_geometry space_geometry_of(const qd_body *body)
{
    const float at[3] = {body->x, body->y, body->z}, half[3] = {body->half_x, body->half_y, body->half_z};
    qd_geometry geometry = {.shape = (qd_space_shape)body->shape};

    for (int k = 0; k < 3; k++) {
        geometry.at[k] = body->shape == QD_SPACE_BOX ? at[k] - half[k] : at[k];
        geometry.to[k] = body->shape == QD_SPACE_BOX ? at[k] + half[k] : half[k];
    }
    geometry.radius = (double)(body->shape == QD_SPACE_CIRCLE ? body->half_x : body->radius);
    return geometry;
}

/* A number for each event, whichever slot comes first in it. Numbers are ordered by the smaller slot, then by the larger
 * one, then by kind. */
static inline uint64_t space_event_key(qd_space_event event)
{
    uint64_t a = qd_space_event_a(event), b = qd_space_event_b(event);

    return (a < b ? a << 32 | b << 8 : b << 32 | a << 8) | (uint64_t)qd_space_event_kind(event);
}

static inline int space_event_keys_compare(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

    return (a > b) - (a < b);
}

/* In order; to be freed. */
static inline uint64_t *space_event_keys(const qd_space_event *events, size_t count)
{
    uint64_t *keys = malloc((count + 1) * sizeof *keys);

    for (size_t i = 0; i < count; i++) {
        keys[i] = space_event_key(events[i]);
    }
    qsort(keys, count, sizeof *keys, space_event_keys_compare);
    return keys;
}

static inline uint64_t space_event_key_hash(uint64_t key)
{
    key *= UINT64_C(0x9e3779b97f4a7c15);
    key = (key ^ key >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
    return key ^ key >> 32;
}

/* A number that depends on all events, and not on their order. */
static inline uint64_t space_events_digest(const qd_space_events *found)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < found->count; i++) {
        sum += space_event_key_hash(space_event_key(found->events[i]));
    }
    return sum;
}

#endif
