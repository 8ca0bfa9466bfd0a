/* SPDX-License-Identifier: Apache-2.0
 *
 * The radix sort against qsort: all sizes around the thresholds, dense and sparse keys, with values and without.
 */
#include <stdlib.h>
#include <string.h>

#include "server/room/common/order.h"
#include "support/rng.h"
#include "tests/support/test.h"

#define COUNT_MAX 140000u

static int by_key(const void *a, const void *b)
{
    uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;

    return one < other ? -1 : one > other;
}

static uint64_t input[COUNT_MAX], expected[COUNT_MAX], keys[COUNT_MAX], keys_spare[COUNT_MAX];
static uint32_t values[COUNT_MAX], values_spare[COUNT_MAX];

static unsigned bit_length(uint32_t value)
{
    return value ? 32u - (unsigned)__builtin_clz(value) : 0;
}

/* Sorts `input`. The value of each key is its index in `input`. */
static void check(size_t count)
{
    uint64_t any = 0;

    for (size_t i = 0; i < count; i++) {
        any |= input[i];
    }
    memcpy(expected, input, count * sizeof input[0]);
    qsort(expected, count, sizeof expected[0], by_key);

    for (int with_values = 0; with_values < 2; with_values++) {
        qd_order order = {.keys = keys, .keys_spare = keys_spare};

        if (with_values) {
            order.values = values;
            order.values_spare = values_spare;
        }
        memcpy(keys, input, count * sizeof input[0]);
        for (uint32_t i = 0; i < count; i++) {
            values[i] = i;
        }
        qd_order_sort(&order, count, bit_length((uint32_t)any), bit_length((uint32_t)(any >> 32)));
        assert_memory_equal(order.keys, expected, count * sizeof expected[0]);
        for (size_t i = 0; with_values && i < count; i++) {
            assert_true(order.values[i] < count);
            assert_int_equal(input[order.values[i]], order.keys[i]);
        }
    }
}

/* Distinct pairs (a, b) of ids below 2^bits each. */
static void fill(size_t count, unsigned a_bits, unsigned b_bits, uint64_t seed)
{
    rng_stream rng = {seed};

    for (size_t i = 0; i < count; i++) {
        uint64_t drawn = rng_draw_64(&rng);
        uint64_t a = (drawn >> 32) & (((uint64_t)1 << a_bits) - 1), b = drawn & (((uint64_t)1 << b_bits) - 1);

        input[i] = a << 32 | b;
    }
}

TEST(sorts_every_count)
{
    static const size_t counts[] = {0,   1,   2,    3,    31,   32,   33,    34,     100,   255,
                                    256, 257, 1000, 4095, 4096, 4097, 20000, 131072, 131073};
    static const unsigned widths[] = {1, 4, 8, 11, 12, 17, 22, 31, 32};

    (void)state;
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        for (size_t k = 0; k < sizeof widths / sizeof widths[0]; k++) {
            fill(counts[i], widths[k], widths[k], counts[i] * 31 + k);
            check(counts[i]);
        }
    }
}

TEST(sorts_halves_of_unequal_width)
{
    for (unsigned a_bits = 0; a_bits <= 32; a_bits += 4) {
        for (unsigned b_bits = 0; b_bits <= 32; b_bits += 8) {
            fill(6000, a_bits, b_bits, a_bits * 100 + b_bits);
            check(6000);
        }
    }
}

/* Clusters of ids, far from each other: the first digits to sort by separate few of them. */
TEST(sorts_ids_in_clusters)
{
    static const size_t counts[] = {100, 5000, 140000};
    rng_stream rng = {3};

    (void)state;
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        for (unsigned clusters = 1; clusters <= 10000; clusters *= 10) {
            for (size_t k = 0; k < counts[i]; k++) {
                uint64_t cluster = rng_below(&rng, clusters) * UINT64_C(0x9e3779b1) & 0xfffff000u;

                input[k] = (cluster | rng_below(&rng, 0x100)) << 32 | rng_below(&rng, 0x10000);
            }
            check(counts[i]);
        }
    }
}

/* One entity in a great many pairs, among others in few: the pairs of it all lie in one run. */
TEST(sorts_long_runs)
{
    rng_stream rng = {5};

    (void)state;
    for (size_t run = 30; run <= 10000; run = run * 3 / 2) {
        fill(run + 5000, 20, 20, run);
        for (size_t i = 0; i < run; i++) {
            input[i * (run + 5000) / run] = (uint64_t)70000 << 32 | rng_below(&rng, 0x100000);
        }
        check(run + 5000);
    }
}

TEST(sorts_sorted_and_reversed_runs)
{
    for (size_t i = 0; i < 5000; i++) {
        input[i] = (uint64_t)(i / 2) << 32 | (i * 7);
    }
    check(5000);
    for (size_t i = 0; i < 5000; i++) {
        input[i] = (uint64_t)((5000 - i) / 100) << 32 | (5000 - i);
    }
    check(5000);
    for (size_t i = 0; i < 5000; i++) {
        input[i] = (uint64_t)7 << 32 | 9;
    }
    check(5000);
}

TEST_MAIN()
