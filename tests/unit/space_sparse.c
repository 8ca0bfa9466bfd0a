/* SPDX-License-Identifier: Apache-2.0
 *
 * SPARSE, in two and three dimensions: its keys, its table of cells, the cost of registering in list operations and
 * memory, that cells come and go, and that traversals and queries look at no more than they need to. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "server/space/space.h"
#include "server/space/tree/sparse/sparse.h"
#include "server/space/tuning.h"
#include "support/rng.h"
#include "tests/support/test.h"

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
    qd_sparse_cells_init(&cells, &heap, false);
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

/* A block of cells, `edge` of them on each axis and `stride` apart, is found nearly at once. */
static void check_probes(const uint32_t *edge, uint32_t stride)
{
    const uint32_t count = edge[0] * edge[1] * (QD_AXES == 3 ? edge[2] : 1);
    qd_heap heap;
    qd_sparse_cells cells;

    qd_heap_init(&heap);
    qd_sparse_cells_init(&cells, &heap, false);
    uint32_t sum = 0;
    for (uint32_t i = 0; i < 2 * count; i++) {
        uint32_t left = i % count, numbers[QD_AXES];

        for (uint32_t k = 0; k < QD_AXES; k++) {
            numbers[k] = left % edge[k] * stride;
            left /= edge[k];
        }
        if (i < count) {
            (void)qd_sparse_cells_make(&cells, qd_key_of(numbers), QD_NONE);
        } else {
            sum += probes(&cells, qd_key_of(numbers));
        }
    }
    assert_in_range(sum, count, 2 * count);
    qd_sparse_cells_deinit(&cells);
    qd_heap_deinit(&heap);
}

TEST(neighbors_do_not_collide)
{
    const uint32_t edges[][3] = {{4096, 1, 1}, {1, 4096, 1}, {64, 64, 1}, {2, 2000, 1}, {16, 16, 16}, {1, 1, 4096}};

    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) {
        for (uint32_t stride = 1; stride <= 16; stride *= 2) {
            if (QD_AXES == 3 || edges[i][2] == 1) {
                check_probes(edges[i], stride);
            }
        }
    }
}

/* ---- the tree, as a space ---- */

static qd_space *make_space(qd_heap *heap, float side, uint32_t depth, qd_space_prune prune)
{
    const qd_space_config config = {.dimensions = QD_AXES,
                                    .max_x = side,
                                    .max_y = side,
                                    .max_z = QD_AXES == 3 ? side : 0,
                                    .index = QD_SPACE_SPARSE,
                                    .prune = prune,
                                    .depth = depth,
                                    .bodies_max = 1u << 17};
    qd_space *space;

    qd_heap_init(heap);
    assert_int_equal(qd_space_create(&config, heap, &space), QD_OK);
    return space;
}

static void end_space(qd_space *space, qd_heap *heap)
{
    qd_space_validate(space);
    qd_space_destroy(space);
    assert_int_equal(heap->bytes, 0);
    qd_heap_deinit(heap);
}

static uint32_t add(qd_space *space, const float *at, float half)
{
    const qd_body body = {.x = at[0],
                          .y = at[1],
                          .z = QD_AXES == 3 ? at[2] : 0,
                          .half_x = half,
                          .half_y = half,
                          .half_z = QD_AXES == 3 ? half : 0,
                          .category = 1,
                          .mask = UINT32_MAX,
                          .shape = QD_SPACE_BOX};
    uint32_t slot;

    assert_int_equal(qd_space_add(space, &body, &slot), QD_OK);
    return slot;
}

static void scatter(qd_space *space, uint32_t count, double side, float half, uint32_t *slots)
{
    for (uint32_t i = 0; i < count; i++) {
        const float at[3] = {rng_between(&rng, 0, side), rng_between(&rng, 0, side), rng_between(&rng, 0, side)};

        slots[i] = add(space, at, half);
    }
}

static void move_to(qd_space *space, uint32_t slot, float x, float y, float z)
{
    qd_space_move(space, 1, &slot, &x, &y, QD_AXES == 3 ? &z : NULL);
}

static void tick_for(qd_space *space, qd_space_wanted wanted)
{
    qd_space_events found;
    const uint32_t *freed;
    size_t count;

    qd_space_tick(space, &qd_executor_serial, wanted, 1u << 24, &found);
    assert_true(found.complete);
    qd_space_settle(space, &freed, &count);
}

static void tick(qd_space *space)
{
    tick_for(space, QD_SPACE_WANT_EVENTS);
}

static qd_space_counters counters_of(const qd_space *space)
{
    qd_space_counters counters;

    qd_space_counters_get(space, &counters);
    return counters;
}

