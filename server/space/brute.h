/* SPDX-License-Identifier: Apache-2.0
 *
 * BRUTE: all against all, in one list. It knows nothing of space but the box around what is there, which makes the
 * numbers of the kernel's filters as fine as they can be; so it is what other indexes are checked against. And it is
 * the fastest where there are few.
 *
 * A list longer than QD_LIST_LONG is brought in order and passed over in groups (arrange.h, kernel.h), so that even
 * thousands cost less than their square.
 *
 * Owned by the world; qd_brute_create is in index.h.
 */
#ifndef QD_SPACE_BRUTE_H
#define QD_SPACE_BRUTE_H

#include "flat.h"

typedef struct qd_brute {
    qd_flat flat;
    qd_frame frame; /* of the walk under way */
    uint32_t tasks;
} qd_brute;

#endif
