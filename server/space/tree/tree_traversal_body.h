/* SPDX-License-Identifier: Apache-2.0
 *
 * The traversal of a tree: down from the root, cell after cell. Each level has a list: the rows of the cell on the path
 * at that level, and behind them those of the cells above that meet it.
 *
 *     level 0   | root's own rows                     |
 *     level 1   | cell's own rows | of the root, those that meet the cell            |
 *     level 2   | own             | of level 1's list, those that meet the cell      |
 *
 * In each cell the own rows are tested against the whole list. So every pair of rows that can touch is tested exactly
 * once: where the smaller cell of the two is.
 *
 * REST. Before the traversal, the cells of all changed rows become active, with all above them. A cell that is not
 * active has nothing new inside: it meets only the changed rows of the list above. When there are none, it is left out
 * with all below it. Where nearly all rows changed, marks are not worth their cost, and every cell counts as active.
 *
 * Compiled by linear_traversal.c and sparse_traversal.c, each after it has defined
 *
 *     spot           a cell on the way; it has the cell's number and its level
 *     flags_of       the flags of all cells (tree.h)
 *     parent_of      the number of the cell above one that is not the root
 *     first_below    the first cell below a spot; false: there is none
 *     next_below     the one after it; false: that was the last
 *     window_of      the numbers that rows of a spot can have
 *     fetch_next     prefetches the rows of a spot that comes soon
 *     test_inner     tests the list of a cell that is no leaf
 *     enter_frame    changes to the quantizer of the cells below a spot, if they have another one
 *     skip_empty     goes down a branch without rows and forks, to its end
 *     pass_by        whether a spot without rows of its own, or with a single one, is done with already
 */

#define PREFETCH_FROM 32768u /* rows: fewer are near anyway */

static const qd_list16 nothing = {.count = 0};

static bool is_active(const qd_worker_slot *worker, uint32_t number)
{
    return worker->all || (flags_of(worker->index)[number] & QD_CELL_ACTIVE) != 0;
}

/* A leaf whose rows 8 bits do not tell apart. */
static void visit_thin_leaf(qd_worker_slot *worker, spot at, const qd_list16 *above, const qd_window *window,
                            bool active)
{
    const qd_cell *cell = &worker->index->cell[at.number];
    qd_list16 *list = &worker->level[at.level];

    worker->listed[at.level] = QD_NONE;
    if (!qd_sink_reserve16(&worker->sink, list, cell->count + above->count)) {
        return;
    }
    worker->kernel->collect16(&worker->sink, cell, list);
    qd_list16_sort(&worker->sorter, worker->sink.heap, list);
    worker->kernel->cull16(above, window, !active, list);
    if (active || list->count > list->own) {
        worker->kernel->test16(&worker->sink, list, worker->all);
    }
}

static void visit_leaf(qd_worker_slot *worker, spot at, const qd_list16 *above, bool active)
{
    const qd_cell *cell = &worker->index->cell[at.number];
    qd_list8 *list = &worker->leaf;
    qd_window window = window_of(worker, at);

    if (qd_traversal_is_thin(worker, cell, window.shift)) {
        visit_thin_leaf(worker, at, above, &window, active);
        return;
    }
    if (!qd_sink_reserve8(&worker->sink, list, cell->count + above->count)) {
        return;
    }
    worker->kernel->collect8(&worker->sink, cell, &window, list);
    qd_list8_sort(&worker->sorter, worker->sink.heap, list);
    if (above->count > 0) {
        worker->kernel->cull8(above, &window, !active, list);
    }
    if (active || list->count > list->own) {
        worker->kernel->test8(&worker->sink, list, worker->all);
    }
}

/* The list of a cell that is no leaf; with `test` its rows are tested, too. */
static void make_list(qd_worker_slot *worker, spot at, const qd_list16 *above, bool test)
{
    const qd_cell *cell = &worker->index->cell[at.number];
    qd_list16 *list = &worker->level[at.level];

    worker->listed[at.level] = at.number;
    list->own = list->count = 0;
    list->any_changed = false;
    if (cell->count + above->count == 0) {
        return;
    }
    if (!qd_sink_reserve16(&worker->sink, list, cell->count + above->count)) {
        return;
    }
    worker->kernel->collect16(&worker->sink, cell, list);
    qd_list16_sort(&worker->sorter, worker->sink.heap, list);
    if (above->count > 0) {
        qd_window window = window_of(worker, at);

        worker->kernel->cull16(above, &window, !is_active(worker, at.number), list);
    }
    list->any_changed = list->count > 0 && (worker->all || qd_list_is_any_changed(list));
    if (test && list->own > 0 && list->any_changed) {
        test_inner(worker, at, list);
    }
}

/* A cell that is no leaf. Afterwards the worker has the list and the quantizer for the cells below it. */
static void visit_inner(qd_worker_slot *worker, spot at, const qd_list16 *above, bool test)
{
    const bool is_new = test || worker->listed[at.level] != at.number; /* else it is there from an earlier task */

    if (is_new) {
        make_list(worker, at, above, test);
    }
    enter_frame(worker, at, is_new);
}

/* Everything in and below a cell. */
static void traverse_below(qd_worker_slot *worker, spot at, const qd_list16 *above)
{
    const bool active = is_active(worker, at.number);

    if (worker->sink.stopped || !(active || above->any_changed)) {
        return;
    }
    if (worker->index->rows->count > PREFETCH_FROM && !QD_WITHOUT(TRAVERSAL_PREFETCH)) {
        fetch_next(worker, at);
    }
    at = skip_empty(worker, at);
    if (pass_by(worker, at, above)) {
        return;
    }
    if (flags_of(worker->index)[at.number] & QD_CELL_LEAF) {
        visit_leaf(worker, at, above, active);
    } else {
        const qd_quantizer quantizer = worker->sink.quantizer;
        const qd_list16 *list = &worker->level[at.level];
        spot below;

        visit_inner(worker, at, above, true);
        if ((active || list->any_changed) && first_below(worker, at, &below)) {
            do {
                traverse_below(worker, below, list);
            } while (next_below(worker, &below));
        }
        worker->sink.quantizer = quantizer;
    }
    if (active) {
        qd_traversal_commit(worker, at.number);
    }
}

/* Makes the cells of changed rows and all above them active, with QD_CELL_ACTIVE, or inactive, with 0. */
static void set_active(const qd_index *index, uint8_t active)
{
    const qd_rows *rows = index->rows;
    uint8_t *flags = flags_of(index);

    for (uint32_t i = 0; i < rows->changed_count; i++) {
        const qd_block_info *info = &rows->info[rows->changed[i]];
        const bool is_due = active == 0 || info->changed != 0;
        uint32_t number = info->cell;

        while (is_due && (flags[number] & QD_CELL_ACTIVE) != active) {
            flags[number] ^= QD_CELL_ACTIVE;
            number = number > 0 ? parent_of(index, number) : 0;
        }
    }
}

static void add_debt(const qd_index *index, qd_replan_debt *debt, const qd_traversal_plan *plan,
                     const qd_traversal_result *result)
{
    if ((plan->mode == QD_TRAVERSAL_EVENTS && result->complete) || result->without_hits) {
        qd_replan_debt_add(debt, qd_steps_beyond_share(index->rows->count, result->tests, result->exact_tests));
    }
}
