/* SPDX-License-Identifier: Apache-2.0 */
#include "id_pool.h"

#include "../assert.h"

#define CAPACITY_MIN 16u

void qd_id_pool_init(qd_id_pool *pool, qd_heap *heap)
{
    *pool = (qd_id_pool){.heap = heap};
}

void qd_id_pool_deinit(qd_id_pool *pool)
{
    qd_heap_free(pool->heap, pool->free, pool->free_capacity * sizeof *pool->free);
    *pool = (qd_id_pool){.heap = pool->heap};
}

/* The stack must have room for every number that is handed out. */
static qd_status grow(qd_id_pool *pool)
{
    if (pool->free_capacity > UINT32_MAX / 2) {
        return QD_ERR_NO_MEMORY;
    }
    uint32_t capacity = pool->free_capacity ? pool->free_capacity * 2 : CAPACITY_MIN;
    uint32_t *stack =
        qd_heap_resize(pool->heap, pool->free, pool->free_capacity * sizeof *stack, capacity * sizeof *stack);
    if (!stack) {
        return QD_ERR_NO_MEMORY;
    }
    pool->free = stack;
    pool->free_capacity = capacity;
    return QD_OK;
}

qd_status qd_id_pool_take(qd_id_pool *pool, uint32_t *id)
{
    if (pool->free_count > 0) {
        *id = pool->free[--pool->free_count];
        return QD_OK;
    }
    if (pool->next == pool->free_capacity) {
        qd_status status = grow(pool);

        if (status != QD_OK) {
            return status;
        }
    }
    *id = pool->next++;
    return QD_OK;
}

void qd_id_pool_give(qd_id_pool *pool, uint32_t id)
{
    QD_ASSERT(id < pool->next && pool->free_count < pool->next);
    pool->free[pool->free_count++] = id;
}
