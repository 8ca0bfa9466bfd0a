/* SPDX-License-Identifier: Apache-2.0
 *
 * A circle as kernel_ring.h compares it with the rows of a list.
 */
#ifndef QD_SPACE_KERNEL_RING_H
#define QD_SPACE_KERNEL_RING_H

#include <stdint.h>

#include "../core/axes.h"

/* Distances on an axis are counted up to this. */
#define QD_RING_FAR 255

/* A circle, in numbers of a list of 8 bits relative to its window. */
typedef struct qd_ring {
    int16_t lo[QD_AXES], hi[QD_AXES]; /* between them is its centre, then and now */
    uint8_t last[QD_AXES];            /* who has this upper edge, or more, may reach further than its number says */
    uint16_t apart, inside;           /* who is further than the root of the one, or nearer than that of the other */
} qd_ring;

#endif
