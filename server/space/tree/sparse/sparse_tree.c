/* SPDX-License-Identifier: Apache-2.0 */
#include "sparse.h"

#include <float.h>
#include <math.h>

#include "../../../base/assert.h"
#include "../../../base/memory/array.h"

void qd_sparse_show_cells(qd_sparse *sparse)
{
    sparse->index.cell = sparse->cells.cell;
    sparse->index.cells = sparse->cells.used;
}

/* A number may be off by two roundings of float: what is in here is in the cell for sure. Away from the edges, the
 * conversion to float is one more, and a step makes up for it. What is farther from the origin than floats reach has
 * the last number. */
static qd_row room_of(const qd_sparse *sparse, uint64_t key)
{
    const uint32_t below = QD_KEY_BITS - qd_key_level(key);
    const double step = 1 / (double)sparse->quantizer.scale;
    qd_row room = {{0}};

    for (uint32_t k = 0; k < QD_AXES; k++) {
        uint32_t first = qd_key_at(key, k) << below, last = first + ((1u << below) - 1);
        double origin = (double)sparse->quantizer.origin[k];
        float low = (float)(origin + first * step * (1 + QD_QUANTIZER_MARGIN));
        float high = (float)(origin + fmin((last + 1) * step, (double)FLT_MAX) * (1 - QD_QUANTIZER_MARGIN));

        room.v[k] = first == 0 ? -INFINITY : nextafterf(low, INFINITY);
        room.v[QD_ROW_HIGH + k] = last == QD_KEY_LAST ? INFINITY : nextafterf(high, -INFINITY);
    }
    return room;
}

void qd_sparse_set_leaf(qd_sparse *sparse, uint32_t number, bool is_leaf)
{
    qd_sparse_cells *cells = &sparse->cells;

    if (cells->has_room) {
        cells->room[number] = is_leaf ? room_of(sparse, cells->key[number]) : QD_ROW_ABSENT;
    }
    cells->flags[number] = (uint8_t)((cells->flags[number] & ~QD_CELL_LEAF) | (is_leaf ? QD_CELL_LEAF : 0));
}

qd_extent qd_sparse_extent(const qd_sparse *sparse, uint64_t key)
{
    const uint32_t below = QD_KEY_BITS - qd_key_level(key);
    qd_numbers numbers;

    for (uint32_t k = 0; k < QD_AXES; k++) {
        numbers.v[k] = qd_key_at(key, k) << below;
        numbers.v[QD_ROW_HIGH + k] = numbers.v[k] + ((1u << below) - 1);
    }
    return qd_quantizer_extent(&sparse->quantizer, &numbers, QD_KEY_LAST);
}

bool qd_sparse_list_reserve(const qd_sparse *sparse, qd_sparse_list *list, uint32_t count)
{
    if (count > list->capacity) {
        uint32_t capacity = qd_array_capacity(list->capacity, count, 16);
        size_t size = sizeof *list->number;
        uint32_t *grown =
            qd_array_grow(sparse->index.heap, list->number, list->capacity * size, list->count * size, capacity * size);

        if (grown == NULL) {
            return false;
        }
        list->number = grown;
        list->capacity = capacity;
    }
    return true;
}

void qd_sparse_list_free(const qd_sparse *sparse, qd_sparse_list *list)
{
    qd_array_free(sparse->index.heap, list->number, list->capacity * sizeof *list->number);
}

bool qd_sparse_note(qd_sparse *sparse, qd_sparse_list *list, uint32_t number, qd_cell_flag flag)
{
    if (sparse->cells.flags[number] & flag) {
        return true;
    }
    if (!qd_sparse_list_reserve(sparse, list, list->count + 1)) {
        return false;
    }
    sparse->cells.flags[number] |= (uint8_t)flag;
    list->number[list->count++] = number;
    return true;
}

bool qd_sparse_holds(const qd_index *index, uint32_t cell, const qd_row *box)
{
    const qd_sparse *sparse = (const qd_sparse *)index;
    qd_numbers numbers = qd_key_numbers(&sparse->quantizer, box);
    uint64_t key = sparse->cells.key[cell];
    uint32_t level = qd_key_level(key);

    return !(sparse->cells.flags[cell] & QD_CELL_FREE) &&
           qd_key_above(qd_key_of(numbers.v), QD_KEY_BITS, level) == key &&
           qd_key_above(qd_key_of(numbers.v + QD_ROW_HIGH), QD_KEY_BITS, level) == key;
}

static void check_list(const qd_sparse *sparse, const qd_sparse_list *list, qd_cell_flag flag)
{
    uint32_t listed = 0, flagged = 0;

    for (uint32_t i = 0; i < list->count; i++) {
        QD_ASSERT(list->number[i] < sparse->cells.used);
        listed += (sparse->cells.flags[list->number[i]] & flag) != 0;
    }
    for (uint32_t number = 0; number < sparse->cells.used; number++) {
        flagged += (sparse->cells.flags[number] & flag) != 0;
    }
    QD_ASSERT(listed >= flagged);
}

/* What is left empty is known. */
static void check_cell(const qd_sparse *sparse, uint32_t number)
{
    const qd_sparse_cells *cells = &sparse->cells;
    uint32_t level = qd_key_level(cells->key[number]), flags = cells->flags[number];
    bool is_empty = cells->cell[number].count == 0 && cells->link[number].first == QD_NONE;

    QD_ASSERT(level <= sparse->depth_max && !(flags & QD_CELL_ACTIVE));
    QD_ASSERT(level < sparse->depth_max || (flags & QD_CELL_LEAF));
    QD_ASSERT(!(flags & QD_CELL_LEAF) || cells->link[number].first == QD_NONE);
    QD_ASSERT(sparse->index.config->depth == 0 || !(flags & QD_CELL_LEAF) == (level < sparse->depth_max));
    QD_ASSERT((number == QD_SPARSE_ROOT) == (cells->key[number] == QD_KEY_ROOT));
    QD_ASSERT(number == QD_SPARSE_ROOT || !is_empty || (flags & QD_CELL_CANDIDATE) || sparse->unlisted ||
              sparse->index.config->prune == QD_SPACE_PRUNE_TRAVERSAL);
    QD_ASSERT(!cells->has_room || (flags & QD_CELL_LEAF) || !qd_row_present(&cells->room[number], false));
}

void qd_sparse_validate(const qd_index *index)
{
    const qd_sparse *sparse = (const qd_sparse *)index;

    QD_ASSERT(index->cell == sparse->cells.cell && index->cells == sparse->cells.used);
    if (index->cells == 0) {
        return;
    }
    qd_sparse_cells_validate(&sparse->cells);
    for (uint32_t number = 0; number < index->cells; number++) {
        if (!(sparse->cells.flags[number] & QD_CELL_FREE)) {
            check_cell(sparse, number);
        }
    }
    check_list(sparse, &sparse->crowded, QD_CELL_CROWDED);
    check_list(sparse, &sparse->candidates, QD_CELL_CANDIDATE);
}
