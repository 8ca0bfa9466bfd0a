/* SPDX-License-Identifier: Apache-2.0
 *
 * The pace of a room: when it counts as slowed, when it holds its rate again, and how long it rests.
 */
#include "server/actor/pacing/pace.h"
#include "tests/support/test.h"

#define MS_NS UINT64_C(1000000)
#define HZ    20u

static uint64_t now_ns;

/* Ticks for that many ms, each time after `period_ms`. Returns how often members are told. */
static uint32_t play(qd_pace *pace, uint64_t ms, uint64_t period_ms, uint64_t took_ms)
{
    uint32_t told = 0;

    for (uint64_t end_ns = now_ns + ms * MS_NS; now_ns < end_ns;) {
        now_ns += period_ms * MS_NS;
        told += qd_pace_ticked(pace, HZ, now_ns, took_ms * MS_NS, period_ms * HZ / 1000 - 1);
    }
    return told;
}

TEST(room_with_short_ticks_is_never_slowed)
{
    qd_pace pace = {0};

    now_ns = 1000 * MS_NS;
    assert_int_equal(play(&pace, 5000, 50, 20), 0);
    /* The process stood still. */
    assert_int_equal(play(&pace, 5000, 500, 1), 0);
    assert_int_equal(pace.slowed_hz, 0);
}

TEST(slowed_room_is_told_once_and_again_when_it_changes)
{
    qd_pace pace = {0};

    now_ns = 1000 * MS_NS;
    assert_int_equal(play(&pace, 3000, 100, 80), 1);
    assert_int_equal(pace.slowed_hz, 10);
    assert_int_equal(pace.slowed_us, 80000);
    assert_int_equal(play(&pace, 5000, 100, 80), 0);
    assert_true(play(&pace, 5000, 500, 450) >= 1);
    assert_int_equal(pace.slowed_hz, 2);
    assert_in_range(play(&pace, 5000, 50, 10), 1, 2);
    assert_int_equal(pace.slowed_hz, 0);
}

TEST(room_that_ticks_less_than_once_a_second_holds_one)
{
    qd_pace pace = {0};

    now_ns = 1000 * MS_NS;
    play(&pace, 20000, 5000, 4900);
    assert_int_equal(pace.slowed_hz, 1);
}

TEST(room_rests_after_ticks_of_nearly_a_period)
{
    qd_pace pace = {0};

    (void)qd_pace_ticked(&pace, HZ, 1000 * MS_NS, 40 * MS_NS, 0);
    assert_int_equal(pace.rest_until_ns, 0);
    (void)qd_pace_ticked(&pace, HZ, 2000 * MS_NS, 48 * MS_NS, 0);
    assert_int_equal(pace.rest_until_ns, 2006 * MS_NS);
    (void)qd_pace_ticked(&pace, HZ, 3000 * MS_NS, 800 * MS_NS, 0);
    assert_int_equal(pace.rest_until_ns, 3100 * MS_NS);
    qd_pace_start(&pace);
    assert_int_equal(pace.rest_until_ns, 0);
}

TEST_MAIN()
