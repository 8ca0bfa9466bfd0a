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
    double width = extent->hi_x - extent->lo_x, height = extent->hi_y - extent->lo_y;
    return width > height ? width : height;
}

static void include(qd_extent *extent, const qd_extent *other)
{
    extent->lo_x = fmin(extent->lo_x, other->lo_x);
    extent->lo_y = fmin(extent->lo_y, other->lo_y);
    extent->hi_x = fmax(extent->hi_x, other->hi_x);
    extent->hi_y = fmax(extent->hi_y, other->hi_y);
}

static double within_floats(float value)
{
    return fmin(fmax((double)value, -(double)FLT_MAX), (double)FLT_MAX);
}

void qd_shells_count(qd_shells *shells, const qd_row *box)
{
    const qd_extent *bounds = &shells->extent[0];
    const qd_extent at = {within_floats(box->v[0]), within_floats(box->v[1]), within_floats(box->v[2]),
                          within_floats(box->v[3])};
    uint32_t shell = 0;
    if (at.lo_x > bounds->hi_x || at.hi_x < bounds->lo_x || at.lo_y > bounds->hi_y || at.hi_y < bounds->lo_y) {
        double reach_x = fmax(at.hi_x - bounds->hi_x, bounds->lo_x - at.lo_x);
        double reach_y = fmax(at.hi_y - bounds->hi_y, bounds->lo_y - at.lo_y);
        int exponent;
        (void)frexp(fmax(reach_x, reach_y) / side_of(bounds), &exponent);
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
    tree->frame = (qd_frame){
        .origin_x = (float)extent->lo_x,
        .origin_y = (float)extent->lo_y,
        .scale = scale < (double)FLT_MAX ? (float)scale : FLT_MAX,
    };
    tree->filled = filled;
}

void qd_root_reset(qd_quadtree *tree)
{
    const qd_extent *bounds = &tree->bounds;
    double side = side_of(bounds);
    set_root(tree, bounds, (bounds->hi_x - bounds->lo_x) / side * ((bounds->hi_y - bounds->lo_y) / side));
}

/* The share of a root that a shell takes up, no less than one of the finest cells. */
static double share_of(const qd_extent *extent, double root_side)
{
    const double finest = 1.0 / (1u << QD_SPACE_DEPTH_MAX);
    double width = (extent->hi_x - extent->lo_x) / root_side, height = (extent->hi_y - extent->lo_y) / root_side;
    return fmax(width, finest) * fmax(height, finest);
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
    double all = tree->rows->count, in = 0;
    for (uint32_t s = first; s <= last; s++) {
        if (s == first || shells->count[s] > 0) {
            include(&root.extent, &shells->extent[s]);
        }
        in += shells->count[s];
    }
    root.cost = (all - in) * (all - in);
    double side = side_of(&root.extent);
    for (uint32_t s = first; s <= last; s++) {
        double count = shells->count[s], share = count > 0 ? share_of(&shells->extent[s], side) : 0;
        double cells = share * (1u << 2 * QD_SPACE_DEPTH_MAX), cells_needed = count / tree->tuning.leaf_rows;
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
    if (shells->count[0] == tree->rows->count) {
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
