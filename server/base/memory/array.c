/* SPDX-License-Identifier: Apache-2.0 */
#include "array.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "../assert.h"

#define ROWS_MIN 8u

bool qd_array_fit(qd_heap *heap, void *array, uint32_t *capacity, size_t size, uint32_t index)
{
    uint32_t larger = *capacity > 0 ? *capacity : ROWS_MIN;
    size_t old_size = *capacity * size;
    void *old, *grown;

    while (larger <= index) {
        larger *= 2;
    }
    memcpy(&old, array, sizeof old);
    grown = qd_heap_resize(heap, old, old_size, larger * size);
    if (grown == NULL) {
        return false;
    }
    memcpy(array, &grown, sizeof grown);
    *capacity = larger;
    return true;
}

bool qd_array_fit_zeroed(qd_heap *heap, void *array, uint32_t *capacity, size_t size, uint32_t index)
{
    size_t old_size = *capacity * size;
    char *rows;

    if (!qd_array_fit(heap, array, capacity, size, index)) {
        return false;
    }
    memcpy(&rows, array, sizeof rows);
    memset(rows + old_size, 0, *capacity * size - old_size);
    return true;
}

void qd_array_shrink(qd_heap *heap, void *array, uint32_t *capacity, size_t size, uint32_t used)
{
    uint32_t smaller = ROWS_MIN;
    void *rows;

    while (smaller < used) {
        smaller *= 2;
    }
    smaller = used == 0 ? 0 : smaller;
    if (*capacity == 0 || smaller > *capacity / 4) {
        return;
    }
    memcpy(&rows, array, sizeof rows);
    void *fewer = smaller > 0 ? qd_heap_resize(heap, rows, *capacity * size, smaller * size) : NULL;
    if (smaller > 0 && fewer == NULL) {
        return; /* it stays as large */
    }
    if (smaller == 0) {
        qd_heap_free(heap, rows, *capacity * size);
    }
    memcpy(array, &fewer, sizeof fewer);
    *capacity = smaller;
}

static int compare(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;

    return (left > right) - (left < right);
}

void qd_array_sort(uint32_t *numbers, uint32_t count)
{
    if (count > 1) {
        qsort(numbers, count, sizeof *numbers, compare);
    }
}

/* ---- large arrays ---- */

#define HUGE_PAGE_BYTES ((size_t)2 << 20)

/* Large arrays are read at random: with large pages the processor finds their addresses without a walk of its own. That
 * ends with the array. Else the system could fill a large page behind a few bytes in use, which the footprint does not
 * count (malloc_conf in footprint.c). A hint, without which all works as well. */
static void hint_huge_pages(void *array, size_t bytes, int advice)
{
    uintptr_t first = ((uintptr_t)array + HUGE_PAGE_BYTES - 1) / HUGE_PAGE_BYTES * HUGE_PAGE_BYTES;
    uintptr_t last = ((uintptr_t)array + bytes) / HUGE_PAGE_BYTES * HUGE_PAGE_BYTES;

    if (last > first) {
        (void)madvise((void *)first, last - first, advice);
    }
}

static void *alloc_large(qd_heap *heap, size_t bytes)
{
    void *array = qd_heap_alloc_aligned(heap, QD_ARRAY_ALIGNMENT, bytes);

    if (array != NULL) {
        hint_huge_pages(array, bytes, MADV_HUGEPAGE);
    }
    return array;
}

void *qd_array_grow(qd_heap *heap, void *old, size_t bytes_old, size_t bytes_used, size_t bytes)
{
    void *grown = alloc_large(heap, bytes);

    if (grown == NULL) {
        return NULL;
    }
    if (bytes_used > 0) {
        memcpy(grown, old, bytes_used);
    }
    qd_array_free(heap, old, bytes_old);
    return grown;
}

bool qd_array_grow_all(qd_heap *heap, const qd_array_part *part, uint32_t count)
{
    void *grown[QD_ARRAY_PARTS_MAX];

    QD_ASSERT(count <= QD_ARRAY_PARTS_MAX);
    for (uint32_t i = 0; i < count; i++) {
        grown[i] = part[i].bytes > 0 ? alloc_large(heap, part[i].bytes) : NULL;
        if (grown[i] == NULL && part[i].bytes > 0) {
            while (i-- > 0) {
                qd_array_free(heap, grown[i], part[i].bytes);
            }
            return false;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        void *old;

        if (grown[i] == NULL) {
            continue;
        }
        memcpy(&old, part[i].array, sizeof old);
        if (part[i].bytes_used > 0) {
            memcpy(grown[i], old, part[i].bytes_used);
        }
        qd_array_free(heap, old, part[i].bytes_old);
        memcpy(part[i].array, &grown[i], sizeof grown[i]);
    }
    return true;
}

void qd_array_free(qd_heap *heap, void *array, size_t bytes)
{
    if (array != NULL) {
        hint_huge_pages(array, bytes, MADV_NOHUGEPAGE);
        qd_heap_free_aligned(heap, array, QD_ARRAY_ALIGNMENT, bytes);
    }
}
