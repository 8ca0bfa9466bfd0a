/* SPDX-License-Identifier: Apache-2.0
 *
 * Brute force: every pair of boxes whose x overlap is looked at, by a sweep along x. It shares no code with
 * the server, and computes corners as quadrille.proto says.
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

/* Counts the pairs; false: there is one that the server has not told. */
static bool sweep(const box *boxes, uint32_t count, const qd_pairs *told, size_t *found, uint32_t missing[2])
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
            if (!qd_pairs_contain(told, missing[0], missing[1])) {
                return false;
            }
        }
    }
    return true;
}

void qd_bench_check(qd_bench_lane *told, const qd_bench_lane *writer, uint64_t tick)
{
    qd_bench *bench = told->connection->bench;
    uint32_t missing[2];
    size_t found;

    if (!qd_pairs_known(told->pairs)) {
        return; /* suspended: the server has said that it does not tell */
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
    if (!sweep(boxes, writer->count, told->pairs, &found, missing)) {
        qd_bench_fail(bench, "tick %llu of room %u: entities %u and %u overlap, and the server did not say so",
                      (unsigned long long)tick, told->room_index, missing[0], missing[1]);
    } else if (found != qd_pairs_count(told->pairs)) {
        qd_bench_fail(bench, "tick %llu of room %u: the server tells %zu pairs, and there are %zu",
                      (unsigned long long)tick, told->room_index, qd_pairs_count(told->pairs), found);
    }
    free(boxes);
    told->connection->figures->ticks_checked++;
}
