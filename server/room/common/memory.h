/* SPDX-License-Identifier: Apache-2.0
 *
 * The two ways in which a room holds memory that grows:
 *
 *     array    keeps its contents and never shrinks: what belongs to entities and members
 *     block    scratch, fitted anew for each use: warm as long as uses are of like size, and given back in part when a
 *              burst is long over
 *
 * Both belong to a room, and are used by whoever runs it.
 */
#ifndef QD_ROOM_MEMORY_H
#define QD_ROOM_MEMORY_H

#include "../base/alloc.h"

/* The array of rows of `size`, made larger if it has no row `index` yet. NULL: no memory, and all is as it was. */
void *qd_array_reserve(qd_heap *heap, void *array, uint32_t *capacity, size_t size, uint32_t index) QD_MUST_USE;

/* The same, for what a tick cannot do without: may overdraw the budget. */
void *qd_array_need(qd_heap *heap, void *array, uint32_t *capacity, size_t size, uint32_t index);

#define QD_BLOCK_ALIGNMENT 64u

typedef struct qd_block {
    void *memory;
    size_t size;
    size_t peak;   /* the largest use in the present run of uses */
    uint32_t uses; /* in the present run */
} qd_block;

/* At least `size` bytes, aligned to QD_BLOCK_ALIGNMENT; may overdraw the budget. NULL when both size and block are
 * empty. */
void *qd_block_fit(qd_block *block, qd_heap *heap, size_t size);
void qd_block_deinit(qd_block *block, qd_heap *heap);

/* The bytes of `count` values of `size`, rounded up so that what follows in the same block is aligned as well. */
static inline size_t qd_block_part(size_t count, size_t size)
{
    return (count * size + QD_BLOCK_ALIGNMENT - 1) & ~(size_t)(QD_BLOCK_ALIGNMENT - 1);
}

/* The same, closer, of columns that need not begin with a line of cache of their own. */
static inline size_t qd_block_column(size_t count, size_t size)
{
    return (count * size + 15) & ~(size_t)15;
}

#endif
