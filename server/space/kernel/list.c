/* SPDX-License-Identifier: Apache-2.0 */
#include "list.h"

#include <string.h>

#include "../../base/assert.h"
#include "../../base/memory/array.h"

/* Rows are written in whole blocks and registers, also behind the last one. */
static uint32_t list_capacity(uint32_t capacity, uint32_t count)
{
    uint32_t needed = (count + 3 * QD_LIST_LANES - 1) / QD_LIST_LANES * QD_LIST_LANES;
    uint32_t more = capacity + capacity / 2;

    return needed > more ? needed : (more + QD_LIST_LANES - 1) / QD_LIST_LANES * QD_LIST_LANES;
}

/* Columns, references, bits of both kinds, and groups of 32 rows or more with their reach. */
static size_t list_bytes(uint32_t capacity, size_t width)
{
    return capacity * (QD_LIST_COLUMNS * width + sizeof(uint32_t)) + 2 * (capacity / 64 + 1) * sizeof(uint64_t) +
           capacity / 32 * (QD_LIST_COLUMNS + 1) * width;
}

static unsigned char *regrow(qd_heap *heap, void *old, uint32_t capacity_old, uint32_t capacity, size_t width)
{
    unsigned char *home = qd_heap_alloc_aligned(heap, QD_ARRAY_ALIGNMENT, list_bytes(capacity, width));
    unsigned char *from = old;

    if (home == NULL) {
        return NULL;
    }
    memset(home, 0, list_bytes(capacity, width));
    if (from != NULL) {
        for (size_t k = 0; k < QD_LIST_COLUMNS; k++) {
            memcpy(home + k * capacity * width, from + k * capacity_old * width, capacity_old * width);
        }
        size_t rows = QD_LIST_COLUMNS * width, size = sizeof(uint32_t);
        memcpy(home + rows * capacity, from + rows * capacity_old, capacity_old * size);
        memcpy(home + (rows + size) * capacity, from + (rows + size) * capacity_old,
               (capacity_old / 64 + 1) * sizeof(uint64_t));
        qd_array_free(heap, old, list_bytes(capacity_old, width));
    }
    return home;
}

bool qd_list16_grow(qd_heap *heap, qd_list16 *list, uint32_t count)
{
    uint32_t capacity = list_capacity(list->capacity, count);
    unsigned char *home = regrow(heap, list->column[0], list->capacity, capacity, sizeof(uint16_t));

    if (home == NULL) {
        return false;
    }
    for (size_t k = 0; k < QD_LIST_COLUMNS; k++) {
        list->column[k] = (uint16_t *)(void *)(home + k * capacity * sizeof(uint16_t));
    }
    list->row = (uint32_t *)(void *)(home + QD_LIST_COLUMNS * capacity * sizeof(uint16_t));
    list->changed = (uint64_t *)(void *)(list->row + capacity);
    list->self_ignoring = list->changed + capacity / 64 + 1;
    list->group = (uint16_t *)(void *)(list->self_ignoring + capacity / 64 + 1);
    list->reach = list->group + (size_t)capacity / 32 * QD_LIST_COLUMNS;
    list->capacity = capacity;
    return true;
}

bool qd_list8_grow(qd_heap *heap, qd_list8 *list, uint32_t count)
{
    uint32_t capacity = list_capacity(list->capacity, count);
    unsigned char *home = regrow(heap, list->column[0], list->capacity, capacity, sizeof(uint8_t));

    if (home == NULL) {
        return false;
    }
    for (size_t k = 0; k < QD_LIST_COLUMNS; k++) {
        list->column[k] = home + k * capacity;
    }
    list->row = (uint32_t *)(void *)(home + QD_LIST_COLUMNS * capacity);
    list->changed = (uint64_t *)(void *)(list->row + capacity);
    list->self_ignoring = list->changed + capacity / 64 + 1;
    list->group = (uint8_t *)(list->self_ignoring + capacity / 64 + 1);
    list->reach = list->group + (size_t)capacity / 32 * QD_LIST_COLUMNS;
    list->capacity = capacity;
    return true;
}

void qd_list16_free(qd_heap *heap, qd_list16 *list)
{
    qd_array_free(heap, list->column[0], list_bytes(list->capacity, sizeof(uint16_t)));
    memset(list, 0, sizeof *list);
}

void qd_list8_free(qd_heap *heap, qd_list8 *list)
{
    qd_array_free(heap, list->column[0], list_bytes(list->capacity, sizeof(uint8_t)));
    memset(list, 0, sizeof *list);
}
