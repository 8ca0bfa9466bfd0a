/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "server/space/morton.h"

static uint32_t dice = 1;

static uint32_t draw(void)
{
    dice ^= dice << 13;
    dice ^= dice >> 17;
    dice ^= dice << 5;
    return dice;
}

static uint32_t naive(uint32_t x, uint32_t y)
{
    uint32_t number = 0;
    for (uint32_t bit = 0; bit < 16; bit++) {
        number |= (x >> bit & 1) << 2 * bit | (y >> bit & 1) << (2 * bit + 1);
    }
    return number;
}

static void test_interleaves(void **state)
{
    (void)state;
    /* The example of every text about it: column 3, row 6. */
    assert_int_equal(qd_morton(3, 6), 45);
    for (uint32_t x = 0; x < 65536; x += 13) {
        uint32_t y = draw() & 0xffff;
        assert_int_equal(qd_morton(x, y), naive(x, y));
        assert_int_equal(qd_morton_gather(qd_morton(x, y)), x);
        assert_int_equal(qd_morton_gather(qd_morton(x, y) >> 1), y);
    }
    assert_int_equal(qd_morton(65535, 65535), UINT32_MAX);
}

static void test_height_is_the_number_of_digits_not_shared(void **state)
{
    (void)state;
    for (int i = 0; i < 100000; i++) {
        uint32_t a = draw(), b = i % 3 == 0 ? a ^ (draw() >> draw() % 32) : draw(), height = 0;
        while (height < 16 && a >> 2 * height != b >> 2 * height) {
            height++;
        }
        assert_int_equal(qd_morton_height(a, b), height);
    }
    assert_int_equal(qd_morton_height(7, 7), 0);
    assert_int_equal(qd_morton_height(0, UINT32_MAX), 16);
    assert_int_equal(qd_morton_height(19, 31), 2);
}

static void test_levels_follow_one_another(void **state)
{
    (void)state;
    uint32_t first = 0;
    for (uint32_t level = 0; level <= 11; level++) {
        assert_int_equal(qd_level_first(level), first);
        first += 1u << 2 * level;
    }
    /* The parent of a cell is its number less one, divided by four. */
    for (uint32_t level = 1; level <= 10; level++) {
        for (int i = 0; i < 100; i++) {
            uint32_t k = draw() & ((1u << 2 * level) - 1);
            assert_int_equal((qd_level_first(level) + k - 1) / 4, qd_level_first(level - 1) + k / 4);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_interleaves),
        cmocka_unit_test(test_height_is_the_number_of_digits_not_shared),
        cmocka_unit_test(test_levels_follow_one_another),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
