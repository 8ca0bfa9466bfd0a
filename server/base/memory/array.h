/* SPDX-License-Identifier: Apache-2.0
 *
 * Arrays that grow, counted in a heap. Large ones are aligned to cache lines and moved by copying; lists of rows have
 * the alignment of qd_heap_alloc.
 */
#ifndef QD_BASE_MEMORY_ARRAY_H
#define QD_BASE_MEMORY_ARRAY_H

#include "alloc.h"

/* ---- rows ---- */

/* Makes room for the row `index` of an array, which is NULL at first. Returns false, with nothing changed, if there is no
 * memory. Arguments may be evaluated twice. */
#define qd_array_reserve(heap, array, capacity, index)                                                                 \
    ((index) < (capacity) || qd_array_fit((heap), &(array), &(capacity), sizeof *(array), (index)))
/* The same with new rows that are zero. */
#define qd_array_reserve_zeroed(heap, array, capacity, index)                                                          \
    ((index) < (capacity) || qd_array_fit_zeroed((heap), &(array), &(capacity), sizeof *(array), (index)))
/* Gives back memory if at most a quarter of the rows, the first `used` ones, are in use. */
#define qd_array_trim(heap, array, capacity, used)                                                                     \
    qd_array_shrink((heap), &(array), &(capacity), sizeof *(array), (used))
/* Gives its memory back. */
#define qd_array_drop(heap, array, capacity) qd_heap_free((heap), (array), (capacity) * sizeof *(array))

/* For the macros above. `array` points to the pointer. */
bool qd_array_fit(qd_heap *heap, void *array, uint32_t *capacity, size_t size, uint32_t index);
bool qd_array_fit_zeroed(qd_heap *heap, void *array, uint32_t *capacity, size_t size, uint32_t index);
void qd_array_shrink(qd_heap *heap, void *array, uint32_t *capacity, size_t size, uint32_t used);

/* Sorts numbers ascending. */
void qd_array_sort(uint32_t *numbers, uint32_t count);

/* ---- large arrays ---- */

#define QD_ARRAY_ALIGNMENT 64u

/* A new home of `bytes` for the first `bytes_used` of an array of `bytes_old`; the old one is given back. NULL: there
 * is no memory, and the old one is as it was. */
void *qd_array_grow(qd_heap *heap, void *old, size_t bytes_old, size_t bytes_used, size_t bytes) QD_MUST_USE;

/* One of several arrays that get new homes together. */
typedef struct qd_array_part {
    void *array; /* points to the array's pointer */
    size_t bytes_old, bytes_used, bytes;
} qd_array_part;

#define QD_ARRAY_PARTS_MAX 6u

/* A part of these numbers of rows. */
#define QD_ARRAY_PART(array, old, used, capacity)                                                                      \
    {                                                                                                                  \
        &(array), (size_t)(old) * sizeof *(array), (size_t)(used) * sizeof *(array),                                   \
            (size_t)(capacity) * sizeof *(array)                                                                       \
    }

/* qd_array_grow for all of them, or for none: false. A part of 0 bytes stays as it is. */
bool qd_array_grow_all(qd_heap *heap, const qd_array_part *part, uint32_t count) QD_MUST_USE;
void qd_array_free(qd_heap *heap, void *array, size_t bytes);

/* What to grow to: half as much again while small, a quarter where memory is what counts. */
static inline uint32_t qd_array_capacity(uint32_t capacity, uint32_t needed, uint32_t smallest)
{
    uint32_t more = capacity + (capacity > 16384 ? capacity / 4 : capacity / 2);

    more = more < smallest ? smallest : more;
    return more < needed ? needed : more;
}

#endif
