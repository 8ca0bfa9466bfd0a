/* SPDX-License-Identifier: Apache-2.0
 *
 * The quantizer: how coordinates become integers for the kernel's filters and for the cells of trees.
 *
 *     origin                                    origin + 65534 / scale
 *       |----|----|----|----|----|  ...  |----|----|
 *       0    1    2    3    4                    65534        numbers of an axis
 *     <- all below is 0                     all above is 65534 ->
 *
 * A finest cell is a power of two of numbers wide, so that cells nest exactly. The mapping never decreases as the
 * coordinate grows: subtraction and multiplication round, but keep the order. Coordinates beyond the ends, infinities
 * too, get the number of that end. So boxes that overlap have numbers that overlap; a filter on numbers can only let
 * too much through, and edge cells reach to infinity. That holds for every quantizer, also for one around a small part
 * of the space: it only tells apart less of what lies outside.
 *
 * Pure functions. [any]
 */
#ifndef QD_SPACE_GEOMETRY_QUANTIZER_H
#define QD_SPACE_GEOMETRY_QUANTIZER_H

#include <float.h>
#include <string.h>

#include "shape.h"

#define QD_QUANTIZER_BITS 16u
#define QD_QUANTIZER_LAST 65534u /* below the type's last number: the kernel stores some numbers plus one */

typedef struct qd_quantizer {
    float origin[QD_AXES];
    float scale; /* numbers per unit: finite and above 0 */
} qd_quantizer;

/* The origin of a quantizer that reaches down to `lo`: never so near to 0 that a coordinate minus the origin is
 * denormal. Processors multiply denormals a hundred times more slowly, so a client could hold up a room with them. */
#define QD_QUANTIZER_ORIGIN_LEAST 0x1p-100f

static inline float qd_quantizer_origin(double lo)
{
    const float origin = (float)lo;

    return origin > -QD_QUANTIZER_ORIGIN_LEAST && origin < QD_QUANTIZER_ORIGIN_LEAST ? -QD_QUANTIZER_ORIGIN_LEAST
                                                                                     : origin;
}

static inline uint16_t qd_quantizer_number(float at, float origin, float scale)
{
    float number = (at - origin) * scale;

    number = number > 0 ? number : 0;
    number = number < (float)QD_QUANTIZER_LAST ? number : (float)QD_QUANTIZER_LAST;
    return (uint16_t)(int32_t)number;
}

/* The numbers of a box, laid out as a row is. */
typedef struct qd_numbers {
    _Alignas(4 * QD_ROW_FLOATS) uint32_t v[QD_ROW_FLOATS];
} qd_numbers;

/* The numbers of four edges, with this last number. */
static inline void qd_quantizer_number_four(uint32_t number_last, const float *at, const float *origin, float scale,
                                            uint32_t *numbers)
{
    typedef float floats __attribute__((vector_size(16)));
    typedef int32_t ints __attribute__((vector_size(16)));
    const float end = (float)number_last;
    const floats last = {end, end, end, end};
    floats edge, from = {origin[0], origin[1], origin[2], origin[3]};
    memcpy(&edge, at, sizeof edge);
    floats number = (edge - from) * scale;
    ints positive = number > 0, within = number < last;
    number = (floats)(((ints)number & positive & within) | ((ints)last & ~within));
    ints whole = __builtin_convertvector(number, ints);
    memcpy(numbers, &whole, sizeof whole);
}

/* The numbers of a box, with this last number. */
static inline qd_numbers qd_quantizer_numbers_to(uint32_t number_last, const qd_quantizer *quantizer, const qd_row *box)
{
    const float origin[] = QD_FOUR(quantizer->origin[0], quantizer->origin[1], quantizer->origin[2]);
    qd_numbers numbers;

    for (uint32_t k = 0; k < QD_ROW_FLOATS; k += 4) {
        qd_quantizer_number_four(number_last, &box->v[k], origin, quantizer->scale, &numbers.v[k]);
    }
    return numbers;
}

/* The numbers of a box: qd_quantizer_number of each edge. */
static inline qd_numbers qd_quantizer_numbers(const qd_quantizer *quantizer, const qd_row *box)
{
    return qd_quantizer_numbers_to(QD_QUANTIZER_LAST, quantizer, box);
}

/* A box in double; its sides may be infinite. */
typedef struct qd_extent {
    double lo[QD_AXES], hi[QD_AXES];
} qd_extent;

/* A number is exact up to two roundings of float, 2^-23 of the coordinate's distance from the origin. */
#define QD_QUANTIZER_MARGIN 0x1p-22

/* A box around all that has these numbers, or numbers between them. It is infinite where a number is the first or the
 * last one. */
static inline qd_extent qd_quantizer_extent(const qd_quantizer *quantizer, const qd_numbers *numbers, uint32_t last)
{
    const double step = 1 / (double)quantizer->scale;
    qd_extent extent;

    for (uint32_t k = 0; k < QD_AXES; k++) {
        uint32_t low = numbers->v[k], high = numbers->v[QD_ROW_HIGH + k];
        double origin = (double)quantizer->origin[k];
        /* Coordinates farther than FLT_MAX from the origin have the last number. */
        double offset = fmin(low * step * (1 - QD_QUANTIZER_MARGIN), (double)FLT_MAX);

        extent.lo[k] = low == 0 ? -(double)INFINITY : origin + offset;
        extent.hi[k] = high >= last ? (double)INFINITY : origin + (high + 1) * step * (1 + QD_QUANTIZER_MARGIN);
    }
    return extent;
}

/* The finest quantizer with a different number at each end of a box of finite sides. */
static inline qd_quantizer qd_quantizer_around(const qd_extent *box)
{
    qd_quantizer quantizer;
    double side = 0;

    for (uint32_t k = 0; k < QD_AXES; k++) {
        quantizer.origin[k] = qd_quantizer_origin(box->lo[k]);
        side = box->hi[k] - box->lo[k] > side ? box->hi[k] - box->lo[k] : side;
    }
    double scale = (double)QD_QUANTIZER_LAST / side;
    scale = scale < 0x1p100 ? scale : 0x1p100;
    quantizer.scale = (float)scale;
    return quantizer;
}

#endif
