/* SPDX-License-Identifier: Apache-2.0 */
#include "counters.h"

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
void qd_count(qd_counters *counters, qd_counter counter, uint64_t amount)
{
    uint32_t part = part_of_thread();
    _Atomic uint64_t *count = &counters->parts[part].of[counter];

    if (part == 0) {
        atomic_fetch_add_explicit(count, amount, memory_order_relaxed);
    } else {
        atomic_store_explicit(count, atomic_load_explicit(count, memory_order_relaxed) + amount, memory_order_relaxed);
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
