/* SPDX-License-Identifier: Apache-2.0 */
#include "quadtree_frame.h"

#include <float.h>
#include <string.h>

#define SHELL_NEAREST (-6) /* the first shell beyond the bounds: up to 2^-6 of their side */
#define BETTER        0.5  /* the share of the bounds' cost below which another root is worth it */

void qd_shells_init(qd_shells *shells, const qd_quadtree *tree)
{
    memset(shells, 0, sizeof *shells);
    shells->extent[0] = tree->bounds;
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

void qd_shells_count(qd_shells *shells, const qd_row *box)
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
}

static void set_root(qd_quadtree *tree, const qd_extent *extent, double filled)
{
    double side = side_of(extent);
    /* Of the smallest ones the scale would be infinite, and 0 times that no number. */
    double scale = (double)(QD_FRAME_LAST + 2) / side;
    tree->frame.scale = scale < (double)FLT_MAX ? (float)scale : FLT_MAX;
    for (uint32_t k = 0; k < QD_AXES; k++) {
        tree->frame.origin[k] = (float)extent->lo[k];
    }
    tree->filled = filled;
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

void qd_root_reset(qd_quadtree *tree)
{
    set_root(tree, &tree->bounds, share_of(&tree->bounds, side_of(&tree->bounds), 0));
}

/* A root, and what is expected of it. */
typedef struct candidate {
    qd_extent extent;
    double cost;
    double filled; /* as if all bodies were as dense as in the densest shell */
} candidate;

static candidate try_root(const qd_quadtree *tree, const qd_shells *shells, uint32_t first, uint32_t last)
{
    candidate root = {.extent = shells->extent[first], .filled = 1};
    const double finest = 1.0 / (1u << QD_TREE_DEPTH_MAX);
    double all = tree->index.rows->count, in = 0;
    for (uint32_t s = first; s <= last; s++) {
        if (s == first || shells->count[s] > 0) {
            include(&root.extent, &shells->extent[s]);
        }
        in += shells->count[s];
    }
    root.cost = (all - in) * (all - in);
    double side = side_of(&root.extent);
    for (uint32_t s = first; s <= last; s++) {
        double count = shells->count[s], share = count > 0 ? share_of(&shells->extent[s], side, finest) : 0;
        double cells = share * qd_level_cells(QD_TREE_DEPTH_MAX);
        double cells_needed = count / tree->index.tuning.leaf_rows;
        if (cells_needed > 1) {
            root.cost += count * count / fmin(cells, cells_needed);
            root.filled = fmin(root.filled, share * all / count);
        } else {
            root.cost += count * count;
        }
    }
    return root;
}

void qd_root_choose(qd_quadtree *tree, const qd_shells *shells)
{
    qd_root_reset(tree);
    if (shells->count[0] == tree->index.rows->count) {
        return;
    }
    candidate best = try_root(tree, shells, 0, 0);
    best.cost *= BETTER;
    bool found = false;
    for (uint32_t first = 0; first < QD_SHELLS; first++) {
        for (uint32_t last = first; last < QD_SHELLS; last++) {
            if (shells->count[first] == 0 || shells->count[last] == 0 || last == 0) {
                continue;
            }
            candidate root = try_root(tree, shells, first, last);
            if (root.cost < best.cost && side_of(&root.extent) > 0) {
                best = root;
                found = true;
            }
        }
    }
    if (found) {
        set_root(tree, &best.extent, best.filled);
    }
}
