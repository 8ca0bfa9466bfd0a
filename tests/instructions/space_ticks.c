/* SPDX-License-Identifier: Apache-2.0
 *
 * A fixed tick of a fixed workload, for space_ticks.sh to count the instructions of: of `measured_update` (moving what
 * moved) and of `measured_walk` (finding all begins and ends), not of making the workload and the first ticks.
 *
 *     instructions_space_ticks WORKLOAD KERNEL     exit status 77 where the processor has no such kernel
 *     instructions_space_ticks --compiler          what compiled it, and for what
 *
 * Nothing here depends on the machine: no clock, no threads, and none of libm, whose last bits differ.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/space/kernel.h"
#include "server/space/space.h"

#define COUNT_MAX 10000u
#define WARM      4u
#define MEASURED  10u

typedef struct workload {
    const char *name;
    uint32_t count;
    float side;
    uint32_t octaves; /* boxes of 0.5 to 0.5 * 2^octaves; with 0 of 1 */
    uint32_t moving;  /* up to 0.25 an axis and tick */
} workload;

/* The first two are as in tests/bench/space_tick.c, W3 with fewer. */
static const workload workloads[] = {
    {"W2_10k", 10000, 400, 0, 10000},
    {"W3_10k", 10000, 800, 6, 3000},
    {"few_10k", 10000, 400, 0, 100},
};

static uint64_t dice = 12345;

static float chance(void)
{
    uint64_t z = (dice += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (float)(z >> 40) / 16777216.0f;
}

static uint32_t slot[COUNT_MAX];
static float x[COUNT_MAX], y[COUNT_MAX], speed_x[COUNT_MAX], speed_y[COUNT_MAX];

static void fill(qd_space *space, const workload *load)
{
    for (uint32_t i = 0; i < load->count; i++) {
        float half = 0.5f;
        if (load->octaves > 0) {
            uint32_t octave = (uint32_t)(chance() * (float)load->octaves);
            half = 0.25f * (float)(1u << octave) * (1 + chance());
        }
        x[i] = half + chance() * (load->side - 2 * half);
        y[i] = half + chance() * (load->side - 2 * half);
        speed_x[i] = chance() * 0.5f - 0.25f;
        speed_y[i] = chance() * 0.5f - 0.25f;
        qd_body body = {.x = x[i],
                        .y = y[i],
                        .half_x = half,
                        .half_y = half,
                        .category = 1,
                        .mask = UINT32_MAX,
                        .shape = QD_SPACE_BOX};
        if (qd_space_add(space, &body, &slot[i]) != QD_OK) {
            abort();
        }
    }
}

static void bounce(float *at, float *speed, float side)
{
    if (*at + *speed < 0 || *at + *speed > side) {
        *speed = -*speed;
    }
    *at += *speed;
}

static void step(const workload *load)
{
    for (uint32_t i = 0; i < load->moving; i++) {
        bounce(&x[i], &speed_x[i], load->side);
        bounce(&y[i], &speed_y[i], load->side);
    }
}

static size_t walk(qd_space *space)
{
    qd_space_events found;
    const uint32_t *freed;
    size_t freed_count;
    qd_space_tick(space, &qd_executor_serial, QD_SPACE_WANT_EVENTS, SIZE_MAX / 16, &found);
    qd_space_settle(space, &freed, &freed_count);
    return found.count;
}

__attribute__((noinline)) static void measured_update(qd_space *space, uint32_t count)
{
    qd_space_move(space, count, slot, x, y, NULL);
}

__attribute__((noinline)) static size_t measured_walk(qd_space *space)
{
    return walk(space);
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

static const qd_kernel *kernel_named(const char *name)
{
    for (uint32_t k = 0; qd_kernel_at(k) != NULL; k++) {
        if (strcmp(qd_kernel_at(k)->name, name) == 0) {
            return qd_kernel_at(k);
        }
    }
    return NULL;
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
    const workload *load = count == 3 ? workload_named(arguments[1]) : NULL;
    if (load == NULL) {
        fprintf(stderr, "usage: instructions_space_ticks WORKLOAD KERNEL | --compiler\n");
        return 2;
    }
    const qd_kernel *kernel = kernel_named(arguments[2]);
    if (kernel == NULL) {
        return 77;
    }
    qd_kernel_select(kernel);
    qd_heap heap;
    qd_heap_init(&heap);
    qd_space *space;
    qd_space_config config = {.max_x = load->side, .max_y = load->side, .bodies_max = COUNT_MAX};
    if (qd_space_create(&config, &heap, &space) != QD_OK) {
        abort();
    }
    fill(space, load);
    for (uint32_t i = 0; i < WARM; i++) {
        step(load);
        qd_space_move(space, load->moving, slot, x, y, NULL);
        walk(space);
    }
    size_t events = 0;
    for (uint32_t i = 0; i < MEASURED; i++) {
        step(load);
        measured_update(space, load->moving);
        events += measured_walk(space);
    }
    qd_space_destroy(space);
    qd_heap_deinit(&heap);
    printf("%u ticks of %u boxes: %zu events\n", MEASURED, load->count, events);
    return events == 0;
}
