/* SPDX-License-Identifier: Apache-2.0
 *
 * Moving many bodies, for any index. Nearly all that move stay in their cell: their row is written where it is, its
 * block is listed as changed, and nothing else is touched. The others become movers (core/index.h).
 */
#ifndef QD_SPACE_MOVE_MOVE_H
#define QD_SPACE_MOVE_MOVE_H

#include <math.h>
#include <string.h>

#include "../../base/ablation.h"
#include "../../base/assert.h"
#include "../core/index.h"

#define QD_MOVE_PREFETCH_RECORD 48u
#define QD_MOVE_PREFETCH_ROW    24u
#define QD_MOVE_PREFETCH_FROM   65536u /* bodies: with fewer, everything is near anyway */

/* Whether a body that went from `before` to where its record says, which takes up these bounds, may stay in its cell.
 * Its was is in there already. */
typedef bool (*qd_stays_fn)(const qd_index *index, const qd_record *record, const qd_row *bounds, const float *before);

/* Whether a body moved by no more than its own size, so that a row for both ends is met by few others. */
static inline bool qd_move_is_step(const qd_record *record, const qd_row *bounds, const float *before)
{
    bool is_step = true;

    for (uint32_t k = 0; k < QD_AXES; k++) {
        is_step &= fabsf(record->at[k] - before[k]) <= bounds->v[QD_ROW_HIGH + k] - bounds->v[k];
    }
    return is_step;
}

static inline bool qd_moves_prefetch(const qd_bodies *bodies)
{
    return bodies->used > QD_MOVE_PREFETCH_FROM && !QD_WITHOUT(MOVE_PREFETCH);
}

/* What is needed QD_MOVE_PREFETCH_RECORD slots further on, and QD_MOVE_PREFETCH_ROW: the list is that long. `marks`:
 * rows are marked one by one. */
static inline void qd_move_prefetch(const qd_index *index, const uint32_t *slots, bool marks)
{
    const qd_record *records = index->bodies->record;

    __builtin_prefetch(&records[slots[QD_MOVE_PREFETCH_RECORD]], 1);
    uint32_t row = records[slots[QD_MOVE_PREFETCH_ROW]].row;
    __builtin_prefetch(qd_row_now(index->rows, row), 1);
    if (marks) {
        __builtin_prefetch(&index->rows->info[row / QD_BLOCK_ROWS], 1);
    }
}

/* Moves a body to at[axis][i], and its row, where it stays in its cell. `before` is where it was. */
static inline __attribute__((always_inline)) bool qd_move_one(qd_index *index, uint32_t slot, const float *const *at,
                                                              size_t i, qd_stays_fn stays, float *before)
{
    qd_bodies *bodies = index->bodies;

    QD_ASSERT(slot < bodies->used);
    qd_record *record = &bodies->record[slot];
    QD_ASSERT(record->state == QD_RECORD_LIVE);
    memcpy(before, record->at, QD_AXES * sizeof *before);
    for (uint32_t k = 0; k < QD_AXES; k++) {
        record->at[k] = at[k][i];
    }
    qd_row row, bounds;
    if (QD_LIKELY(record->shape == QD_SPACE_BOX)) {
        row = bounds = qd_row_of_box(record->at, record->half);
    } else {
        row = qd_bodies_row(bodies, slot);
        bounds = qd_round_bounds(&row);
    }
    if (QD_UNLIKELY(!stays(index, record, &bounds, before))) {
        return false;
    }
    *qd_row_now(index->rows, record->row) = row;
    qd_rows_set_changed(index->rows, record->row);
    return true;
}

/* Moves bodies one by one, from number `first` on; those that do not stay in their cells are put into `movers`, to be
 * registered again. Returns the number of the first body that is not moved, because `movers` is full, or `count`.
 * Inlined into each index, so that `stays` is no call. */
static inline __attribute__((always_inline)) size_t qd_move_each(qd_index *index, size_t first, size_t count,
                                                                 const uint32_t *slots, const float *const *at,
                                                                 qd_movers *movers, qd_stays_fn stays)
{
    qd_bodies *bodies = index->bodies;
    const bool is_large = qd_moves_prefetch(bodies);
    const float *to[QD_AXES];

    memcpy(to, at, sizeof to);
    for (size_t i = first; i < count; i++) {
        if (is_large && i + QD_MOVE_PREFETCH_RECORD < count) {
            QD_ASSERT(slots[i + QD_MOVE_PREFETCH_ROW] < bodies->used);
            qd_move_prefetch(index, slots + i, !index->rows->all);
        }
        float before[QD_AXES];
        if (!qd_move_one(index, slots[i], to, i, stays, before)) {
            movers->each[movers->count++] = (qd_mover){slots[i], qd_mover_to(0, QD_MOVE_UPDATE), 0};
            if (movers->count >= QD_MOVERS_FULL) {
                return i + 1;
            }
        }
    }
    return count;
}

#endif
