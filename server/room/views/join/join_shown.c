/* SPDX-License-Identifier: Apache-2.0 */
#include "join_shown.h"

#include <math.h>

void qd_join_shown_take(const qd_join *join, qd_join_block *block, const qd_join_body *body)
{
    const qd_join_grid *grid = block->grid;

    qd_join_shown_slots(join, block, body);
    for (uint32_t i = 0; i < block->shown_count; i++) {
        const uint32_t slot = block->shown[i], point = block->shown_at + i;

        for (unsigned k = 0; k < 3 && block->points.at.now[k] && slot != QD_NONE; k++) {
            block->points.at.now[k][point] = grid->entries.at.now[k][grid->place[slot]];
        }
    }
}

void qd_join_shown_drop(qd_join_block *block)
{
    for (unsigned k = 0; k < 3 && block->points.at.now[k]; k++) {
        for (uint32_t i = 0; i < block->shown_count; i++) {
            block->points.at.now[k][block->shown_at + i] = INFINITY;
        }
    }
    block->shown = NULL;
    block->shown_count = 0;
}

/* Whether the body may meet a point, which has its position; the walls of a box are rounded. Beacons reach farther. */
static bool may_meet(const qd_join_block *block, const qd_join_body *body, uint32_t i)
{
    bool near = true;

    for (unsigned k = 0; k < 2; k++) {
        const float apart = fabsf(block->points.at.now[k][block->shown_at + i] - body->now[k]);

        near &= apart <= body->radius_was + QD_JOIN_ERROR_SHARE * (body->radius_was + fabsf(body->now[k]));
    }
    return near || block->grid->place[block->shown[i]] >= block->grid->beacons;
}

uint32_t qd_join_shown_remove(const qd_join_block *block, const qd_join_body *body, uint16_t *masks)
{
    uint32_t count = 0, point;

    for (uint32_t i = 0; i < block->shown_count; i++) {
        if (block->shown[i] == QD_NONE) {
            continue;
        }
        count++;
        if (may_meet(block, body, i) && qd_join_point_find(block, block->shown[i], &point)) {
            qd_join_set(masks, point, false);
        }
    }
    return count;
}

void qd_join_shown_add(const qd_join_block *block, uint16_t *masks)
{
    for (uint32_t i = 0; i < block->shown_count; i++) {
        qd_join_set(masks, block->shown_at + i, block->shown[i] != QD_NONE);
    }
}

void qd_join_shown_bits(const qd_join_block *block, const uint64_t *bits, uint16_t *masks)
{
    for (uint32_t i = 0; i < block->shown_count; i++) {
        const uint32_t entry = block->shown[i] != QD_NONE ? block->grid->place[block->shown[i]] : 0;

        qd_join_set(masks, block->shown_at + i, bits[entry / QD_JOIN_WORD_BITS] >> entry % QD_JOIN_WORD_BITS & 1);
    }
}

void qd_join_shown_forget(qd_join *join, qd_heap *heap, uint32_t row)
{
    if (row < join->row_count) {
        qd_join_derived *derived = &join->derived[row];

        qd_heap_free(heap, derived->shown, derived->shown_count * sizeof derived->shown[0]);
        derived->shown = NULL;
        derived->shown_count = 0;
    }
}

void qd_join_shown_forget_all(qd_join *join, qd_heap *heap)
{
    for (uint32_t row = 0; row < join->row_count; row++) {
        qd_join_shown_forget(join, heap, row);
    }
}
