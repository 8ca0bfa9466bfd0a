/* SPDX-License-Identifier: Apache-2.0 */
#include "memory.h"

/* A block is checked every CHECK_USES uses, and shrinks if none of them used more than a small part of it. */
#define CHECK_USES      256u
#define IDLE_FACTOR     4u
#define BLOCK_BYTES_MIN 1024u

static void replace(qd_block *block, qd_heap *heap, size_t size)
{
    qd_heap_free_aligned(heap, block->memory, QD_BLOCK_ALIGNMENT, block->size);
    block->memory = size > 0 ? qd_heap_need(heap, QD_BLOCK_ALIGNMENT, size) : NULL;
    block->size = size;
}

/* Adds half, so that slow growth does not replace the block at each use. */
static size_t with_reserve(size_t size)
{
    size_t generous = size + size / 2;

    return size == 0 ? 0 : qd_block_part(generous > BLOCK_BYTES_MIN ? generous : BLOCK_BYTES_MIN, 1);
}

void *qd_block_fit(qd_block *block, qd_heap *heap, size_t size)
{
    if (size > block->peak) {
        block->peak = size;
    }
    if (++block->uses == CHECK_USES) {
        if (with_reserve(block->peak) < block->size / IDLE_FACTOR) {
            replace(block, heap, with_reserve(block->peak));
        }
        block->uses = 0;
        block->peak = size;
    }
    if (size > block->size) {
        replace(block, heap, with_reserve(size));
    }
    return block->memory;
}

void qd_block_deinit(qd_block *block, qd_heap *heap)
{
    replace(block, heap, 0);
    *block = (qd_block){0};
}
