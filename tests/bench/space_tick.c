/* SPDX-License-Identifier: Apache-2.0
 *
 * What a tick of a space costs: nanoseconds of the thread's own time an entity, medians, for moving what moved (update)
 * and for finding all begins and ends (walk, with settle).
 *
 *     bench_space_tick [workload [kernel]]     parts of names; all by default
 *
 *     W1        1,000 boxes of 10 x 10 in 500 x 500, up to 5 an axis and tick
 *     W2_n      n boxes of 1 x 1, world 4 sqrt(n), up to 0.25 an axis and tick
 *     W3        100,000 boxes of 0.5 to 32 (log-uniform), world 8 sqrt(n), 30 % moving
 *     W4        100,000 boxes of 1, 90 % of them in clusters on 5 % of the area, world 4 sqrt(n)
 *     rest, few, border, huge, teleport     W2_100k: all at rest; 1 % moving; a tenth going to and fro over the middle
 *                                           line; one box over all others; all teleported at each tick
 *     outside   W2_100k in a room whose bounds are a quarter of that world
 *     crowd     10,000 boxes of 1, jittering on one spot
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "server/space/kernel.h"
#include "server/space/space.h"

typedef enum hard_case { PLAIN, REST, FEW, BORDER, HUGE_BOX, TELEPORT, OUTSIDE, CROWD } hard_case;

typedef struct workload {
    const char *name;
    uint32_t count, ticks;
    double density; /* world side = density * sqrt(count) */
    float size_min, size_max, speed;
    double moving, clustered;
    hard_case hard;
} workload;

static const workload workloads[] = {
    {"W1", 1000, 400, 500 / 31.6227766, 10, 10, 5, 1, 0, PLAIN},
    {"W2_1k", 1000, 400, 4, 1, 1, 0.25f, 1, 0, PLAIN},
    {"W2_10k", 10000, 100, 4, 1, 1, 0.25f, 1, 0, PLAIN},
    {"W2_100k", 100000, 50, 4, 1, 1, 0.25f, 1, 0, PLAIN},
    {"W2_1M", 1000000, 15, 4, 1, 1, 0.25f, 1, 0, PLAIN},
    {"W3", 100000, 50, 8, 0.5f, 32, 0.25f, 0.3, 0, PLAIN},
    {"W4", 100000, 50, 4, 1, 1, 0.25f, 1, 0.9, PLAIN},
    {"rest", 100000, 50, 4, 1, 1, 0.25f, 0, 0, REST},
    {"few", 100000, 50, 4, 1, 1, 0.25f, 0.01, 0, FEW},
    {"border", 100000, 50, 4, 1, 1, 0.25f, 1, 0, BORDER},
    {"huge", 100000, 50, 4, 1, 1, 0.25f, 1, 0, HUGE_BOX},
    {"teleport", 100000, 20, 4, 1, 1, 0.25f, 1, 0, TELEPORT},
    {"outside", 100000, 50, 4, 1, 1, 0.25f, 1, 0, OUTSIDE},
    {"crowd", 10000, 20, 4, 1, 1, 0, 1, 0, CROWD},
};

#define CLUSTERS 10

static uint64_t dice;

static double chance(void)
{
    uint64_t z = (dice += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (double)(z >> 40) / 16777216.0;
}

static double normal(void)
{
    return sqrt(-2 * log(1 - chance())) * cos(6.283185307179586 * chance());
}

typedef struct crowd {
    const workload *load;
    double side;
    uint32_t moving;
    uint32_t *slot;
    float *x, *y, *vx, *vy, *half, *home_x, *home_y; /* those that move come first */
    uint32_t tick;
} crowd;

static double now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static float inside(const crowd *c, double at, double half)
{
    return (float)fmin(fmax(at, half), c->side - half);
}

static void make(crowd *c, const workload *load)
{
    uint32_t count = load->count;
    dice = 12345;
    *c = (crowd){.load = load, .side = load->density * sqrt(count), .moving = (uint32_t)(count * load->moving)};
    c->slot = malloc(count * sizeof *c->slot);
    float **columns[] = {&c->x, &c->y, &c->vx, &c->vy, &c->half, &c->home_x, &c->home_y};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        *columns[i] = malloc(count * sizeof(float));
    }
    double centre[CLUSTERS][2], radius = sqrt(c->side * c->side * 0.05 / CLUSTERS / 3.14159265);
    for (int k = 0; k < CLUSTERS; k++) {
        centre[k][0] = c->side * (0.05 + 0.9 * chance());
        centre[k][1] = c->side * (0.05 + 0.9 * chance());
    }
    for (uint32_t i = 0; i < count; i++) {
        double half = 0.5 * load->size_min * pow((double)load->size_max / load->size_min, chance());
        double x = chance() * c->side, y = chance() * c->side;
        if (chance() < load->clustered) {
            int k = (int)(chance() * CLUSTERS);
            x = centre[k][0] + normal() * radius * 0.5;
            y = centre[k][1] + normal() * radius * 0.5;
        }
        if (load->hard == CROWD) {
            x = c->side * 0.37 + chance() * 0.2;
            y = c->side * 0.61 + chance() * 0.2;
        } else if (load->hard == BORDER && i < count / 10) {
            x = c->side * 0.5 + (chance() - 0.5);
        } else if (load->hard == HUGE_BOX && i == 0) {
            half = c->side * 0.495;
            x = y = c->side * 0.5;
        }
        c->half[i] = (float)half;
        c->x[i] = c->home_x[i] = inside(c, x, half);
        c->y[i] = c->home_y[i] = inside(c, y, half);
        c->vx[i] = (float)(chance() * 2 - 1) * load->speed;
        c->vy[i] = (float)(chance() * 2 - 1) * load->speed;
    }
}

