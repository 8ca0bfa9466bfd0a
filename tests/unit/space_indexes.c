/* SPDX-License-Identifier: Apache-2.0
 *
 * What is true for every index, with QD_AXES axes: its events, pairs and hits are those of BRUTE, and BRUTE's are those
 * of the oracle; memory, and what is refused. space_costs.c tests what each index costs.
 */
#include "space_fixture.h"

#include "server/space/geometry/morton.h"

static void for_each_kernel(void (*test)(qd_space_index index))
{
    for (uint32_t k = 0; qd_space_kernel_at(k) != NULL; k++) {
        qd_space_kernel_select(qd_space_kernel_at(k));
        for (size_t i = 0; i < CROWD_INDEXES; i++) {
            test(crowd_indexes[i]);
        }
    }
    qd_space_kernel_select(NULL);
}

/* ---- the same as BRUTE ---- */

/* How a space is filled, and how it continues. Sizes are log-uniform. */
typedef struct scene {
    uint32_t count;
    double side, half_min, half_max, step;
    uint32_t moving; /* one in so many moves */
    double far;      /* a part of the bodies is so far away, in all directions; 0: none */
    bool swept;
} scene;

static const scene scenes[] = {
    {.count = 400, .side = 40, .half_min = 1.5, .half_max = 1.5, .step = 1, .moving = 1},
    {.count = 400, .side = 40, .half_min = 1.5, .half_max = 1.5, .step = 1, .moving = 25},
    {.count = 400, .side = 40, .half_min = 1.5, .half_max = 1.5, .step = 4, .moving = 2, .swept = true},
    {.count = 300, .side = 400, .half_min = 0.05, .half_max = 300, .step = 3, .moving = 2},
    {.count = 250, .side = 10, .half_min = 0.05, .half_max = 0.6, .step = 0.2, .moving = 2, .far = 1e6},
    {.count = 250, .side = 10, .half_min = 0.05, .half_max = 0.6, .step = 0.2, .moving = 2, .far = 1e12},
    {.count = 250, .side = 1e30, .half_min = 1e28, .half_max = 2e29, .step = 1e27, .moving = 2},
    {.count = 250, .side = 1e-30, .half_min = 1e-32, .half_max = 2e-31, .step = 1e-32, .moving = 2},
    {.count = 500, .side = 2, .half_min = 1, .half_max = 1.2, .step = 0.1, .moving = 2}, /* on one spot */
};
#define SCENES (sizeof scenes / sizeof *scenes)

static qd_body draw_body(const scene *s)
{
    const double lo = s->far != 0 && rng_one_in(&crowd.rng, 3) ? s->far * (rng_below(&crowd.rng, 3) - 1.0) : 0;
    const float half = (float)(s->half_min * pow(s->half_max / s->half_min, (double)crowd_between(0, 1)));
    qd_body body = crowd_box(crowd_between(lo, lo + s->side), crowd_between(lo, lo + s->side),
                             crowd_between(lo, lo + s->side), half);

    body.half_y *= crowd_between(0.3, 1);
    body.radius = half * 0.3f;
    body.shape = (uint8_t)(1 + rng_below(&crowd.rng, 3));
    if (rng_one_in(&crowd.rng, 5)) {
        body.category = 2;
        body.mask = 1 + rng_below(&crowd.rng, 3);
    }
    return body;
}

static void move_some(const scene *s)
{
    for (uint32_t i = 0; i < crowd.count; i++) {
        const double step = rng_one_in(&crowd.rng, 20) ? 20 * s->step : s->step;

        if (rng_one_in(&crowd.rng, s->moving)) {
            crowd_place(i, crowd.at[0][i] + crowd_between(-step, step), crowd.at[1][i] + crowd_between(-step, step),
                        crowd.at[2][i] + crowd_between(-step, step));
            crowd_move(i, 1);
        }
    }
}

static void change_some(const scene *s)
{
    for (uint32_t i = 0; i < s->count / 10; i++) {
        const uint32_t at = rng_below(&crowd.rng, crowd.count);
        const qd_body drawn = draw_body(s);

        if (i % 5 == 0) {
            (void)crowd_remove(at);
        } else if (i % 5 == 1) {
            crowd_add(drawn);
        } else if (i % 5 == 2) {
            crowd_reshape(at, &drawn);
        } else if (i % 5 == 3) {
            crowd_refilter(at, drawn.category, drawn.mask);
        } else {
            crowd_place(at, drawn.x, drawn.y, drawn.z);
            crowd_teleport(at, 1);
        }
    }
}

