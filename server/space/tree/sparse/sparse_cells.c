/* SPDX-License-Identifier: Apache-2.0 */
#include "sparse_cells.h"

#include <string.h>

#include "../../../base/assert.h"
#include "../../../base/memory/array.h"

#define CELLS_FIRST 16u

void qd_sparse_cells_init(qd_sparse_cells *cells, qd_heap *heap, bool has_room, uint64_t key)
{
    memset(cells, 0, sizeof *cells);
    cells->mixer = qd_mixer_of(key);
    cells->heap = heap;
    cells->has_room = has_room;
    cells->free_first = QD_NONE;
}

static size_t slots(uint32_t bits)
{
    return bits > 0 ? (size_t)1 << bits : 0;
}

void qd_sparse_cells_deinit(qd_sparse_cells *cells)
{
    qd_heap *heap = cells->heap;

    qd_array_free(heap, cells->cell, cells->capacity * sizeof *cells->cell);
    qd_array_free(heap, cells->key, cells->capacity * sizeof *cells->key);
    qd_array_free(heap, cells->link, cells->capacity * sizeof *cells->link);
    qd_array_free(heap, cells->room, cells->capacity * sizeof *cells->room);
    qd_array_free(heap, cells->flags, cells->capacity);
    qd_array_free(heap, cells->slot, slots(cells->slot_bits) * sizeof *cells->slot);
}

static void enter(qd_sparse_cells *cells, uint32_t number)
{
    uint32_t last = (1u << cells->slot_bits) - 1, at = qd_sparse_cells_home(cells, cells->key[number]);

    while (cells->slot[at] != QD_NONE) {
        at = (at + 1) & last;
    }
    cells->slot[at] = number;
}

/* No more than two of three slots are taken. */
static bool widen(qd_sparse_cells *cells, uint32_t count)
{
    uint32_t bits = cells->slot_bits;

    while (2 * slots(bits) < (size_t)3 * count) {
        bits++;
    }
    if (bits == cells->slot_bits) {
        return true;
    }
    uint32_t *slot = qd_array_grow(cells->heap, NULL, 0, 0, slots(bits) * sizeof *slot);
    if (slot == NULL) {
        return false;
    }
    qd_array_free(cells->heap, cells->slot, slots(cells->slot_bits) * sizeof *slot);
    memset(slot, 0xff, slots(bits) * sizeof *slot);
    cells->slot = slot;
    cells->slot_bits = bits;
    for (uint32_t number = 0; number < cells->used; number++) {
        if (!(cells->flags[number] & QD_CELL_FREE)) {
            enter(cells, number);
        }
    }
    return true;
}

static bool grow(qd_sparse_cells *cells, uint32_t needed)
{
    if (needed > cells->capacity) {
        const uint32_t capacity = qd_array_capacity(cells->capacity, needed, CELLS_FIRST);
        const uint32_t old = cells->capacity, used = cells->used;
        const qd_array_part parts[] = {
            QD_ARRAY_PART(cells->link, old, used, capacity),
            QD_ARRAY_PART(cells->key, old, used, capacity),
            QD_ARRAY_PART(cells->cell, old, used, capacity),
            QD_ARRAY_PART(cells->flags, old, used, capacity),
            QD_ARRAY_PART(cells->room, old, used, cells->has_room ? capacity : 0),
        };

        if (!qd_array_grow_all(cells->heap, parts, 5)) {
            return false;
        }
        cells->capacity = capacity;
    }
    return widen(cells, needed);
}

bool qd_sparse_cells_reserve(qd_sparse_cells *cells, uint32_t more)
{
    const uint32_t needed = cells->count + more;

    return QD_LIKELY(needed <= cells->capacity && 3 * (size_t)needed <= 2 * slots(cells->slot_bits)) ||
           grow(cells, needed);
}

