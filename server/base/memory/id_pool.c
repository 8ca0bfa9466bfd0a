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
