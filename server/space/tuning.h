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
    /* A traversal stops at the limit of its events, or so many if these are more, and QD_MISSES_PER_ROW a row: of exact
     * tests that found none. The default takes a third of a second. 0: the default. */
    uint32_t misses_min;
    uint32_t pending_bodies_min; /* with so many bodies, every move waits for the tick */
    uint32_t apply_slots; /* of so many, a multiple of 64, one worker registers the moves that waited; 0: of the most */
} qd_tuning;

#define QD_MISSES_PER_ROW  32u /* a good traversal has a few */
#define QD_MISSES_DEFAULT  (1u << 25)
#define QD_MISSES_SLOW     (1u << 21) /* where bodies are swept, or some are capsules: their tests take longer */
#define QD_APPLY_SLOTS_MAX 2048u

#define QD_TUNING_DEFAULT ((qd_tuning){.leaf_rows = 96, .task_rows_min = 8192, .pending_bodies_min = 65536})

/* Before the first body. */
void qd_space_tune(qd_space *space, const qd_tuning *tuning);

/* The names of the pair kernels that this machine can run, the plainest first; NULL after the last. [any] */
const char *qd_space_kernel_at(uint32_t index);
/* Makes every space use this one of them, or with NULL the fastest again. For tests, while no traversal runs. */
void qd_space_kernel_select(const char *name);

#endif
