/* SPDX-License-Identifier: Apache-2.0
 *
 * Where the linear tree's root lies, how deep the tree is, and where its leaves are. A plan is made from what the tree
 * holds when the last plan is out of date, counted in rows, never by the clock: the same bodies lead to the same tree.
 */
#include "linear.h"

#include <math.h>
#include <string.h>

#include "../../../base/ablation.h"
#include "../../../base/assert.h"
#include "../../plan/rebuild.h"
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

/* Empty cells of a depth, without leaves but the finest cells. With `below`, also that, to be filled, and a
 * leaf map. */
static bool make_cells(qd_linear *tree, uint32_t depth, uint32_t **below)
{
    const uint32_t cells = qd_level_first(depth + 1);
    qd_cell *cell = NULL;
    uint8_t *flags = NULL, *leaf_map = NULL;
    const qd_array_part parts[] = {
        QD_ARRAY_PART(cell, 0, 0, cells),
        QD_ARRAY_PART(flags, 0, 0, cells),
        {&leaf_map, 0, 0, qd_level_cells(depth)},
        {below, 0, 0, cells * sizeof **below},
    };

    if (!qd_array_grow_all(tree->index.heap, parts, below != NULL ? 4 : 2)) {
        return false;
    }
    for (uint32_t i = 0; i < cells; i++) {
        cell[i] = (qd_cell){QD_NONE, 0};
    }
    uint32_t finest = qd_level_first(depth);
    memset(flags, 0, finest);
    memset(flags + finest, QD_CELL_LEAF, cells - finest);
    if (leaf_map != NULL) {
        memset(leaf_map, 0, qd_level_cells(depth));
    }
    tree->index.cell = cell;
    tree->flags = flags;
    tree->leaf_map = leaf_map;
    tree->index.cells = cells;
    tree->depth = depth;
    return true;
}

bool qd_linear_plan_first(qd_linear *tree)
{
    tree->planned_for = 0;
    return make_cells(tree, tree->index.config->depth, NULL);
}

