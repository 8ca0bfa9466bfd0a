/* SPDX-License-Identifier: Apache-2.0 */
#include "counters.h"

#define X(name, number) _Static_assert((number) < QD_ERROR_CODES_END, "each code has a counter");
QD_ERROR_CODES(X)
#undef X

/* The part that this thread counts in. Part 0 is shared by the threads that found no other free. */
static uint32_t part_of_thread(void)
{
    static _Atomic uint32_t threads;
    static _Thread_local uint32_t number; /* from 1; 0: not yet chosen */

    if (number == 0) {
        uint32_t before = atomic_fetch_add_explicit(&threads, 1, memory_order_relaxed);

        number = before < QD_COUNTER_PARTS - 1 ? before + 2 : 1;
    }
    return number - 1;
}

/* A thread that has a part to itself needs no locked instruction, which would wait for all earlier stores. */
static void add(uint32_t part, _Atomic uint64_t *count, uint64_t amount)
{
    if (part == 0) {
        atomic_fetch_add_explicit(count, amount, memory_order_relaxed);
    } else {
        atomic_store_explicit(count, atomic_load_explicit(count, memory_order_relaxed) + amount, memory_order_relaxed);
    }
}

void qd_count(qd_counters *counters, qd_counter counter, uint64_t amount)
{
    const uint32_t part = part_of_thread();

    add(part, &counters->parts[part].of[counter], amount);
}

static uint32_t bucket_of(qd_histogram histogram, uint64_t value)
{
    const uint64_t unit = histogram == QD_HISTOGRAM_QUEUE ? 1 : QD_HISTOGRAM_TIME_NS;
    const uint64_t units = (value + unit - 1) / unit;
    const uint32_t bucket = units <= 1 ? 0 : 64 - (uint32_t)__builtin_clzll(units - 1);

    return bucket < QD_HISTOGRAM_BUCKETS ? bucket : QD_HISTOGRAM_BUCKETS - 1;
}

void qd_observe(qd_counters *counters, qd_histogram histogram, uint64_t value)
{
    const uint32_t part = part_of_thread();

    add(part, &counters->parts[part].buckets[histogram][bucket_of(histogram, value)], 1);
    add(part, &counters->parts[part].sums[histogram], value);
}

void qd_observed(const qd_counters *counters, qd_histogram histogram, uint64_t buckets[QD_HISTOGRAM_BUCKETS],
                 uint64_t *sum)
{
    *sum = 0;
    for (uint32_t i = 0; i < QD_HISTOGRAM_BUCKETS; i++) {
        buckets[i] = 0;
    }
    for (uint32_t part = 0; part < QD_COUNTER_PARTS; part++) {
        *sum += atomic_load_explicit(&counters->parts[part].sums[histogram], memory_order_relaxed);
        for (uint32_t i = 0; i < QD_HISTOGRAM_BUCKETS; i++) {
            buckets[i] += atomic_load_explicit(&counters->parts[part].buckets[histogram][i], memory_order_relaxed);
        }
    }
}

void qd_count_refusal(qd_counters *counters, const qd_shortage *shortage)
{
    const qd_counter first =
        shortage->code == QD_ERROR_QUOTA_SESSION ? QD_COUNT_REFUSED_SESSION : QD_COUNT_REFUSED_TENANT;

    qd_count(counters, first + (qd_counter)shortage->quota, 1);
}

uint64_t qd_counted(const qd_counters *counters, qd_counter counter)
{
    uint64_t sum = 0;

    for (uint32_t part = 0; part < QD_COUNTER_PARTS; part++) {
        sum += atomic_load_explicit(&counters->parts[part].of[counter], memory_order_relaxed);
    }
    return sum;
}