uint32_t qd_sparse_cells_make(qd_sparse_cells *cells, uint64_t key, uint32_t parent)
{
    QD_ASSERT(cells->count < cells->capacity && 3 * (size_t)(cells->count + 1) <= 2 * slots(cells->slot_bits));
    uint32_t number = cells->free_first;
    if (number != QD_NONE) {
        cells->free_first = (uint32_t)cells->key[number];
    } else {
        number = cells->used++;
    }
    cells->cell[number] = (qd_cell){QD_NONE, 0};
    cells->key[number] = key;
    cells->link[number] = (qd_sparse_link){parent, QD_NONE, QD_NONE};
    cells->flags[number] = 0;
    if (cells->has_room) {
        cells->room[number] = QD_ROW_ABSENT;
    }
    if (parent != QD_NONE) {
        cells->link[number].next = cells->link[parent].first;
        cells->link[parent].first = number;
    }
    cells->count++;
    cells->level_count[qd_key_level(key)]++;
    enter(cells, number);
    return number;
}

/* Takes a key out of the table. Those behind it that would not be found across the gap move into it. */
static void leave(qd_sparse_cells *cells, uint32_t number)
{
    uint32_t last = (1u << cells->slot_bits) - 1, gap = qd_sparse_cells_home(cells, cells->key[number]);

    while (cells->slot[gap] != number) {
        gap = (gap + 1) & last;
    }
    for (uint32_t at = (gap + 1) & last; cells->slot[at] != QD_NONE; at = (at + 1) & last) {
        uint32_t home = qd_sparse_cells_home(cells, cells->key[cells->slot[at]]);

        if (((at - home) & last) >= ((at - gap) & last)) {
            cells->slot[gap] = cells->slot[at];
            gap = at;
        }
    }
    cells->slot[gap] = QD_NONE;
}

void qd_sparse_cells_drop(qd_sparse_cells *cells, uint32_t number)
{
    QD_ASSERT(cells->link[number].first == QD_NONE);
    leave(cells, number);
    if (cells->link[number].parent != QD_NONE) {
        uint32_t *at = &cells->link[cells->link[number].parent].first;

        while (*at != number) {
            at = &cells->link[*at].next;
        }
        *at = cells->link[number].next;
    }
    cells->count--;
    cells->level_count[qd_key_level(cells->key[number])]--;
    cells->flags[number] = QD_CELL_FREE;
    cells->key[number] = cells->free_first;
    cells->free_first = number;
}

void qd_sparse_cells_validate(const qd_sparse_cells *cells)
{
    uint32_t count = 0, children = 0, roots = 0, taken = 0, vacant = 0, level_count[QD_SPARSE_DEPTH_MAX + 1] = {0};

    for (uint32_t number = 0; number < cells->used; number++) {
        if (cells->flags[number] & QD_CELL_FREE) {
            QD_ASSERT(cells->cell[number].head == QD_NONE && cells->cell[number].count == 0);
            continue;
        }
        uint64_t key = cells->key[number];
        count++;
        level_count[qd_key_level(key)]++;
        QD_ASSERT(qd_sparse_cells_find(cells, key) == number);
        for (uint32_t child = cells->link[number].first; child != QD_NONE; child = cells->link[child].next) {
            QD_ASSERT(cells->link[child].parent == number && qd_key_parent(cells->key[child]) == key);
            children++;
        }
        roots += cells->link[number].parent == QD_NONE;
    }
    QD_ASSERT(children + roots == count);
    QD_ASSERT(count == cells->count);
    QD_ASSERT(memcmp(level_count, cells->level_count, sizeof level_count) == 0);
    for (size_t at = 0; at < slots(cells->slot_bits); at++) {
        taken += cells->slot[at] != QD_NONE;
    }
    QD_ASSERT(taken == count);
    for (uint32_t number = cells->free_first; number != QD_NONE; number = (uint32_t)cells->key[number]) {
        QD_ASSERT(number < cells->used && (cells->flags[number] & QD_CELL_FREE));
        vacant++;
    }
    QD_ASSERT(count + vacant == cells->used);
}
