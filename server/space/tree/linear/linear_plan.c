/* SPDX-License-Identifier: Apache-2.0 */
#include "linear_plan.h"

#include <math.h>
#include <string.h>

#include "../../../base/ablation.h"
#include "../../../base/assert.h"
#include "../../core/rows.h"
#include "../root.h"

#define LEAF_FILL_MAX    1.25 /* how much more than they should, leaves of an even spread may hold */
#define ROOT_STRETCH_MIN 1.05 /* of a side */
#define EVEN_FILL_MIN    0.25 /* an even spread fills this share of the root or more */
#define DEPTH_EXTRA      2u   /* levels below the even spread, for crowds */
#define CELLS_A_LEAF     256u /* at most, of the finest ones for each full leaf: odd spreads may not take all memory */

void qd_linear_plan_drop(qd_linear *tree)
{
    qd_array_free(tree->index.heap, tree->index.cell, tree->index.cells * sizeof *tree->index.cell);
    qd_array_free(tree->index.heap, tree->flags, tree->index.cells);
    if (tree->leaf_map != NULL) {
        qd_array_free(tree->index.heap, tree->leaf_map, qd_level_cells(tree->depth));
    }
    tree->index.cell = NULL;
    tree->flags = NULL;
    tree->leaf_map = NULL;
    tree->index.cells = 0;
}

/* Empty cells of a depth, without leaves but the finest cells. */
static bool make_cells(qd_linear *tree, uint32_t depth, qd_array_mode mode)
{
    uint32_t cells = qd_level_first(depth + 1);
    qd_cell *cell = qd_array_grow(tree->index.heap, mode, NULL, 0, 0, cells * sizeof *cell);

    if (cell == NULL) {
        return false;
    }
    uint8_t *flags = qd_array_grow(tree->index.heap, mode, NULL, 0, 0, cells);
    if (flags == NULL) {
        qd_array_free(tree->index.heap, cell, cells * sizeof *cell);
        return false;
    }
    for (uint32_t i = 0; i < cells; i++) {
        cell[i] = (qd_cell){QD_NONE, 0};
    }
    uint32_t finest = qd_level_first(depth);
    memset(flags, 0, finest);
    memset(flags + finest, QD_CELL_LEAF, cells - finest);
    tree->index.cell = cell;
    tree->flags = flags;
    tree->leaf_map = NULL;
    tree->index.cells = cells;
    tree->depth = depth;
    return true;
}

bool qd_linear_plan_first(qd_linear *tree, qd_array_mode mode)
{
    tree->planned_for = 0;
    tree->crowd_debt_max = qd_leaf_rows_max(&tree->index);
    return make_cells(tree, tree->index.config->depth, mode);
}

bool qd_linear_plan_is_crowded(const qd_linear *tree, uint32_t number)
{
    return tree->index.cell[number].count > 2 * qd_leaf_rows_max(&tree->index) && tree->leaf_map != NULL &&
           (tree->flags[number] & QD_CELL_LEAF) && number < qd_level_first(tree->depth);
}

/* Traversals that cost too much, an eighth of the rows newly in leaves that are too full, twice as many rows as planned
 * for, or a quarter of it. */
bool qd_linear_plan_is_due(const qd_linear *tree)
{
    uint32_t rows = tree->index.rows->count, slack = qd_leaf_rows_max(&tree->index);

    if (tree->index.cells == 0) {
        return false;
    }
    return qd_replan_debt_is_due(&tree->debt, qd_replan_price(rows)) ||
           (tree->index.config->depth == 0 &&
            (rows > 2 * tree->planned_for + slack || tree->planned_for > 4 * rows + slack ||
             tree->crowd_debt > tree->crowd_debt_max));
}

/* Where a plan cannot help, because what crowds is larger than its cells, the next one waits for twice as much. */
static void reset_crowding(qd_linear *tree)
{
    uint32_t usual = tree->index.rows->count / 8 + qd_leaf_rows_max(&tree->index);
    bool without_hits = false;

    for (uint32_t i = 0; i < tree->index.cells && !without_hits; i++) {
        without_hits = qd_linear_plan_is_crowded(tree, i);
    }
    bool was_due = tree->crowd_debt > tree->crowd_debt_max;
    tree->crowd_debt_max = without_hits && was_due ? 2 * tree->crowd_debt_max : usual;
    tree->crowd_debt_max = tree->crowd_debt_max < usual ? usual : tree->crowd_debt_max;
    tree->crowd_debt = 0;
}

static double rows_of_even_spread(const qd_linear *tree, uint32_t depth)
{
    return tree->index.tuning.leaf_rows * tree->filled * qd_level_cells(depth);
}

