/* SPDX-License-Identifier: Apache-2.0 */
#include "join_compare.h"

#include <math.h>
#include <string.h>

/* ---- points ---- */

#define SPARE (2 * QD_JOIN_LANES) /* points behind the last one that copies may write, and the padding */
#define MASKS (2 + QD_JOIN_TURNS + QD_JOIN_SOME)

static size_t column_bytes(const qd_join_plan *plan)
{
    return qd_block_part((size_t)plan->points_max + SPARE, sizeof(float));
}

/* With what qd_join_bits_add reaches. */
static size_t mask_bytes(const qd_join_plan *plan)
{
    return qd_block_part(qd_join_stride(qd_join_words_of(plan->points_max)) + QD_JOIN_FOUR, sizeof(uint16_t));
}

/* For a value of each point up to the stride, too. */
static size_t scratch_bytes(const qd_join_plan *plan)
{
    return qd_block_part((size_t)plan->points_max + QD_JOIN_FOUR * QD_JOIN_LANES, QD_JOIN_SCRATCH);
}

size_t qd_join_block_bytes(const qd_join_grid *grid, const qd_join_plan *plan, unsigned axes)
{
    return (2 * axes + 3) * column_bytes(plan) + MASKS * mask_bytes(plan) +
           2 * qd_block_part(plan->rows_max, sizeof(uint32_t)) + scratch_bytes(plan) +
           qd_block_part(grid->special_count, sizeof(qd_join_special));
}

static uint16_t *cut_mask(char **memory, size_t bytes)
{
    char *mask = *memory;

    *memory += bytes;
    return (uint16_t *)mask;
}

void qd_join_block_init(qd_join_block *block, const qd_join_grid *grid, const qd_join_plan *plan, unsigned axes,
                        char *memory)
{
    const size_t bytes = column_bytes(plan), masks = mask_bytes(plan);

    *block = (qd_join_block){.grid = grid};
    for (unsigned k = 0; k < axes; k++) {
        block->points.at.now[k] = (float *)memory;
        block->points.at.was[k] = (float *)(memory + bytes);
        memory += 2 * bytes;
    }
    block->points.slot = (uint32_t *)memory;
    block->points.category = (uint32_t *)(memory + bytes);
    block->points.team = (uint32_t *)(memory + 2 * bytes);
    memory += 3 * bytes;
    block->moved = cut_mask(&memory, masks);
    block->once = cut_mask(&memory, masks);
    for (uint32_t i = 0; i < QD_JOIN_TURNS; i++) {
        block->turns[i] = cut_mask(&memory, masks);
    }
    for (uint32_t i = 0; i < QD_JOIN_SOME; i++) {
        block->some[i] = cut_mask(&memory, masks);
    }
    block->offset = (uint32_t *)memory;
    memory += qd_block_part(plan->rows_max, sizeof(uint32_t));
    block->end = (uint32_t *)memory;
    memory += qd_block_part(plan->rows_max, sizeof(uint32_t));
    block->scratch = memory;
    block->special = (qd_join_special *)(memory + scratch_bytes(plan));
}

void qd_join_block_take(qd_join_block *block, const qd_join_group *group)
{
    block->group = group;
    block->words = qd_join_words(group);
    block->stride = qd_join_stride(block->words);
    block->shown_at = group->points - group->shown;
    block->shown = NULL;
    block->shown_count = 0;
    block->special_count = 0;
    block->has_slots = block->has_filters = block->has_moved = false;
    block->has_turns = 0;
}

/* Sixteen elements at a time, as in the kernel. */
static void copy_column(const qd_join_block *block, const uint32_t *from, uint32_t *to)
{
    const qd_join_area *area = &block->group->area;
    uint32_t at = 0, first;

    for (uint32_t row = 0, rows = qd_join_rows_of(block->grid, area); row < rows; row++) {
        const uint32_t count = qd_join_run(block->grid, area, row, &first);

        for (uint32_t i = 0; i < count; i += QD_JOIN_LANES) {
            memcpy(to + at + i, from + first + i, QD_JOIN_LANES * sizeof to[0]);
        }
        at += count;
    }
}

void qd_join_block_slots(qd_join_block *block)
{
    copy_column(block, block->grid->entries.slot, block->points.slot);
    block->has_slots = true;
}

void qd_join_block_filters(qd_join_block *block)
{
    copy_column(block, block->grid->entries.category, block->points.category);
    copy_column(block, block->grid->entries.team, block->points.team);
    block->has_filters = true;
}

/* `count` bits of entries from `first` on. */
static uint64_t bits_of(const uint64_t *bits, uint32_t first, uint32_t count)
{
    const uint32_t shift = first % QD_JOIN_WORD_BITS;
    uint64_t some = bits[first / QD_JOIN_WORD_BITS] >> shift;

    if (shift + count > QD_JOIN_WORD_BITS) {
        some |= bits[first / QD_JOIN_WORD_BITS + 1] << (QD_JOIN_WORD_BITS - shift);
    }
    return some & ((UINT64_C(1) << count) - 1);
}

