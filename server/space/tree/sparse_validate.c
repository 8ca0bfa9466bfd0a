/* SPDX-License-Identifier: Apache-2.0 */
#include "../../base/assert.h"
#include "sparse.h"

bool qd_sparse_holds(const qd_index *index, uint32_t cell, const qd_row *box)
{
    const qd_sparse *sparse = (const qd_sparse *)index;
    qd_numbers numbers = qd_key_numbers(&sparse->quantizer, box);
    uint64_t key = sparse->cells.key[cell];
    uint32_t level = qd_key_level(key);

    return !(sparse->cells.flags[cell] & QD_SPARSE_FREE) &&
           qd_key_above(qd_key_of(numbers.v), QD_KEY_BITS, level) == key &&
           qd_key_above(qd_key_of(numbers.v + QD_ROW_HIGH), QD_KEY_BITS, level) == key;
}

static void check_list(const qd_sparse *sparse, const qd_sparse_list *list, qd_sparse_flag flag)
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

    QD_ASSERT(level <= sparse->depth_max && !(flags & QD_SPARSE_ACTIVE));
    QD_ASSERT(level < sparse->depth_max || (flags & QD_SPARSE_LEAF));
    QD_ASSERT(!(flags & QD_SPARSE_LEAF) || cells->link[number].first == QD_NONE);
    QD_ASSERT(sparse->index.config->depth == 0 || !(flags & QD_SPARSE_LEAF) == (level < sparse->depth_max));
    QD_ASSERT((number == QD_SPARSE_ROOT) == (cells->key[number] == QD_KEY_ROOT));
    QD_ASSERT(number == QD_SPARSE_ROOT || !is_empty || (flags & QD_SPARSE_CANDIDATE) ||
              sparse->index.config->prune == QD_SPACE_PRUNE_WALK);
    QD_ASSERT(!cells->has_room || (flags & QD_SPARSE_LEAF) || !qd_row_present(&cells->room[number], false));
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
        if (!(sparse->cells.flags[number] & QD_SPARSE_FREE)) {
            check_cell(sparse, number);
        }
    }
    check_list(sparse, &sparse->crowded, QD_SPARSE_CROWDED);
    check_list(sparse, &sparse->candidates, QD_SPARSE_CANDIDATE);
}