TEST(list_operations_do_not_depend_on_depth)
{
    for (uint32_t depth = 1; depth <= QD_SPARSE_DEPTH_MAX; depth++) {
        const float side = 1u << QD_SPARSE_DEPTH_MAX, cell = side / (float)(1u << depth);
        const float inside[3] = {cell * 0.5f, cell * 0.5f, cell * 0.5f}, next = cell * 1.5f, far = side - cell * 0.5f;
        qd_heap heap;
        qd_space *space = make_space(&heap, side, depth, QD_SPACE_PRUNE_CANDIDATES);
        uint32_t slot = add(space, inside, cell / 4);

        tick(space);
        assert_int_equal(counters_of(space).list_operations, 1);
        assert_int_equal(counters_of(space).depth, depth);
        for (int i = 0; i < 20; i++) {
            move_to(space, slot, cell * (i % 2 ? 0.5f : 0.625f), inside[1], inside[2]);
            tick(space);
        }
        assert_int_equal(counters_of(space).list_operations, 1);
        /* To the next cell: out of one list and into another, and once more when its was has followed. */
        move_to(space, slot, next, inside[1], inside[2]);
        tick(space);
        move_to(space, slot, next, cell * 0.625f, inside[2]);
        tick(space);
        assert_in_range(counters_of(space).list_operations, 3, 5);
        uint64_t before = counters_of(space).list_operations;
        move_to(space, slot, far, far, far);
        tick(space);
        assert_in_range(counters_of(space).list_operations - before, 2, 4);
        end_space(space, &heap);
    }
}

/* The space has 2^16 by 2^16 cells, or 2^21 of them on each of three axes. */
TEST(memory_follows_the_content)
{
    enum { COUNT = 1000 };
    static uint32_t slots[COUNT];
    const uint32_t deepest = QD_SPARSE_DEPTH_MAX;
    const float side = (float)(1u << deepest);
    for (uint32_t depth = 0; depth <= deepest; depth += deepest) {
        qd_heap heap;
        qd_space *space = make_space(&heap, side, depth, 0);

        assert_true(heap.bytes < 2048);
        rng = (rng_stream){5};
        scatter(space, COUNT, (double)side, 0.25f, slots);
        tick(space);
        /* Of a fixed depth each body has a branch and a block of rows of its own. */
        assert_in_range(heap.bytes, 0, depth == 0 ? 300u << 10 : (QD_AXES == 2 ? 1400u : 2400u) << 10);
        /* Teleported over and over: abandoned cells are freed. */
        size_t bytes = heap.bytes;
        for (int t = 0; t < 50; t++) {
            for (uint32_t i = 0; i < COUNT; i++) {
                float x = rng_between(&rng, 0, (double)side), y = rng_between(&rng, 0, (double)side);

                qd_space_teleport(space, 1, &slots[i], &x, &y, QD_AXES == 3 ? &x : NULL);
            }
            tick(space);
        }
        assert_true(heap.bytes < 12 * bytes);
        end_space(space, &heap);
    }
}

/* All bodies go, and with them all cells but the root, whatever the way to prune; also where nobody asks for events. */
TEST(empty_cells_are_removed)
{
    enum { COUNT = 400, TICKS = 60 };
    static uint32_t slots[COUNT];
    for (uint32_t prune = 0; prune <= QD_SPACE_PRUNE_LAZY; prune++) {
        for (uint32_t wanted = QD_SPACE_WANT_NOTHING; wanted <= QD_SPACE_WANT_EVENTS; wanted++) {
            qd_heap heap;
            qd_space *space = make_space(&heap, 4096, 10, (qd_space_prune)prune);

            rng = (rng_stream){7};
            scatter(space, COUNT, 4096, 0.5f, slots);
            for (int t = 0; t < TICKS; t++) {
                for (uint32_t i = 0; i < COUNT; i++) {
                    move_to(space, slots[i], rng_between(&rng, 0, 4096), rng_between(&rng, 0, 4096),
                            rng_between(&rng, 0, 4096));
                }
                tick_for(space, (qd_space_wanted)wanted);
                qd_space_validate(space);
            }
            qd_space_counters busy = counters_of(space);
            assert_true(busy.cells_pruned > COUNT);
            /* Two rows a body at most have a branch each, and what is left behind is no more than a few times that. */
            assert_in_range(busy.cells, 1, 8 * 2 * 10 * COUNT);
            end_space(space, &heap);
        }
    }
}

/* Only candidates of one tick, looked at after it. */
TEST(candidates_are_pruned_at_once)
{
    qd_heap heap;
    qd_space *space = make_space(&heap, 1024, 8, QD_SPACE_PRUNE_CANDIDATES);
    const float at[3] = {2, 2, 2};
    uint32_t slot = add(space, at, 0.5f);

    tick(space);
    assert_int_equal(counters_of(space).cells_pruned, 0);
    /* An old row holds the old branch until the tick is over; eight cells of it are below the root. */
    move_to(space, slot, 1000, 1000, 1000);
    tick(space);
    assert_in_range(counters_of(space).cells_pruned, 8, 16);
    end_space(space, &heap);
}

