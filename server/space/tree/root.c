/* SPDX-License-Identifier: Apache-2.0 */
#include "root.h"

#include <float.h>
#include <string.h>

#include "../../base/ablation.h"

#define SHELL_NEAREST (-6) /* the first shell beyond the bounds: up to 2^-6 of their side */
#define BETTER        0.5  /* the share of the bounds' cost below which another root is worth it */
#define SAMPLE        127u

static double side_of(const qd_extent *extent)
{
    double side = 0;

    for (uint32_t k = 0; k < QD_AXES; k++) {
        side = fmax(side, extent->hi[k] - extent->lo[k]);
    }
    return side;
}

/* Of numbers. Compilers make an instruction of each, where fmin and fmax are calls. */
static inline double least(double a, double b)
{
    return a < b ? a : b;
}

static inline double most(double a, double b)
{
    return a > b ? a : b;
}

static void include(qd_extent *extent, const qd_extent *other)
{
    for (uint32_t k = 0; k < QD_AXES; k++) {
        extent->lo[k] = least(extent->lo[k], other->lo[k]);
        extent->hi[k] = most(extent->hi[k], other->hi[k]);
    }
}

static double within_floats(float value)
{
    return least(most((double)value, -(double)FLT_MAX), (double)FLT_MAX);
}

static double median(double *values, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        double value = values[i];
        uint32_t at = i;

        for (; at > 0 && values[at - 1] > value; at--) {
            values[at] = values[at - 1];
        }
        values[at] = value;
    }
    return values[count / 2];
}

static qd_extent extent_of(const qd_row *box)
{
    qd_extent at;

    for (uint32_t k = 0; k < QD_AXES; k++) {
        at.lo[k] = within_floats(box->v[k]);
        at.hi[k] = within_floats(box->v[QD_ROW_HIGH + k]);
    }
    return at;
}

static qd_extent centre_of(const qd_extent *box)
{
    qd_extent at;

    for (uint32_t k = 0; k < QD_AXES; k++) {
        at.lo[k] = at.hi[k] = (box->lo[k] + box->hi[k]) / 2;
    }
    return at;
}

/* One row of so many, from the scan's first on. */
static void find_middle(qd_shells *shells, qd_scan all)
{
    double centre[QD_AXES][SAMPLE], size[SAMPLE];
    uint32_t step = all.rows->count / SAMPLE + 1, skip = 0, first, count, found = 0;

    while (qd_scan_next(&all, &first, &count)) {
        for (; skip < count && found < SAMPLE; skip += step) {
            qd_row row = qd_row_box(all.rows, first + skip);
            qd_extent box = extent_of(&row), at = centre_of(&box);

            for (uint32_t k = 0; k < QD_AXES; k++) {
                centre[k][found] = at.lo[k];
            }
            size[found++] = side_of(&box);
        }
        skip -= count;
    }
    if (found == 0) {
        return;
    }
    for (uint32_t k = 0; k < QD_AXES; k++) {
        shells->middle[k] = median(centre[k], found);
    }
    shells->size = median(size, found);
}

/* As frexp does it, of a number above 0 that is not tiny: twice as far out is one more. */
static int exponent_of(const qd_shells *shells, double distance)
{
    const double sides = distance * shells->per_side;
    uint64_t bits;

    memcpy(&bits, &sides, sizeof bits);
    return (int)(bits >> 52) - 1022;
}

static uint32_t shell_within(const qd_shells *shells, const qd_extent *centre)
{
    double distance = 0;

    for (uint32_t k = 0; k < QD_AXES; k++) {
        distance = most(distance, fabs(centre->lo[k] - shells->middle[k]));
    }
    int shell = distance > 0 ? exponent_of(shells, distance) + (int)QD_SHELLS_WITHIN - 1 : 0;
    return shell < 0 ? 0 : shell < (int)QD_SHELLS_WITHIN ? (uint32_t)shell : QD_SHELLS_WITHIN - 1;
}

static uint32_t shell_beyond(const qd_shells *shells, double reach)
{
    int exponent = exponent_of(shells, reach);
    uint32_t shell = QD_SHELLS_WITHIN + (exponent < SHELL_NEAREST ? 0 : (uint32_t)(exponent - SHELL_NEAREST));

    return shell < QD_SHELLS ? shell : QD_SHELLS - 1;
}

static void count_box(qd_shells *shells, const qd_row *box)
{
    const qd_extent *bounds = &shells->bounds;
    qd_extent at = extent_of(box);
    bool is_beyond = false;
    double reach = 0;

    for (uint32_t k = 0; k < QD_AXES; k++) {
        is_beyond |= at.lo[k] > bounds->hi[k] || at.hi[k] < bounds->lo[k];
        reach = most(reach, most(at.hi[k] - bounds->hi[k], bounds->lo[k] - at.lo[k]));
    }
    if (!is_beyond) {
        at = centre_of(&at);
    }
    uint32_t shell = is_beyond ? shell_beyond(shells, reach) : shell_within(shells, &at);
    if (shells->count[shell] == 0) {
        shells->extent[shell] = at;
    }
    include(&shells->extent[shell], &at);
    shells->count[shell]++;
    shells->rows++;
}

