/* SPDX-License-Identifier: Apache-2.0 */
#include "join_beacons.h"

#include <math.h>

static bool has(float visible_range, float margin, const float a[3], const float b[3], unsigned axes)
{
    const double reach = (double)visible_range + (double)margin;
    double sum = 0;

    for (unsigned k = 0; k < axes; k++) {
        const double apart = (double)a[k] - (double)b[k];

        sum += apart * apart;
    }
    return visible_range > 0 && sum <= reach * reach;
}

uint32_t qd_join_beacon_flags(float visible_range, float margin, const float a[3], const float b[3], unsigned axes)
{
    const bool inner = has(visible_range, 0, a, b, axes);
    const bool outer = margin > 0 && has(visible_range, margin, a, b, axes);

    return (inner ? (uint32_t)QD_ENTRY_BEACON_INNER : 0) | (outer ? (uint32_t)QD_ENTRY_BEACON_OUTER : 0);
}

/* Which of sixteen beacons may reach `at`, and which of them surely do. Lane by lane without branches, so that compilers
 * vectorize it. */
static uint32_t look(float *const now[3], const float *range, const float at[3], float margin, uint32_t *surely,
                     unsigned axes)
{
    float square[QD_JOIN_LANES] = {0};
    uint32_t maybe = 0, sure = 0;

    for (unsigned k = 0; k < axes; k++) {
        for (uint32_t lane = 0; lane < QD_JOIN_LANES; lane++) {
            const float apart = now[k][lane] - at[k];

            square[lane] += apart * apart;
        }
    }
    for (uint32_t lane = 0; lane < QD_JOIN_LANES; lane++) {
        const float reach = range[lane] + margin, all = reach * reach;
        const float least = all >= QD_JOIN_SQUARE_MIN ? all : QD_JOIN_SQUARE_MIN;

        maybe |= (uint32_t)(square[lane] <= least * (1 + QD_JOIN_ERROR_SHARE)) << lane;
        sure |= (uint32_t)((all >= QD_JOIN_SQUARE_MIN) & (square[lane] < all * (1 - QD_JOIN_ERROR_SHARE))) << lane;
    }
    *surely = sure;
    return maybe;
}

static bool reaches(const qd_join_block *block, uint32_t i, uint32_t point, const float at[3], float margin,
                    unsigned axes)
{
    float *const *now = block->points.at.now;
    const float place[3] = {now[0][point], now[1][point], axes == 3 ? now[2][point] : 0};

    return place[0] < INFINITY && has(block->grid->visible_range[i], margin, place, at, axes);
}

uint32_t qd_join_add_beacons(const qd_views *views, const qd_join_block *block, const float at[3], float margin,
                             uint16_t *masks)
{
    const qd_join_grid *grid = block->grid;
    const uint32_t count = grid->count - grid->beacons, first = block->shown_at - count;
    const unsigned axes = qd_views_axes(views);
    uint32_t sum = 0;

    for (uint32_t i = 0; i < count; i += QD_JOIN_LANES) {
        float *const *column = block->points.at.now;
        float *const now[3] = {column[0] + first + i, column[1] + first + i, axes == 3 ? column[2] + first + i : NULL};
        const uint32_t lanes = count - i < QD_JOIN_LANES ? (1u << (count - i)) - 1 : UINT16_MAX;
        uint32_t surely, in = look(now, grid->visible_range + i, at, margin, &surely, axes) & lanes;

        for (uint32_t unsure = in & ~surely; unsure != 0; unsure &= unsure - 1) {
            const uint32_t lane = (uint32_t)__builtin_ctz(unsure);

            in &= ~((uint32_t)!reaches(block, i + lane, first + i + lane, at, margin, axes) << lane);
        }
        if (in != 0) {
            qd_join_bits_add(masks, first + i, in);
            sum += (uint32_t)__builtin_popcount(in);
        }
    }
    return sum;
}

void qd_join_follow_beacons(const qd_join_block *block, const uint16_t *is, uint16_t *did)
{
    const qd_join_grid *grid = block->grid;
    const uint32_t beacons = block->shown_at - (grid->count - grid->beacons);

    for (uint32_t i = 0; i < block->special_count; i++) {
        const uint32_t point = block->special[i].entry;

        if (point < beacons || !(block->special[i].how & QD_JOIN_CAME_FAR) || !qd_join_get(is, point)) {
            continue;
        }
        const uint32_t went = beacons + grid->went[block->points.slot[point]] - grid->beacons;
        const bool was = qd_join_get(did, went);

        qd_join_set(did, point, was || qd_join_get(did, point));
        qd_join_set(did, went, false);
    }
}
