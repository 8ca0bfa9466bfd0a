/* SPDX-License-Identifier: Apache-2.0
 *
 * The frame: how coordinates become integers for the index and the kernel's filters.
 *
 * An axis has the numbers 0 to 65534, a power of two a finest cell, so that cells nest exactly. The mapping never
 * decreases as the coordinate grows (subtraction and multiplication round, but keep order), and what lies beyond the
 * root, infinities too, gets the number of the edge. So boxes that overlap have numbers that overlap: a filter on the
 * numbers only ever lets too much through, and edge cells reach to infinity.
 */
#ifndef QD_SPACE_FRAME_H
#define QD_SPACE_FRAME_H

#include <stdint.h>

#include "shape.h"

#define QD_FRAME_BITS 16u
#define QD_FRAME_LAST 65534u /* one below the type's last, so that the kernel can store a number plus one */

typedef struct qd_frame {
    float origin_x, origin_y;
    float scale; /* numbers a unit: finite and above 0 */
} qd_frame;

/* Four edges at a time: lo_x, lo_y, hi_x, hi_y. */
typedef float qd_float4 __attribute__((vector_size(16)));
typedef int32_t qd_int4 __attribute__((vector_size(16)));

static inline uint16_t qd_frame_number(float at, float origin, float scale)
{
    float number = (at - origin) * scale;
    number = number > 0 ? number : 0;
    number = number < (float)QD_FRAME_LAST ? number : (float)QD_FRAME_LAST;
    return (uint16_t)(int32_t)number;
}

static inline qd_int4 qd_frame_numbers(const qd_frame *frame, qd_float4 box)
{
    const float last = (float)QD_FRAME_LAST;
    const qd_float4 last4 = {last, last, last, last};
    const qd_float4 origin = {frame->origin_x, frame->origin_y, frame->origin_x, frame->origin_y};
    qd_float4 number = (box - origin) * frame->scale;
    qd_int4 positive = number > 0, within = number < last4;
    qd_int4 bits = ((qd_int4)number & positive & within) | ((qd_int4)last4 & ~within);
    return __builtin_convertvector((qd_float4)bits, qd_int4);
}

#endif
