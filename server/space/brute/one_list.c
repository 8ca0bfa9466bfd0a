/* SPDX-License-Identifier: Apache-2.0 */
#include "one_list.h"

#include <float.h>

#include "../core/rebuild.h"
#include "../move/move.h"

qd_index *qd_flat_create(const qd_index *as, const qd_index_ops *ops, size_t bytes)
{
    qd_flat *flat = qd_heap_alloc_zeroed(as->heap, bytes);

    if (flat == NULL) {
        return NULL;
    }
    flat->index = *as;
    flat->index.ops = ops;
    flat->list = (qd_cell){QD_NONE, 0};
    flat->index.cell = &flat->list;
    flat->index.cells = 1;
    return &flat->index;
}

qd_status qd_flat_reserve(qd_index *index)
{
    (void)index;
    return QD_OK;
}

uint32_t qd_flat_locate(qd_index *index, const qd_row *box, uint32_t *place)
{
    (void)index, (void)box;
    *place = 0;
    return 0;
}

static inline bool stays(const qd_index *index, const qd_record *record, const qd_row *bounds, const float *before)
{
    (void)index, (void)record, (void)bounds, (void)before;
    return true;
}

void qd_flat_move(qd_index *index, size_t count, const uint32_t *slots, const float *const *at)
{
    size_t done = 0;
#if defined(__x86_64__)
    if (qd_kernel_chosen() == &qd_kernel_avx512) {
        done = qd_flat_move_avx512(index, count, slots, at);
    } else if (qd_kernel_chosen() == &qd_kernel_avx2) {
        done = qd_flat_move_avx2(index, count, slots, at);
    }
#endif
    qd_move_all(index, done, count, slots, at, stays);
}

/* Nobody leaves the only cell. */
uint32_t qd_flat_move_within(qd_index *index, size_t count, const uint32_t *slots, const float *const *at,
                             qd_leaver *leavers)
{
    (void)leavers;
    qd_flat_move(index, count, slots, at);
    return 0;
}

void qd_flat_count(const qd_index *index, qd_space_counters *counters)
{
    (void)index;
    counters->cells = 1;
}

bool qd_flat_holds(const qd_index *index, uint32_t cell, const qd_row *box)
{
    (void)index, (void)box;
    return cell == 0;
}

bool qd_flat_is_due(const qd_index *index, const qd_walk_plan *plan)
{
    return plan->mode != QD_WALK_EVENTS || index->rows->dirty_count > 0;
}

/* Absent rows are infinite, and round ones may reach beyond what floats can say. */
qd_extent qd_flat_extent(const qd_index *index)
{
    qd_row around = QD_ROW_ABSENT;
    qd_scan scan = qd_scan_start(index->rows, index->cell, index->cells);
    uint32_t first, count;

    while (qd_scan_next(&scan, &first, &count)) {
        for (uint32_t i = 0; i < count; i++) {
            qd_row box = qd_row_box(index->rows, first + i);

            around = qd_row_union(&around, &box);
        }
    }
    qd_extent extent = {{0}, {0}};
    if (qd_row_present(&around, false)) {
        for (uint32_t k = 0; k < QD_AXES; k++) {
            extent.lo[k] = (double)fmaxf(around.v[k], -FLT_MAX);
            extent.hi[k] = (double)fminf(around.v[QD_ROW_HIGH + k], FLT_MAX);
        }
    }
    return extent;
}