void qd_join_block_bits(const qd_join_block *block, const uint64_t *bits, uint16_t *masks)
{
    const qd_join_area *area = &block->group->area;
    uint32_t at = 0, first;

    memset(masks, 0, block->stride * sizeof masks[0]);
    for (uint32_t row = 0, rows = qd_join_rows_of(block->grid, area); row < rows; row++) {
        const uint32_t count = qd_join_run(block->grid, area, row, &first);

        for (uint32_t i = 0; i < count; i += QD_JOIN_BITS) {
            const uint32_t some = count - i < QD_JOIN_BITS ? count - i : QD_JOIN_BITS;

            qd_join_bits_add(masks, at + i, bits_of(bits, first + i, some));
        }
        at += count;
    }
}

void qd_join_block_moved(qd_join_block *block)
{
    qd_join_block_bits(block, block->grid->moved, block->moved);
    block->has_moved = true;
}

/* Adds the special entries among `count` from `first` on, which are points from `at` on. */
static void add_special(qd_join_block *block, uint32_t first, uint32_t count, uint32_t at)
{
    const qd_join_special *all = block->grid->special;
    uint32_t low = 0, high = block->grid->special_count;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (all[middle].entry < first) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    for (; low < block->grid->special_count && all[low].entry < first + count; low++) {
        block->special[block->special_count++] = (qd_join_special){at + all[low].entry - first, all[low].how};
    }
}

void qd_join_block_fill(qd_join_block *block, const qd_join_kernel *kernel, const qd_join_group *group)
{
    uint32_t at = 0, first;

    qd_join_block_take(block, group);
    for (uint32_t row = 0, rows = qd_join_rows_of(block->grid, &group->area); row < rows; row++) {
        const uint32_t count = qd_join_run(block->grid, &group->area, row, &first);

        kernel->copy(&block->grid->entries.at, first, count, &block->points.at, at);
        block->offset[row] = at - first;
        block->end[row] = at + count;
        if (QD_UNLIKELY(block->grid->special_count > 0)) {
            add_special(block, first, count, at);
        }
        at += count;
    }
    /* Behind the last point there is none, and what is shown has positions only for its body. */
    for (unsigned k = 0; k < 3 && block->points.at.now[k]; k++) {
        for (uint32_t i = 0; i < group->shown + QD_JOIN_LANES; i++) {
            block->points.at.now[k][at + i] = block->points.at.was[k][at + i] = INFINITY;
        }
    }
    if (QD_UNLIKELY(block->special_count > 0)) {
        qd_join_block_slots(block);
    }
}

#define ROWS_FEW 64u /* with more rows of cells, all slots are copied */

uint32_t qd_join_slot_at(qd_join_block *block, uint32_t point)
{
    const uint32_t last = qd_join_rows_of(block->grid, &block->group->area) - 1;
    uint32_t row = 0;

    if (QD_UNLIKELY(point >= block->shown_at)) {
        return block->shown[point - block->shown_at];
    }
    if (!block->has_slots && last >= ROWS_FEW) {
        qd_join_block_slots(block);
    }
    if (block->has_slots) {
        return block->points.slot[point];
    }
    for (uint32_t i = 0; i < last; i++) {
        row += point >= block->end[i];
    }
    return block->grid->entries.slot[point - block->offset[row]];
}

/* The row of cells of an entry, which is near where it is; that of beacons comes last. */
static uint32_t row_of(const qd_join_block *block, uint32_t entry, float along_y)
{
    const qd_join_grid *grid = block->grid;
    uint32_t y = qd_join_cell(grid, 1, along_y);

    if (QD_UNLIKELY(entry >= grid->beacons)) {
        return qd_join_rows_of_cells(&block->group->area);
    }
    while (entry < grid->start[(size_t)y * grid->side[0]]) {
        y--;
    }
    while (entry >= grid->start[((size_t)y + 1) * grid->side[0]]) {
        y++;
    }
    return y - block->group->area.y0; /* beyond all rows if it is before the first */
}

uint32_t qd_join_point_at(const qd_join_block *block, uint32_t slot, const float at[3])
{
    const uint32_t entry = block->grid->place[slot];

    return entry + block->offset[row_of(block, entry, at[1])];
}

static bool is_in_area(const qd_join_block *block, uint32_t entry, uint32_t row)
{
    const qd_join_area *area = &block->group->area;
    uint32_t first;

    if (row >= qd_join_rows_of(block->grid, area)) {
        return false;
    }
    const uint32_t count = qd_join_run(block->grid, area, row, &first);
    return entry - first < count;
}

bool qd_join_point_find(const qd_join_block *block, uint32_t slot, uint32_t *point)
{
    const uint32_t entry = block->grid->place[slot];
    const uint32_t row = row_of(block, entry, block->grid->entries.at.now[1][entry]);

    if (!is_in_area(block, entry, row)) {
        return false;
    }
    *point = entry + block->offset[row];
    return true;
}

