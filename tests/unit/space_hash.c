/* SPDX-License-Identifier: Apache-2.0
 *
 * HASH against BRUTE: two spaces with the same input must report the same events, in two and three dimensions, in
 * spaces that are large, crowded or uneven. And what HASH must not cost: cells that crowds have left, rest, one large
 * body.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "server/space/space.h"
#include "server/space/tuning.h"
#include "support/backwards.h"
#include "support/rng.h"
#include "tests/support/test.h"

#define BODIES_MAX 1000u
#define EVENTS_MAX ((size_t)1 << 24)

static rng_stream rng;

static double between(double lo, double hi)
{
    return lo + (hi - lo) * (rng_draw(&rng) / 4294967296.0);
}

/* ---- two spaces with the same input ---- */

enum { HASH, BRUTE, SIDES };

/* Bodies have numbers; they are freed in another order on each side, so their slots differ. */
typedef struct world {
    qd_heap heap;
    qd_space *space[SIDES];
    const qd_executor *executor;
    uint32_t dimensions;
    uint32_t count;                  /* of numbers ever given out */
    uint32_t left, body[BODIES_MAX]; /* those that are there */
    float at[3][BODIES_MAX];         /* by number */
    uint32_t slot[SIDES][BODIES_MAX], number[SIDES][BODIES_MAX];
} world;

static world *make_world(uint32_t dimensions, float cell_size, const qd_tuning *tuning)
{
    static world w;
    const qd_space_index index[SIDES] = {QD_SPACE_HASH, QD_SPACE_BRUTE};

    w = (world){.dimensions = dimensions, .executor = &qd_executor_serial};
    qd_heap_init(&w.heap);
    for (int side = 0; side < SIDES; side++) {
        const qd_space_config config = {
            .dimensions = dimensions,
            .max_x = 100,
            .max_y = 100,
            .max_z = 100,
            .index = index[side],
            .cell_size = cell_size,
            .bodies_max = BODIES_MAX,
        };

        assert_int_equal(qd_space_create(&config, &w.heap, &w.space[side]), QD_OK);
    }
    if (tuning != NULL) {
        qd_space_tune(w.space[HASH], tuning);
    }
    return &w;
}

static void end_world(world *w)
{
    qd_space_destroy(w->space[HASH]);
    qd_space_destroy(w->space[BRUTE]);
    assert_int_equal(w->heap.bytes, 0);
    qd_heap_deinit(&w->heap);
}

static uint32_t add(world *w, const double *at, const double *half, qd_space_shape shape)
{
    uint32_t number = w->count++;

    assert_true(number < BODIES_MAX);
    qd_body body = {.category = 1, .mask = UINT32_MAX, .shape = (uint8_t)shape};
    float *centre[3] = {&body.x, &body.y, &body.z}, *size[3] = {&body.half_x, &body.half_y, &body.half_z};
    for (uint32_t k = 0; k < w->dimensions; k++) {
        *centre[k] = w->at[k][number] = (float)at[k];
        *size[k] = (float)half[k];
    }
    for (int side = 0; side < SIDES; side++) {
        assert_int_equal(qd_space_add(w->space[side], &body, &w->slot[side][number]), QD_OK);
        w->number[side][w->slot[side][number]] = number;
    }
    w->body[w->left++] = number;
    return number;
}

static void add_cube(world *w, double lo, double hi, double half)
{
    double at[3] = {between(lo, hi), between(lo, hi), between(lo, hi)}, halves[3] = {half, half, half};

    (void)add(w, at, halves, rng_below(&rng, 4) == 0 ? QD_SPACE_CIRCLE : QD_SPACE_BOX);
}

static void move(world *w, uint32_t number, const double *to)
{
    for (uint32_t k = 0; k < w->dimensions; k++) {
        w->at[k][number] = (float)to[k];
    }
    for (int side = 0; side < SIDES; side++) {
        qd_space_move(w->space[side], 1, &w->slot[side][number], &w->at[0][number], &w->at[1][number],
                      w->dimensions == 3 ? &w->at[2][number] : NULL);
    }
}

static void jitter(world *w, uint32_t number, double reach)
{
    double to[3] = {0};

    for (uint32_t k = 0; k < w->dimensions; k++) {
        to[k] = (double)w->at[k][number] + between(-reach, reach);
    }
    move(w, number, to);
}

