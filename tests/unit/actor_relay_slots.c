/* SPDX-License-Identifier: Apache-2.0
 *
 * The slots of a relay stream: each is given once, low ones first, and those of one phase lie together.
 */
#include <string.h>

#include "base_heap.h"
#include "server/actor/relay/relay_slots.h"
#include "support/rng.h"

#define SLOTS 3000u

HEAP_TEST(slots_without_phases_are_given_in_order)
{
    qd_relay_slots slots = {0};

    for (uint32_t i = 0; i < 100; i++) {
        assert_int_equal(qd_relay_slots_take(&slots, &heap, 0), i);
    }
    assert_int_equal(slots.used, 100);
    assert_int_equal(qd_relay_slots_end(&slots), 112);
    qd_relay_slots_deinit(&slots, &heap);
}

HEAP_TEST(slot_given_back_is_taken_again)
{
    qd_relay_slots slots = {0};

    for (uint32_t i = 0; i < 100; i++) {
        qd_relay_slots_take(&slots, &heap, 0);
    }
    qd_relay_slots_give(&slots, 40);
    assert_int_equal(qd_relay_slots_take(&slots, &heap, 0), 40);
    for (uint32_t i = 0; i < 100; i++) {
        qd_relay_slots_give(&slots, i);
    }
    assert_int_equal(slots.used, 0);
    for (uint32_t i = 0; i < 112; i++) {
        qd_relay_slots_take(&slots, &heap, i % 2);
    }
    assert_int_equal(qd_relay_slots_end(&slots), 128);
    qd_relay_slots_deinit(&slots, &heap);
}

HEAP_TEST(cleared_slots_start_again)
{
    qd_relay_slots slots = {0};

    for (uint32_t i = 0; i < 100; i++) {
        qd_relay_slots_take(&slots, &heap, i % 7);
    }
    qd_relay_slots_clear(&slots);
    assert_int_equal(qd_relay_slots_end(&slots), 0);
    assert_int_equal(qd_relay_slots_take(&slots, &heap, 3), 0);
    qd_relay_slots_deinit(&slots, &heap);
}

HEAP_TEST(phases_divide_the_period)
{
    for (uint32_t every = 1; every <= 1000; every++) {
        const uint32_t phases = qd_relay_phases(every);

        assert_in_range(phases, 1, QD_RELAY_PHASES_MAX);
        assert_int_equal(every % phases, 0);
        for (uint32_t more = phases + 1; more <= QD_RELAY_PHASES_MAX; more++) {
            assert_true(more > every || every % more != 0);
        }
    }
    assert_int_equal(qd_relay_phases(20), 20);
    assert_int_equal(qd_relay_phases(100), 25);
    assert_int_equal(qd_relay_phases(37), 1);
}

/* Pages that have a slot of that phase. */
static uint32_t pages_of(const uint32_t *slot, uint32_t count, uint32_t phases, uint32_t phase)
{
    static uint8_t has[2 * SLOTS / QD_RELAY_PAGE_SLOTS];
    uint32_t pages = 0;

    memset(has, 0, sizeof has);
    for (uint32_t id = 0; id < count; id++) {
        if (id % phases == phase && slot[id] != QD_RELAY_SLOT_NONE) {
            assert_in_range(slot[id] / QD_RELAY_PAGE_SLOTS, 0, sizeof has - 1);
            pages += !has[slot[id] / QD_RELAY_PAGE_SLOTS];
            has[slot[id] / QD_RELAY_PAGE_SLOTS] = 1;
        }
    }
    return pages;
}

HEAP_TEST(slots_of_a_phase_stay_together)
{
    const uint32_t phases = 20;
    static uint32_t slot[SLOTS], owner[2 * SLOTS];
    qd_relay_slots slots = {0};
    rng_stream rng = {1};
    uint32_t used = 0;

    memset(slot, 255, sizeof slot);
    memset(owner, 255, sizeof owner);
    for (uint32_t i = 0; i < 200000; i++) {
        const uint32_t id = rng_below(&rng, SLOTS);

        if (slot[id] == QD_RELAY_SLOT_NONE) {
            slot[id] = qd_relay_slots_take(&slots, &heap, id % phases);
            assert_in_range(slot[id], 0, 2 * SLOTS - 1);
            assert_int_equal(owner[slot[id]], QD_RELAY_SLOT_NONE);
            owner[slot[id]] = id;
            used++;
        } else {
            qd_relay_slots_give(&slots, slot[id]);
            owner[slot[id]] = QD_RELAY_SLOT_NONE;
            slot[id] = QD_RELAY_SLOT_NONE;
            used--;
        }
        assert_int_equal(slots.used, used);
    }
    for (uint32_t phase = 0; phase < phases; phase++) {
        assert_in_range(pages_of(slot, SLOTS, phases, phase), 1, SLOTS / phases / QD_RELAY_PAGE_SLOTS + 2);
    }
    qd_relay_slots_deinit(&slots, &heap);
}

HEAP_TEST(page_without_memory_gives_no_slot)
{
    qd_relay_slots slots = {0};

    qd_memory_fail(1, 1);
    assert_int_equal(qd_relay_slots_take(&slots, &heap, 0), QD_RELAY_SLOT_NONE);
    qd_memory_fail(0, 0);
    assert_int_equal(qd_relay_slots_take(&slots, &heap, 0), 0);
    qd_relay_slots_deinit(&slots, &heap);
}

TEST_MAIN()
