/* SPDX-License-Identifier: Apache-2.0 */
#include "id_pool.h"

#include "../assert.h"
#include "array.h"

void qd_id_pool_init(qd_id_pool *pool, qd_heap *heap)
{
    *pool = (qd_id_pool){.heap = heap};
}

void qd_id_pool_deinit(qd_id_pool *pool)
{
    qd_array_drop(pool->heap, pool->free, pool->free_capacity);
    *pool = (qd_id_pool){.heap = pool->heap};
}

qd_status qd_id_pool_take(qd_id_pool *pool, uint32_t *id)
{
    if (pool->free_count > 0) {
        *id = pool->free[--pool->free_count];
        return QD_OK;
    }
    /* The stack must have room for every number that is handed out. */
    if (pool->next > UINT32_MAX / 2 || !qd_array_reserve(pool->heap, pool->free, pool->free_capacity, pool->next)) {
        return QD_ERR_NO_MEMORY;
    }
    *id = pool->next++;
    return QD_OK;
}

void qd_id_pool_give(qd_id_pool *pool, uint32_t id)
{
    QD_ASSERT(id < pool->next && pool->free_count < pool->next);
    pool->free[pool->free_count++] = id;
}

void qd_id_pool_trim(qd_id_pool *pool, uint32_t next)
{
    uint32_t kept = 0;

    QD_ASSERT(next <= pool->next);
    for (uint32_t i = 0; i < pool->free_count; i++) {
        pool->free[kept] = pool->free[i];
        kept += pool->free[i] < next;
    }
    QD_ASSERT(pool->free_count - kept == pool->next - next);
    pool->free_count = kept;
    pool->next = next;
    /* The stack keeps room for every number that is handed out. */
    qd_array_trim(pool->heap, pool->free, pool->free_capacity, next);
}