/* Where the leaves would be, were all spread evenly. */
static uint32_t even_depth(const qd_linear *tree)
{
    uint32_t rows = tree->index.rows->count, depth = 0;

    while (rows > LEAF_FILL_MAX * rows_of_even_spread(tree, depth) &&
           (uint64_t)qd_level_cells(depth + DEPTH_EXTRA + 1) * tree->index.tuning.leaf_rows <=
               CELLS_A_LEAF * (uint64_t)rows) {
        depth++;
    }
    return depth;
}

static uint32_t depth_for(const qd_linear *tree)
{
    if (tree->index.config->depth > 0) {
        return tree->index.config->depth;
    }
    if (tree->index.rows->count <= qd_leaf_rows_max(&tree->index)) {
        return 0;
    }
    uint32_t depth = even_depth(tree) + (QD_WITHOUT(LEAF_PLAN) ? 0 : DEPTH_EXTRA);
    return depth < QD_TREE_DEPTH_MAX ? depth : QD_TREE_DEPTH_MAX;
}

/* A root may be larger than its content. So leaves hold as many rows as they should for any count, instead of down to a
 * quarter of that. And its middle lines are not those of the world, where many bodies lie. For uneven spreads, and
 * where no level is left, only the lines count. */
static void stretch_root(qd_linear *tree)
{
    uint32_t rows = tree->index.rows->count;

    if (tree->index.config->depth > 0 || rows <= qd_leaf_rows_max(&tree->index) || QD_WITHOUT(ROOT_STRETCH)) {
        return;
    }
    uint32_t depth = even_depth(tree);
    double larger = rows_of_even_spread(tree, depth) / rows;
    double longer = fmax(QD_AXES == 2 ? sqrt(larger) : cbrt(larger), ROOT_STRETCH_MIN);
    if (tree->filled < EVEN_FILL_MIN || depth + DEPTH_EXTRA > QD_TREE_DEPTH_MAX) {
        longer = ROOT_STRETCH_MIN;
    }
    tree->quantizer.scale = (float)((double)tree->quantizer.scale / longer);
    tree->filled /= pow(longer, QD_AXES);
}

static uint32_t cell_of_row(const qd_linear *tree, const qd_rows *rows, uint32_t reference, uint32_t *cell_key)
{
    qd_row box = qd_row_box(rows, reference);

    return qd_linear_cell_of(tree, &box, cell_key);
}

/* The finest cell of a row's lower corner. */
static uint32_t morton_of_row(const qd_linear *tree, const qd_rows *rows, uint32_t reference)
{
    qd_row box = qd_row_box(rows, reference);
    uint32_t at[QD_AXES];

    for (uint32_t k = 0; k < QD_AXES; k++) {
        at[k] = qd_quantizer_number(box.v[k], tree->quantizer.origin[k], tree->quantizer.scale) >>
                (QD_QUANTIZER_BITS - tree->depth);
    }
    return QD_WITHOUT(ROW_ORDER) ? 0 : qd_morton(at);
}

static void place_root(qd_linear *tree, qd_scan all)
{
    qd_shells shells;

    qd_shells_init(&shells, &tree->bounds);
    qd_shells_count(&shells, all);
    qd_root root = qd_root_choose(&shells, (qd_root_use){QD_TREE_DEPTH_MAX, tree->index.tuning.leaf_rows});
    tree->quantizer = qd_root_quantizer(&root, QD_QUANTIZER_BITS);
    tree->filled = root.filled;
    stretch_root(tree);
}

/* How many rows each cell would hold itself, were all cells split. */
static void count_rows(qd_linear *tree, qd_scan old)
{
    uint32_t first, count, cell_key;

    while (qd_scan_next(&old, &first, &count)) {
        for (uint32_t i = 0; i < count; i++) {
            tree->index.cell[cell_of_row(tree, old.rows, first + i, &cell_key)].count++;
        }
    }
}

static void make_leaf(qd_linear *tree, uint32_t level, uint32_t k)
{
    uint32_t height = tree->depth - level;

    tree->flags[qd_level_first(level) + k] |= QD_CELL_LEAF;
    memset(tree->leaf_map + ((size_t)k << QD_AXES * height), (int)height, qd_level_cells(height));
}

/* A cell is divided by the rule of tree.h; else it is a leaf. */
static void choose_leaves(qd_linear *tree)
{
    uint32_t *below = qd_array_grow(tree->index.heap, QD_ARRAY_NEED, NULL, 0, 0, tree->index.cells * sizeof *below);

    for (uint32_t i = tree->index.cells; i-- > 0;) {
        below[i] = tree->index.cell[i].count;
        for (uint32_t c = qd_cell_below(i); c < tree->index.cells && qd_cell_above(c) == i; c++) {
            below[i] += below[c];
        }
    }
    tree->leaf_map = qd_array_grow(tree->index.heap, QD_ARRAY_NEED, NULL, 0, 0, qd_level_cells(tree->depth));
    uint32_t level = 0, k = 0;
    for (;;) {
        uint32_t i = qd_level_first(level) + k;

        if (level < tree->depth && qd_is_divided(&tree->index, below[i] - tree->index.cell[i].count)) {
            level++;
            k <<= QD_AXES;
            continue;
        }
        make_leaf(tree, level, k);
        while (level > 0 && qd_cell_is_last(k)) {
            level--;
            k >>= QD_AXES;
        }
        if (level == 0) {
            break;
        }
        k++;
    }
    qd_array_free(tree->index.heap, below, tree->index.cells * sizeof *below);
    for (uint32_t i = 0; i < tree->index.cells; i++) {
        tree->index.cell[i].count = 0;
    }
}

