/* SPDX-License-Identifier: Apache-2.0
 *
 * SPARSE, in two and three dimensions: its keys, its table of cells, its memory, that cells come and go, and that
 * traversals and queries look at no more than they need to.
 */
#include "space_fixture.h"

#include "server/space/tree/sparse/sparse.h"

static rng_stream rng;

/* ---- keys ---- */

typedef struct naive_key {
    uint32_t level, at[QD_AXES];
} naive_key;

/* As drawn in sparse_key.h. */
static uint64_t key_of(const naive_key *naive)
{
    uint64_t key = UINT64_C(1) << (21 * (QD_AXES - 1) + naive->level);

    for (uint32_t k = 0; k < QD_AXES; k++) {
        key += (uint64_t)naive->at[k] << 21 * k;
    }
    return key;
}

static void draw_numbers(uint32_t *numbers)
{
    for (uint32_t k = 0; k < QD_AXES; k++) {
        numbers[k] = rng_below(&rng, 4) == 0 ? QD_KEY_LAST : rng_below(&rng, QD_KEY_LAST + 1);
    }
}

TEST(key_has_its_cell)
{
    rng = (rng_stream){1};
    for (int i = 0; i < 20000; i++) {
        uint32_t numbers[QD_AXES];

        draw_numbers(numbers);
        naive_key naive = {.level = rng_below(&rng, QD_KEY_BITS + 1)};
        for (uint32_t k = 0; k < QD_AXES; k++) {
            naive.at[k] = numbers[k] >> (QD_KEY_BITS - naive.level);
        }
        uint64_t key = qd_key_above(qd_key_of(numbers), QD_KEY_BITS, naive.level);
        assert_true(key == key_of(&naive));
        assert_int_equal(qd_key_level(key), naive.level);
        for (uint32_t k = 0; k < QD_AXES; k++) {
            assert_int_equal(qd_key_at(key, k), naive.at[k]);
        }
        if (naive.level > 0) {
            for (uint32_t k = 0; k < QD_AXES; k++) {
                naive.at[k] /= 2;
            }
            naive.level--;
            assert_true(qd_key_parent(key) == key_of(&naive));
        }
    }
}

/* The smallest cell that holds both corners, looked for from the finest up. */
TEST(two_corners_have_their_cell)
{
    rng = (rng_stream){2};
    for (int i = 0; i < 20000; i++) {
        qd_numbers numbers;
        uint32_t reach = rng_below(&rng, QD_KEY_BITS + 1), level = QD_KEY_BITS;

        draw_numbers(numbers.v);
        for (uint32_t k = 0; k < QD_AXES; k++) {
            uint32_t high = numbers.v[k] + (rng_below(&rng, QD_KEY_LAST) >> reach);

            numbers.v[QD_ROW_HIGH + k] = high < QD_KEY_LAST ? high : QD_KEY_LAST;
        }
        uint64_t low = qd_key_of(numbers.v), high = qd_key_of(numbers.v + QD_ROW_HIGH);
        while (qd_key_above(low, QD_KEY_BITS, level) != qd_key_above(high, QD_KEY_BITS, level)) {
            level--;
        }
        assert_int_equal(qd_key_level_of(&numbers), level);
    }
}

static uint32_t number_of(float at, const qd_quantizer *quantizer)
{
    qd_row box = {{0}};

    for (uint32_t k = 0; k < QD_AXES; k++) {
        box.v[k] = box.v[QD_ROW_HIGH + k] = at;
    }
    qd_numbers numbers = qd_key_numbers(quantizer, &box);
    for (uint32_t k = 0; k < QD_AXES; k++) {
        assert_int_equal(numbers.v[k], numbers.v[0]);
        assert_int_equal(numbers.v[QD_ROW_HIGH + k], numbers.v[0]);
    }
    return numbers.v[0];
}

