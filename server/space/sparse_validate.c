/* SPDX-License-Identifier: Apache-2.0 */
#include "../base/assert.h"
#include "sparse.h"

bool qd_sparse_holds(const qd_index *index, uint32_t cell, const qd_row *box)
{
    const qd_sparse *sparse = (const qd_sparse *)index;
    qd_numbers numbers = qd_key_numbers(&sparse->frame, box);
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

/* A cell is where the one above expects it, and what is left empty is known. */
static uint32_t check_cell(const qd_sparse *sparse, uint32_t number)
{
    const qd_sparse_cells *cells = &sparse->cells;
    uint64_t key = cells->key[number];
    uint32_t level = qd_key_level(key), children = 0, flags = cells->flags[number];
    QD_ASSERT(level <= sparse->depth_max && !(flags & QD_SPARSE_STAMPED));
    QD_ASSERT(level < sparse->depth_max || (flags & QD_SPARSE_LEAF));
    QD_ASSERT(!(flags & QD_SPARSE_LEAF) || cells->children[number] == 0);
    QD_ASSERT(sparse->index.config->depth == 0 || !(flags & QD_SPARSE_LEAF) == (level < sparse->depth_max));
    if (number == QD_SPARSE_ROOT) {
        QD_ASSERT(key == QD_KEY_ROOT);
    } else {
        uint32_t parent = qd_sparse_cells_find(cells, qd_key_parent(key));
        QD_ASSERT(parent != QD_NONE && (cells->children[parent] >> qd_key_digit(key) & 1));
        QD_ASSERT(cells->cell[number].count > 0 || cells->children[number] != 0 || (flags & QD_SPARSE_SUSPECT) ||
                  sparse->index.config->prune == QD_SPACE_PRUNE_WALK);
    }
    for (uint32_t left = cells->children[number]; left != 0; left &= left - 1) {
        QD_ASSERT(qd_sparse_child(sparse, number, (uint32_t)__builtin_ctz(left)) != QD_NONE);
        children++;
    }
    return children;
}

void qd_sparse_validate(const qd_index *index)
{
    const qd_sparse *sparse = (const qd_sparse *)index;
    QD_ASSERT(index->cell == sparse->cells.cell && index->cells == sparse->cells.used);
    if (index->cells == 0) {
        return;
    }
    qd_sparse_cells_validate(&sparse->cells);
    uint32_t children = 0;
    for (uint32_t number = 0; number < index->cells; number++) {
        if (!(sparse->cells.flags[number] & QD_SPARSE_FREE)) {
            children += check_cell(sparse, number);
        }
    }
    QD_ASSERT(children + 1 == sparse->cells.count);
    check_list(sparse, &sparse->crowded, QD_SPARSE_CROWDED);
    check_list(sparse, &sparse->suspects, QD_SPARSE_SUSPECT);
}