/* The tree deepens where many come together, and is flat again when they are gone. */
TEST(leaves_divide_and_merge)
{
    enum { COUNT = 5000 };
    static uint32_t slots[COUNT];
    qd_heap heap;
    qd_space *space = make_space(&heap, 100000, 0, 0);
    rng = (rng_stream){9};
    scatter(space, 100, 100000, 1, slots);
    tick(space);
    assert_int_equal(counters_of(space).depth, 0);
    scatter(space, COUNT, 100, 0.1f, slots);
    tick(space);
    assert_in_range(counters_of(space).depth, 10, QD_SPARSE_DEPTH_MAX);
    for (uint32_t i = 0; i < COUNT; i++) {
        (void)qd_space_remove(space, slots[i], QD_SPACE_DESPAWNED);
    }
    tick(space);
    qd_space_validate(space);
    /* Cells are looked at in turns, for rows that come and go. */
    for (int t = 0; t < 40; t++) {
        scatter(space, 100, 100000, 1, slots);
        tick(space);
        for (uint32_t i = 0; i < 100; i++) {
            (void)qd_space_remove(space, slots[i], QD_SPACE_DESPAWNED);
        }
        tick(space);
    }
    assert_in_range(counters_of(space).depth, 0, 3);
    end_space(space, &heap);
}

TEST(resting_bodies_cost_nothing)
{
    enum { COUNT = 5000 };
    static uint32_t slots[COUNT];
    const uint32_t depths[] = {0, 6};
    for (size_t i = 0; i < 2; i++) {
        qd_heap heap;
        qd_space *space = make_space(&heap, 100, depths[i], 0);

        rng = (rng_stream){11};
        scatter(space, COUNT, 100, QD_AXES == 2 ? 1 : 3, slots);
        tick(space);
        tick(space);
        qd_space_counters before = counters_of(space);
        assert_true(before.tests > 0);
        tick(space);
        assert_int_equal(counters_of(space).tests, before.tests);
        assert_int_equal(counters_of(space).list_operations, before.list_operations);
        end_space(space, &heap);
    }
}

/* In a huge space, mostly empty, a query and a tick look at what is near. */
TEST(distance_from_the_origin_costs_nothing)
{
    enum { COUNT = 20000 };
    static uint32_t slots[COUNT];
    const float side = 1000000;
    qd_heap heap;
    qd_space *space = make_space(&heap, side, 0, 0);
    rng = (rng_stream){13};
    scatter(space, COUNT, (double)side, 1, slots);
    tick(space);
    qd_space_query query = {.kind = QD_SPACE_NEAREST, .reach = (double)INFINITY, .limit = 1};
    for (int i = 0; i < 20; i++) {
        query.x = rng_between(&rng, 0, (double)side);
        query.y = rng_between(&rng, 0, (double)side);
        query.z = QD_AXES == 3 ? rng_between(&rng, 0, (double)side) : 0;
        qd_space_hits hits;
        assert_int_equal(qd_space_find(space, &query, &hits), QD_OK);
        assert_int_equal(hits.count, 1);
        assert_in_range(hits.tests, 1, COUNT / 10);
        qd_space_hits_free(space, &hits);
    }
    qd_space_counters before = counters_of(space);
    for (uint32_t i = 0; i < 10; i++) {
        qd_body body;

        qd_space_body(space, slots[i], &body);
        move_to(space, slots[i], body.x + 1, body.y, body.z);
    }
    tick(space);
    assert_in_range(counters_of(space).tests - before.tests, 0, 10 * COUNT);
    end_space(space, &heap);
}

/* All go beyond the bounds, where every one of them has the number of the edge: the root follows. */
TEST(root_follows_the_content)
{
    enum { COUNT = 4000, TICKS = 40 };
    static uint32_t slots[COUNT];
    qd_heap heap;
    qd_space *space = make_space(&heap, 100, 0, 0);
    rng = (rng_stream){15};
    scatter(space, COUNT, 100, 0.1f, slots);
    tick(space);
    uint64_t tests = 0;
    for (int t = 0; t < TICKS; t++) {
        uint64_t before = counters_of(space).tests;

        for (uint32_t i = 0; i < COUNT; i++) {
            move_to(space, slots[i], rng_between(&rng, 5000, 5100), rng_between(&rng, 5000, 5100),
                    rng_between(&rng, 5000, 5100));
        }
        tick(space);
        tests = counters_of(space).tests - before;
    }
    qd_space_validate(space);
    assert_in_range(tests, 1, (uint64_t)COUNT * COUNT / 2);
    end_space(space, &heap);
}

TEST(add_without_memory_changes_nothing)
{
    qd_heap heap;
    qd_space *space = make_space(&heap, 65536, QD_SPARSE_DEPTH_MAX, 0);

    rng = (rng_stream){17};
    qd_memory_limit_set(qd_memory_used() + (512u << 10));
    qd_body body = {.category = 1, .mask = UINT32_MAX, .shape = QD_SPACE_BOX};
    uint32_t count = 0, slot;
    qd_status status;
    for (; (status = qd_space_add(space, &body, &slot)) == QD_OK; count++) {
        body.x = rng_between(&rng, 0, 65536);
        body.y = rng_between(&rng, 0, 65536);
    }
    assert_int_equal(status, QD_ERR_NO_MEMORY);
    assert_true(count > 100);
    qd_memory_limit_set(0);
    qd_space_validate(space);
    tick(space);
    end_space(space, &heap);
}

TEST_MAIN()
