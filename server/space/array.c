/* SPDX-License-Identifier: Apache-2.0 */
#include "array.h"

#include <string.h>

void *qd_array_grow(qd_heap *heap, qd_array_mode mode, void *old, size_t bytes_old, size_t bytes_used, size_t bytes)
{
    void *grown = mode == QD_ARRAY_NEED ? qd_heap_need(heap, QD_ARRAY_ALIGNMENT, bytes)
                                        : qd_heap_alloc_aligned(heap, QD_ARRAY_ALIGNMENT, bytes);
    if (grown == NULL) {
        return NULL;
    }
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