/* All kinds of queries about a body's surroundings. */
static void ask_around(uint32_t i, double reach)
{
    const float x = crowd.at[0][i], y = crowd.at[1][i], z = crowd.at[2][i], edge = crowd_between(0, reach);
    qd_space_query query = {.limit = 1 + rng_below(&crowd.rng, 20),
                            .min_x = x - edge,
                            .min_y = y - crowd_between(0, reach),
                            .min_z = QD_AXES == 3 ? z - edge : 0,
                            .max_x = x + crowd_between(0, reach),
                            .max_y = y + edge,
                            .max_z = QD_AXES == 3 ? z + edge : 0,
                            .x = x,
                            .y = y,
                            .z = z,
                            .radius = edge,
                            .direction_x = crowd_between(-1, 1),
                            .direction_y = 1,
                            .direction_z = QD_AXES == 3 ? crowd_between(-1, 1) : 0};

    for (int endless = 0; endless < 2; endless++) {
        query.reach = endless ? (double)INFINITY : (double)crowd_between(0, 4 * reach);
        for (int kind = QD_SPACE_IN_BOX; kind <= QD_SPACE_RAY; kind++) {
            query.kind = (qd_space_query_kind)kind;
            (void)crowd_find(query);
        }
    }
}

static void play(const qd_space_config *config, const scene *s, const qd_tuning *tuning, const qd_executor *executor)
{
    static const qd_space_wanted wanted[] = {QD_SPACE_WANT_EVENTS, QD_SPACE_WANT_STAYS, QD_SPACE_WANT_EVENTS,
                                             QD_SPACE_WANT_NOTHING};
    size_t events = 0;

    crowd_begin_beside_brute(config, tuning);
    crowd.rng.state = s->count;
    crowd.executor = executor;
    for (uint32_t i = 0; i < s->count; i++) {
        crowd_add(draw_body(s));
    }
    for (uint32_t t = 0; t < 5; t++) {
        events += crowd_tick_for(wanted[t % 4], CROWD_NO_LIMIT).count;
        move_some(s);
        change_some(s);
        crowd_pairs();
        for (int i = 0; i < 4; i++) {
            ask_around(rng_below(&crowd.rng, crowd.count), s->side / 8);
        }
    }
    assert_true(events > 0);
    crowd_end();
}

/* `size`: cells of HASH and GRID, and of trees the depth that makes their cells so small. */
static qd_space_config config_with_cells(qd_space_index index, const scene *s, double size)
{
    qd_space_config config = crowd_config(index, 0, (float)s->side);

    config.swept = s->swept;
    if (index == QD_SPACE_HASH || index == QD_SPACE_GRID) {
        config.cell_size = (float)size;
    } else if (index != QD_SPACE_BRUTE && size > 0) {
        config.depth = (uint32_t)fmin(fmax(1, log2(s->side / size)), QD_TREE_DEPTH_MAX);
    }
    return config;
}

TEST(events_pairs_and_hits_are_those_of_brute)
{
    const qd_tuning small = {.leaf_rows = 6, .apply_slots = 64};

    for (size_t i = 0; i < CROWD_INDEXES; i++) {
        const bool has_cells = crowd_indexes[i] != QD_SPACE_AUTO && crowd_indexes[i] != QD_SPACE_BRUTE;

        for (const scene *s = scenes; s < scenes + SCENES; s++) {
            const qd_space_config chosen = config_with_cells(crowd_indexes[i], s, 0),
                                  fine = config_with_cells(crowd_indexes[i], s, s->half_min),
                                  coarse = config_with_cells(crowd_indexes[i], s, 3 * s->half_max);

            play(&chosen, s, NULL, &qd_executor_serial);
            play(&chosen, s, &small, &backwards);
            if (has_cells) {
                play(&fine, s, &small, &qd_executor_serial);
                play(&coarse, s, &CROWD_SMALL_TASKS, &backwards);
            }
        }
    }
}

static void play_mixture(qd_space_index index)
{
    const qd_space_config config = config_with_cells(index, &scenes[0], 0);

    play(&config, &scenes[0], &CROWD_SMALL_TASKS, &backwards);
    play(&config, &scenes[2], &CROWD_SMALL_TASKS, &qd_executor_serial);
}

