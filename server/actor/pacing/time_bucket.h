/* SPDX-License-Identifier: Apache-2.0
 *
 * A time bucket: a token bucket for worker time, of one session or one room. It fills at the owner's share of the
 * workers' time, up to a burst; work takes out what it took. An owner whose bucket is empty is over its budget:
 * its work waits behind that of others, and is never refused.
 *
 *     balance: burst ----work----> below 0 (at most QD_TIME_DEBT_NS of waiting) --share of the time--> burst
 *
 * It is one number, the time at which the balance is 0: `empty_ns` before now is a balance, after now a debt. So many
 * threads charge it without a lock. The caller passes the time. [any]
 */
#ifndef QD_ACTOR_PACING_TIME_BUCKET_H
#define QD_ACTOR_PACING_TIME_BUCKET_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define QD_TIME_DEBT_NS UINT64_C(1000000000) /* until a debt is paid, at most */

/* Zero to begin with: full. */
typedef struct qd_time_bucket {
    _Atomic uint64_t empty_ns;
} qd_time_bucket;

/* What an owner may use, as worker time. */
typedef struct qd_time_share {
    uint64_t ns_per_s; /* at least 1 */
    uint64_t burst_ns;
} qd_time_share;

/* So many percent of the time of all workers. */
static inline qd_time_share qd_time_share_of(uint32_t percent, uint32_t workers, uint64_t burst_ns)
{
    return (qd_time_share){.ns_per_s = (uint64_t)percent * workers * 10000000u, .burst_ns = burst_ns};
}

/* Takes worker time out. */
void qd_time_bucket_charge(qd_time_bucket *bucket, qd_time_share share, uint64_t now_ns, uint64_t work_ns);
/* Whether work that is expected to take so long is within the budget. Work longer than the burst never is. */
bool qd_time_bucket_covers(const qd_time_bucket *bucket, qd_time_share share, uint64_t now_ns, uint64_t work_ns);
/* Goes on with the balance of another one. */
void qd_time_bucket_inherit(qd_time_bucket *bucket, const qd_time_bucket *from);

/* Whether it was never charged, so that it covers any short work, at any time. */
static inline bool qd_time_bucket_is_unused(const qd_time_bucket *bucket)
{
    return atomic_load_explicit(&bucket->empty_ns, memory_order_relaxed) == 0;
}

#endif
