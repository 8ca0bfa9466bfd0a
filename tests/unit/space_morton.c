/* SPDX-License-Identifier: Apache-2.0 */

#include "server/space/geometry/morton.h"
#include "server/space/space.h"
#include "support/rng.h"
#include "tests/support/test.h"

static rng_stream rng = {1};

/* 32 bits hold 16 bits of two axes, or 10 bits of three. */
#define DIGITS     (QD_AXES == 2 ? 16u : 10u)
#define AXIS_COUNT (1u << DIGITS)

static uint32_t naive(const uint32_t *at)
{
    uint32_t number = 0;

    for (uint32_t bit = 0; bit < DIGITS; bit++) {
        for (uint32_t k = 0; k < QD_AXES; k++) {
            number |= (at[k] >> bit & 1) << (QD_AXES * bit + k);
        }
    }
    return number;
}

TEST(bits_are_interleaved)
{
    /* The usual example: column 3, row 6. */
    const uint32_t known[3] = {3, 6, 5}, last[3] = {AXIS_COUNT - 1, AXIS_COUNT - 1, AXIS_COUNT - 1};

    assert_int_equal(qd_morton(known), QD_AXES == 2 ? 45 : 1 + 4 + 8 + 16 + 128 + 256);
    for (uint32_t x = 0; x < AXIS_COUNT; x += DIGITS == 16 ? 13 : 1) {
        const uint32_t at[3] = {x, rng_below(&rng, AXIS_COUNT), rng_below(&rng, AXIS_COUNT)};
        uint32_t number = qd_morton(at);

        assert_int_equal(number, naive(at));
        for (uint32_t k = 0; k < QD_AXES; k++) {
            assert_int_equal(qd_morton_gather(number >> k), at[k]);
        }
    }
    assert_int_equal(qd_morton(last), UINT32_MAX >> (32 - QD_AXES * DIGITS));
}

static uint32_t height_of(uint32_t a, uint32_t b)
{
    uint32_t low[QD_AXES], high[QD_AXES];

    for (uint32_t k = 0; k < QD_AXES; k++) {
        low[k] = qd_morton_gather(a >> k);
        high[k] = qd_morton_gather(b >> k);
    }
    return qd_morton_height(low, high);
}

TEST(height_is_the_number_of_digits_not_shared)
{
    const uint32_t all = UINT32_MAX >> (32 - QD_AXES * DIGITS);

    for (int i = 0; i < 100000; i++) {
        uint32_t a = rng_draw(&rng) & all,
                 b = i % 3 == 0 ? a ^ ((rng_draw(&rng) & all) >> rng_below(&rng, 32)) : rng_draw(&rng) & all,
                 height = 0;

        while (height < DIGITS && a >> QD_AXES * height != b >> QD_AXES * height) {
            height++;
        }
        assert_int_equal(height_of(a, b), height);
    }
    assert_int_equal(height_of(7, 7), 0);
    assert_int_equal(height_of(0, all), DIGITS);
    assert_int_equal(height_of(19, 31), 2);
}

TEST(levels_follow_one_another)
{
    const uint32_t deepest = QD_TREE_DEPTH_MAX;
    uint32_t first = 0;

    for (uint32_t level = 0; level <= deepest + 1; level++) {
        assert_int_equal(qd_level_first(level), first);
        assert_int_equal(qd_level_cells(level), 1u << QD_AXES * level);
        first += qd_level_cells(level);
    }
    /* The parent of a cell is its number less one, divided by the number of children. */
    for (uint32_t level = 1; level <= deepest; level++) {
        for (int i = 0; i < 100; i++) {
            uint32_t k = rng_below(&rng, qd_level_cells(level));

            assert_int_equal((qd_level_first(level) + k - 1) / QD_CHILDREN,
                             qd_level_first(level - 1) + k / QD_CHILDREN);
        }
    }
}

TEST_MAIN()