uint32_t qd_join_point_of(const qd_join_block *block, uint32_t slot)
{
    const qd_join_grid *grid = block->grid;

    float *const *now = grid->entries.at.now, *const *was = grid->entries.at.was;
    uint32_t entry = grid->place[slot];
    uint32_t row = row_of(block, entry, now[1][entry] < INFINITY ? now[1][entry] : was[1][entry]);

    if (QD_UNLIKELY(!is_in_area(block, entry, row))) {
        entry = grid->went[slot];
        row = row_of(block, entry, was[1][entry]);
        QD_ASSERT(grid->entries.slot[entry] == slot && is_in_area(block, entry, row));
    }
    return entry + block->offset[row];
}

/* ---- the rule ---- */

static inline bool region_has(const qd_join_region *region, const float at[3], unsigned axes)
{
    if (region->kind == QD_ROOM_BOX) {
        bool is = true;

        for (unsigned k = 0; k < axes; k++) {
            is &= (region->at[k] - region->half[k] <= at[k]) & (at[k] <= region->at[k] + region->half[k]);
        }
        return is;
    }
    const double radius = (double)region->half[0];
    double sum = 0;
    for (unsigned k = 0; k < axes; k++) {
        const double apart = (double)region->at[k] - (double)at[k];

        sum += apart * apart;
    }
    return sum <= radius * radius;
}

bool qd_join_region_has(const qd_join_region *region, const float at[3], unsigned axes)
{
    return region->kind != 0 && region_has(region, at, axes);
}

/* Whether the region has the point; INFINITY: there is no point. */
static inline bool has(const qd_join_region *region, float *const column[3], uint32_t i, unsigned axes)
{
    const float at[3] = {column[0][i], column[1][i], axes == 3 ? column[2][i] : 0};

    return at[0] < INFINITY && region_has(region, at, axes);
}

/* Decides exactly about the points of the masks. */
static void decide(const qd_join_region *region, float *const column[3], uint32_t words, uint16_t *masks, unsigned axes)
{
    for (uint32_t word = 0; word < words && region; word++) {
        uint32_t in = 0;

        for (uint32_t left = masks[word]; left != 0; left &= left - 1) {
            const uint32_t lane = (uint32_t)__builtin_ctz(left);

            in |= (uint32_t)has(region, column, word * QD_JOIN_LANES + lane, axes) << lane;
        }
        masks[word] = (uint16_t)in;
    }
}

/* Both entries of an entity that went far show parts of the same event. */
static void join_far(const qd_views *views, const qd_join_block *block, const qd_join_region *now,
                     const qd_join_region *was, uint16_t *is, uint16_t *did, unsigned axes)
{
    for (uint32_t i = 0; i < block->special_count; i++) {
        const uint32_t point = block->special[i].entry, slot = block->points.slot[point], how = block->special[i].how;

        if (how & QD_JOIN_CAME_FAR) {
            qd_join_set(did, point, qd_join_get(is, point) && was && region_has(was, views->was[slot].at, axes));
        } else if (how & QD_JOIN_WENT_FAR && now && qd_join_get(did, point) &&
                   region_has(now, views->targets[slot].at, axes)) {
            qd_join_set(did, point, false);
        }
    }
}

static qd_join_region circle(const float at[3], float radius)
{
    return (qd_join_region){.at = {at[0], at[1], at[2]}, .half = {radius}, .kind = QD_ROOM_CIRCLE};
}

void qd_join_decide(const qd_views *views, const qd_join_block *block, const qd_join_region *region, uint16_t *masks)
{
    decide(region, block->points.at.now, block->words, masks, qd_views_axes(views));
}

/* Exact where the masks, which hold too much, do not decide. */
static void finish(const qd_views *views, const qd_join_block *block, const qd_join_body *body, bool unsure,
                   uint16_t *is, uint16_t *did)
{
    const unsigned axes = qd_views_axes(views);
    const qd_join_box *box = body->is_box ? &block->boxes[body->mask] : NULL;
    const qd_join_region region = box ? box->now : circle(body->now, body->radius_now);
    const qd_join_region old = box ? box->was : circle(body->was, body->radius_was);
    const qd_join_region *now = body->is ? &region : NULL, *was = body->did ? &old : NULL;

    if (unsure) {
        decide(now, block->points.at.now, block->words, is, axes);
        decide(was, block->points.at.was, block->words, did, axes);
    }
    if (block->special_count > 0) {
        join_far(views, block, now, was, is, did, axes);
    }
}

/* The masks of a box, until `finish` decides. */
static void take_all(const qd_join_block *block, bool any, uint16_t *masks)
{
    memset(masks, 0, block->stride * sizeof masks[0]);
    memset(masks, any ? 0xff : 0, block->words * sizeof masks[0]);
}

void qd_join_compare_exactly(const qd_views *views, const qd_join_kernel *kernel, const qd_join_block *block,
                             const qd_join_body *body, bool unsure, uint16_t *is, uint16_t *did, qd_join_counts *counts)
{
    if (body->is_box) {
        take_all(block, body->is, is);
        take_all(block, body->did, did);
    }
    finish(views, block, body, unsure, is, did);
    *counts = kernel->count(is, did, block->words);
}
