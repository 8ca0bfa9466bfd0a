/* SPDX-License-Identifier: Apache-2.0
 *
 * When empty cells of a sparse tree are taken away: those without rows and without cells below, and with them those
 * above that are left empty. They cost memory and visits of traversals, but may soon be needed again. Cells that may be
 * empty are candidates, on a list. The policies differ in what puts a cell on the list, and in when the list is pruned:
 *
 *     CANDIDATES   cells that were emptied or made; after every tick. AUTO is the same: it has been the fastest
 *     WALK         empty cells that the traversal visited; after every tick
 *     LAZY         cells that were emptied or made; when they are many compared with those that hold something
 */
#include "sparse.h"

#include "../../../base/ablation.h"
#include "../../../base/assert.h"
#include "../../../base/memory/array.h"

#define LAZY_SHARE 2u /* LAZY prunes when there are more candidates than one for this many branches */

static bool is_traversed(const qd_sparse *sparse)
{
    return sparse->index.config->prune == QD_SPACE_PRUNE_TRAVERSAL;
}

static bool is_empty(const qd_sparse *sparse, uint32_t number)
{
    return sparse->cells.cell[number].count == 0 && sparse->cells.link[number].first == QD_NONE;
}

void qd_sparse_prune_made(qd_sparse *sparse, uint32_t number)
{
    if (!is_traversed(sparse)) {
        sparse->unlisted |= !qd_sparse_note(sparse, &sparse->candidates, number, QD_CELL_CANDIDATE);
    }
}

/* The root stays. */
void qd_sparse_prune_emptied(qd_sparse *sparse, uint32_t number)
{
    if (is_traversed(sparse)) {
        sparse->unvisited++;
    } else if (sparse->cells.link[number].first == QD_NONE && number != QD_SPARSE_ROOT) {
        sparse->unlisted |= !qd_sparse_note(sparse, &sparse->candidates, number, QD_CELL_CANDIDATE);
    }
}

void qd_sparse_prune_passed(qd_sparse *sparse, uint32_t number)
{
    if (is_traversed(sparse) && sparse->notes_passed && !(sparse->cells.flags[number] & QD_CELL_CANDIDATE)) {
        uint32_t at = atomic_fetch_add_explicit(&sparse->candidates.count, 1, memory_order_relaxed);

        sparse->candidates.number[at] = number;
        sparse->cells.flags[number] |= QD_CELL_CANDIDATE;
    }
}

void qd_sparse_prune_traversal_begin(qd_sparse *sparse)
{
    if (is_traversed(sparse)) {
        sparse->notes_passed =
            qd_sparse_list_reserve(sparse, &sparse->candidates, sparse->candidates.count + sparse->cells.count);
    }
}

/* With all above that are left empty by it. */
static void prune_branch(qd_sparse *sparse, uint32_t number)
{
    while (number != QD_SPARSE_ROOT && is_empty(sparse, number)) {
        uint32_t parent = sparse->cells.link[number].parent;

        qd_sparse_cells_drop(&sparse->cells, number);
        sparse->pruned++;
        number = parent;
    }
}

/* A number may be here that has become another cell's: that is no candidate, or a later entry. */
static void look_through(qd_sparse *sparse)
{
    for (uint32_t i = 0; i < sparse->candidates.count; i++) {
        uint32_t number = sparse->candidates.number[i];

        if (sparse->cells.flags[number] & QD_CELL_CANDIDATE) {
            sparse->cells.flags[number] &= (uint8_t)~QD_CELL_CANDIDATE;
            prune_branch(sparse, number);
        }
    }
    sparse->candidates.count = 0;
}

/* A traversal does not visit all cells, and in some rooms visits none. When more cells were emptied and not visited
 * than there are branches, or candidates could not be listed, all cells are looked at. */
static void look_everywhere(qd_sparse *sparse)
{
    for (uint32_t number = 0; number < sparse->cells.used; number++) {
        if (!(sparse->cells.flags[number] & QD_CELL_FREE)) {
            sparse->cells.flags[number] &= (uint8_t)~QD_CELL_CANDIDATE;
            prune_branch(sparse, number);
        }
    }
    sparse->candidates.count = 0;
    sparse->unvisited = 0;
    sparse->unlisted = false;
}

/* No less than there are ends of branches with rows. A candidate is such an end, too: those above it that it may take
 * with it are not counted, and may be many. */
static uint32_t branches(const qd_sparse *sparse)
{
    uint32_t rows = sparse->index.rows->count, cells = sparse->cells.count;

    return rows < cells ? rows : cells;
}

void qd_sparse_prune(qd_sparse *sparse)
{
    const uint32_t candidates = sparse->candidates.count;
    bool is_due = !QD_WITHOUT(SPARSE_PRUNE);

    switch (sparse->index.config->prune) {
    case QD_SPACE_PRUNE_TRAVERSAL:
        sparse->unvisited -= sparse->unvisited < candidates ? sparse->unvisited : candidates;
        sparse->unlisted |= sparse->unvisited > branches(sparse);
        break;
    case QD_SPACE_PRUNE_LAZY:
        is_due &= candidates > branches(sparse) / LAZY_SHARE;
        break;
    default:
        break;
    }
    if (is_due && sparse->unlisted) {
        look_everywhere(sparse);
    } else if (is_due) {
        look_through(sparse);
    }
}
