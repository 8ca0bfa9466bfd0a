/* SPDX-License-Identifier: Apache-2.0 */
#include "brute.h"

#include <math.h>

#include "../../base/ablation.h"
#include "../core/traversal.h"

#define FEW_ROWS             1024u /* 8 bits usually tell so many rows apart */
#define QUANTIZER_TRAVERSALS 32u   /* a quantizer for 8 bits is kept for so many traversals */
#define EXACT_TESTS_PER_ROW  2u    /* with more, 8 bits or their quantizer are too coarse */

/* Numbers of 16 bits get a new quantizer in every traversal. */
static void choose_quantizer(qd_brute *brute)
{
    if (brute->quantizer_traversals == 0) {
        brute->quantizer_traversals = QUANTIZER_TRAVERSALS;
        brute->is_too_coarse = false;
    } else if (brute->by_bytes && !brute->is_too_coarse) {
        return;
    }
    qd_extent extent = qd_one_list_extent(&brute->one_list.index);
    brute->quantizer = qd_quantizer_around(&extent);
}

static uint32_t traverse_begin(qd_index *index, qd_traversal_plan *plan)
{
    qd_brute *brute = (qd_brute *)index;
    uint32_t count = index->rows->count;

    if (count < 2 || !qd_one_list_is_due(index, plan)) {
        return 0;
    }
    brute->by_bytes = count <= FEW_ROWS && plan->workers == 1 && !QD_WITHOUT(BRUTE_BYTES);
    choose_quantizer(brute);
    brute->by_bytes &= !brute->is_too_coarse;
    brute->quantizer_traversals--;
    brute->tasks = plan->workers;
    return brute->tasks;
}

/* The first row of a task's share. A row is tested against all rows behind it, so shares of equally many pairs grow
 * towards the end: after t of T tasks, the share of rows that is left is the root of 1 - t/T. */
static uint32_t first_of(const qd_brute *brute, uint32_t task)
{
    uint32_t count = brute->one_list.list.count;
    double done = 1 - sqrt(1 - (double)task / brute->tasks);

    return task == brute->tasks ? count : (uint32_t)(count * done) / QD_LIST_LANES * QD_LIST_LANES;
}

/* Tests all rows with numbers of 8 bits, in one task. */
static void traverse_by_bytes(const qd_brute *brute, qd_worker_slot *worker)
{
    const qd_cell *cell = &brute->one_list.list;
    qd_window window = {.shift = 8};

    for (uint32_t k = 0; k < QD_AXES; k++) {
        window.hi[k] = UINT16_MAX;
    }
    if (!qd_sink_reserve8(&worker->sink, &worker->leaf, cell->count)) {
        return;
    }
    worker->kernel->collect8(&worker->sink, cell, &window, &worker->leaf);
    qd_list8_sort(&worker->sorter, worker->sink.heap, &worker->leaf);
    worker->kernel->test8(&worker->sink, &worker->leaf, worker->all);
    qd_traversal_commit(worker, 0);
}

/* Every task makes its own list of all rows; the lists are equal. */
static void traverse(qd_index *index, qd_worker_slot *worker, uint32_t task)
{
    const qd_brute *brute = (const qd_brute *)index;
    qd_list16 *all = &worker->level[0];

    worker->sink.quantizer = brute->quantizer;
    if (brute->by_bytes) {
        traverse_by_bytes(brute, worker);
        return;
    }
    if (!qd_sink_reserve16(&worker->sink, all, brute->one_list.list.count)) {
        return;
    }
    worker->kernel->collect16(&worker->sink, &brute->one_list.list, all);
    qd_list16_sort(&worker->sorter, worker->sink.heap, all);
    uint32_t from = first_of(brute, task), to = first_of(brute, task + 1);
    qd_list16 share = *all;
    for (uint32_t k = 0; k < QD_LIST_COLUMNS; k++) {
        share.column[k] += from;
    }
    share.row += from;
    share.changed += from / 64;
    share.own = to - from;
    share.count -= from;
    worker->kernel->test16(&worker->sink, &share, worker->all);
}

static void traverse_end(qd_index *index, const qd_traversal_plan *plan, const qd_traversal_result *result)
{
    (void)plan;
    qd_brute *brute = (qd_brute *)index;
    uint64_t most = EXACT_TESTS_PER_ROW * (uint64_t)index->rows->count;
    brute->is_too_coarse |= brute->by_bytes && result->exact_tests > most;
}

/* One list needs no plan. */
const qd_index_ops qd_brute_ops = {
    .kind = QD_SPACE_BRUTE,
    .bytes = sizeof(qd_brute),
    .begin = qd_one_list_begin,
    .reserve = qd_one_list_reserve,
    .locate = qd_one_list_locate,
    .move = qd_one_list_move,
    .traverse_begin = traverse_begin,
    .traverse = traverse,
    .traverse_end = traverse_end,
    .search = qd_one_list_search,
    .count = qd_one_list_count,
    .holds = qd_one_list_holds,
    .validate = qd_one_list_validate,
};
