/* SPDX-License-Identifier: Apache-2.0 */
#include "join_compare.h"

#include <math.h>
#include <string.h>

/* ---- points ---- */

#define SPARE (2 * QD_JOIN_LANES) /* points behind the last one that copies may write, and the padding */

static size_t column_bytes(const qd_join_plan *plan)
{
    return qd_block_part((size_t)plan->points_max + SPARE, sizeof(float));
}

size_t qd_join_block_bytes(const qd_join_grid *grid, const qd_join_plan *plan, unsigned axes)
{
    return (2 * axes + 1) * column_bytes(plan) + qd_block_part(grid->far_count, sizeof(qd_join_far));
}

void qd_join_block_init(qd_join_block *block, const qd_join_plan *plan, unsigned axes, char *memory)
{
    const size_t bytes = column_bytes(plan);

    *block = (qd_join_block){.words = 0};
    for (unsigned k = 0; k < axes; k++) {
        block->points.at.now[k] = (float *)(memory + 2 * k * bytes);
        block->points.at.was[k] = (float *)(memory + (2 * k + 1) * bytes);
    }
    block->points.slot = (uint32_t *)(memory + 2 * axes * bytes);
    block->far = (qd_join_far *)(memory + (2 * axes + 1) * bytes);
}

/* Adds the far entries among `count` from `first` on, which are points from `at` on. */
static void add_far(qd_join_block *block, const qd_join_grid *grid, uint32_t first, uint32_t count, uint32_t at)
{
    uint32_t low = 0, high = grid->far_count;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (grid->far[middle].entry < first) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    for (; low < grid->far_count && grid->far[low].entry < first + count; low++) {
        block->far[block->far_count++] = (qd_join_far){at + grid->far[low].entry - first, grid->far[low].how};
    }
}

void qd_join_block_slots(qd_join_block *block, const qd_join_grid *grid, const qd_join_group *group)
{
    uint32_t at = 0;

    for (uint32_t y = group->area.y0; y <= group->area.y1; y++) {
        uint32_t first;
        const uint32_t count = qd_join_run(grid, &group->area, y, &first);

        for (uint32_t i = 0; i < count; i += QD_JOIN_LANES) {
            memcpy(block->points.slot + at + i, grid->entries.slot + first + i, QD_JOIN_LANES * sizeof(uint32_t));
        }
        at += count;
    }
}

void qd_join_block_fill(qd_join_block *block, const qd_join_grid *grid, const qd_join_kernel *kernel,
                        const qd_join_group *group)
{
    uint32_t at = 0;

    block->group = group;
    block->words = (uint32_t)qd_join_words(group);
    block->far_count = 0;
    for (uint32_t y = group->area.y0; y <= group->area.y1; y++) {
        uint32_t first;
        const uint32_t count = qd_join_run(grid, &group->area, y, &first);

        kernel->copy(&grid->entries.at, first, count, &block->points.at, at);
        if (QD_UNLIKELY(grid->far_count > 0)) {
            add_far(block, grid, first, count, at);
        }
        at += count;
    }
    for (unsigned k = 0; k < 3 && block->points.at.now[k]; k++) {
        for (uint32_t i = 0; i < QD_JOIN_LANES; i++) {
            block->points.at.now[k][at + i] = block->points.at.was[k][at + i] = INFINITY;
        }
    }
    if (QD_UNLIKELY(block->far_count > 0)) {
        qd_join_block_slots(block, grid, group);
    }
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

static qd_join_ball ball_of(const qd_join_region *region)
{
    return region ? qd_join_ball_of(region->at, region->half[0]) : QD_JOIN_NO_BALL;
}

static void set(uint16_t *masks, uint32_t i, bool to)
{
    const uint32_t bit = 1u << i % QD_JOIN_LANES;

    masks[i / QD_JOIN_LANES] = (uint16_t)(to ? masks[i / QD_JOIN_LANES] | bit : masks[i / QD_JOIN_LANES] & ~bit);
}

static bool get(const uint16_t *masks, uint32_t i)
{
    return masks[i / QD_JOIN_LANES] >> i % QD_JOIN_LANES & 1;
}

/* Both entries of an entity that went far show parts of the same event. */
static void join_far(const qd_views *views, const qd_join_block *block, const qd_join_region *now,
                     const qd_join_region *was, uint16_t *is, uint16_t *did, unsigned axes)
{
    for (uint32_t i = 0; i < block->far_count; i++) {
        const uint32_t point = block->far[i].entry, slot = block->points.slot[point];

        if (block->far[i].how == QD_JOIN_CAME_FAR) {
            set(did, point, get(is, point) && was && region_has(was, views->was[slot].at, axes));
        } else if (now && get(did, point) && region_has(now, views->targets[slot].at, axes)) {
            set(did, point, false);
        }
    }
}

void qd_join_compare(const qd_views *views, const qd_join_kernel *kernel, const qd_join_block *block,
                     const qd_join_region *now, const qd_join_region *was, uint16_t *is, uint16_t *did)
{
    const bool is_box = (now && now->kind == QD_ROOM_BOX) || (was && was->kind == QD_ROOM_BOX);
    const unsigned axes = qd_views_axes(views);

    if (is_box) {
        memset(is, now ? 0xff : 0, block->words * sizeof is[0]);
        memset(did, was ? 0xff : 0, block->words * sizeof did[0]);
    }
    const qd_join_ball ball_now = ball_of(now), ball_was = ball_of(was);
    if (is_box || kernel->both(&block->points.at, block->words, &ball_now, &ball_was, is, did)) {
        decide(now, block->points.at.now, block->words, is, axes);
        decide(was, block->points.at.was, block->words, did, axes);
    }
    if (block->far_count > 0) {
        join_far(views, block, now, was, is, did, axes);
    }
}
