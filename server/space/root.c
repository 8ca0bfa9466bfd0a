/* SPDX-License-Identifier: Apache-2.0 */
#include "root.h"

#include <float.h>
#include <string.h>

#define SHELL_NEAREST (-6) /* the first shell beyond the bounds: up to 2^-6 of their side */
#define BETTER        0.5  /* the share of the bounds' cost below which another root is worth it */

void qd_shells_init(qd_shells *shells, const qd_extent *bounds)
{
    memset(shells, 0, sizeof *shells);
    shells->extent[0] = *bounds;
}

static double side_of(const qd_extent *extent)
{
    double side = 0;
    for (uint32_t k = 0; k < QD_AXES; k++) {
        side = fmax(side, extent->hi[k] - extent->lo[k]);
    }
    return side;
}

static void include(qd_extent *extent, const qd_extent *other)
{
    for (uint32_t k = 0; k < QD_AXES; k++) {
        extent->lo[k] = fmin(extent->lo[k], other->lo[k]);
        extent->hi[k] = fmax(extent->hi[k], other->hi[k]);
    }
}

static double within_floats(float value)
{
    return fmin(fmax((double)value, -(double)FLT_MAX), (double)FLT_MAX);
}

static void count_box(qd_shells *shells, const qd_row *box)
{
    const qd_extent *bounds = &shells->extent[0];
    qd_extent at;
    bool is_beyond = false;
    double reach = 0;
    for (uint32_t k = 0; k < QD_AXES; k++) {
        at.lo[k] = within_floats(box->v[k]);
        at.hi[k] = within_floats(box->v[QD_ROW_HIGH + k]);
        is_beyond |= at.lo[k] > bounds->hi[k] || at.hi[k] < bounds->lo[k];
        reach = fmax(reach, fmax(at.hi[k] - bounds->hi[k], bounds->lo[k] - at.lo[k]));
    }
    uint32_t shell = 0;
    if (is_beyond) {
        int exponent;
        (void)frexp(reach / side_of(bounds), &exponent);
        shell = exponent < SHELL_NEAREST ? 1 : (uint32_t)(exponent - SHELL_NEAREST + 1);
        shell = shell < QD_SHELLS ? shell : QD_SHELLS - 1;
        if (shells->count[shell] == 0) {
            shells->extent[shell] = at;
        }
        include(&shells->extent[shell], &at);
    }
    shells->count[shell]++;
    shells->rows++;
}

void qd_shells_count(qd_shells *shells, qd_scan all)
{
    uint32_t first, count;
    while (qd_scan_next(&all, &first, &count)) {
        for (uint32_t i = 0; i < count; i++) {
            qd_row box = qd_row_box(all.rows, first + i);
            count_box(shells, &box);
        }
    }
}

qd_frame qd_root_frame(const qd_root *root, uint32_t bits)
{
    /* Of the smallest ones the scale would be infinite, and 0 times that no number. */
    double scale = ldexp(1, (int)bits) / side_of(&root->extent);
    qd_frame frame = {.scale = scale < (double)FLT_MAX ? (float)scale : FLT_MAX};
    for (uint32_t k = 0; k < QD_AXES; k++) {
        frame.origin[k] = (float)root->extent.lo[k];
    }
    return frame;
}

/* The share of a root that an extent takes up, no less than `least` on each axis. */
static double share_of(const qd_extent *extent, double root_side, double least)
{
    double share = 1;
    for (uint32_t k = 0; k < QD_AXES; k++) {
        share *= fmax((extent->hi[k] - extent->lo[k]) / root_side, least);
    }
    return share;
}

qd_root qd_root_of(const qd_extent *bounds)
{
    return (qd_root){*bounds, share_of(bounds, side_of(bounds), 0)};
}

/* A root, and what is expected of it. */
typedef struct candidate {
    qd_root root; /* filled as if all bodies were as dense as in the densest shell */
    double cost;
} candidate;

static candidate try_root(const qd_shells *shells, uint32_t first, uint32_t last, qd_root_use use)
{
    candidate tried = {.root = {.extent = shells->extent[first], .filled = 1}};
    const double finest = ldexp(1, -(int)use.depth_max);
    double all = shells->rows, in = 0;
    for (uint32_t s = first; s <= last; s++) {
        if (s == first || shells->count[s] > 0) {
            include(&tried.root.extent, &shells->extent[s]);
        }
        in += shells->count[s];
    }
    tried.cost = (all - in) * (all - in);
    double side = side_of(&tried.root.extent);
    for (uint32_t s = first; s <= last; s++) {
        double count = shells->count[s], share = count > 0 ? share_of(&shells->extent[s], side, finest) : 0;
        double cells = ldexp(share, QD_AXES * (int)use.depth_max), cells_needed = count / use.leaf_rows;
        if (cells_needed > 1) {
            tried.cost += count * count / fmin(cells, cells_needed);
            tried.root.filled = fmin(tried.root.filled, share * all / count);
        } else {
            tried.cost += count * count;
        }
    }
    return tried;
}

qd_root qd_root_choose(const qd_shells *shells, qd_root_use use)
{
    qd_root bounds = qd_root_of(&shells->extent[0]);
    if (shells->count[0] == shells->rows) {
        return bounds;
    }
    candidate best = {bounds, try_root(shells, 0, 0, use).cost * BETTER};
    for (uint32_t first = 0; first < QD_SHELLS; first++) {
        for (uint32_t last = first; last < QD_SHELLS; last++) {
            if (shells->count[first] == 0 || shells->count[last] == 0 || last == 0) {
                continue;
            }
            candidate tried = try_root(shells, first, last, use);
            if (tried.cost < best.cost && side_of(&tried.root.extent) > 0) {
                best = tried;
            }
        }
    }
    return best.root;
}
