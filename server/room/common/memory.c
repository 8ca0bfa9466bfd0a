/* SPDX-License-Identifier: Apache-2.0 */
#include "memory.h"

/* A block is checked every CHECK_USES uses, and shrinks if none of them used more than a small part of it. */
#define CHECK_USES      256u
#define IDLE_FACTOR     4u
#define BLOCK_BYTES_MIN 1024u

/* What a block of no bytes gives. */
static _Alignas(QD_BLOCK_ALIGNMENT) char nothing[QD_BLOCK_ALIGNMENT];

static void empty(qd_block *block, qd_heap *heap)
{
    qd_heap_free_aligned(heap, block->memory, QD_BLOCK_ALIGNMENT, block->size);
    block->memory = NULL;
    block->size = 0;
}

/* Without memory, the block is empty. */
static void replace(qd_block *block, qd_heap *heap, size_t size)
{
    empty(block, heap);
    block->memory = qd_heap_alloc_aligned(heap, QD_BLOCK_ALIGNMENT, size);
    block->size = block->memory ? size : 0;
}

/* Adds half, so that slow growth does not replace the block at each use. */
static size_t with_reserve(size_t size)
{
    size_t generous = size + size / 2;

    return size == 0 ? 0 : qd_block_part(generous > BLOCK_BYTES_MIN ? generous : BLOCK_BYTES_MIN, 1);
}

static void count_use(qd_block *block, qd_heap *heap, size_t size)
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
}

void *qd_block_fit(qd_block *block, qd_heap *heap, size_t size)
{
    count_use(block, heap, size);
    if (size > block->size) {
        replace(block, heap, with_reserve(size));
    }
    if (size > block->size) {
        replace(block, heap, qd_block_part(size, 1));
    }
    return size == 0 ? nothing : size <= block->size ? block->memory : NULL;
}

void qd_block_rest(qd_block *block, qd_heap *heap)
{
    count_use(block, heap, 0);
}

void qd_block_deinit(qd_block *block, qd_heap *heap)
{
    empty(block, heap);
    *block = (qd_block){0};
}
