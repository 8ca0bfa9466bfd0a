/* SPDX-License-Identifier: Apache-2.0
 *
 * The histogram against exact percentiles, taken from the sorted numbers.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "client/tools/histogram.h"
#include "support/rng.h"
#include "tests/support/test.h"

#define VALUES 20000u

static uint64_t values[VALUES];
static rng_stream rng = {1};

static int compare(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

    return (a > b) - (a < b);
}

static void assert_percentiles(uint32_t count)
{
    static const double percents[] = {0, 1, 10, 25, 50, 75, 90, 99, 99.9, 99.99, 100};
    static qd_histogram histogram;

    memset(&histogram, 0, sizeof histogram);
    for (uint32_t index = 0; index < count; index++) {
        qd_histogram_record(&histogram, values[index]);
    }
    qsort(values, count, sizeof *values, compare);
    assert_true(histogram.count == count);
    assert_true(histogram.max == values[count - 1]);
    for (size_t choice = 0; choice < sizeof percents / sizeof *percents; choice++) {
        uint32_t rank = (uint32_t)ceil(count * percents[choice] / 100.0);
        uint64_t exact = values[rank > 0 ? rank - 1 : 0];
        uint64_t found = qd_histogram_percentile(&histogram, percents[choice]);

        assert_true(found >= exact);
        assert_true(found - exact <= exact / 128);
    }
    assert_true(qd_histogram_percentile(&histogram, 100) == values[count - 1]);
}

TEST(small_numbers_are_exact)
{
    for (uint32_t index = 0; index < VALUES; index++) {
        values[index] = rng_below(&rng, 128);
    }
    assert_percentiles(VALUES);
}

TEST(uniform_numbers)
{
    for (uint32_t index = 0; index < VALUES; index++) {
        values[index] = rng_below(&rng, 10000000);
    }
    assert_percentiles(VALUES);
}

TEST(numbers_of_all_sizes)
{
    for (uint32_t index = 0; index < VALUES; index++) {
        values[index] = rng_draw_64(&rng) >> rng_below(&rng, 64);
    }
    assert_percentiles(VALUES);
}

/* As latencies are: a body and a long tail. */
TEST(numbers_with_a_tail)
{
    for (uint32_t index = 0; index < VALUES; index++) {
        values[index] = (uint64_t)(100000 - 50000 * log(1 - (double)rng_fraction(&rng)));
    }
    values[0] = 3000000000u;
    assert_percentiles(VALUES);
}

TEST(edges_of_buckets)
{
    uint32_t count = 0;

    for (uint32_t bit = 0; bit < 64; bit++) {
        values[count++] = ((uint64_t)1 << bit) - 1;
        values[count++] = (uint64_t)1 << bit;
        values[count++] = ((uint64_t)1 << bit) + 1;
    }
    values[count++] = UINT64_MAX;
    assert_percentiles(count);
}

TEST(few_numbers)
{
    static const qd_histogram empty;

    assert_true(qd_histogram_percentile(&empty, 50) == 0);
    values[0] = 123456789;
    assert_percentiles(1);
    values[1] = 5;
    assert_percentiles(2);
}

TEST(sums_are_as_if_recorded_together)
{
    static qd_histogram parts[3], whole, sum;

    for (uint32_t index = 0; index < VALUES; index++) {
        uint64_t value = rng_draw_64(&rng) >> rng_below(&rng, 64);

        qd_histogram_record(&parts[index % 3], value);
        qd_histogram_record(&whole, value);
    }
    for (uint32_t part = 0; part < 3; part++) {
        qd_histogram_add(&sum, &parts[part]);
    }
    assert_memory_equal(&sum, &whole, sizeof sum);
}

TEST_MAIN()
