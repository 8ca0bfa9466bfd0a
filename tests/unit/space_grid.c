/* SPDX-License-Identifier: Apache-2.0
 *
 * GRID with QD_AXES axes: cell sizes whose words are too many. space_indexes.c compares its events with BRUTE's, and
 * space_costs.c bounds its costs.
 */
#include "space_fixture.h"

/* A size whose words are too many for the plan is given up before they are sorted; then all rows go, so that traversals
 * have nothing to sort either. */
TEST(traversals_without_rows_test_no_words)
{
    qd_space_config config = crowd_config(QD_SPACE_GRID, 0, 100);

    config.cell_size = 2;
    crowd_begin(&config, NULL);
    for (uint32_t i = 0; i < 4; i++) {
        const float at = 10 + 20 * (float)i;

        crowd_add(crowd_box(at, at, at, 3));
    }
    for (uint32_t tick = 0; tick < 20; tick++) {
        while (tick == 1 && crowd.count > 0) {
            (void)crowd_remove(0);
        }
        assert_int_equal(crowd_tick_for(tick < 2 ? QD_SPACE_WANT_NOTHING : QD_SPACE_WANT_EVENTS, 100).count, 0);
    }
    crowd_end();
}

TEST_MAIN()
