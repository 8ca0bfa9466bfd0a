/* SPDX-License-Identifier: Apache-2.0
 *
 * Choosing the first items of a list: the same ones as sorting gives, also where every division is the worst.
 */
#include <string.h>

#include "server/room/views/state/priority_list.h"
#include "support/rng.h"
#include "tests/support/test.h"

#define COUNT_MAX 300u

static qd_priority items[COUNT_MAX], sorted[COUNT_MAX];

static void expect_chosen(uint32_t count, uint32_t chosen)
{
    bool is_there[COUNT_MAX] = {false};

    memcpy(sorted, items, count * sizeof *items);
    qd_priority_sort(sorted, count);
    qd_priority_choose(items, count, chosen);
    for (uint32_t i = 0; i < chosen; i++) {
        is_there[items[i].id] = true;
    }
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(is_there[sorted[i].id], i < chosen);
    }
}

TEST(chosen_items_are_the_first_of_the_sorted_ones)
{
    rng_stream rng = {1};

    (void)state;
    for (uint32_t round = 0; round < 3000; round++) {
        const uint32_t count = 1 + rng_below(&rng, COUNT_MAX), chosen = 1 + rng_below(&rng, count);
        const uint32_t distances = 1 + rng_below(&rng, rng_one_in(&rng, 2) ? 4 : 1000);

        for (uint32_t i = 0; i < count; i++) {
            items[i] =
                (qd_priority){.lead = rng_below(&rng, 2), .distance = rng_below(&rng, distances), .rank = 1, .id = i};
        }
        expect_chosen(count, chosen);
    }
}

/* The middle of the items that are left is always the largest of them, so a division takes off only that one. */
TEST(bad_divisions_end_in_a_sort)
{
    (void)state;
    for (uint32_t count = 2; count <= COUNT_MAX; count++) {
        for (uint32_t i = 0; i < count; i++) {
            items[i] = (qd_priority){.distance = i, .id = i};
        }
        for (uint32_t left = 2; left <= count; left++) {
            const uint32_t middle = (left - 1) / 2;
            const qd_priority last = items[left - 1];

            items[left - 1] = items[middle];
            items[middle] = last;
        }
        expect_chosen(count, 1);
    }
}

TEST_MAIN()