/* Numbers never decrease, and places beyond the root have those of its edge. */
TEST(number_never_decreases_and_stops_at_the_edge)
{
    const float origin = -700, side = 1000;
    qd_quantizer quantizer = {.scale = (float)(QD_KEY_LAST + 1) / side};

    for (uint32_t k = 0; k < QD_AXES; k++) {
        quantizer.origin[k] = origin;
    }
    assert_int_equal(number_of(-INFINITY, &quantizer), 0);
    assert_int_equal(number_of(origin, &quantizer), 0);
    assert_int_equal(number_of(origin + side, &quantizer), QD_KEY_LAST);
    assert_int_equal(number_of(INFINITY, &quantizer), QD_KEY_LAST);
    uint32_t last = 0;
    for (float at = -701; at < 301; at += 0.0078125f) {
        uint32_t number = number_of(at, &quantizer);

        assert_true(number >= last);
        last = number;
    }
    assert_int_equal(last, QD_KEY_LAST);
}

/* ---- the table ---- */

static uint64_t draw_key(uint32_t spread)
{
    uint32_t numbers[QD_AXES];

    for (uint32_t k = 0; k < QD_AXES; k++) {
        numbers[k] = rng_below(&rng, spread);
    }
    return qd_key_above(qd_key_of(numbers), QD_KEY_BITS, QD_KEY_BITS - rng_below(&rng, 3));
}

/* Cells come and go, beside a list that is looked through from end to end. */
TEST(cells_come_and_go)
{
    enum { MOST = 600 };
    static uint64_t key[MOST];
    static uint32_t number[MOST];
    qd_heap heap;
    qd_sparse_cells cells;
    qd_heap_init(&heap);
    qd_sparse_cells_init(&cells, &heap, false, 0);
    rng = (rng_stream){3};
    uint32_t count = 0;
    for (int i = 0; i < 60000; i++) {
        uint64_t wanted = draw_key(i < 30000 ? 32 : QD_KEY_LAST + 1);
        uint32_t at = 0;

        while (at < count && key[at] != wanted) {
            at++;
        }
        if (i > 0) {
            assert_int_equal(qd_sparse_cells_find(&cells, wanted), at < count ? number[at] : QD_NONE);
        }
        bool is_growing = i / 5000 % 2 == 0;
        if (at == count && count < MOST && (is_growing || rng_below(&rng, 2))) {
            key[count] = wanted;
            assert_true(qd_sparse_cells_reserve(&cells, 1));
            number[count] = qd_sparse_cells_make(&cells, wanted, QD_NONE);
            assert_int_equal(cells.cell[number[count]].count, 0);
            count++;
        } else if (count > 0 && (!is_growing || rng_below(&rng, 4) == 0)) {
            at = at < count ? at : rng_below(&rng, count);
            qd_sparse_cells_drop(&cells, number[at]);
            count--;
            key[at] = key[count];
            number[at] = number[count];
        }
        assert_int_equal(cells.count, count);
        if (i % 500 == 0) {
            qd_sparse_cells_validate(&cells);
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(qd_sparse_cells_find(&cells, key[i]), number[i]);
    }
    /* Numbers are used again. */
    assert_true(cells.used <= MOST);
    qd_sparse_cells_deinit(&cells);
    assert_int_equal(heap.bytes, 0);
    qd_heap_deinit(&heap);
}

static uint32_t probes(const qd_sparse_cells *cells, uint64_t key)
{
    uint32_t last = (1u << cells->slot_bits) - 1, at = qd_sparse_cells_home(cells, key), count = 1;

    for (; cells->slot[at] != QD_NONE && cells->key[cells->slot[at]] != key; at = (at + 1) & last) {
        count++;
    }
    return count;
}

#define PROBES_MAX 3u /* a cell, whatever the key; half of the table is in use */

/* A block of cells, `edge` of them on each axis and `stride` apart, is found nearly at once. */
static void check_probes(const uint32_t *edge, uint32_t stride, uint64_t secret)
{
    const uint32_t count = edge[0] * edge[1] * (QD_AXES == 3 ? edge[2] : 1);
    qd_heap heap;
    qd_sparse_cells cells;

    qd_heap_init(&heap);
    qd_sparse_cells_init(&cells, &heap, false, secret);
    uint32_t sum = 0;
    for (uint32_t i = 0; i < 2 * count; i++) {
        uint32_t left = i % count, numbers[QD_AXES];

        for (uint32_t k = 0; k < QD_AXES; k++) {
            numbers[k] = left % edge[k] * stride;
            left /= edge[k];
        }
        if (i < count) {
            assert_true(qd_sparse_cells_reserve(&cells, 1));
            (void)qd_sparse_cells_make(&cells, qd_key_of(numbers), QD_NONE);
        } else {
            sum += probes(&cells, qd_key_of(numbers));
        }
    }
    assert_in_range(sum, count, PROBES_MAX * count);
    qd_sparse_cells_deinit(&cells);
    qd_heap_deinit(&heap);
}

TEST(neighbors_do_not_collide)
{
    const uint32_t edges[][3] = {{4096, 1, 1}, {1, 4096, 1}, {64, 64, 1}, {2, 2000, 1}, {16, 16, 16}, {1, 1, 4096}};

    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) {
        for (uint32_t stride = 1; stride <= 16; stride *= 2) {
            if (QD_AXES == 3 || edges[i][2] == 1) {
                for (uint64_t secret = 0; secret < 10; secret++) {
                    check_probes(edges[i], stride, secret);
                }
            }
        }
    }
}

