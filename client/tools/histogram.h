/* SPDX-License-Identifier: Apache-2.0
 *
 * A histogram of whole numbers, such as nanoseconds, over the whole range of 64 bits, in fixed memory.
 *
 * Buckets grow with the numbers: up to 255 each number has its own, and from there on each doubling is cut into 128
 * equal ones. So a percentile is at most 1/128 above the exact one, whatever the distribution.
 *
 * A histogram is zero to begin with. One thread at a time.
 */
#ifndef QD_TOOLS_HISTOGRAM_H
#define QD_TOOLS_HISTOGRAM_H

#include <stdint.h>

#define QD_HISTOGRAM_STEP_BITS 7u
#define QD_HISTOGRAM_BUCKETS   ((65u - QD_HISTOGRAM_STEP_BITS) << QD_HISTOGRAM_STEP_BITS)

typedef struct qd_histogram {
    uint64_t count;
    uint64_t max;
    uint64_t buckets[QD_HISTOGRAM_BUCKETS];
} qd_histogram;

void qd_histogram_record(qd_histogram *histogram, uint64_t value);
/* Adds what the other one has recorded. */
void qd_histogram_add(qd_histogram *histogram, const qd_histogram *other);

/* The smallest number that at least so many percent of those recorded do not exceed, rounded up to the end of its
 * bucket; 0 when there are none. The 100th is the exact maximum. */
uint64_t qd_histogram_percentile(const qd_histogram *histogram, double percent);

#endif