TEST(every_kernel_finds_the_events_of_brute)
{
    for_each_kernel(play_mixture);
}

/* Half of the bodies in a crowd of some hundred on one spot, the others spread. */
static void play_crowd_on_a_spot(qd_space_index index)
{
    enum { COUNT = 1600 };
    const scene spread = {.count = COUNT, .side = 256, .half_min = 0.1, .half_max = 2, .step = 0.2, .moving = 1},
                spot = {.count = COUNT, .side = 3, .half_min = 0.1, .half_max = 2};
    for (uint32_t depth = 0; depth < 9; depth += 4) {
        qd_space_config config = crowd_config(index, 0, 256);

        config.depth = index == CROWD_TREE || index == QD_SPACE_SPARSE ? depth < QD_TREE_DEPTH_MAX ? depth : 6 : 0;
        if (depth != config.depth && config.depth == 0) {
            break;
        }
        crowd_begin_beside_brute(&config, &(qd_tuning){.leaf_rows = 96, .apply_slots = 64});
        crowd.executor = &backwards;
        for (uint32_t i = 0; i < COUNT; i++) {
            crowd_add(draw_body(i % 2 ? &spread : &spot));
        }
        assert_true(crowd_tick() > COUNT * (QD_AXES == 2 ? 50 : 20));
        for (uint32_t one_in = 20; one_in > 0; one_in /= 5) {
            move_some(&(scene){.step = 0.2, .moving = one_in});
            crowd_tick();
            crowd_pairs();
        }
        crowd_end();
    }
}

TEST(crowd_on_a_spot_agrees_with_every_kernel)
{
    for_each_kernel(play_crowd_on_a_spot);
}

/* ---- the same as the oracle ---- */

/* Enough rows for groups, and shares for several workers, which need not run in order. */
static void check_many_bodies(qd_space_index index, uint32_t workers)
{
    enum { COUNT = 3000 };
    const qd_executor executor = {.run = run_backwards, .width = workers};
    const qd_space_config config = crowd_config(index, 0, 100);
    size_t (*const tick)(void) = index == QD_SPACE_BRUTE ? crowd_tick_with_oracle : crowd_tick;
    crowd_begin_beside_brute(&config, &CROWD_SMALL_TASKS);
    crowd.executor = &executor;
    for (uint32_t i = 0; i < COUNT; i++) {
        crowd_add(crowd_box(crowd_between(0, 100), crowd_between(0, 100), crowd_between(0, 3), 0.7f));
    }
    size_t changes = tick();
    /* All move, then half of them, then a few. */
    for (uint32_t moving = COUNT; moving > 1; moving = moving == COUNT ? COUNT / 2 : moving / 40) {
        crowd_wander(moving, 0.5);
        changes += tick();
    }
    assert_true(changes > COUNT / 2);
    crowd_end();
}

TEST(many_bodies_on_several_workers_agree)
{
    for (size_t i = 0; i < CROWD_INDEXES; i++) {
        for (uint32_t workers = 1; workers <= 7; workers += 3) {
            check_many_bodies(crowd_indexes[i], workers);
        }
    }
}

/* Bodies are quantized. That must be right for a point, for a line, and for sides that floats hardly distinguish. */
TEST(crowds_of_any_extent_agree)
{
    const double sides[] = {0, 1e-30, 1, 1e9, 3e38}, part = QD_AXES == 2 ? 20 : 8;

    for (size_t i = 0; i < CROWD_INDEXES * (sizeof sides / sizeof *sides); i++) {
        const qd_space_config config = crowd_config(crowd_indexes[i % CROWD_INDEXES], 0, 1);
        const double side = sides[i / CROWD_INDEXES];

        crowd_begin(&config, NULL);
        for (uint32_t n = 0; n < 120; n++) {
            crowd_add(crowd_box(crowd_between(-side, side), n % 3 == 0 ? 0 : crowd_between(-side, side),
                                crowd_between(-side, side), (float)(side / part)));
        }
        size_t changes = crowd_tick_with_oracle();
        assert_true(changes > (side > 0 ? 20 : 7000));
        for (int t = 0; t < 5; t++) {
            crowd_wander(crowd.count, side / (2 * part));
            changes += crowd_tick_with_oracle();
        }
        assert_true(side == 0 || changes > 30);
        crowd_end();
    }
}

