/* SPDX-License-Identifier: Apache-2.0
 *
 * The cells of a sparse tree: a pool of them, their links in the tree, and a hash table that finds them by their keys.
 *
 *     slot[hash of key] --> number     open addressing; a cell dropped leaves no mark behind, those after it move up;
 *                                      the hash is keyed (geometry/mixer.h)
 *     number: cell, key, link, room, flags     arrays side by side, so that a look for one thing reads no other
 *
 * A number stays a cell's own until it is dropped; then it may be given to another. The tree decides which
 * cells there are (sparse_locate.c).
 *
 * Owned by the index. One thread at a time; any number may find.
 */
#ifndef QD_SPACE_TREE_SPARSE_SPARSE_CELLS_H
#define QD_SPACE_TREE_SPARSE_SPARSE_CELLS_H

#include "../../../base/memory/alloc.h"
#include "../../core/rows.h"
#include "../../geometry/mixer.h"
#include "../tree.h"
#include "sparse_key.h"

/* Numbers, or QD_NONE. */
typedef struct qd_sparse_link {
    uint32_t parent;
    uint32_t first; /* of the children */
    uint32_t next;  /* of the same parent's */
} qd_sparse_link;

typedef struct qd_sparse_cells {
    qd_heap *heap;
    qd_cell *cell;
    uint64_t *key;
    qd_sparse_link *link;
    qd_row *room;   /* of a leaf: boxes in it are in the cell; of others absent. NULL: cells have none */
    uint8_t *flags; /* qd_cell_flag */
    uint32_t *slot; /* numbers, or QD_NONE */
    bool has_room;
    uint32_t used; /* numbers ever given out */
    uint32_t capacity;
    uint32_t free_first;
    uint32_t count;
    uint32_t slot_bits; /* there are 2^slot_bits slots */
    qd_mixer mixer;
    uint32_t level_count[QD_SPARSE_DEPTH_MAX + 1];
} qd_sparse_cells;

void qd_sparse_cells_init(qd_sparse_cells *cells, qd_heap *heap, bool has_room, uint64_t key);
void qd_sparse_cells_deinit(qd_sparse_cells *cells);

/* Makes room for more cells. False: no memory. */
bool qd_sparse_cells_reserve(qd_sparse_cells *cells, uint32_t more) QD_MUST_USE;
/* A new cell, empty, without children, room and flags; there is none with this key, and room for one. QD_NONE is the
 * root's parent. */
uint32_t qd_sparse_cells_make(qd_sparse_cells *cells, uint64_t key, uint32_t parent);
/* Takes a cell away that has no children. */
void qd_sparse_cells_drop(qd_sparse_cells *cells, uint32_t number);
void qd_sparse_cells_validate(const qd_sparse_cells *cells);

/* Where a key is looked for first. Cells side by side are far apart in the table. */
static inline uint32_t qd_sparse_cells_home(const qd_sparse_cells *cells, uint64_t key)
{
    return qd_mixer_place_of_key(&cells->mixer, key, cells->slot_bits);
}

/* The cell's number, or QD_NONE. There has been room for a cell. */
static inline uint32_t qd_sparse_cells_find(const qd_sparse_cells *cells, uint64_t key)
{
    uint32_t last = (1u << cells->slot_bits) - 1, at = qd_sparse_cells_home(cells, key);

    while (cells->slot[at] != QD_NONE && cells->key[cells->slot[at]] != key) {
        at = (at + 1) & last;
    }
    return cells->slot[at];
}

#endif
