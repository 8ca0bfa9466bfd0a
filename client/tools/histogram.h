/* SPDX-License-Identifier: Apache-2.0
 *
 * A histogram of whole numbers of up to 64 bits, such as nanoseconds, in fixed memory.
 *
 * Buckets grow with the numbers: up to 255 each number has its own bucket, and from there each doubling has 128 equal
 * buckets. So a percentile is at most 1/128 above the exact one, for any distribution.
 *
 * A zeroed histogram is empty. One thread at a time may use it.
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
/* Adds the other histogram's numbers. */
void qd_histogram_add(qd_histogram *histogram, const qd_histogram *other);

/* The least number that at least `percent` of the recorded ones do not exceed, rounded up to the end of its bucket; 0
 * if empty. The 100th percentile is the exact maximum. */
uint64_t qd_histogram_percentile(const qd_histogram *histogram, double percent);

#endif