static uint32_t any_body(const world *w)
{
    return w->body[rng_below(&rng, w->left)];
}

static void remove_any(world *w)
{
    uint32_t i = rng_below(&rng, w->left), number = w->body[i];

    for (int side = 0; side < SIDES; side++) {
        (void)qd_space_remove(w->space[side], w->slot[side][number], QD_SPACE_DESPAWNED);
    }
    w->body[i] = w->body[--w->left];
}

static int compare(const void *first, const void *second)
{
    const uint64_t *a = first, *b = second;

    return *a < *b ? -1 : *a > *b;
}

/* Events by numbers, in order. */
static uint64_t *keys_of(const world *w, int side, const qd_space_events *found)
{
    assert_true(found->complete);
    uint64_t *keys = malloc((found->count + 1) * sizeof *keys);
    for (size_t i = 0; i < found->count; i++) {
        uint64_t a = w->number[side][qd_space_event_a(found->events[i])];
        uint64_t b = w->number[side][qd_space_event_b(found->events[i])];
        uint64_t kind = qd_space_event_kind(found->events[i]);

        keys[i] = kind << 60 | (a < b ? a << 30 | b : b << 30 | a);
    }
    qsort(keys, found->count, sizeof *keys, compare);
    return keys;
}

static void assert_same(const world *w, const qd_space_events *found)
{
    assert_int_equal(found[HASH].count, found[BRUTE].count);
    uint64_t *a = keys_of(w, HASH, &found[HASH]), *b = keys_of(w, BRUTE, &found[BRUTE]);
    assert_memory_equal(a, b, found[HASH].count * sizeof *a);
    free(a);
    free(b);
}

/* Returns how many events there were. */
static size_t tick(world *w)
{
    qd_space_events found[SIDES];
    const uint32_t *freed;
    size_t freed_count[SIDES];

    qd_space_validate(w->space[HASH]);
    for (int side = 0; side < SIDES; side++) {
        qd_space_tick(w->space[side], w->executor, QD_SPACE_WANT_EVENTS, EVENTS_MAX, &found[side]);
    }
    assert_same(w, found);
    for (int side = 0; side < SIDES; side++) {
        qd_space_settle(w->space[side], &freed, &freed_count[side]);
    }
    assert_int_equal(freed_count[HASH], freed_count[BRUTE]);
    qd_space_validate(w->space[HASH]);
    return found[HASH].count;
}

static void assert_same_pairs(world *w)
{
    qd_space_events found[SIDES];

    for (int side = 0; side < SIDES; side++) {
        qd_space_pairs(w->space[side], w->executor, EVENTS_MAX, &found[side]);
    }
    assert_same(w, found);
}

static void assert_same_hits(const world *w, qd_space_query query)
{
    qd_space_hits found[SIDES];

    for (int side = 0; side < SIDES; side++) {
        query.names = w->number[side];
        assert_int_equal(qd_space_find(w->space[side], &query, &found[side]), QD_OK);
    }
    assert_int_equal(found[HASH].count, found[BRUTE].count);
    assert_int_equal(found[HASH].more, found[BRUTE].more);
    for (uint32_t i = 0; i < found[HASH].count; i++) {
        assert_true(found[HASH].hit[i].at == found[BRUTE].hit[i].at);
        assert_int_equal(found[HASH].hit[i].name, found[BRUTE].hit[i].name);
    }
    for (int side = 0; side < SIDES; side++) {
        qd_space_hits_free(w->space[side], &found[side]);
    }
}

/* All kinds of queries about a body's surroundings. */
static void ask_around(const world *w, uint32_t body, double reach)
{
    qd_space_query query = {
        .limit = 1 + rng_below(&rng, 20), .x = w->at[0][body], .y = w->at[1][body], .z = w->at[2][body]};
    float *lo[3] = {&query.min_x, &query.min_y, &query.min_z}, *hi[3] = {&query.max_x, &query.max_y, &query.max_z};
    float *way[3] = {&query.direction_x, &query.direction_y, &query.direction_z};

    for (uint32_t k = 0; k < w->dimensions; k++) {
        *lo[k] = (float)((double)w->at[k][body] - between(0, reach));
        *hi[k] = (float)((double)w->at[k][body] + between(0, reach));
        *way[k] = (float)between(-1, 1);
    }
    *way[rng_below(&rng, w->dimensions)] = 1;
    query.radius = (float)between(0, reach);
    for (int endless = 0; endless < 2; endless++) {
        query.reach = endless ? (double)INFINITY : between(0, 4 * reach);
        for (int kind = QD_SPACE_IN_BOX; kind <= QD_SPACE_RAY; kind++) {
            query.kind = (qd_space_query_kind)kind;
            assert_same_hits(w, query);
        }
    }
}

