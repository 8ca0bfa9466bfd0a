/* SPDX-License-Identifier: Apache-2.0 */
#include "linear.h"

#include "../../../base/assert.h"

/* The numbers of a box in the finest cells. */
static inline qd_numbers finest_of(const qd_linear *tree, const qd_row *box)
{
    const uint32_t shift = QD_QUANTIZER_BITS - tree->depth;
    qd_numbers at = qd_quantizer_numbers(&tree->quantizer, box);

    for (uint32_t k = 0; k < QD_ROW_FLOATS; k++) {
        at.v[k] >>= shift;
    }
    return at;
}

/* The cell of a height, or the leaf above it. `low`: the Morton number of the finest cell at `at`. */
static inline uint32_t cell_at(const qd_linear *tree, const uint32_t *at, uint32_t low, uint32_t height,
                               uint32_t *cell_key)
{
    const uint32_t leaf_height = tree->leaf_map != NULL ? tree->leaf_map[low] : 0;
    const uint32_t leaf = height <= leaf_height;
    uint32_t numbers = 0;

    height = leaf ? leaf_height : height;
    for (uint32_t k = 0; k < QD_AXES; k++) {
        numbers = numbers << QD_CELL_KEY_BITS | at[k] >> height;
    }
    *cell_key = height << 28 | leaf << 24 | numbers;
    return qd_level_first(tree->depth - height) + (low >> QD_AXES * height);
}

uint32_t qd_linear_cell_of(const qd_linear *tree, const qd_row *box, uint32_t *cell_key)
{
    const qd_numbers at = finest_of(tree, box);

    return cell_at(tree, at.v, qd_morton(at.v), qd_morton_height(at.v, at.v + QD_ROW_HIGH), cell_key);
}

/* The note is the height. */
uint32_t qd_linear_place(const qd_index *index, const qd_row *box, uint32_t *note)
{
    const qd_numbers at = finest_of((const qd_linear *)index, box);

    *note = qd_morton_height(at.v, at.v + QD_ROW_HIGH);
    return qd_morton(at.v);
}

uint32_t qd_linear_locate_place(qd_index *index, uint32_t place, uint32_t note, uint32_t *cell_key)
{
    uint32_t at[QD_AXES];

    for (uint32_t k = 0; k < QD_AXES; k++) {
        at[k] = qd_morton_gather(place >> k);
    }
    return cell_at((const qd_linear *)index, at, place, note, cell_key);
}

/* A cell is marked as occupied with all above it, up to the first that is. */
void qd_linear_occupy(qd_linear *tree, uint32_t number)
{
    while (!(tree->flags[number] & QD_CELL_OCCUPIED)) {
        tree->flags[number] |= QD_CELL_OCCUPIED;
        if (number == 0) {
            break;
        }
        number = qd_cell_above(number);
    }
}

static uint32_t cell_of_place(const qd_linear *tree, uint32_t cell_key)
{
    uint32_t at[QD_AXES];

    for (uint32_t k = 0; k < QD_AXES; k++) {
        at[k] = qd_cell_key_number(cell_key, k);
    }
    return qd_level_first(tree->depth - qd_cell_key_height(cell_key)) + qd_morton(at);
}

/* It, or a cell below it, is where the box belongs. */
bool qd_linear_holds(const qd_index *index, uint32_t cell, const qd_row *box)
{
    uint32_t cell_key, inner = qd_linear_cell_of((const qd_linear *)index, box, &cell_key);

    while (inner > cell) {
        inner = qd_cell_above(inner);
    }
    return inner == cell;
}

void qd_linear_validate(const qd_index *index)
{
    const qd_linear *tree = (const qd_linear *)index;

    for (uint32_t number = 0; number < index->cells; number++) {
        QD_ASSERT(!(tree->flags[number] & QD_CELL_ACTIVE));
        QD_ASSERT(index->cell[number].count == 0 || (tree->flags[number] & QD_CELL_OCCUPIED));
        QD_ASSERT(number == 0 || !(tree->flags[number] & QD_CELL_OCCUPIED) ||
                  (tree->flags[qd_cell_above(number)] & QD_CELL_OCCUPIED));
    }
    for (uint32_t slot = 0; slot < index->bodies->used; slot++) {
        const qd_record *record = &index->bodies->record[slot];

        QD_ASSERT(record->state != QD_RECORD_LIVE ||
                  cell_of_place(tree, record->cell_key) == index->rows->info[record->row / QD_BLOCK_ROWS].cell);
    }
    for (uint32_t k = 0; tree->leaf_map != NULL && k < qd_level_cells(tree->depth); k++) {
        uint32_t height = tree->leaf_map[k];

        QD_ASSERT(height <= tree->depth);
        QD_ASSERT(tree->flags[qd_level_first(tree->depth - height) + (k >> QD_AXES * height)] & QD_CELL_LEAF);
    }
}
