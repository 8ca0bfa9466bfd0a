/* SPDX-License-Identifier: Apache-2.0
 *
 * The frame: how coordinates become integers for the kernel's filters, and for the cells of trees.
 *
 * An axis has the numbers 0 to 65534, a power of two a finest cell, so that cells nest exactly. The mapping never
 * decreases as the coordinate grows (subtraction and multiplication round, but keep order), and what lies beyond the
 * frame, infinities too, gets the number of the edge. So boxes that overlap have numbers that overlap: a filter on the
 * numbers only ever lets too much through, and edge cells reach to infinity. That holds for any frame, also for one
 * around a small part of the world: what is outside of it only is told apart less well.
 */
#ifndef QD_SPACE_GEOMETRY_QUANTIZER_H
#define QD_SPACE_GEOMETRY_QUANTIZER_H

#include <float.h>
#include <string.h>

#include "shape.h"

#define QD_FRAME_BITS 16u
#define QD_FRAME_LAST 65534u /* one below the type's last, so that the kernel can store a number plus one */

typedef struct qd_frame {
    float origin[QD_AXES];
    float scale; /* numbers a unit: finite and above 0 */
} qd_frame;

/* Where a frame begins that shall reach down to there: never so near to 0 that the difference of a coordinate is
 * denormal. Processors multiply those a hundred times as slowly, and who sends them could hold up a room. */
#define QD_FRAME_ORIGIN_LEAST 0x1p-100f

static inline float qd_frame_origin(double lo)
{
    const float origin = (float)lo;

    return origin > -QD_FRAME_ORIGIN_LEAST && origin < QD_FRAME_ORIGIN_LEAST ? -QD_FRAME_ORIGIN_LEAST : origin;
}

static inline uint16_t qd_frame_number(float at, float origin, float scale)
{
    float number = (at - origin) * scale;

    number = number > 0 ? number : 0;
    number = number < (float)QD_FRAME_LAST ? number : (float)QD_FRAME_LAST;
    return (uint16_t)(int32_t)number;
}

/* The numbers of a box, laid out as a row is. */
typedef struct qd_numbers {
    _Alignas(4 * QD_ROW_FLOATS) uint32_t v[QD_ROW_FLOATS];
} qd_numbers;

/* Of four edges, with this last number. */
static inline void qd_frame_number_four(uint32_t number_last, const float *at, const float *origin, float scale,
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

/* Of all edges, with this last number. */
static inline qd_numbers qd_frame_numbers_to(uint32_t number_last, const qd_frame *frame, const qd_row *box)
{
    const float origin[] = QD_FOUR(frame->origin[0], frame->origin[1], frame->origin[2]);
    qd_numbers numbers;

    for (uint32_t k = 0; k < QD_ROW_FLOATS; k += 4) {
        qd_frame_number_four(number_last, &box->v[k], origin, frame->scale, &numbers.v[k]);
    }
    return numbers;
}

/* qd_frame_number of all edges. */
static inline qd_numbers qd_frame_numbers(const qd_frame *frame, const qd_row *box)
{
    return qd_frame_numbers_to(QD_FRAME_LAST, frame, box);
}

/* A box in double; its sides may be infinite. */
typedef struct qd_extent {
    double lo[QD_AXES], hi[QD_AXES];
} qd_extent;

/* A number tells a coordinate to two roundings of float, 2^-23 of its distance from the origin. */
#define QD_FRAME_MARGIN 0x1p-22

/* Where all is that has these numbers, and those between: no less than that. Beyond the first number and the last one
 * it is without end. */
static inline qd_extent qd_frame_extent(const qd_frame *frame, const qd_numbers *numbers, uint32_t last)
{
    const double step = 1 / (double)frame->scale;
    qd_extent extent;

    for (uint32_t k = 0; k < QD_AXES; k++) {
        uint32_t low = numbers->v[k], high = numbers->v[QD_ROW_HIGH + k];
        double origin = (double)frame->origin[k];
        /* What is further than that from the origin has the last number. */
        double offset = fmin(low * step * (1 - QD_FRAME_MARGIN), (double)FLT_MAX);

        extent.lo[k] = low == 0 ? -(double)INFINITY : origin + offset;
        extent.hi[k] = high >= last ? (double)INFINITY : origin + (high + 1) * step * (1 + QD_FRAME_MARGIN);
    }
    return extent;
}

/* The finest frame that tells apart all that is in a box of finite sides. */
static inline qd_frame qd_frame_around(const qd_extent *box)
{
    qd_frame frame;
    double side = 0;

    for (uint32_t k = 0; k < QD_AXES; k++) {
        frame.origin[k] = qd_frame_origin(box->lo[k]);
        side = box->hi[k] - box->lo[k] > side ? box->hi[k] - box->lo[k] : side;
    }
    double scale = (double)QD_FRAME_LAST / side;
    scale = scale < 0x1p100 ? scale : 0x1p100;
    frame.scale = (float)scale;
    return frame;
}

#endif
