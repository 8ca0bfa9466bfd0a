/* SPDX-License-Identifier: Apache-2.0
 *
 * Sizes that the space has chosen for speed. They change no result; tests make them small, to reach with a few bodies
 * what takes thousands otherwise.
 */
#ifndef QD_SPACE_TUNING_H
#define QD_SPACE_TUNING_H

#include "space.h"

typedef struct qd_tuning {
    uint32_t leaf_rows;     /* a leaf, where bodies are spread evenly; it may hold some more before it is divided */
    uint32_t task_rows_min; /* with fewer rows one hand walks alone */
} qd_tuning;

#define QD_TUNING_DEFAULT ((qd_tuning){.leaf_rows = 96, .task_rows_min = 8192})

/* Before the first body. */
void qd_space_tune(qd_space *space, const qd_tuning *tuning);

#endif
