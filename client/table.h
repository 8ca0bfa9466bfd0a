/* SPDX-License-Identifier: Apache-2.0
 *
 * A hash table of 64-bit keys and values, for what is folded (pairs.c, views.c): open addressing with linear probing
 * and deletion by backward shift, at most half full. Empty where all is zero. Not installed.
 */
#ifndef QD_CLIENT_TABLE_H
#define QD_CLIENT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Value 0 is an empty place. */
typedef struct qd_table_place {
    uint64_t key, value;
} qd_table_place;

typedef struct qd_table {
    qd_table_place *places;
    size_t count;
    size_t capacity; /* a power of two, or 0 */
    unsigned shift;  /* of 64 bits, to number so many places */
} qd_table;

/* The place of `key`; NULL: it is not there. Valid until the next put or take. */
qd_table_place *qd_table_get(const qd_table *table, uint64_t key);
/* The place of `key`, made with value 0 where it was not there: then give it another at once. NULL: no memory. */
qd_table_place *qd_table_put(qd_table *table, uint64_t key);
/* Has the memory fetched in which `key` is, or would be: for who looks for many, which lie anywhere. */
void qd_table_fetch(const qd_table *table, uint64_t key);
void qd_table_take(qd_table *table, qd_table_place *gone);
void qd_table_empty(qd_table *table);

#endif
