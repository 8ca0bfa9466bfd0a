/* SPDX-License-Identifier: Apache-2.0
 *
 * SPARSE, in two and three dimensions: its keys, its table of cells, what registering costs in list operations and
 * memory, that cells come and go, and that walks and queries look at no more than they need to. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "server/space/sparse.h"
#include "server/space/tuning.h"
#include "support/chance.h"

static chance dice;

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
        numbers[k] = chance_below(&dice, 4) == 0 ? QD_KEY_LAST : chance_below(&dice, QD_KEY_LAST + 1);
    }
}

static void test_keys(void **state)
{
    (void)state;
    dice = (chance){1};
    for (int i = 0; i < 20000; i++) {
        uint32_t numbers[QD_AXES];
        draw_numbers(numbers);
        naive_key naive = {.level = chance_below(&dice, QD_KEY_BITS + 1)};
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
static void test_the_cell_of_two_corners(void **state)
{
    (void)state;
    dice = (chance){2};
    for (int i = 0; i < 20000; i++) {
        qd_numbers numbers;
        uint32_t reach = chance_below(&dice, QD_KEY_BITS + 1), level = QD_KEY_BITS;
        draw_numbers(numbers.v);
        for (uint32_t k = 0; k < QD_AXES; k++) {
            uint32_t high = numbers.v[k] + (chance_below(&dice, QD_KEY_LAST) >> reach);
            numbers.v[QD_ROW_HIGH + k] = high < QD_KEY_LAST ? high : QD_KEY_LAST;
        }
        uint64_t low = qd_key_of(numbers.v), high = qd_key_of(numbers.v + QD_ROW_HIGH);
        while (qd_key_above(low, QD_KEY_BITS, level) != qd_key_above(high, QD_KEY_BITS, level)) {
            level--;
        }
        assert_int_equal(qd_key_level_of(&numbers), level);
    }
}

static uint32_t number_of(float at, const qd_frame *frame)
{
    qd_row box = {{0}};
    for (uint32_t k = 0; k < QD_AXES; k++) {
        box.v[k] = box.v[QD_ROW_HIGH + k] = at;
    }
    qd_numbers numbers = qd_key_numbers(frame, &box);
    for (uint32_t k = 0; k < QD_AXES; k++) {
        assert_int_equal(numbers.v[k], numbers.v[0]);
        assert_int_equal(numbers.v[QD_ROW_HIGH + k], numbers.v[0]);
    }
    return numbers.v[0];
}

/* Numbers never decrease, and what is beyond the root has those of its edge. */
static void test_numbers(void **state)
{
    (void)state;
    const float origin = -700, side = 1000;
    qd_frame frame = {.scale = (float)(QD_KEY_LAST + 1) / side};
    for (uint32_t k = 0; k < QD_AXES; k++) {
        frame.origin[k] = origin;
    }
    assert_int_equal(number_of(-INFINITY, &frame), 0);
    assert_int_equal(number_of(origin, &frame), 0);
    assert_int_equal(number_of(origin + side, &frame), QD_KEY_LAST);
    assert_int_equal(number_of(INFINITY, &frame), QD_KEY_LAST);
    uint32_t last = 0;
    for (float at = -701; at < 301; at += 0.0078125f) {
        uint32_t number = number_of(at, &frame);
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
        numbers[k] = chance_below(&dice, spread);
    }
    return qd_key_above(qd_key_of(numbers), QD_KEY_BITS, QD_KEY_BITS - chance_below(&dice, 3));
}

/* Cells come and go, beside a list that is looked through from end to end. */
static void test_cells_come_and_go(void **state)
{
    (void)state;
    enum { MOST = 600 };
    static uint64_t key[MOST];
    static uint32_t number[MOST];
    qd_heap heap;
    qd_sparse_cells cells;
    qd_heap_init(&heap);
    qd_sparse_cells_init(&cells, &heap, false);
    dice = (chance){3};
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
        if (at == count && count < MOST && (is_growing || chance_below(&dice, 2))) {
            key[count] = wanted;
            number[count] = qd_sparse_cells_make(&cells, wanted, QD_NONE);
            assert_int_equal(cells.cell[number[count]].count, 0);
            count++;
        } else if (count > 0 && (!is_growing || chance_below(&dice, 4) == 0)) {
            at = at < count ? at : chance_below(&dice, count);
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

static void test_neighbours_do_not_collide(void **state)
{
    (void)state;
    const uint32_t edges[][3] = {{4096, 1, 1}, {1, 4096, 1}, {64, 64, 1}, {2, 2000, 1}, {16, 16, 16}, {1, 1, 4096}};
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) {
        for (uint32_t stride = 1; stride <= 16; stride *= 2) {
            if (QD_AXES == 3 || edges[i][2] == 1) {
                check_probes(edges[i], stride);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_keys),
        cmocka_unit_test(test_the_cell_of_two_corners),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_cells_come_and_go),
        cmocka_unit_test(test_neighbours_do_not_collide),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
