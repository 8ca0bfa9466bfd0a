/* SPDX-License-Identifier: Apache-2.0
 *
 * BRUTE with QD_AXES axes: its quantizer follows the bodies, and bodies that ignore each other cost no test.
 * space_indexes.c tests what it has in common with the other indexes.
 */
#include "space_fixture.h"

/* The quantizer is kept for some traversals. Bodies outside of it still meet, and the next one separates them. */
TEST(crowd_that_moves_on_is_quantized_again)
{
    const uint32_t count = 200, ticks = 80, all_pairs = count * (count - 1) / 2;
    const qd_space_config config = crowd_config(QD_SPACE_BRUTE, 0, 1);

    crowd_begin(&config, NULL);
    for (uint32_t i = 0; i < count; i++) {
        crowd_add(crowd_box(crowd_between(0, 40), crowd_between(0, 40), crowd_between(0, 3), 0.7f));
    }
    size_t changes = crowd_tick_with_oracle();
    for (uint32_t t = 0; t < ticks; t++) {
        for (uint32_t i = 0; i < count; i++) {
            crowd_shift(i, 4);
        }
        crowd_wander(count, 0.5);
        changes += crowd_tick_with_oracle();
    }
    assert_true(changes > ticks);
    assert_true(crowd_counters().exact_tests < ticks / 10 * all_pairs);
    crowd_end();
}

/* 2,000 bodies in one place ignore each other and heed a few others. Only pairs with those others are tested. */
static void check_self_ignoring_bodies(void)
{
    enum { BODIES = 2000, OTHERS = 20 };
    const qd_space_config config = crowd_config(QD_SPACE_BRUTE, 0, 1);
    crowd_begin(&config, NULL);
    for (uint32_t i = 0; i < BODIES; i++) {
        const bool is_other = i % (BODIES / OTHERS) == 0;
        qd_body body = crowd_box(1, 1, 1, 0.5f);

        body.category = is_other ? 2 : 1;
        body.mask = is_other ? 1 : 2;
        crowd_add(body);
    }
    assert_int_equal(crowd_tick_with_oracle(), (BODIES - OTHERS) * OTHERS);
    for (uint32_t moving = BODIES; moving > 0; moving /= 12) {
        for (uint32_t i = 0; i < moving; i++) {
            crowd.at[0][i] += crowd_between(-0.6, 0.6);
        }
        crowd_move(0, moving);
        assert_true(crowd_tick_with_oracle() > 0);
    }
    assert_true(crowd_counters().exact_tests < 5 * BODIES * (OTHERS + 1));
    /* Bodies that stop being self-ignoring, or change to another such filter, are tested again. */
    for (uint32_t i = 0; i < BODIES; i += 7) {
        crowd_refilter(i, i % 2 == 0 ? 1 : 4, i % 2 == 0 ? 1 : 3);
    }
    assert_true(crowd_tick_with_oracle() > BODIES);
    for (uint32_t i = 0; i < BODIES; i += 7) {
        crowd_refilter(i, 1, 2);
    }
    assert_true(crowd_tick_with_oracle() > BODIES);
    crowd_end();
}

TEST(crowd_of_self_ignoring_bodies_costs_no_tests)
{
    for (uint32_t k = 0; qd_space_kernel_at(k) != NULL; k++) {
        qd_space_kernel_select(qd_space_kernel_at(k));
        check_self_ignoring_bodies();
    }
    qd_space_kernel_select(NULL);
}

TEST_MAIN()
