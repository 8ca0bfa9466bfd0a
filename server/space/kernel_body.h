/* SPDX-License-Identifier: Apache-2.0
 *
 * The kernel's body, compiled by each kernel_<isa>.c after it has included its lanes and columns, and defined
 *
 *     KERNEL_NAME      "portable" and so on
 *     KERNEL_SYMBOL    the qd_kernel to define
 */
#include <string.h>

#include "../base/assert.h"
#include "kernel.h"

#define HITS_STEP 256u /* rows compared between two looks at how full the hits are */
#define HITS_MAX  512u /* hits are sifted above this many */
#define NEAR_MAX  960u /* pairs are tested exactly above this many */
#define HITS_ROOM (HITS_MAX + HITS_STEP + 64u)
#define NEAR_ROOM (NEAR_MAX + 128u)

typedef struct hits {
    uint64_t mask[HITS_ROOM];
    uint32_t row[HITS_ROOM];
    uint32_t base[HITS_ROOM];
} hits;

typedef struct pairs {
    uint32_t a[NEAR_ROOM], b[NEAR_ROOM];
} pairs;

static inline uint64_t lanes_below(uint32_t count, uint32_t lanes)
{
    return count < 64 && count < lanes ? (UINT64_C(1) << count) - 1 : UINT64_MAX >> (64 - lanes);
}

static inline uint32_t append(pairs *near, uint32_t count, uint32_t a, const uint32_t *b, uint64_t mask)
{
    for (; mask != 0; mask &= mask - 1) {
        near->a[count] = a;
        near->b[count] = b[__builtin_ctzll(mask)];
        count++;
    }
    return count;
}

/* What a pair of plain rows tells, by whether it overlaps now (1) and did (2). */
static const uint8_t kind_of[3][4] = {
    [QD_WALK_EVENTS] = {0, QD_SPACE_BEGIN, QD_SPACE_END, 0},
    [QD_WALK_STAYS] = {0, QD_SPACE_BEGIN, QD_SPACE_END, QD_SPACE_STAY},
    [QD_WALK_PAIRS] = {0, 0, QD_SPACE_STAY, QD_SPACE_STAY},
};

static void exact(qd_sink *sink, const pairs *near, uint32_t near_count)
{
    if (near_count == 0 || !qd_sink_open(sink, near_count)) {
        return;
    }
    const qd_rows *rows = sink->rows;
    const uint8_t *kinds = kind_of[sink->mode];
    qd_space_event *event = sink->event;
    size_t count = sink->count;
    for (uint32_t p = 0; p < near_count; p++) {
        uint32_t a = near->a[p], b = near->b[p];
        uint32_t kind;
        if ((a | b) & QD_LIST_SPECIAL) {
            a &= ~QD_LIST_SPECIAL;
            b &= ~QD_LIST_SPECIAL;
            kind = qd_pair_resolve(sink, a, b);
        } else {
            kind = kinds[lanes_overlap(qd_row_now(rows, a), qd_row_was(rows, a), qd_row_now(rows, b),
                                       qd_row_was(rows, b))];
        }
        event[count].a = a | kind << 30;
        event[count].b = b;
        count += kind != 0;
    }
    for (size_t e = sink->count; e < count; e++) {
        event[e].a = (event[e].a & 0xc0000000u) | (qd_row_id(rows, event[e].a & 0x3fffffffu) & QD_ID_SLOT);
        event[e].b = qd_row_id(rows, event[e].b) & QD_ID_SLOT;
    }
    sink->count = count;
    sink->exact_tests += near_count;
}

#define TEST_NAME(x) x##8
#define TEST_TYPE    uint8_t
#define TEST_LANES   64u
#include "kernel_test.h"
#undef TEST_NAME
#undef TEST_TYPE
#undef TEST_LANES

#define TEST_NAME(x) x##16
#define TEST_TYPE    uint16_t
#define TEST_LANES   32u
#include "kernel_test.h"
#undef TEST_NAME
#undef TEST_TYPE
#undef TEST_LANES

/* ---- collecting: a cell's rows as columns ---- */

/* The rows of a block with circles as boxes: around them, or inside. */
static void box_rows(const qd_row *from, uint16_t circle, bool inside, qd_row *to)
{
    for (uint32_t r = 0; r < QD_BLOCK_ROWS; r++) {
        to[r] = !(circle >> r & 1) ? from[r] : inside ? qd_circle_core(&from[r]) : qd_circle_bounds(&from[r]);
    }
}