/* Traversals that cost too much, twice as many rows as planned for, or a quarter of it. */
bool qd_linear_plan_is_due(const qd_linear *tree)
{
    uint32_t rows = tree->index.rows->count, slack = qd_leaf_rows_max(&tree->index);

    if (tree->index.cells == 0 || tree->index.retry.wait > 0) {
        return false;
    }
    return qd_replan_debt_is_due(&tree->debt, qd_replan_price(rows)) ||
           (tree->index.config->depth == 0 &&
            (rows > 2 * tree->planned_for + slack || tree->planned_for > 4 * rows + slack));
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

/* The shells of each part of the rows. */
typedef struct shells_of_parts {
    const qd_rebuild *rebuild;
    qd_shells *part;
} shells_of_parts;

static void count_part(size_t part, void *argument)
{
    const shells_of_parts *of = argument;
    const qd_rebuild *rebuild = of->rebuild;
    const uint32_t end = qd_rebuild_part(rebuild, rebuild->spans, part + 1);

    for (uint32_t s = qd_rebuild_part(rebuild, rebuild->spans, part); s < end; s++) {
        const qd_span *span = &rebuild->span[s];

        qd_shells_count(&of->part[part], rebuild->old, span->first, span[1].at - span->at);
    }
}

/* False: no memory. */
static bool place_root(qd_linear *tree, const qd_rebuild *rebuild, qd_scan all)
{
    const size_t bytes = rebuild->parts * sizeof(qd_shells);
    shells_of_parts of = {rebuild, qd_array_grow(tree->index.heap, NULL, 0, 0, bytes)};

    if (of.part == NULL) {
        return false;
    }
    qd_shells_init(&of.part[0], &tree->bounds, all);
    for (uint32_t i = 1; i < rebuild->parts; i++) {
        of.part[i] = of.part[0];
    }
    qd_rebuild_fork(rebuild, count_part, &of);
    for (uint32_t i = 1; i < rebuild->parts; i++) {
        qd_shells_merge(&of.part[0], &of.part[i]);
    }
    qd_root root = qd_root_choose(&of.part[0], (qd_root_use){QD_TREE_DEPTH_MAX, tree->index.tuning.leaf_rows});
    qd_array_free(tree->index.heap, of.part, bytes);
    tree->quantizer = qd_root_quantizer(&root, QD_QUANTIZER_BITS);
    tree->filled = root.filled;
    stretch_root(tree);
    return true;
}

/* How many rows each cell would hold itself, were all cells split. */
static void count_rows(qd_linear *tree, const qd_rebuild *rebuild)
{
    for (uint32_t i = 0; i < rebuild->count; i++) {
        const uint32_t height = qd_word_note(rebuild->word[i]), finest = qd_word_key(rebuild->word[i]);

        tree->index.cell[qd_level_first(tree->depth - height) + (finest >> QD_AXES * height)].count++;
    }
}

static void make_leaf(qd_linear *tree, uint32_t level, uint32_t k)
{
    uint32_t height = tree->depth - level;

    tree->flags[qd_level_first(level) + k] |= QD_CELL_LEAF;
    memset(tree->leaf_map + ((size_t)k << QD_AXES * height), (int)height, qd_level_cells(height));
}

/* A cell is divided by the rule of tree.h; else it is a leaf. `below`: the rows in and below each cell. */
static void divide(qd_linear *tree, const uint32_t *below, uint32_t level, uint32_t k)
{
    const uint32_t i = qd_level_first(level) + k;

    if (level == tree->depth || !qd_is_divided(&tree->index, below[i] - tree->index.cell[i].count)) {
        make_leaf(tree, level, k);
        return;
    }
    for (uint32_t child = 0; child < QD_CHILDREN; child++) {
        divide(tree, below, level + 1, QD_CHILDREN * k + child);
    }
}

/* `below` is filled. */
static void choose_leaves(qd_linear *tree, const qd_rebuild *rebuild, uint32_t *below)
{
    count_rows(tree, rebuild);
    for (uint32_t i = tree->index.cells; i-- > 0;) {
        below[i] = tree->index.cell[i].count;
        for (uint32_t c = qd_cell_below(i); c < tree->index.cells && qd_cell_above(c) == i; c++) {
            below[i] += below[c];
        }
    }
    memset(tree->flags, 0, tree->index.cells);
    divide(tree, below, 0, 0);
    for (uint32_t i = 0; i < tree->index.cells; i++) {
        tree->index.cell[i].count = 0;
    }
}

/* Cells for the rows of a rebuild, without rows, and the words of the rebuild in order. False: no memory; the tree may
 * have cells. */
static bool plan(qd_linear *tree, qd_rebuild *rebuild, qd_scan all)
{
    const bool by_content = tree->index.config->depth == 0 && !QD_WITHOUT(LEAF_PLAN);
    uint32_t *below = NULL;

    if (!place_root(tree, rebuild, all) || !make_cells(tree, depth_for(tree), by_content ? &below : NULL)) {
        return false;
    }
    qd_rebuild_sort(rebuild);
    if (by_content) {
        choose_leaves(tree, rebuild, below);
        qd_array_free(tree->index.heap, below, tree->index.cells * sizeof *below);
    }
    return true;
}

bool qd_linear_replan(qd_linear *tree, const qd_executor *executor)
{
    qd_rows old_rows = *tree->index.rows;
    qd_linear old = *tree;
    const qd_scan all = qd_scan_start(&old_rows, old.index.cell, old.index.cells);
    qd_rebuild rebuild;

    if (!qd_rebuild_begin(&rebuild, &tree->index, &old_rows, all, executor)) {
        return false;
    }
    if (!plan(tree, &rebuild, all)) {
        qd_rebuild_drop(&rebuild);
        *tree = old;
        return false;
    }
    if (!qd_rebuild_end(&rebuild)) {
        qd_linear_plan_drop(tree);
        *tree = old;
        return false;
    }
    tree->planned_for = old_rows.count;
    qd_replan_debt_pay(&tree->debt, qd_replan_price(old_rows.count));
    qd_linear_plan_drop(&old);
    return true;
}