/* Two columns of boxes, each of them over itself, that touch each other or do not by less than a step of the kernel's
 * numbers: `step` is one of them, in a leaf (8 bits of 256) or above (16 bits). All move at each tick. */
static void check_touching_columns(qd_space_index index, uint32_t depth, float step, float phase)
{
    enum { COUNT = 1200 };
    static float was[COUNT];
    const float half = 16, middle = 128 + phase * step;
    qd_space_config config = crowd_config(index, 0, 256);
    config.depth = depth;
    crowd_begin(&config, &(qd_tuning){.leaf_rows = COUNT, .task_rows_min = UINT32_MAX, .apply_slots = 64});
    for (int t = 0; t < 3; t++) {
        const float *x = crowd.at[0];
        uint64_t expected = 0;

        for (uint32_t i = 0; i < COUNT; i++) {
            const float column = i < COUNT / 2 ? middle - half : middle + half,
                        y = 128 + step * crowd_between(-0.4, 0.4);

            was[i] = x[i];
            if (t == 0) {
                crowd_add(crowd_box(column + step * crowd_between(-0.4, 0.4), y, y, half));
            } else {
                crowd_place(i, column + step * crowd_between(-0.4, 0.4), y, y);
            }
        }
        crowd_move(0, COUNT);
        for (uint32_t a = 0; t > 0 && a < COUNT / 2; a++) {
            for (uint32_t b = COUNT / 2; b < COUNT; b++) {
                expected += (was[a] + half >= was[b] - half) != (x[a] + half >= x[b] - half);
            }
        }
        size_t events = crowd_tick();
        assert_true(t == 0 || (events == expected && expected > 0));
    }
    crowd_end();
}

static void check_long_lists(qd_space_index index)
{
    for (float phase = -1; phase < 1.5f; phase += 0.35f) {
        check_touching_columns(index, 0, 1, phase);
        if (index == CROWD_TREE) {
            check_touching_columns(index, 1, 256.0f / 65536, phase);
        }
    }
}

TEST(long_lists_that_just_touch_agree)
{
    for_each_kernel(check_long_lists);
}

/* Boxes over most of the world, thin along one axis, and some small ones between them. */
static void check_lines(qd_space_index index)
{
    enum { COUNT = 700, SMALL = 50 };
    const qd_space_config config = crowd_config(index, 0, 1000);

    for (uint32_t thin = 0; thin < QD_AXES; thin++) {
        size_t events = 0;

        crowd_begin(&config, NULL);
        for (uint32_t i = 0; i < COUNT + SMALL; i++) {
            const float lo = i < COUNT ? 300 : 0, hi = i < COUNT ? 700 : 1000;
            qd_body body = crowd_box(crowd_between(lo, hi), crowd_between(lo, hi), crowd_between(lo, hi), 5);

            if (i < COUNT) {
                body.half_x = body.half_y = 300;
                body.half_z = QD_AXES == 3 ? 300 : 0;
                *(thin == 0 ? &body.half_x : thin == 1 ? &body.half_y : &body.half_z) = 0.05f;
            }
            crowd_add(body);
        }
        for (uint32_t moving = COUNT + SMALL; moving > 0; moving /= 3) {
            events += crowd_tick_with_oracle();
            crowd_wander(moving, 0.4);
            events += crowd_tick_with_oracle();
        }
        assert_true(events > COUNT / 8);
        crowd_end();
    }
}

TEST(long_thin_boxes_agree_with_the_oracle)
{
    for_each_kernel(check_lines);
}

/* ---- limits and memory ---- */

/* All have moved, and the traversal gives up before it reaches all of them: their moves still count as handled. */
TEST(traversal_that_stops_leaves_nothing_for_the_next)
{
    enum { COUNT = 20000 };
    for (size_t i = 0; i < CROWD_INDEXES - 1; i++) {
        const qd_space_config config = crowd_config(crowd_indexes[i], 0, 100);

        crowd_begin(&config, NULL);
        crowd_scatter(COUNT, 0, 100, 1);
        for (int t = 0; t < 8; t++) {
            crowd.executor = t % 2 ? &backwards : &qd_executor_serial;
            crowd_wander(COUNT, 0.5);
            assert_int_equal(crowd_tick_for(QD_SPACE_WANT_EVENTS, t < 4 ? CROWD_NO_LIMIT : 1).complete, t < 4);
            assert_int_equal(t < 4 ? 0 : crowd_tick(), 0);
        }
        crowd_end();
    }
}