/* ---- the tree, as a space ---- */

static void begin(float side, uint32_t depth, qd_space_prune prune)
{
    qd_space_config config = crowd_config(QD_SPACE_SPARSE, 0, side);

    config.depth = depth;
    config.prune = prune;
    crowd_begin(&config, NULL);
}

static void move_all_anywhere(double lo, double hi)
{
    for (uint32_t i = 0; i < crowd.count; i++) {
        crowd_place_anywhere(i, lo, hi);
    }
    crowd_move(0, crowd.count);
}

static void remove_all(void)
{
    while (crowd.count > 0) {
        (void)crowd_remove(crowd.count - 1);
    }
    crowd_tick();
}

/* The space has 2^16 by 2^16 cells, or 2^21 of them on each of three axes. */
TEST(memory_follows_the_content)
{
    enum { COUNT = 1000 };
    const uint32_t deepest = QD_SPARSE_DEPTH_MAX;
    const double side = 1u << deepest;
    for (uint32_t depth = 0; depth <= deepest; depth += deepest) {
        const size_t *bytes = &crowd.heap[0].bytes;

        begin((float)side, depth, 0);
        assert_true(*bytes < 2048);
        crowd_scatter(COUNT, 0, side, 0.25f);
        crowd_tick();
        /* Of a fixed depth each body has a branch and a block of rows of its own. */
        assert_in_range(*bytes, 0, depth == 0 ? 300u << 10 : (QD_AXES == 2 ? 1400u : 2400u) << 10);
        /* Teleported over and over: abandoned cells are freed. */
        const size_t at_first = *bytes;
        for (int t = 0; t < 50; t++) {
            for (uint32_t i = 0; i < COUNT; i++) {
                crowd_place_anywhere(i, 0, side);
            }
            crowd_teleport(0, COUNT);
            crowd_tick();
        }
        assert_true(*bytes < 12 * at_first);
        crowd_end();
    }
}

