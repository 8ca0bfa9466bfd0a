/* SPDX-License-Identifier: Apache-2.0
 *
 * Brute force: a sweep along x compares every pair of boxes that overlap on x. It shares no code with the server, and
 * computes corners by the rule in SPEC.md (N1).
 */
#include "bench.h"

#include <stdlib.h>

#define HALF 0.5f

typedef struct box {
    float min_x, max_x, min_y, max_y, min_z, max_z; /* z: 0 in two dimensions */
    uint32_t id;
} box;

static int compare(const void *left, const void *right)
{
    float a = ((const box *)left)->min_x, b = ((const box *)right)->min_x;

    return (a > b) - (a < b);
}

/* Counts the pairs; false: the server has not reported the pair in `missing`. */
static bool sweep(const box *boxes, uint32_t count, const qd_pairs *reported, size_t *found, uint32_t missing[2])
{
    *found = 0;
    for (uint32_t first = 0; first < count; first++) {
        const box *a = &boxes[first];

        for (uint32_t second = first + 1; second < count && boxes[second].min_x <= a->max_x; second++) {
            const box *b = &boxes[second];

            if (a->min_y > b->max_y || b->min_y > a->max_y || a->min_z > b->max_z || b->min_z > a->max_z) {
                continue;
            }
            ++*found;
            missing[0] = a->id < b->id ? a->id : b->id;
            missing[1] = a->id < b->id ? b->id : a->id;
            if (!qd_pairs_contain(reported, missing[0], missing[1])) {
                return false;
            }
        }
    }
    return true;
}

void qd_bench_check(qd_bench_lane *reported, const qd_bench_lane *writer, uint64_t tick)
{
    qd_bench *bench = reported->connection->bench;
    uint32_t missing[2];
    size_t found;

    if (!qd_pairs_known(reported->pairs)) {
        return; /* suspended: the server does not report pairs now */
    }
    box *boxes = malloc(writer->count * sizeof *boxes);
    if (!boxes) {
        qd_bench_fail(bench, "out of memory");
        return;
    }
    for (uint32_t index = 0; index < writer->count; index++) {
        float x = writer->at[0][index], y = writer->at[1][index];

        boxes[index] =
            (box){.min_x = x - HALF, .max_x = x + HALF, .min_y = y - HALF, .max_y = y + HALF, .id = writer->id[index]};
        if (writer->at[2]) {
            boxes[index].min_z = writer->at[2][index] - HALF;
            boxes[index].max_z = writer->at[2][index] + HALF;
        }
    }
    qsort(boxes, writer->count, sizeof *boxes, compare);
    if (!sweep(boxes, writer->count, reported->pairs, &found, missing)) {
        qd_bench_fail(bench, "tick %llu of room %u: entities %u and %u overlap, but the server did not report it",
                      (unsigned long long)tick, reported->room_index, missing[0], missing[1]);
    } else if (found != qd_pairs_count(reported->pairs)) {
        qd_bench_fail(bench, "tick %llu of room %u: the server reported %zu pairs, but there are %zu",
                      (unsigned long long)tick, reported->room_index, qd_pairs_count(reported->pairs), found);
    }
    free(boxes);
    reported->connection->figures->ticks_checked++;
}
