/* SPDX-License-Identifier: Apache-2.0
 *
 * A radix sort of 64-bit keys, with an optional 32-bit value beside each key: pairs of ids (a << 32 | b) before they
 * are reported, entities by id, and positions along a curve.
 *
 * Pure. The caller owns the arrays.
 */
#ifndef QD_ROOM_COMMON_ORDER_H
#define QD_ROOM_COMMON_ORDER_H

#include "memory.h"

/* Keys and values to sort, and as much spare memory. Sorting may swap an array with its spare memory. */
typedef struct qd_order {
    uint64_t *keys, *keys_spare;
    uint32_t *values, *values_spare; /* both NULL: no values */
} qd_order;

/* How many of the lowest bits are in use, if `any` has all bits that are. */
static inline unsigned qd_order_bits(uint32_t any)
{
    return any ? 32u - (unsigned)__builtin_clz(any) : 0;
}

/* The keys from `first` on, with their spare memory. */
static inline qd_order qd_order_part(const qd_order *order, size_t first)
{
    qd_order part = {order->keys + first, order->keys_spare + first, NULL, NULL};

    if (order->values) {
        part.values = order->values + first;
        part.values_spare = order->values_spare + first;
    }
    return part;
}
/* Copies `count` keys of a sorted part to where they were before, if sorting has swapped them with the spare memory. */
void qd_order_put_back(const qd_order *part, size_t count);
/* The arrays of an order, with values, in scratch memory. Returns whether there was memory for them. */
bool qd_order_in_block(qd_order *order, qd_block *block, qd_heap *heap, size_t count) QD_MUST_USE;

/* Sorts ascending. Of the keys' lower halves only the lowest `low_bits` may be set, of the upper halves `high_bits`. */
void qd_order_sort(qd_order *order, size_t count, unsigned low_bits, unsigned high_bits);
/* The same for keys, with values, that are sorted by their upper halves. It is fast if few have the same. Nothing is
 * swapped. */
void qd_order_settle(qd_order *order, size_t count);

#endif
