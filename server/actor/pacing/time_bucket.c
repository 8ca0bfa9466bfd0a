/* SPDX-License-Identifier: Apache-2.0 */
#include "time_bucket.h"

#define SECOND_NS UINT64_C(1000000000)

/* How long the share takes to fill in that much worker time. */
static uint64_t filling_ns(qd_time_share share, uint64_t work_ns)
{
    const uint64_t work_ns_max = QD_TIME_DEBT_NS; /* more is debt at its limit, whatever the share */

    return (work_ns < work_ns_max ? work_ns : work_ns_max) * SECOND_NS / share.ns_per_s;
}

/* The `empty_ns` of a full bucket. */
static uint64_t full_ns(qd_time_share share, uint64_t now_ns)
{
    uint64_t burst_ns = filling_ns(share, share.burst_ns);

    return now_ns > burst_ns ? now_ns - burst_ns : 0;
}

static uint64_t later(uint64_t a_ns, uint64_t b_ns)
{
    return a_ns > b_ns ? a_ns : b_ns;
}

void qd_time_bucket_charge(qd_time_bucket *bucket, qd_time_share share, uint64_t now_ns, uint64_t work_ns)
{
    uint64_t before = atomic_load_explicit(&bucket->empty_ns, memory_order_relaxed), after;

    do {
        after = later(before, full_ns(share, now_ns)) + filling_ns(share, work_ns);
        if (after > now_ns + QD_TIME_DEBT_NS) {
            after = later(before, now_ns + QD_TIME_DEBT_NS);
        }
    } while (!atomic_compare_exchange_weak_explicit(&bucket->empty_ns, &before, after, memory_order_relaxed,
                                                    memory_order_relaxed));
}

bool qd_time_bucket_covers(const qd_time_bucket *bucket, qd_time_share share, uint64_t now_ns, uint64_t work_ns)
{
    uint64_t empty_ns = atomic_load_explicit(&bucket->empty_ns, memory_order_relaxed);

    return later(empty_ns, full_ns(share, now_ns)) + filling_ns(share, work_ns) <= now_ns;
}

void qd_time_bucket_inherit(qd_time_bucket *bucket, const qd_time_bucket *from)
{
    atomic_store_explicit(&bucket->empty_ns, atomic_load_explicit(&from->empty_ns, memory_order_relaxed),
                          memory_order_relaxed);
}