static inline void edges_of(const qd_sink *sink, uint32_t block, qd_edges *result)
{
    const qd_block_info *info = &sink->rows->info[block];
    const qd_row *was = sink->rows->block[block].was;
    const qd_row *now = sink->mode == QD_WALK_PAIRS ? was : sink->rows->block[block].now;
    if (QD_LIKELY(info->circle == 0)) {
        columns_of_rows(&sink->frame, now, was, result);
    } else {
        qd_row boxes_now[QD_BLOCK_ROWS], boxes_was[QD_BLOCK_ROWS];
        qd_edges inner;
        box_rows(now, info->circle, true, boxes_now);
        box_rows(was, info->circle, true, boxes_was);
        columns_of_rows(&sink->frame, boxes_now, boxes_was, &inner);
        box_rows(now, info->circle, false, boxes_now);
        box_rows(was, info->circle, false, boxes_was);
        columns_of_rows(&sink->frame, boxes_now, boxes_was, result);
        memcpy(result->v[4], inner.v[4], 4 * sizeof inner.v[4]);
    }
    for (uint32_t unproven = info->changed; unproven != 0; unproven &= unproven - 1) {
        uint32_t r = (uint32_t)__builtin_ctz(unproven);
        result->v[4][r] = result->v[5][r] = QD_FRAME_LAST + 1;
        result->v[6][r] = result->v[7][r] = 0;
    }
}

static inline void note_rows(const qd_rows *rows, uint32_t block, uint32_t *row, uint64_t *moved, uint32_t at)
{
    const qd_block_info *info = &rows->info[block];
    for (uint32_t r = 0; r < QD_BLOCK_ROWS; r++) {
        row[at + r] = (block * QD_BLOCK_ROWS + r) | (uint32_t)(info->special >> r & 1) << 31;
    }
    uint64_t *word = &moved[at / 64];
    uint32_t shift = at % 64;
    *word = (*word & ~(UINT64_C(0xffff) << shift)) | (uint64_t)info->dirty << shift;
}

/* The head holds the last rows; the list begins with the first. */
static void collect16(const qd_sink *sink, const qd_cell *cell, qd_list16 *list)
{
    list->own = list->count = cell->count;
    uint32_t at = (cell->count + QD_BLOCK_ROWS - 1) / QD_BLOCK_ROWS * QD_BLOCK_ROWS;
    for (uint32_t block = cell->head; block != QD_NONE; block = sink->rows->info[block].next) {
        at -= QD_BLOCK_ROWS;
        qd_edges found;
        edges_of(sink, block, &found);
        for (uint32_t k = 0; k < QD_LIST_COLUMNS; k++) {
            memcpy(list->column[k] + at, found.v[k], sizeof found.v[k]);
        }
        note_rows(sink->rows, block, list->row, list->moved, at);
    }
}

static void collect8(const qd_sink *sink, const qd_cell *cell, const qd_window *window, qd_list8 *list)
{
    list->own = list->count = cell->count;
    uint32_t at = (cell->count + QD_BLOCK_ROWS - 1) / QD_BLOCK_ROWS * QD_BLOCK_ROWS;
    for (uint32_t block = cell->head; block != QD_NONE; block = sink->rows->info[block].next) {
        at -= QD_BLOCK_ROWS;
        qd_edges found;
        edges_of(sink, block, &found);
        columns_narrow(&found, window, list->column, at);
        note_rows(sink->rows, block, list->row, list->moved, at);
    }
}

/* ---- culling: the carried rows that meet a cell ---- */

static inline uint64_t meeting(const qd_list16 *from, uint32_t base, const qd_window *window, bool moved_only)
{
    lanes16 lanes = lanes_load16(from->column, base);
    uint64_t mask = lanes_meet16(&lanes, window->lo_x, window->lo_y, window->hi_x, window->hi_y);
    if (moved_only) {
        mask &= from->moved[base / 64] >> base % 64;
    }
    return mask & lanes_below(from->count - base, 32);
}

static void cull16(const qd_list16 *from, const qd_window *window, bool moved_only, qd_list16 *list)
{
    for (uint32_t base = 0; base < from->count; base += 32) {
        uint64_t mask = meeting(from, base, window, moved_only);
        if (mask != 0) {
            columns_append16(from, base, mask, list);
        }
    }
}

static void cull8(const qd_list16 *from, const qd_window *window, bool moved_only, qd_list8 *list)
{
    for (uint32_t base = 0; base < from->count; base += 32) {
        uint64_t mask = meeting(from, base, window, moved_only);
        if (mask != 0) {
            columns_append8(from, base, mask, window, list);
        }
    }
}

const qd_kernel KERNEL_SYMBOL = {
    .name = KERNEL_NAME,
    .collect16 = collect16,
    .collect8 = collect8,
    .cull16 = cull16,
    .cull8 = cull8,
    .test16 = test16,
    .test8 = test8,
};
