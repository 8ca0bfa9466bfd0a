/* SPDX-License-Identifier: Apache-2.0
 *
 * What the space has chosen for speed: sizes, and the pair kernel. It changes no result, but for how many exact tests
 * without hits stop a traversal. Tests make the sizes small, to reach with a few bodies what takes thousands otherwise,
 * and go through the kernels.
 */
#ifndef QD_SPACE_TUNING_H
#define QD_SPACE_TUNING_H

#include "types.h"

typedef struct qd_tuning {
    uint32_t leaf_rows; /* a leaf, where bodies are spread evenly; it may hold some more before it is divided */
    uint32_t
        task_rows_min; /* with fewer rows at work, those of blocks in which any changed, one worker traverses alone */
    uint32_t pending_bodies_min; /* with so many bodies, moves of nearly all wait for several workers; 0: all wait */
    uint32_t apply_slots; /* of so many, a multiple of 64, one worker registers the moves that waited; 0: of the most */
} qd_tuning;

#define QD_MISSES_PER_ROW  32u /* a good traversal has a few */
#define QD_MISS_COST_SLOW  16u /* of the budget, where bodies are swept or some are capsules; else 1 */
#define QD_APPLY_SLOTS_MAX 2048u

#define QD_TUNING_DEFAULT ((qd_tuning){.leaf_rows = 96, .task_rows_min = 8192, .pending_bodies_min = 65536})

/* Before the first body. */
void qd_space_tune(qd_space *space, const qd_tuning *tuning);

/* The names of the pair kernels that this machine can run, the plainest first; NULL after the last. [any] */
const char *qd_space_kernel_at(uint32_t index);
/* Makes every space use this one of them, or with NULL the fastest again. For tests, while no traversal runs. */
void qd_space_kernel_select(const char *name);

#endif
