/* SPDX-License-Identifier: Apache-2.0
 *
 * Pairs on their way through the exact test (kernel_exact.h).
 */
#ifndef QD_SPACE_KERNEL_PAIRS_H
#define QD_SPACE_KERNEL_PAIRS_H

#include "kernel.h"

/* Flags of rows that tell too little by themselves. */
#define QD_ID_INTRICATE (QD_ID_CHANGED | QD_ID_GHOST | QD_ID_NEWCOMER | QD_ID_CAPSULE)

/* Pairs of boxes and circles of which their rows tell all: references, and what stands in `id` there. */
typedef struct qd_shapes {
    uint32_t a[QD_PAIRS_ROOM], b[QD_PAIRS_ROOM];
    uint32_t id_a[QD_PAIRS_ROOM], id_b[QD_PAIRS_ROOM];
} qd_shapes;

#endif
