/* SPDX-License-Identifier: Apache-2.0 */
#include "histogram.h"

#include <math.h>

#define STEPS (1u << QD_HISTOGRAM_STEP_BITS)

/* The shift that maps the numbers of value's doubling to STEPS buckets. */
static uint32_t shift_of(uint64_t value)
{
    return value < STEPS ? 0 : 63u - (uint32_t)__builtin_clzll(value) - QD_HISTOGRAM_STEP_BITS;
}

static uint32_t bucket_of(uint64_t value)
{
    uint32_t shift = shift_of(value);

    return shift * STEPS + (uint32_t)(value >> shift);
}

/* The largest number of the bucket, the inverse of bucket_of. */
static uint64_t end_of(uint32_t bucket)
{
    if (bucket < 2 * STEPS) {
        return bucket;
    }
    uint32_t shift = bucket / STEPS - 1;
    uint64_t start = (uint64_t)(bucket - shift * STEPS) << shift;
    return start + (((uint64_t)1 << shift) - 1);
}

void qd_histogram_record(qd_histogram *histogram, uint64_t value)
{
    histogram->buckets[bucket_of(value)]++;
    histogram->count++;
    if (value > histogram->max) {
        histogram->max = value;
    }
}

void qd_histogram_add(qd_histogram *histogram, const qd_histogram *other)
{
    for (uint32_t bucket = 0; bucket < QD_HISTOGRAM_BUCKETS; bucket++) {
        histogram->buckets[bucket] += other->buckets[bucket];
    }
    histogram->count += other->count;
    if (other->max > histogram->max) {
        histogram->max = other->max;
    }
}

uint64_t qd_histogram_percentile(const qd_histogram *histogram, double percent)
{
    double rank = ceil((double)histogram->count * percent / 100.0);
    uint64_t passed = 0;

    for (uint32_t bucket = 0; bucket < QD_HISTOGRAM_BUCKETS; bucket++) {
        passed += histogram->buckets[bucket];
        if (passed > 0 && (double)passed >= rank) {
            return end_of(bucket) < histogram->max ? end_of(bucket) : histogram->max;
        }
    }
    return 0;
}
