/* SPDX-License-Identifier: Apache-2.0 */
#include "brute.h"

#include <math.h>

#include "../../base/assert.h"
#include "../core/search.h"
#include "../core/traversal.h"

#define FEW_ROWS    1024u /* as a rule 8 bits tell so many apart */
#define FRAME_WALKS 32u   /* that a frame for 8 bits is kept */
#define EXACT_A_ROW 2u    /* with more exact tests than that 8 bits, or the frame, are too coarse */

/* 16 bits have a new frame for every walk. */
static void choose_frame(qd_brute *brute)
{
    if (brute->frame_walks == 0) {
        brute->frame_walks = FRAME_WALKS;
        brute->is_too_coarse = false;
    } else if (brute->by_bytes && !brute->is_too_coarse) {
        return;
    }
    qd_extent extent = qd_flat_extent(&brute->flat.index);
    brute->frame = qd_frame_around(&extent);
}

static uint32_t walk_begin(qd_index *index, qd_walk_plan *plan)
{
    qd_brute *brute = (qd_brute *)index;
    uint32_t count = index->rows->count;

    if (count < 2 || !qd_flat_is_due(index, plan)) {
        return 0;
    }
    brute->by_bytes = count <= FEW_ROWS && plan->workers == 1;
    choose_frame(brute);
    brute->by_bytes &= !brute->is_too_coarse;
    brute->frame_walks--;
    brute->tasks = plan->workers;
    return brute->tasks;
}

/* The first row of a task's share. A row is tested against all behind it, so shares grow towards the end: with as many
 * pairs each, the rows that are left after t of T tasks are the root of 1 - t/T of all. */
static uint32_t first_of(const qd_brute *brute, uint32_t task)
{
    uint32_t count = brute->flat.list.count;
    double done = 1 - sqrt(1 - (double)task / brute->tasks);

    return task == brute->tasks ? count : (uint32_t)(count * done) / QD_LIST_LANES * QD_LIST_LANES;
}

/* All rows with numbers of 8 bits, by one task. */
static void walk_by_bytes(const qd_brute *brute, qd_worker_slot *worker)
{
    const qd_cell *cell = &brute->flat.list;
    qd_window window = {.shift = 8};

    for (uint32_t k = 0; k < QD_AXES; k++) {
        window.hi[k] = UINT16_MAX;
    }
    qd_list8_reserve(worker->sink.heap, &worker->leaf, cell->count);
    worker->kernel->collect8(&worker->sink, cell, &window, &worker->leaf);
    qd_arrange8(&worker->arranger, worker->sink.heap, &worker->leaf);
    worker->kernel->test8(&worker->sink, &worker->leaf, worker->all);
    qd_walk_commit(worker, 0);
}

/* Every task makes the list of all rows for itself, and it comes out the same. */
static void walk(qd_index *index, qd_worker_slot *worker, uint32_t task)
{
    const qd_brute *brute = (const qd_brute *)index;
    qd_list16 *all = &worker->level[0];

    worker->sink.frame = brute->frame;
    if (brute->by_bytes) {
        walk_by_bytes(brute, worker);
        return;
    }
    qd_list16_reserve(worker->sink.heap, all, brute->flat.list.count);
    worker->kernel->collect16(&worker->sink, &brute->flat.list, all);
    qd_arrange16(&worker->arranger, worker->sink.heap, all);
    uint32_t from = first_of(brute, task), to = first_of(brute, task + 1);
    qd_list16 share = *all;
    for (uint32_t k = 0; k < QD_LIST_COLUMNS; k++) {
        share.column[k] += from;
    }
    share.row += from;
    share.moved += from / 64;
    share.own = to - from;
    share.count -= from;
    worker->kernel->test16(&worker->sink, &share, worker->all);
}

static void walk_end(qd_index *index, const qd_walk_plan *plan, const qd_walk_result *result)
{
    (void)plan;
    qd_brute *brute = (qd_brute *)index;
    uint64_t most = EXACT_A_ROW * (uint64_t)index->rows->count;
    brute->is_too_coarse |= brute->by_bytes && result->exact_tests > most;
}

/* There is nothing to keep up. */
static void settle(qd_index *index)
{
    (void)index;
}

static void validate(const qd_index *index)
{
    QD_ASSERT(index->cell[0].count == index->rows->count);
}

static qd_status search(const qd_index *index, qd_search *query)
{
    return qd_search_cell(query, index->cell);
}

static void destroy(qd_index *index)
{
    qd_heap_free(index->heap, index, sizeof(qd_brute));
}

static const qd_index_ops ops = {
    .kind = QD_SPACE_BRUTE,
    .reserve = qd_flat_reserve,
    .locate = qd_flat_locate,
    .move = qd_flat_move,
    .move_within = qd_flat_move_within,
    .walk_begin = walk_begin,
    .walk = walk,
    .walk_end = walk_end,
    .settle = settle,
    .search = search,
    .count = qd_flat_count,
    .holds = qd_flat_holds,
    .validate = validate,
    .destroy = destroy,
};

qd_index *qd_brute_create(const qd_index *as)
{
    return qd_flat_create(as, &ops, sizeof(qd_brute));
}
