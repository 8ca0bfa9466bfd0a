/* SPDX-License-Identifier: Apache-2.0
 *
 * Blocks: scratch memory without contents, fitted at each use. They give memory back when a burst is long over. Arrays
 * (base/memory/array.h), which never shrink, hold what belongs to entities and members.
 */
#ifndef QD_ROOM_COMMON_MEMORY_H
#define QD_ROOM_COMMON_MEMORY_H

#include "../../base/memory/array.h"

#define QD_BLOCK_ALIGNMENT 64u

typedef struct qd_block {
    void *memory;
    size_t size;
    size_t peak;   /* the largest of the last uses */
    uint32_t uses; /* since the size was last checked */
} qd_block;

/* At least `size` bytes, aligned to QD_BLOCK_ALIGNMENT. NULL: no memory, and the block is empty; never if size is 0. */
void *qd_block_fit(qd_block *block, qd_heap *heap, size_t size) QD_MUST_USE;
/* Counts as a use, of no bytes. A block that is not used for long gives its memory back only if it rests. */
void qd_block_rest(qd_block *block, qd_heap *heap);
void qd_block_deinit(qd_block *block, qd_heap *heap);

/* The bytes of `count` values of `size`, rounded up so that the next part of the block is aligned, too. */
static inline size_t qd_block_part(size_t count, size_t size)
{
    return (count * size + QD_BLOCK_ALIGNMENT - 1) & ~(size_t)(QD_BLOCK_ALIGNMENT - 1);
}

/* The same for columns that need not start a cache line. */
static inline size_t qd_block_column(size_t count, size_t size)
{
    return (count * size + 15) & ~(size_t)15;
}

#endif