/* ---- the same as BRUTE ---- */

/* How a space is filled, and how it continues. */
typedef struct scene {
    uint32_t count;
    double side, half_min, half_max; /* sizes are log-uniform */
    double step;                     /* of those that move */
    uint32_t moving;                 /* percent */
    double far;                      /* some are that far away, in all directions; 0: none */
} scene;

static double halves_of(const scene *s)
{
    return s->half_min * pow(s->half_max / s->half_min, between(0, 1));
}

static void add_one(world *w, const scene *s)
{
    double centre = s->far != 0 && rng_below(&rng, 3) == 0 ? s->far * ((int)(rng_below(&rng, 3)) - 1) : 0;

    add_cube(w, centre, centre + s->side, halves_of(s));
}

static void play(const scene *s, uint32_t dimensions, float cell_size, const qd_tuning *tuning, const qd_executor *by)
{
    rng.state = s->count;
    world *w = make_world(dimensions, cell_size, tuning);
    w->executor = by;
    size_t events = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        add_one(w, s);
    }
    for (int t = 0; t < 5; t++) {
        events += tick(w);
        for (uint32_t i = 0; i < w->left; i++) {
            if (rng_below(&rng, 100) < s->moving) {
                jitter(w, w->body[i], rng_below(&rng, 20) == 0 ? 20 * s->step : s->step);
            }
        }
        for (uint32_t i = 0; i < s->count / 20; i++) {
            remove_any(w);
            add_one(w, s);
        }
        assert_same_pairs(w);
        for (int i = 0; i < 10; i++) {
            ask_around(w, any_body(w), s->side / 8);
        }
    }
    assert_true(events > 0);
    end_world(w);
}

static void play_all(const scene *s)
{
    const qd_tuning small = {.leaf_rows = 6, .task_rows_min = 0, .pending_bodies_min = 0, .apply_slots = 64};

    for (uint32_t dimensions = 2; dimensions <= 3; dimensions++) {
        play(s, dimensions, 0, NULL, &qd_executor_serial);
        play(s, dimensions, 0, &small, &backwards);
        play(s, dimensions, (float)s->half_min, &small, &qd_executor_serial);
        play(s, dimensions, (float)(3 * s->half_max), NULL, &backwards);
    }
}

TEST(bodies_of_one_size_agree)
{
    play_all(&(scene){.count = 500, .side = 40, .half_min = 1.5, .half_max = 1.5, .step = 1, .moving = 100});
    play_all(&(scene){.count = 500, .side = 40, .half_min = 1.5, .half_max = 1.5, .step = 1, .moving = 4});
}

TEST(bodies_of_all_sizes_agree)
{
    play_all(&(scene){.count = 300, .side = 400, .half_min = 0.05, .half_max = 300, .step = 3, .moving = 60});
    play_all(&(scene){.count = 300, .side = 400, .half_min = 0.05, .half_max = 300, .step = 3, .moving = 2});
}

TEST(large_spaces_agree)
{
    const scene near_the_edge_of_float = {
        .count = 250, .side = 10, .half_min = 0.05, .half_max = 0.2, .step = 0.2, .moving = 50, .far = 1e6};
    scene s = near_the_edge_of_float;

    play_all(&s);
    s.far = 1e12;
    play_all(&s);
    s = (scene){.count = 250, .side = 1e30, .half_min = 1e27, .half_max = 1e29, .step = 1e27, .moving = 50};
    play_all(&s);
    s = (scene){.count = 250, .side = 1e-30, .half_min = 1e-32, .half_max = 1e-31, .step = 1e-32, .moving = 50};
    play_all(&s);
}

TEST(crowd_on_one_spot_agrees)
{
    play_all(&(scene){.count = 600, .side = 2, .half_min = 1, .half_max = 1.2, .step = 0.1, .moving = 70});
}