TEST(body_above_the_maximum_is_refused)
{
    for (size_t i = 0; i < CROWD_INDEXES; i++) {
        qd_space_config config = crowd_config(crowd_indexes[i], 0, 1);
        const qd_body body = crowd_box(0, 0, 0, 0.1f);
        uint32_t slot;

        config.bodies_max = 2;
        crowd_begin(&config, NULL);
        crowd_add(body);
        crowd_add(body);
        assert_int_equal(qd_space_add(crowd.space[0], &body, &slot), QD_ERR_FULL);
        /* Added since the last tick, so gone at once. */
        assert_true(crowd_remove(0));
        crowd_add(body);
        crowd_tick();
        /* Removed, but there until the tick is settled. */
        assert_false(crowd_remove(0));
        assert_int_equal(qd_space_add(crowd.space[0], &body, &slot), QD_ERR_FULL);
        crowd_tick();
        crowd_add(body);
        crowd_end();
    }
}

TEST(add_without_memory_changes_nothing)
{
    for (size_t i = 0; i < CROWD_INDEXES; i++) {
        for (uint32_t deep = 0; deep < 2; deep++) {
            qd_space_config config = crowd_config(crowd_indexes[i], 0, 65536);
            qd_status status;
            uint32_t slot, added = 0;

            config.depth = deep && crowd_indexes[i] == QD_SPACE_SPARSE ? QD_SPARSE_DEPTH_MAX : 0;
            crowd_begin(&config, NULL);
            qd_memory_limit_set(qd_memory_used() + (512u << 10));
            do {
                const float side = deep ? 65536 : 100;
                const qd_body body = crowd_box(crowd_between(0, side), crowd_between(0, side), 50, 1);

                status = qd_space_add(crowd.space[0], &body, &slot);
                added += status == QD_OK;
            } while (status == QD_OK);
            assert_int_equal(status, QD_ERR_NO_MEMORY);
            assert_true(added > 100);
            qd_memory_limit_set(0);
            assert_true(deep || crowd_tick() > added);
            assert_false(qd_space_remove(crowd.space[0], 0, QD_SPACE_DESPAWNED) && !deep);
            crowd_tick();
            crowd_end();
        }
    }
}

/* ---- configurations ---- */

TEST(bad_configurations_are_refused)
{
    const qd_space_config good = {.dimensions = QD_AXES, .max_x = 1, .max_y = 1, .max_z = 1, .bodies_max = 10};
    qd_space_config bad[16];
    size_t count = sizeof bad / sizeof *bad;

    for (size_t i = 0; i < count; i++) {
        bad[i] = good;
    }
    bad[0].max_x = 0;
    bad[1].min_y = 1;
    bad[2].max_x = INFINITY;
    bad[3].max_y = NAN;
    bad[4].min_x = 2;
    bad[5].depth = QD_TREE_DEPTH_MAX + 1;
    bad[6].bodies_max = QD_SPACE_SLOTS_MAX + 1;
    bad[7].dimensions = 1;
    bad[8].dimensions = 4;
    bad[9].index = QD_AXES == 2 ? QD_SPACE_OCTREE : QD_SPACE_QUADTREE;
    bad[10].index = (qd_space_index)(QD_SPACE_BRUTE + 1);
    bad[11].prune = (qd_space_prune)(QD_SPACE_PRUNE_LAZY + 1);
    bad[12].cell_size = -1;
    bad[13].cell_size = NAN;
    bad[14].index = QD_SPACE_BRUTE;
    bad[14].depth = 1;
    bad[15].dimensions = 3;
    bad[15].min_z = 1;
    qd_heap heap;
    qd_space *space;
    qd_heap_init(&heap);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(qd_space_create(&bad[i], &heap, &space), QD_ERR_INVALID);
    }
    assert_int_equal(heap.bytes, 0);
    qd_heap_deinit(&heap);
    crowd_begin(&good, NULL);
    crowd_end();
}

TEST(dimensions_default_to_two)
{
    const qd_space_config config = {.max_x = 1, .max_y = 1, .index = QD_SPACE_QUADTREE};

    crowd_begin(&config, NULL);
    assert_int_equal(crowd_counters().index, QD_SPACE_QUADTREE);
    crowd_end();
}

TEST_MAIN()