void qd_shells_init(qd_shells *shells, const qd_extent *bounds, qd_scan all)
{
    memset(shells, 0, sizeof *shells);
    shells->bounds = *bounds;
    shells->per_side = 1 / side_of(bounds);
    find_middle(shells, all);
}

void qd_shells_count(qd_shells *shells, const qd_rows *rows, uint32_t first, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const qd_row box = qd_row_box(rows, first + i);

        count_box(shells, &box);
    }
}

void qd_shells_merge(qd_shells *shells, const qd_shells *others)
{
    for (uint32_t s = 0; s < QD_SHELLS; s++) {
        if (others->count[s] == 0) {
            continue;
        }
        if (shells->count[s] == 0) {
            shells->extent[s] = others->extent[s];
        }
        include(&shells->extent[s], &others->extent[s]);
        shells->count[s] += others->count[s];
    }
    shells->rows += others->rows;
}

qd_quantizer qd_root_quantizer(const qd_root *root, uint32_t bits)
{
    /* Of the smallest ones the scale would be infinite, and 0 times that no number. */
    double scale = ldexp(1, (int)bits) / side_of(&root->extent);
    qd_quantizer quantizer = {.scale = scale < (double)FLT_MAX ? (float)scale : FLT_MAX};

    for (uint32_t k = 0; k < QD_AXES; k++) {
        quantizer.origin[k] = qd_quantizer_origin(root->extent.lo[k]);
    }
    return quantizer;
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

/* The finest cells of a root of that side that a shell's bodies lie in; of bodies within the bounds no more than have
 * room beside each other. */
static double cells_of(const qd_shells *shells, uint32_t shell, double root_side, uint32_t depth)
{
    const qd_extent *extent = &shells->extent[shell];
    double cells = 1;

    for (uint32_t k = 0; k < QD_AXES; k++) {
        double length = extent->hi[k] - extent->lo[k], across = ldexp(length / root_side, (int)depth);

        if (shell < QD_SHELLS_WITHIN && shells->size > 0) {
            across = fmin(across, length / shells->size);
        }
        cells *= fmax(across, 1);
    }
    return cells;
}

/* The square of this extent, with the shells from first to last in it. */
static candidate try_root(const qd_shells *shells, const qd_extent *extent, uint32_t first, uint32_t last,
                          qd_root_use use)
{
    candidate tried = {.root = {.extent = *extent, .filled = 1}};
    const double finest = ldexp(1, -(int)use.depth_max), side = side_of(extent), all = shells->rows;
    double in = 0;

    for (uint32_t s = first; s <= last; s++) {
        double count = shells->count[s], needed = count / use.leaf_rows;

        in += count;
        if (needed > 1) {
            tried.cost += count * count / fmin(cells_of(shells, s, side, use.depth_max), needed);
            tried.root.filled = fmin(tried.root.filled, share_of(&shells->extent[s], side, finest) * all / count);
        } else {
            tried.cost += count * count;
        }
    }
    tried.cost += (all - in) * (all - in);
    return tried;
}

/* Around these shells: in shells that hold centers, bodies stick out by half their size. */
static qd_extent extent_around(const qd_shells *shells, uint32_t first, uint32_t last)
{
    qd_extent all = shells->extent[first];

    for (uint32_t s = first; s <= last; s++) {
        if (shells->count[s] > 0) {
            qd_extent shell = shells->extent[s];

            for (uint32_t k = 0; s < QD_SHELLS_WITHIN && k < QD_AXES; k++) {
                shell.lo[k] -= shells->size / 2;
                shell.hi[k] += shells->size / 2;
            }
            include(&all, &shell);
        }
    }
    return all;
}

qd_root qd_root_choose(const qd_shells *shells, qd_root_use use)
{
    candidate best = try_root(shells, &shells->bounds, 0, QD_SHELLS_WITHIN - 1, use);

    best.root = qd_root_of(&shells->bounds);
    best.cost *= QD_WITHOUT(ROOT_CHOICE) ? -1 : BETTER;
    for (uint32_t first = 0; first < QD_SHELLS; first++) {
        for (uint32_t last = first; last < QD_SHELLS; last++) {
            if (shells->count[first] == 0 || shells->count[last] == 0) {
                continue;
            }
            qd_extent extent = extent_around(shells, first, last);
            double side = side_of(&extent);
            if (!(side > 0 && side <= (double)FLT_MAX)) {
                continue;
            }
            candidate tried = try_root(shells, &extent, first, last, use);
            if (tried.cost < best.cost) {
                best = tried;
            }
        }
    }
    return best.root;
}