TEST(points_agree)
{
    for (uint32_t dimensions = 2; dimensions <= 3; dimensions++) {
        rng.state = 5;
        world *w = make_world(dimensions, 0, NULL);
        for (int i = 0; i < 500; i++) {
            double at[3] = {rng_below(&rng, 8), rng_below(&rng, 8), rng_below(&rng, 8)}, none[3] = {0};

            (void)add(w, at, none, QD_SPACE_BOX);
        }
        size_t events = tick(w);
        for (uint32_t i = 0; i < w->left; i++) {
            double to[3] = {rng_below(&rng, 8), rng_below(&rng, 8), rng_below(&rng, 8)};

            move(w, w->body[i], to);
        }
        assert_true(events > 0 && tick(w) > 0);
        end_world(w);
    }
}

/* ---- what it costs ---- */

static qd_space_counters counters_of(const world *w)
{
    qd_space_counters counters;

    qd_space_counters_get(w->space[HASH], &counters);
    return counters;
}

/* Ten groups, each in a cell or four, that settle in new cells at every tick. */
TEST(crowd_that_moves_on_leaves_nothing_behind)
{
    for (uint32_t dimensions = 2; dimensions <= 3; dimensions++) {
        rng.state = 11;
        world *w = make_world(dimensions, 10, NULL);
        for (uint32_t i = 0; i < 300; i++) {
            double start = 100.0 * (i % 10);

            add_cube(w, start + 1, start + 9, 0.5);
        }
        size_t bytes = 0;
        uint32_t cells = 0;
        for (uint32_t t = 0; t < 100; t++) {
            (void)tick(w);
            if (t == 20) {
                bytes = w->heap.bytes;
                cells = counters_of(w).cells;
            }
            for (uint32_t i = 0; i < w->left; i++) {
                double to[3];

                for (uint32_t k = 0; k < dimensions; k++) {
                    to[k] = (double)w->at[k][w->body[i]] + 1000;
                }
                move(w, w->body[i], to);
            }
        }
        assert_true(counters_of(w).cells <= cells && cells < 100);
        assert_true(w->heap.bytes <= bytes);
        end_world(w);
    }
}

TEST(resting_bodies_cost_nothing)
{
    for (uint32_t dimensions = 2; dimensions <= 3; dimensions++) {
        rng.state = 12;
        world *w = make_world(dimensions, 0, NULL);
        for (uint32_t i = 0; i < BODIES_MAX; i++) {
            add_cube(w, 0, 40, between(0.2, 2));
        }
        assert_true(tick(w) > 0);
        (void)tick(w);
        const qd_space_counters before = counters_of(w);
        assert_true(before.tests > 0 && before.list_operations >= BODIES_MAX);
        for (int t = 0; t < 10; t++) {
            assert_int_equal(tick(w), 0);
        }
        const qd_space_counters after = counters_of(w);
        assert_memory_equal(&after, &before, sizeof after);
        end_world(w);
    }
}

/* The work of ticks in which all move. */
static qd_space_counters work_of_a_crowd(uint32_t dimensions, double side, double large_half)
{
    rng.state = 13;
    world *w = make_world(dimensions, 0, NULL);
    for (uint32_t i = 0; i < BODIES_MAX - 1; i++) {
        add_cube(w, 0, side, 0.5);
    }
    if (large_half > 0) {
        add_cube(w, side / 2, side / 2, large_half);
    }
    for (int t = 0; t < 3; t++) {
        (void)tick(w);
    }
    const qd_space_counters before = counters_of(w);
    for (int t = 0; t < 10; t++) {
        for (uint32_t i = 0; i < w->left; i++) {
            jitter(w, w->body[i], 0.2);
        }
        (void)tick(w);
    }
    qd_space_counters work = counters_of(w);
    end_world(w);
    work.tests -= before.tests;
    work.list_operations -= before.list_operations;
    return work;
}

TEST(one_large_body_does_not_make_the_others_dear)
{
    const double side[] = {120, 30};

    for (uint32_t dimensions = 2; dimensions <= 3; dimensions++) {
        qd_space_counters without = work_of_a_crowd(dimensions, side[dimensions - 2], 0);

        for (int part = 1; part <= 100; part *= 10) {
            qd_space_counters with = work_of_a_crowd(dimensions, side[dimensions - 2], side[dimensions - 2] / 2 / part);

            assert_true((double)with.tests < 1.25 * (double)without.tests);
            assert_true((double)with.list_operations < 1.25 * (double)without.list_operations);
        }
    }
}

TEST_MAIN()