/* Cells in the order of the traversal get their blocks side by side: head is the first of them, count 0. Returns the
 * number of blocks. */
static uint32_t lay_out(qd_linear *tree)
{
    uint32_t blocks = 0, level = 0, k = 0;

    for (;;) {
        uint32_t i = qd_level_first(level) + k;

        if (tree->index.cell[i].count > 0) {
            tree->index.cell[i].head = blocks;
            blocks += (tree->index.cell[i].count + QD_BLOCK_ROWS - 1) / QD_BLOCK_ROWS;
            tree->index.cell[i].count = 0;
        }
        if (!(tree->flags[i] & QD_CELL_LEAF)) {
            level++;
            k <<= QD_AXES;
            continue;
        }
        while (level > 0 && qd_cell_is_last(k)) {
            level--;
            k >>= QD_AXES;
        }
        if (level == 0) {
            return blocks;
        }
        k++;
    }
}

/* All rows, ordered by the finest cell of their lower corner, so that what is near is near in its cell's list too. */
static uint32_t *order_rows(const qd_linear *tree, qd_scan start)
{
    const qd_rows *old = start.rows;
    uint32_t finest = qd_level_cells(tree->depth), first, count;
    uint32_t *order = qd_array_grow(tree->index.heap, QD_ARRAY_NEED, NULL, 0, 0, old->count * sizeof *order);
    uint32_t *next = qd_array_grow(tree->index.heap, QD_ARRAY_NEED, NULL, 0, 0, (finest + 1) * sizeof *next);

    memset(next, 0, (finest + 1) * sizeof *next);
    for (qd_scan each = start; qd_scan_next(&each, &first, &count);) {
        for (uint32_t i = 0; i < count; i++) {
            next[morton_of_row(tree, old, first + i) + 1]++;
        }
    }
    for (uint32_t k = 0; k < finest; k++) {
        next[k + 1] += next[k];
    }
    for (qd_scan each = start; qd_scan_next(&each, &first, &count);) {
        for (uint32_t i = 0; i < count; i++) {
            order[next[morton_of_row(tree, old, first + i)]++] = first + i;
        }
    }
    qd_array_free(tree->index.heap, next, (finest + 1) * sizeof *next);
    return order;
}

static void carry_over(qd_linear *tree, const qd_rows *old, uint32_t from)
{
    qd_bodies *bodies = tree->index.bodies;
    uint32_t cell_key, number = cell_of_row(tree, old, from, &cell_key);
    qd_cell *cell = &tree->index.cell[number];

    if (cell->count == 0) {
        qd_linear_occupy(tree, number);
    }
    uint32_t id = qd_row_id(tree->index.rows, qd_rebuild_row(tree->index.rows, cell, number, bodies, old, from));
    if (!(id & QD_ID_OLD_ROW)) {
        bodies->record[id & QD_ID_SLOT].cell_key = cell_key;
    }
}

void qd_linear_replan(qd_linear *tree)
{
    qd_rows old_rows = *tree->index.rows;
    qd_linear old = *tree;
    const qd_scan start = qd_scan_start(&old_rows, old.index.cell, old.index.cells);

    place_root(tree, start);
    make_cells(tree, depth_for(tree), QD_ARRAY_NEED);
    count_rows(tree, start);
    if (tree->index.config->depth == 0 && !QD_WITHOUT(LEAF_PLAN)) {
        memset(tree->flags, 0, tree->index.cells);
        choose_leaves(tree);
        count_rows(tree, start);
    }
    qd_rows_make(tree->index.rows, tree->index.heap, lay_out(tree));
    tree->index.rows->count = old_rows.count;
    tree->index.rows->operations = old_rows.operations;
    uint32_t *order = order_rows(tree, start);
    for (uint32_t i = 0; i < old_rows.count; i++) {
        carry_over(tree, &old_rows, order[i]);
    }
    qd_array_free(tree->index.heap, order, old_rows.count * sizeof *order);
    tree->planned_for = old_rows.count;
    reset_crowding(tree);
    qd_replan_debt_pay(&tree->debt, qd_replan_price(old_rows.count));
    qd_linear_plan_drop(&old);
    qd_rows_deinit(&old_rows);
}