/* All bodies go, and with them all cells but the root, whatever the way to prune; also where nobody asks for events. */
TEST(empty_cells_are_removed)
{
    enum { COUNT = 400, TICKS = 60 };
    for (uint32_t prune = 0; prune <= QD_SPACE_PRUNE_LAZY; prune++) {
        for (uint32_t wanted = QD_SPACE_WANT_NOTHING; wanted <= QD_SPACE_WANT_EVENTS; wanted++) {
            begin(4096, 10, (qd_space_prune)prune);
            crowd_scatter(COUNT, 0, 4096, 0.5f);
            for (int t = 0; t < TICKS; t++) {
                move_all_anywhere(0, 4096);
                crowd_tick_for((qd_space_wanted)wanted, CROWD_NO_LIMIT);
            }
            assert_true(crowd_counters().cells_pruned > COUNT);
            /* Two rows a body at most have a branch each, and what is left behind is no more than a few times that. */
            assert_in_range(crowd_counters().cells, 1, 8 * 2 * 10 * COUNT);
            crowd_end();
        }
    }
}

/* Only candidates of one tick, looked at after it. */
TEST(candidates_are_pruned_at_once)
{
    begin(1024, 8, QD_SPACE_PRUNE_CANDIDATES);
    crowd_add(crowd_box(2, 2, 2, 0.5f));
    crowd_tick();
    assert_int_equal(crowd_counters().cells_pruned, 0);
    /* An old row holds the old branch until the tick is over; eight cells of it are below the root. */
    crowd_place(0, 1000, 1000, 1000);
    crowd_move(0, 1);
    crowd_tick();
    assert_in_range(crowd_counters().cells_pruned, 8, 16);
    crowd_end();
}

/* The tree deepens where many come together, and is flat again when they are gone. */
TEST(leaves_divide_and_merge)
{
    begin(100000, 0, 0);
    crowd_scatter(100, 0, 100000, 1);
    crowd_tick();
    assert_int_equal(crowd_counters().depth, 0);
    crowd_scatter(5000, 0, 100, 0.1f);
    crowd_tick();
    assert_in_range(crowd_counters().depth, 10, QD_SPARSE_DEPTH_MAX);
    remove_all();
    /* Cells are looked at in turns, for rows that come and go. */
    for (int t = 0; t < 40; t++) {
        crowd_scatter(100, 0, 100000, 1);
        crowd_tick();
        remove_all();
    }
    assert_in_range(crowd_counters().depth, 0, 3);
    crowd_end();
}

/* In a huge space, mostly empty, a query and a tick look at what is near. */
TEST(distance_from_the_origin_costs_nothing)
{
    enum { COUNT = 20000 };
    const double side = 1000000;
    begin((float)side, 0, 0);
    crowd_scatter(COUNT, 0, side, 1);
    crowd_tick();
    for (int i = 0; i < 20; i++) {
        const qd_space_hits hits = crowd_find((qd_space_query){.kind = QD_SPACE_NEAREST,
                                                               .x = crowd_between(0, side),
                                                               .y = crowd_between(0, side),
                                                               .z = QD_AXES == 3 ? crowd_between(0, side) : 0,
                                                               .reach = (double)INFINITY,
                                                               .limit = 1});

        assert_int_equal(hits.count, 1);
        assert_in_range(hits.tests, 1, COUNT / 10);
    }
    const uint64_t before = crowd_counters().tests;
    crowd_wander(10, 1);
    crowd_tick();
    assert_in_range(crowd_counters().tests - before, 0, 10 * COUNT);
    crowd_end();
}

/* All go beyond the bounds, where every one of them has the number of the edge: the root follows. */
TEST(root_follows_the_content)
{
    enum { COUNT = 4000, TICKS = 40 };
    uint64_t before = 0;
    begin(100, 0, 0);
    crowd_scatter(COUNT, 0, 100, 0.1f);
    crowd_tick();
    for (int t = 0; t < TICKS; t++) {
        before = crowd_counters().tests;
        move_all_anywhere(5000, 5100);
        crowd_tick();
    }
    assert_in_range(crowd_counters().tests - before, 1, (uint64_t)COUNT * COUNT / 2);
    crowd_end();
}

TEST_MAIN()
