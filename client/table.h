/* SPDX-License-Identifier: Apache-2.0
 *
 * A hash table of 64-bit keys and values for pairs.c, views.c and watchers.c: open addressing with linear probing and
 * deletion by backward shift, at most half full. A zeroed table is empty. Not installed.
 */
#ifndef QD_CLIENT_TABLE_H
#define QD_CLIENT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Value 0: an empty place. */
typedef struct qd_table_place {
    uint64_t key, value;
} qd_table_place;

typedef struct qd_table {
    qd_table_place *places;
    size_t count;
    size_t capacity; /* a power of two, or 0 */
    unsigned shift;  /* from 64 bits down to the bits of a place's number */
} qd_table;

/* The place of `key`; NULL: none. Valid until the next put or take. */
qd_table_place *qd_table_get(const qd_table *table, uint64_t key);
/* The place of `key`. A new place has value 0; give it another value at once. NULL: no memory. */
qd_table_place *qd_table_put(qd_table *table, uint64_t key);
/* Prefetches the place of `key`, for callers that look up many keys. */
void qd_table_fetch(const qd_table *table, uint64_t key);
void qd_table_take(qd_table *table, qd_table_place *gone);
void qd_table_empty(qd_table *table);

#endif
