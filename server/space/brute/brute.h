/* SPDX-License-Identifier: Apache-2.0
 *
 * BRUTE: tests all rows against all rows, in one list. It assumes nothing about where bodies are, so the other indexes
 * are checked against it; with few bodies it is the fastest index, because there is nothing to maintain.
 *
 *     few rows    numbers of 8 bits     a quantizer that is kept for 32 traversals
 *     many rows   numbers of 16 bits    a new quantizer in every traversal
 *
 * While 8 bits let too many pairs through, few rows have numbers of 16 bits, too.
 *
 * A list longer than QD_LIST_LONG is sorted and passed over in groups (kernel/sort_list.h, kernel/list.h), so that
 * thousands of rows cost less than their square.
 *
 * Owned by the space.
 */
#ifndef QD_SPACE_BRUTE_BRUTE_H
#define QD_SPACE_BRUTE_BRUTE_H

#include <stdbool.h>
#include <stdint.h>

#include "../geometry/quantizer.h"
#include "one_list.h"

typedef struct qd_brute {
    qd_one_list one_list;
    qd_quantizer quantizer;
    uint32_t quantizer_traversals; /* left until the next quantizer for 8 bits */
    bool is_too_coarse;            /* for 8 bits; until that next quantizer, numbers have 16 */
    /* Of the traversal in progress: */
    bool by_bytes; /* its numbers have 8 bits */
    uint32_t tasks;
} qd_brute;

#endif
