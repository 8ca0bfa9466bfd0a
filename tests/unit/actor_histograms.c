/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "server/actor/service/counters.h"
#include "tests/support/test.h"

static qd_counters counters;

static uint64_t buckets[QD_HISTOGRAM_BUCKETS], sum;

static void look(qd_histogram histogram)
{
    qd_observed(&counters, histogram, buckets, &sum);
}

static uint64_t count(void)
{
    uint64_t all = 0;

    for (uint32_t i = 0; i < QD_HISTOGRAM_BUCKETS; i++) {
        all += buckets[i];
    }
    return all;
}

TEST(values_at_a_bound_belong_to_the_bucket_below)
{
    qd_observe(&counters, QD_HISTOGRAM_QUEUE, 1);
    qd_observe(&counters, QD_HISTOGRAM_QUEUE, 2);
    qd_observe(&counters, QD_HISTOGRAM_QUEUE, 3);
    qd_observe(&counters, QD_HISTOGRAM_QUEUE, 4);
    qd_observe(&counters, QD_HISTOGRAM_QUEUE, 5);
    look(QD_HISTOGRAM_QUEUE);
    assert_int_equal(buckets[0], 1);
    assert_int_equal(buckets[1], 1);
    assert_int_equal(buckets[2], 2);
    assert_int_equal(buckets[3], 1);
    assert_int_equal(count(), 5);
    assert_int_equal(sum, 15);
}

TEST(times_are_in_buckets_of_8_us)
{
    qd_observe(&counters, QD_HISTOGRAM_TICK, 0);
    qd_observe(&counters, QD_HISTOGRAM_TICK, 8000);
    qd_observe(&counters, QD_HISTOGRAM_TICK, 8001);
    qd_observe(&counters, QD_HISTOGRAM_TICK, 16001);
    look(QD_HISTOGRAM_TICK);
    assert_int_equal(buckets[0], 2);
    assert_int_equal(buckets[1], 1);
    assert_int_equal(buckets[2], 1);
    assert_int_equal(sum, 32002);
}

TEST(large_values_are_in_the_last_bucket)
{
    qd_observe(&counters, QD_HISTOGRAM_LATE, UINT64_C(8000) << (QD_HISTOGRAM_BUCKETS - 2));
    qd_observe(&counters, QD_HISTOGRAM_LATE, (UINT64_C(8000) << (QD_HISTOGRAM_BUCKETS - 2)) + 1);
    qd_observe(&counters, QD_HISTOGRAM_LATE, UINT64_MAX / 2);
    look(QD_HISTOGRAM_LATE);
    assert_int_equal(buckets[QD_HISTOGRAM_BUCKETS - 2], 1);
    assert_int_equal(buckets[QD_HISTOGRAM_BUCKETS - 1], 2);
}

TEST_MAIN()
