/* SPDX-License-Identifier: Apache-2.0
 *
 * Arrays that grow: aligned to cache lines, counted in a heap, moved by copying.
 */
#ifndef QD_BASE_MEMORY_ARRAY_H
#define QD_BASE_MEMORY_ARRAY_H

#include "alloc.h"

#define QD_ARRAY_ALIGNMENT 64u

typedef enum qd_array_mode { QD_ARRAY_TRY, QD_ARRAY_NEED } qd_array_mode;

/* A new home of `bytes` for the first `bytes_used` of an array of `bytes_old`; the old one is given back. NULL, with
 * the old one left as it was, only with QD_ARRAY_TRY. */
void *qd_array_grow(qd_heap *heap, qd_array_mode mode, void *old, size_t bytes_old, size_t bytes_used, size_t bytes);
void qd_array_free(qd_heap *heap, void *array, size_t bytes);

/* What to grow to: half as much again while small, a quarter where memory is what counts. */
static inline uint32_t qd_array_capacity(uint32_t capacity, uint32_t needed, uint32_t smallest)
{
    uint32_t more = capacity + (capacity > 16384 ? capacity / 4 : capacity / 2);

    more = more < smallest ? smallest : more;
    return more < needed ? needed : more;
}

#endif
