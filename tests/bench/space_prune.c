/* SPDX-License-Identifier: Apache-2.0
 *
 * When to prune the empty branches of a dynamic tree: the comparison of the article on which SPARSE is based, for its
 * four prune policies. 1,000 spheres of radius 2 are in a cube of 8^8 cells of 10. 300 or 500 of them move, each by up to
 * 0.1, 1 or 2 per tick and axis, and bounce; the others rest. Each run has 200 ticks and the same start.
 *
 *     taskset -c 1 bench_space_prune [RUNS]       number of runs (15)
 *
 * Prints us of thread time per tick for moves, traversal and settling, as medians of alternating runs, and in parentheses
 * the pruned cells. The exit status is 1 if the policies find different begins and ends.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "median.h"
#include "support/rng.h"
#include "support/spaces.h"

#define SPHERES  1000u
#define TICKS    200u
#define DEPTH    8u
#define SIDE     2560.0f
#define RADIUS   2.0f
#define RUNS     15u
#define RUNS_MAX 1000u

static const char *const policies[] = {"", "auto", "candidates", "traversal", "lazy"};
#define POLICIES (sizeof policies / sizeof *policies)

typedef struct scene {
    uint32_t moving;
    float speed;
} scene;

static const scene scenes[] = {{300, 0.1f}, {300, 1}, {300, 2}, {500, 0.1f}, {500, 1}, {500, 2}};

/* The same for every run of a scene. */
typedef struct spheres {
    float at[3][SPHERES], step[3][SPHERES];
    uint32_t slot[SPHERES];
} spheres;

static void place(spheres *s, const scene *played)
{
    rng_stream rng = {1};

    for (uint32_t i = 0; i < SPHERES; i++) {
        for (uint32_t k = 0; k < 3; k++) {
            s->at[k][i] = rng_between(&rng, (double)RADIUS, (double)(SIDE - RADIUS));
            s->step[k][i] = rng_between(&rng, -(double)played->speed, (double)played->speed);
        }
    }
}

static void step(spheres *s, uint32_t moving)
{
    for (uint32_t k = 0; k < 3; k++) {
        for (uint32_t i = 0; i < moving; i++) {
            s->at[k][i] += s->step[k][i];
            if (s->at[k][i] < RADIUS || s->at[k][i] > SIDE - RADIUS) {
                s->step[k][i] = -s->step[k][i];
                s->at[k][i] += 2 * s->step[k][i];
            }
        }
    }
}

typedef struct figures {
    double us[RUNS_MAX];
    uint64_t events, pruned;
    uint32_t cells;
} figures;

static double now_us(void)
{
    struct timespec time;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static qd_space *make(spheres *s, qd_space_prune prune, qd_heap *heap)
{
    qd_space_config config = space_config_of(3, QD_SPACE_SPARSE, 0, SIDE, SPHERES);
    qd_space *space;

    config.prune = prune;
    config.depth = DEPTH;
    if (qd_space_create(&config, heap, &space) != QD_OK) {
        abort();
    }
    for (uint32_t i = 0; i < SPHERES; i++) {
        const qd_body body = {
            .x = s->at[0][i],
            .y = s->at[1][i],
            .z = s->at[2][i],
            .half_x = RADIUS,
            .category = 1,
            .mask = UINT32_MAX,
            .shape = QD_SPACE_CIRCLE,
        };

        if (qd_space_add(space, &body, &s->slot[i]) != QD_OK) {
            abort();
        }
    }
    return space;
}

static size_t tick(qd_space *space)
{
    qd_space_events found;

    qd_space_tick(space, &qd_executor_serial, QD_SPACE_WANT_EVENTS, SIZE_MAX / 16, &found);
    size_t events = found.count;
    (void)qd_space_settle(space);
    return events;
}

static void play(const scene *played, qd_space_prune prune, uint32_t run, figures *result)
{
    static spheres s;
    qd_heap heap;

    qd_heap_init(&heap);
    place(&s, played);
    qd_space *space = make(&s, prune, &heap);
    double spent = 0;
    result->events = tick(space);
    for (uint32_t t = 0; t < TICKS; t++) {
        step(&s, played->moving);
        double start = now_us();
        qd_space_move(space, played->moving, s.slot, s.at[0], s.at[1], s.at[2]);
        result->events += tick(space);
        spent += now_us() - start;
    }
    qd_space_counters counters;
    qd_space_counters_get(space, &counters);
    result->us[run] = spent / TICKS;
    result->pruned = counters.cells_pruned;
    result->cells = counters.cells;
    qd_space_destroy(space);
    qd_heap_deinit(&heap);
}

static bool measure(const scene *played, uint32_t runs)
{
    static figures result[POLICIES];

    for (uint32_t run = 0; run < runs; run++) {
        for (uint32_t p = 1; p < POLICIES; p++) {
            play(played, (qd_space_prune)p, run, &result[p]);
        }
    }
    bool is_same = true;
    printf("| %u move, up to %g |", played->moving, (double)played->speed);
    for (uint32_t p = 1; p < POLICIES; p++) {
        printf(" %.1f (%llu) |", median(result[p].us, runs), (unsigned long long)result[p].pruned);
        is_same = is_same && result[p].events == result[1].events;
    }
    printf(" %llu |%s\n", (unsigned long long)result[1].events, is_same ? "" : " WRONG: the policies differ");
    fflush(stdout);
    return is_same;
}

int main(int count, char **arguments)
{
    unsigned long runs = count > 1 ? strtoul(arguments[1], NULL, 10) : RUNS;

    if (count > 2 || runs == 0 || runs > RUNS_MAX) {
        fprintf(stderr, "usage: %s [RUNS]     1 to %u runs\n", arguments[0], RUNS_MAX);
        return 2;
    }
    printf("| us per tick (pruned cells) |");
    for (uint32_t p = 1; p < POLICIES; p++) {
        printf(" %s |", policies[p]);
    }
    printf(" events |\n|---|---|---|---|---|---|\n");
    bool is_same = true;
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        is_same = measure(&scenes[i], (uint32_t)runs) && is_same;
    }
    return is_same ? 0 : 1;
}
