/* SPDX-License-Identifier: Apache-2.0
 *
 * Gives out the smallest numbers it can: 0, 1, 2, ..., those given back first. For slots in arrays.
 */
#ifndef QD_BASE_ID_POOL_H
#define QD_BASE_ID_POOL_H

#include "alloc.h"

typedef struct qd_id_pool {
    qd_heap *heap;
    uint32_t *free; /* a stack of numbers given back */
    uint32_t free_count, free_capacity;
    uint32_t next; /* never given out yet */
} qd_id_pool;

void qd_id_pool_init(qd_id_pool *pool, qd_heap *heap);
void qd_id_pool_deinit(qd_id_pool *pool);

/* Fails only for memory: room for giving it back is made when it is taken. */
qd_status qd_id_pool_take(qd_id_pool *pool, uint32_t *id) QD_MUST_USE;
void qd_id_pool_give(qd_id_pool *pool, uint32_t id);

#endif
