/* SPDX-License-Identifier: Apache-2.0
 *
 * BRUTE: all against all, in one list. It knows nothing of space but the box around what is there, so it is what
 * other indexes are checked against. And it is the fastest where there are few: there is nothing to keep up.
 *
 * Few rows are told apart by numbers of 8 bits, of which the kernel compares most at once, in a frame that is kept for
 * some walks. Where those let too much through, and for many rows, numbers have 16 bits, of a frame as fine as it can
 * be.
 *
 * A list longer than QD_LIST_LONG is brought in order and passed over in groups (arrange.h, kernel.h), so that even
 * thousands cost less than their square.
 *
 * Owned by the world; qd_brute_create is in index.h.
 */
#ifndef QD_SPACE_BRUTE_BRUTE_H
#define QD_SPACE_BRUTE_BRUTE_H

#include "one_list.h"

typedef struct qd_brute {
    qd_flat flat;
    qd_frame frame;
    uint32_t frame_walks;       /* until it is chosen anew */
    bool is_too_coarse;         /* for 8 bits: until then there are 16 */
    bool by_bytes;              /* the walk under way has 8 */
    uint32_t tasks; /* of it */ /* of it */
} qd_brute;

#endif
