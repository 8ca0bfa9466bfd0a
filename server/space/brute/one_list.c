/* SPDX-License-Identifier: Apache-2.0 */
#include "one_list.h"

#include <float.h>

#include "../../base/ablation.h"
#include "../../base/assert.h"
#include "../core/search.h"
#include "../kernel/choose.h"
#include "../move/move.h"
#include "../move/move_simd.h"

bool qd_one_list_begin(qd_index *index)
{
    qd_one_list *one_list = (qd_one_list *)index;

    one_list->list = (qd_cell){QD_NONE, 0};
    index->cell = &one_list->list;
    index->cells = 1;
    return true;
}

bool qd_one_list_reserve(qd_index *index)
{
    (void)index;
    return true;
}

uint32_t qd_one_list_locate(qd_index *index, const qd_row *box, uint32_t *cell_key)
{
    (void)index, (void)box;
    *cell_key = 0;
    return 0;
}

static inline bool stays(const qd_index *index, const qd_record *record, const qd_row *bounds, const float *before)
{
    (void)index, (void)record, (void)bounds, (void)before;
    return true;
}

/* No body leaves the only cell. */
size_t qd_one_list_move(qd_index *index, size_t count, const uint32_t *slots, const float *const *at, qd_movers *movers)
{
    size_t done = 0;
#if defined(__x86_64__)
    if (QD_WITHOUT(SIMD_MOVES)) {
        done = 0;
    } else if (qd_kernel_chosen() == &qd_kernel_avx512) {
        done = qd_one_list_move_avx512(index, count, slots, at);
    } else if (qd_kernel_chosen() == &qd_kernel_avx2) {
        done = qd_one_list_move_avx2(index, count, slots, at);
    }
#endif
    return qd_move_each(index, done, count, slots, at, movers, stays);
}

void qd_one_list_count(const qd_index *index, qd_space_counters *counters)
{
    (void)index;
    counters->cells = 1;
}

bool qd_one_list_holds(const qd_index *index, uint32_t cell, const qd_row *box)
{
    (void)index, (void)box;
    return cell == 0;
}

bool qd_one_list_is_due(const qd_index *index, const qd_traversal_plan *plan)
{
    return plan->mode != QD_TRAVERSAL_EVENTS || index->rows->changed_count > 0;
}

void qd_one_list_validate(const qd_index *index)
{
    QD_ASSERT(index->cell[0].count == index->rows->count);
}

qd_status qd_one_list_search(const qd_index *index, qd_search *search)
{
    return qd_search_cell(search, index->cell);
}

/* Absent rows are infinite, and the box around a round row may overflow. */
qd_extent qd_one_list_extent(const qd_index *index)
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
