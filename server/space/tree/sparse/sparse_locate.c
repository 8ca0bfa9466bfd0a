/* SPDX-License-Identifier: Apache-2.0 */
#include "sparse.h"

#include "../../../base/assert.h"

static uint32_t make(qd_sparse *sparse, uint64_t key, uint32_t level, uint32_t parent)
{
    uint32_t number = qd_sparse_cells_make(&sparse->cells, key, parent);

    if (level >= sparse->leaf_from || level == sparse->depth_max) {
        qd_sparse_set_leaf(sparse, number, true);
    }
    qd_sparse_show_cells(sparse);
    return number;
}

/* The root, alone. */
void qd_sparse_begin(qd_sparse *sparse)
{
    uint32_t number = make(sparse, QD_KEY_ROOT, 0, QD_NONE);

    QD_ASSERT(number == QD_SPARSE_ROOT);
}

/* The smallest cell there is that contains a finest one and is of this level or above. All cells above one exist, so
 * the search goes up or down from where the last one ended; most end there at once. */
uint32_t qd_sparse_find(const qd_sparse *sparse, uint64_t finest, uint32_t level)
{
    const qd_sparse_cells *cells = &sparse->cells;
    uint32_t at = sparse->level_usual < level ? sparse->level_usual : level;
    uint32_t number = qd_sparse_cells_find(cells, qd_key_above(finest, QD_KEY_BITS, at));

    while (number == QD_NONE) {
        at--;
        number = qd_sparse_cells_find(cells, qd_key_above(finest, QD_KEY_BITS, at));
    }
    while (at < level && cells->link[number].first != QD_NONE) {
        at++;
        uint32_t below = qd_sparse_cells_find(cells, qd_key_above(finest, QD_KEY_BITS, at));
        if (below == QD_NONE) {
            break;
        }
        number = below;
    }
    return number;
}

uint32_t qd_sparse_locate(qd_sparse *sparse, const qd_row *box)
{
    qd_numbers numbers = qd_key_numbers(&sparse->quantizer, box);
    uint32_t level = qd_key_level_of(&numbers);

    level = level < sparse->depth_max ? level : sparse->depth_max;
    uint64_t finest = qd_key_of(numbers.v);
    uint32_t number = qd_sparse_find(sparse, finest, level), at = qd_key_level(sparse->cells.key[number]);
    if (at < level && !qd_sparse_is_leaf(sparse, number)) {
        const uint32_t leaf = at + 1 > sparse->leaf_from ? at + 1 : sparse->leaf_from;

        if (!qd_sparse_cells_reserve(&sparse->cells, (leaf < level ? leaf : level) - at)) {
            sparse->index.is_loose = true;
            return number;
        }
    }
    while (at < level && !qd_sparse_is_leaf(sparse, number)) {
        at++;
        number = make(sparse, qd_key_above(finest, QD_KEY_BITS, at), at, number);
        qd_sparse_prune_made(sparse, number);
    }
    sparse->level_usual = at;
    return number;
}
