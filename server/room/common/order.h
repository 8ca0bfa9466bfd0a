/* SPDX-License-Identifier: Apache-2.0
 *
 * Sorts 64-bit keys by radix, with an optional 32-bit value beside each: pairs of ids (a << 32 | b) before they are
 * handed out, and entities by id.
 *
 * Pure; the arrays are the caller's.
 */
#ifndef QD_ROOM_PAIRS_ORDER_H
#define QD_ROOM_PAIRS_ORDER_H

#include <stddef.h>
#include <stdint.h>

/* Keys and values to sort, and as much spare memory. Sorting may swap an array with its spare. */
typedef struct qd_order {
    uint64_t *keys, *keys_spare;
    uint32_t *values, *values_spare; /* NULL, both: no values */
} qd_order;

/* How many of the lowest bits a half takes, of keys whose halves have no other bits than these. */
static inline unsigned qd_order_bits(uint32_t any)
{
    return any ? 32u - (unsigned)__builtin_clz(any) : 0;
}

/* Ascending. Of the keys' lower halves only the lowest `low_bits` may be set, of the upper halves `high_bits`. */
void qd_order_sort(qd_order *order, size_t count, unsigned low_bits, unsigned high_bits);

#endif