static void bounce(const crowd *c, float *at, float *speed, float half)
{
    float next = *at + *speed;
    if (next < half || next > (float)c->side - half) {
        *speed = -*speed;
        next = inside(c, next, half);
    }
    *at = next;
}

static void step(crowd *c)
{
    c->tick++;
    for (uint32_t i = 0; i < c->moving; i++) {
        if (c->load->hard == TELEPORT) {
            c->x[i] = inside(c, chance() * c->side, c->half[i]);
            c->y[i] = inside(c, chance() * c->side, c->half[i]);
        } else if (c->load->hard == CROWD) {
            c->x[i] = c->home_x[i] + (float)(chance() - 0.5) * 0.1f;
            c->y[i] = c->home_y[i] + (float)(chance() - 0.5) * 0.1f;
        } else if (c->load->hard == BORDER && i < c->load->count / 10) {
            c->x[i] = c->home_x[i] + ((c->tick + i) % 2 ? 0.6f : -0.6f);
        } else {
            bounce(c, &c->x[i], &c->vx[i], c->half[i]);
            bounce(c, &c->y[i], &c->vy[i], c->half[i]);
        }
    }
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double median(double *values, uint32_t count)
{
    qsort(values, count, sizeof *values, compare);
    return values[count / 2];
}

static void measure(const workload *load, const qd_kernel *kernel)
{
    crowd c;
    make(&c, load);
    qd_kernel_select(kernel);
    qd_heap heap;
    qd_heap_init(&heap);
    qd_space *space;
    float bounds = (float)(load->hard == OUTSIDE ? c.side / 2 : c.side);
    qd_space_config config = {.max_x = bounds, .max_y = bounds, .bodies_max = QD_SPACE_SLOTS_MAX};
    if (qd_space_create(&config, &heap, &space) != QD_OK) {
        abort();
    }
    for (uint32_t i = 0; i < load->count; i++) {
        qd_body body = {c.x[i], c.y[i], c.half[i], c.half[i], 1, UINT32_MAX, QD_SPACE_BOX};
        if (qd_space_add(space, &body, &c.slot[i]) != QD_OK) {
            abort();
        }
    }
    const uint32_t warm = 5;
    double *update = malloc(load->ticks * sizeof *update), *walk = malloc(load->ticks * sizeof *walk);
    double *total = malloc(load->ticks * sizeof *total);
    uint64_t events = 0;
    qd_space_counters before = {0}, after;
    for (uint32_t t = 0; t < load->ticks + warm; t++) {
        qd_space_events found;
        const uint32_t *freed;
        size_t freed_count;
        step(&c);
        double start = now_ns();
        qd_space_move(space, c.moving, c.slot, c.x, c.y);
        double moved = now_ns();
        qd_space_tick(space, &qd_executor_serial, QD_SPACE_WANT_EVENTS, SIZE_MAX / 16, &found);
        qd_space_settle(space, &freed, &freed_count);
        double done = now_ns();
        if (t >= warm) {
            update[t - warm] = moved - start;
            walk[t - warm] = done - moved;
            total[t - warm] = done - start;
            events += found.count;
        } else {
            qd_space_counters_get(space, &before);
        }
    }
    qd_space_counters_get(space, &after);
    double n = load->count, ticks = load->ticks;
    printf("%-9s %-9s %9.2f %9.2f %9.2f %10.0f %8.2f%% %9.1f %7.2f %6u %7.0f\n", load->name, kernel->name,
           median(total, load->ticks) / n, median(update, load->ticks) / n, median(walk, load->ticks) / n,
           (double)events / ticks, (double)(after.list_operations - before.list_operations) / ticks / n * 50,
           (double)(after.tests - before.tests) / ticks / n,
           (double)(after.exact_tests - before.exact_tests) / ticks / n, after.depth, (double)heap.bytes / n);
    fflush(stdout);
    qd_space_destroy(space);
    qd_heap_deinit(&heap);
    float *columns[] = {c.x, c.y, c.vx, c.vy, c.half, c.home_x, c.home_y};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        free(columns[i]);
    }
    free(c.slot);
    free(update);
    free(walk);
    free(total);
}

int main(int count, char **arguments)
{
    const char *load = count > 1 ? arguments[1] : "", *kernel = count > 2 ? arguments[2] : "";
    printf("ns an entity and tick; exact: pairs that reached the exact test, an entity; moved: changed their cell\n");
    printf("%-9s %-9s %9s %9s %9s %10s %9s %9s %7s %6s %7s\n", "workload", "kernel", "total", "update", "walk",
           "events", "moved", "tests", "exact", "depth", "bytes");
    for (size_t i = 0; i < sizeof workloads / sizeof *workloads; i++) {
        for (uint32_t k = 0; qd_kernel_at(k) != NULL; k++) {
            if (strstr(workloads[i].name, load) && strstr(qd_kernel_at(k)->name, kernel)) {
                measure(&workloads[i], qd_kernel_at(k));
            }
        }
    }
    return 0;
}
