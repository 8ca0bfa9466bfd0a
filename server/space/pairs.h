/* SPDX-License-Identifier: Apache-2.0
 *
 * Pairs on their way through the exact test (kernel_exact.h).
 */
#ifndef QD_SPACE_PAIRS_H
#define QD_SPACE_PAIRS_H

#include "kernel.h"

#define QD_PAIRS_ROOM 1088u
#define QD_PAIRS_STEP 16u /* they are read and written in steps of this many, so that arrays are longer by one */

/* Flags of rows that tell too little by themselves. */
#define QD_ID_INTRICATE (QD_ID_CHANGED | QD_ID_GHOST | QD_ID_NEWCOMER | QD_ID_CAPSULE)

/* Two references, as they stand in a list. */
typedef struct qd_pair {
    uint32_t a, b;
} qd_pair;

/* Pairs of boxes and circles of which their rows tell all: references, and what stands in `id` there. */
typedef struct qd_shapes {
    uint32_t a[QD_PAIRS_ROOM + QD_PAIRS_STEP], b[QD_PAIRS_ROOM + QD_PAIRS_STEP];
    uint32_t id_a[QD_PAIRS_ROOM + QD_PAIRS_STEP], id_b[QD_PAIRS_ROOM + QD_PAIRS_STEP];
} qd_shapes;

#endif
