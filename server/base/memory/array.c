/* SPDX-License-Identifier: Apache-2.0 */
#include "array.h"

#include <string.h>
#include <sys/mman.h>

#define HUGE_PAGE_BYTES ((size_t)2 << 20)

/* Large arrays are read at random: with large pages the processor finds their addresses without a walk of its own. A
 * hint, without which all works as well. */
static void hint_huge_pages(void *array, size_t bytes)
{
    uintptr_t first = ((uintptr_t)array + HUGE_PAGE_BYTES - 1) / HUGE_PAGE_BYTES * HUGE_PAGE_BYTES;
    uintptr_t last = ((uintptr_t)array + bytes) / HUGE_PAGE_BYTES * HUGE_PAGE_BYTES;

    if (last > first) {
        (void)madvise((void *)first, last - first, MADV_HUGEPAGE);
    }
}

void *qd_array_grow(qd_heap *heap, qd_array_mode mode, void *old, size_t bytes_old, size_t bytes_used, size_t bytes)
{
    void *grown = mode == QD_ARRAY_NEED ? qd_heap_need(heap, QD_ARRAY_ALIGNMENT, bytes)
                                        : qd_heap_alloc_aligned(heap, QD_ARRAY_ALIGNMENT, bytes);

    if (grown == NULL) {
        return NULL;
    }
    hint_huge_pages(grown, bytes);
    if (bytes_used > 0) {
        memcpy(grown, old, bytes_used);
    }
    qd_array_free(heap, old, bytes_old);
    return grown;
}

void qd_array_free(qd_heap *heap, void *array, size_t bytes)
{
    if (array != NULL) {
        qd_heap_free_aligned(heap, array, QD_ARRAY_ALIGNMENT, bytes);
    }
}
