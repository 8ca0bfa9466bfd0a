/* SPDX-License-Identifier: Apache-2.0
 *
 * An id pool hands out small numbers for slots of arrays: 0, 1, 2, and so on. It reuses returned numbers first.
 */
#ifndef QD_BASE_MEMORY_ID_POOL_H
#define QD_BASE_MEMORY_ID_POOL_H

#include "alloc.h"

typedef struct qd_id_pool {
    qd_heap *heap;
    uint32_t *free; /* a stack of returned numbers */
    uint32_t free_count, free_capacity;
    uint32_t next; /* the first number never handed out */
} qd_id_pool;

void qd_id_pool_init(qd_id_pool *pool, qd_heap *heap);
void qd_id_pool_deinit(qd_id_pool *pool);

/* Fails only for lack of memory. A later return cannot fail, because taking makes room for it. */
qd_status qd_id_pool_take(qd_id_pool *pool, uint32_t *id) QD_MUST_USE;
void qd_id_pool_give(qd_id_pool *pool, uint32_t id);
/* No number from `next` on is handed out: they are handed out again in order. Gives memory back. */
void qd_id_pool_trim(qd_id_pool *pool, uint32_t next);

#endif
