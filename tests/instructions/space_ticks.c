/* SPDX-License-Identifier: Apache-2.0
 *
 * A fixed tick of a fixed workload. space_ticks.sh counts the instructions of `measured_update`, the moves, and of
 * `measured_traversal`, which finds all begins and ends. The creation of the workload and the first ticks are not counted.
 *
 *     instructions_space_ticks WORKLOAD DIMENSIONS INDEX KERNEL    exit status 77: the processor cannot run the kernel
 *     instructions_space_ticks --compiler                          prints the compiler and its target
 *
 * Nothing here depends on the machine: no clock, no threads, and no libm, whose last bits differ.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/rng.h"
#include "tests/support/spaces.h"

#define COUNT_MAX 10000u
#define WARM      4u
#define MEASURED  10u

typedef struct workload {
    const char *name;
    uint32_t count;
    float side[2];    /* of the world, in two dimensions and in three, for equally many overlaps */
    uint32_t octaves; /* sizes from 0.5 to 0.5 * 2^octaves; 0: all of size 1 */
    uint32_t moving;  /* up to 0.25 per axis and tick */
} workload;

/* The first two are as in tests/bench/crowd.h, W3 with fewer. */
static const workload workloads[] = {
    {"W2_10k", 10000, {400, 68.4f}, 0, 10000},
    {"W3_10k", 10000, {800, 268.2f}, 6, 3000},
    {"few_10k", 10000, {400, 68.4f}, 0, 100},
};

static rng_stream rng = {12345};

/* The measured functions. */
static const workload *load;
static uint32_t dimensions;
static float side;

static uint32_t slot[COUNT_MAX];
static float at[3][COUNT_MAX], speed[3][COUNT_MAX]; /* in two dimensions z stays 0 */

static void fill(qd_space *space)
{
    for (uint32_t i = 0; i < load->count; i++) {
        float half = 0.5f;

        if (load->octaves > 0) {
            uint32_t octave = (uint32_t)(rng_fraction(&rng) * (float)load->octaves);

            half = 0.25f * (float)(1u << octave) * (1 + rng_fraction(&rng));
        }
        for (uint32_t k = 0; k < dimensions; k++) {
            at[k][i] = half + rng_fraction(&rng) * (side - 2 * half);
        }
        for (uint32_t k = 0; k < dimensions; k++) {
            speed[k][i] = rng_fraction(&rng) * 0.5f - 0.25f;
        }
        qd_body body = {.x = at[0][i],
                        .y = at[1][i],
                        .z = at[2][i],
                        .half_x = half,
                        .half_y = half,
                        .half_z = dimensions == 3 ? half : 0,
                        .category = 1,
                        .mask = UINT32_MAX,
                        .shape = QD_SPACE_BOX};
        if (qd_space_add(space, &body, &slot[i]) != QD_OK) {
            abort();
        }
    }
}

static void bounce(float *place, float *step)
{
    if (*place + *step < 0 || *place + *step > side) {
        *step = -*step;
    }
    *place += *step;
}

static void step(void)
{
    for (uint32_t i = 0; i < load->moving; i++) {
        for (uint32_t k = 0; k < dimensions; k++) {
            bounce(&at[k][i], &speed[k][i]);
        }
    }
}

static size_t traverse(qd_space *space)
{
    qd_space_events found;

    qd_space_tick(space, &qd_executor_serial, QD_SPACE_WANT_EVENTS, SIZE_MAX / 16, &found);
    (void)qd_space_settle(space);
    return found.count;
}

__attribute__((noinline)) static void measured_update(qd_space *space, uint32_t count)
{
    qd_space_move(space, count, slot, at[0], at[1], at[2]);
}

__attribute__((noinline)) static size_t measured_traversal(qd_space *space)
{
    return traverse(space);
}

static const workload *workload_named(const char *name)
{
    for (size_t i = 0; i < sizeof workloads / sizeof *workloads; i++) {
        if (strcmp(workloads[i].name, name) == 0) {
            return &workloads[i];
        }
    }
    return NULL;
}

static bool has_kernel(const char *name)
{
    for (uint32_t k = 0; qd_space_kernel_at(k) != NULL; k++) {
        if (strcmp(qd_space_kernel_at(k), name) == 0) {
            return true;
        }
    }
    return false;
}

static void print_compiler(void)
{
#if defined(__clang__)
    printf("clang-%d", __clang_major__);
#else
    printf("gcc-%d", __GNUC__);
#endif
#if defined(__x86_64__)
    printf(" x86_64\n");
#else
    printf(" other\n");
#endif
}

int main(int count, char **arguments)
{
    if (count == 2 && strcmp(arguments[1], "--compiler") == 0) {
        print_compiler();
        return 0;
    }
    load = count == 5 ? workload_named(arguments[1]) : NULL;
    dimensions = load != NULL && strcmp(arguments[2], "3") == 0 ? 3 : 2;
    qd_space_index index = load != NULL ? space_index_named(arguments[3]) : (qd_space_index)0;
    if (index == 0) {
        fprintf(stderr, "usage: instructions_space_ticks WORKLOAD DIMENSIONS INDEX KERNEL | --compiler\n");
        return 2;
    }
    if (!has_kernel(arguments[4])) {
        return 77;
    }
    qd_space_kernel_select(arguments[4]);
    side = load->side[dimensions - 2];
    qd_heap heap;
    qd_heap_init(&heap);
    qd_space *space;
    const qd_space_config config = space_config_of(dimensions, index, 0, side, COUNT_MAX);
    if (qd_space_create(&config, &heap, &space) != QD_OK) {
        fprintf(stderr, "no space of %u dimensions with index %s\n", dimensions, arguments[3]);
        return 1;
    }
    fill(space);
    for (uint32_t i = 0; i < WARM; i++) {
        step();
        qd_space_move(space, load->moving, slot, at[0], at[1], at[2]);
        traverse(space);
    }
    size_t events = 0;
    for (uint32_t i = 0; i < MEASURED; i++) {
        step();
        measured_update(space, load->moving);
        events += measured_traversal(space);
    }
    qd_space_destroy(space);
    qd_heap_deinit(&heap);
    printf("%u ticks of %u boxes: %zu events\n", MEASURED, load->count, events);
    return events == 0;
}
