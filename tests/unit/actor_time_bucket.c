/* SPDX-License-Identifier: Apache-2.0
 *
 * Time buckets: what an owner may use at once and in the long run, and when a debt is paid.
 */
#include "server/actor/pacing/time_bucket.h"
#include "tests/support/test.h"

#define MS_NS    UINT64_C(1000000)
#define START_NS (100000 * MS_NS)

/* 10 % of the time of 2 workers: 1 ms of work in 5 ms. */
static const qd_time_share share = {.ns_per_s = 200 * MS_NS, .burst_ns = 5 * MS_NS};

TEST(share_is_of_all_workers)
{
    assert_int_equal(qd_time_share_of(10, 2, 7).ns_per_s, share.ns_per_s);
    assert_int_equal(qd_time_share_of(10, 2, 7).burst_ns, 7);
    assert_int_equal(qd_time_share_of(100, 256, 0).ns_per_s, 256000 * MS_NS);
}

TEST(new_bucket_covers_the_burst_and_no_more)
{
    qd_time_bucket bucket = {0};

    assert_true(qd_time_bucket_is_unused(&bucket));
    assert_true(qd_time_bucket_covers(&bucket, share, START_NS, 5 * MS_NS));
    assert_false(qd_time_bucket_covers(&bucket, share, START_NS, 5 * MS_NS + 1000));
}

TEST(work_beyond_the_burst_waits_until_the_share_has_paid)
{
    qd_time_bucket bucket = {0};

    qd_time_bucket_charge(&bucket, share, START_NS, 4 * MS_NS);
    assert_false(qd_time_bucket_is_unused(&bucket));
    assert_true(qd_time_bucket_covers(&bucket, share, START_NS, 1 * MS_NS));
    qd_time_bucket_charge(&bucket, share, START_NS, 3 * MS_NS);
    /* 2 ms beyond the burst are paid after 10 ms. */
    assert_false(qd_time_bucket_covers(&bucket, share, START_NS + 10 * MS_NS - 1, 0));
    assert_true(qd_time_bucket_covers(&bucket, share, START_NS + 10 * MS_NS, 0));
    assert_false(qd_time_bucket_covers(&bucket, share, START_NS + 10 * MS_NS, 1 * MS_NS));
    assert_true(qd_time_bucket_covers(&bucket, share, START_NS + 15 * MS_NS, 1 * MS_NS));
}

TEST(unused_time_is_kept_up_to_the_burst)
{
    qd_time_bucket bucket = {0};

    qd_time_bucket_charge(&bucket, share, START_NS, 1 * MS_NS);
    assert_true(qd_time_bucket_covers(&bucket, share, 2 * START_NS, 5 * MS_NS));
    assert_false(qd_time_bucket_covers(&bucket, share, 2 * START_NS, 5 * MS_NS + 1000));
}

TEST(debt_is_paid_within_its_limit)
{
    qd_time_bucket bucket = {0};

    for (uint32_t i = 0; i < 5; i++) {
        qd_time_bucket_charge(&bucket, share, START_NS, UINT64_MAX);
    }
    assert_false(qd_time_bucket_covers(&bucket, share, START_NS + QD_TIME_DEBT_NS - 1, 0));
    assert_true(qd_time_bucket_covers(&bucket, share, START_NS + QD_TIME_DEBT_NS, 0));
}

TEST(inherited_balance_is_the_same)
{
    qd_time_bucket bucket = {0}, other = {0};

    qd_time_bucket_charge(&bucket, share, START_NS, 7 * MS_NS);
    qd_time_bucket_inherit(&other, &bucket);
    assert_false(qd_time_bucket_covers(&other, share, START_NS, 0));
}

TEST_MAIN()
