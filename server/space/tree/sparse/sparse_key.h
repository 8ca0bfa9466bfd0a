/* SPDX-License-Identifier: Apache-2.0
 *
 * The keys of a sparse tree's cells: level and position in one number of 64 bits. A cell's column, row (and layer) on
 * its level lie side by side, each 21 bits wide, and a 1 above them all marks the level:
 *
 *     three dimensions   63 .. 42  1 and layer     41 .. 21  row     20 .. 0  column
 *     two dimensions     42 .. 21  1 and row       20 .. 0   column
 *
 * These are the bits of a Morton number (morton.h), sorted by axis: shifted by one they are the cell above, and what
 * two numbers have in common in front is the smallest cell that contains both. But to ask whether a point is in a cell
 * takes no interleaving, only a shift and a comparison, and that is asked of every body that moves.
 *
 * Pure functions. [any]
 */
#ifndef QD_SPACE_TREE_SPARSE_SPARSE_KEY_H
#define QD_SPACE_TREE_SPARSE_SPARSE_KEY_H

#include "../../geometry/quantizer.h"
#include "../../types.h"

#define QD_KEY_BITS      QD_SPARSE_DEPTH_MAX /* of a number: the finest cells' columns */
#define QD_KEY_LAST      ((1u << QD_KEY_BITS) - 1)
#define QD_KEY_AXIS_BITS 21u
#define QD_KEY_TOP       (QD_KEY_AXIS_BITS * (QD_AXES - 1)) /* where the last axis begins */
#define QD_KEY_ROOT      (UINT64_C(1) << QD_KEY_TOP)

/* The lowest bit of every axis. */
#if QD_AXES == 2
#define QD_KEY_DIGIT (UINT64_C(1) | UINT64_C(1) << QD_KEY_AXIS_BITS)
#else
#define QD_KEY_DIGIT (UINT64_C(1) | UINT64_C(1) << QD_KEY_AXIS_BITS | UINT64_C(1) << 2 * QD_KEY_AXIS_BITS)
#endif

static inline uint32_t qd_key_level(uint64_t key)
{
    return 63u - (uint32_t)__builtin_clzll(key) - QD_KEY_TOP;
}

/* The finest cell with these numbers, one an axis. */
static inline uint64_t qd_key_of(const uint32_t *numbers)
{
    uint64_t key = QD_KEY_ROOT << QD_KEY_BITS;

    for (uint32_t k = 0; k < QD_AXES; k++) {
        key |= (uint64_t)numbers[k] << QD_KEY_AXIS_BITS * k;
    }
    return key;
}

/* The cell of a level that contains another one, of `below`, the same level or one further down. */
static inline uint64_t qd_key_above(uint64_t key, uint32_t below, uint32_t level)
{
    uint64_t bits = ((UINT64_C(1) << level) - 1) * QD_KEY_DIGIT | QD_KEY_ROOT << level;

    return key >> (below - level) & bits;
}

static inline uint64_t qd_key_parent(uint64_t key)
{
    uint32_t level = qd_key_level(key);

    return qd_key_above(key, level, level - 1);
}

/* A cell's column (row, layer) among those of its level. */
static inline uint32_t qd_key_at(uint64_t key, uint32_t axis)
{
    return (uint32_t)(key >> QD_KEY_AXIS_BITS * axis) & ((1u << qd_key_level(key)) - 1);
}

/* The numbers of a box, as those of the kernel (quantizer.h), but of as many bits as the tree can be deep. */
static inline qd_numbers qd_key_numbers(const qd_quantizer *quantizer, const qd_row *box)
{
    return qd_quantizer_numbers_to(QD_KEY_LAST, quantizer, box);
}

/* The level of the smallest cell that contains both corners. */
static inline uint32_t qd_key_level_of(const qd_numbers *numbers)
{
    uint32_t apart = 0;

    for (uint32_t k = 0; k < QD_AXES; k++) {
        apart |= numbers->v[k] ^ numbers->v[QD_ROW_HIGH + k];
    }
    return apart == 0 ? QD_KEY_BITS : QD_KEY_BITS - (32u - (uint32_t)__builtin_clz(apart));
}

#endif
