/* SPDX-License-Identifier: Apache-2.0
 *
 * The median of measured times.
 */
#ifndef QD_BENCH_MEDIAN_H
#define QD_BENCH_MEDIAN_H

#include <stdint.h>
#include <stdlib.h>

static inline int by_value(const void *a, const void *b)
{
    double one = *(const double *)a, other = *(const double *)b;

    return one < other ? -1 : one > other;
}

/* Returns the median of at least one value, and leaves the values sorted: the minimum is the first. */
static inline double median(double *values, size_t count)
{
    qsort(values, count, sizeof values[0], by_value);
    return values[count / 2];
}

#endif
