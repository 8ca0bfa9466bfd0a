/* SPDX-License-Identifier: Apache-2.0 */
#include "hash.h"

#include <math.h>

#include "../../base/assert.h"
#include "../move/move.h"

#define FAR 0x1p-2f /* cells */

static qd_hash *of(const qd_index *index)
{
    return (qd_hash *)index;
}

static bool reserve(qd_index *index)
{
    qd_hash *hash = of(index);
    const bool has_room = qd_hash_pool_reserve(&hash->pool, index->heap);

    qd_hash_show(hash);
    return has_room;
}

static uint32_t loosest(qd_index *index, uint32_t *cell_key)
{
    qd_hash *hash = of(index);

    *cell_key = 2 * qd_hash_loosest(&hash->pool) + 1;
    qd_hash_show(hash);
    return *cell_key;
}

static uint32_t locate(qd_index *index, const qd_row *box, uint32_t *cell_key)
{
    qd_hash *hash = of(index);
    qd_hash_spot spot = qd_hash_spot_of(hash->inverse, box);
    const uint32_t number = qd_hash_get(&hash->pool, index->heap, &spot);

    if (QD_UNLIKELY(number == QD_NONE)) {
        index->is_loose = true;
        return loosest(index, cell_key);
    }
    *cell_key = 2 * number + spot.across;
    qd_hash_show(hash);
    return *cell_key;
}

static void numbers(const qd_index *index, const qd_row *box, uint32_t *at)
{
    const qd_hash_reach reach = qd_hash_reach_of(of(index)->inverse, box);

    for (uint32_t k = 0; k < QD_AXES; k++) {
        at[k] = (uint32_t)(reach.v[k] - QD_HASH_FIRST);
    }
}

/* A row is met by all that is beside it in its cell. */
static bool is_far(const qd_index *index, const qd_row *both, const qd_row *bounds, uint32_t cell_key)
{
    (void)cell_key;
    bool far = false;
    for (uint32_t k = 0; k < QD_AXES; k++) {
        const float way = both->v[QD_ROW_HIGH + k] - both->v[k] - (bounds->v[QD_ROW_HIGH + k] - bounds->v[k]);

        far |= way * of(index)->inverse > FAR;
    }
    return far;
}

/* Whether it would be put just there. */
static inline bool stays(const qd_index *index, const qd_record *record, const qd_row *bounds, const float *before)
{
    (void)before;
    const qd_hash *hash = of(index);
    const qd_hash_cell *cell = &hash->pool.grid[record->cell_key / 2];
    if (QD_UNLIKELY(cell->level > 0)) {
        qd_hash_spot spot = qd_hash_spot_of(hash->inverse, bounds);

        return spot.level == cell->level && spot.across == record->cell_key % 2 &&
               memcmp(spot.at, cell->at, sizeof spot.at) == 0;
    }
    /* It begins in the cell, and ends there or in the next. */
    qd_hash_reach reach = qd_hash_reach_of(hash->inverse, bounds);
    uint32_t out = 0, across = 0;
    for (uint32_t k = 0; k < QD_AXES; k++) {
        out |= (uint32_t)(reach.v[k] ^ cell->at[k]);
        across |= (uint32_t)(reach.v[QD_ROW_HIGH + k] - cell->at[k]);
    }
    return out == 0 && across == record->cell_key % 2;
}

static size_t move(qd_index *index, size_t count, const uint32_t *slots, const float *const *at, qd_movers *movers)
{
    return qd_move_each(index, 0, count, slots, at, movers, stays);
}

static void emptied(qd_index *index, uint32_t cell)
{
    qd_hash_note_candidate(&of(index)->pool, cell / 2);
}

static void prepare(qd_index *index, const qd_executor *executor)
{
    if (qd_hash_plan_is_due(of(index))) {
        qd_retry_note(&index->retry, !qd_hash_replan(of(index), executor));
    }
}

static void settle(qd_index *index, const qd_executor *executor)
{
    qd_hash_prune(&of(index)->pool);
    prepare(index, executor);
}

static void count(const qd_index *index, qd_space_counters *counters)
{
    counters->cells = of(index)->pool.capacity;
}

static bool holds(const qd_index *index, uint32_t cell, const qd_row *box)
{
    const qd_hash *hash = of(index);
    const qd_hash_cell *at = &hash->pool.grid[cell / 2];
    qd_hash_reach reach = qd_hash_reach_of(hash->inverse, box);
    bool within = at->level != QD_HASH_FREE;

    for (uint32_t k = 0; k < QD_AXES && within; k++) {
        within = reach.v[k] >> at->level >= at->at[k];
        within &= reach.v[QD_ROW_HIGH + k] >> at->level <= at->at[k] + (int32_t)(cell % 2);
    }
    return within;
}

static void validate(const qd_index *index)
{
    const qd_hash_pool *pool = &of(index)->pool;
    uint32_t count_of[QD_HASH_LEVELS] = {0}, cells = 0, candidates = 0, in_table = 0;

    QD_ASSERT(index->cell == pool->cell && index->cells == 2 * pool->used && pool->visits == 0);
    for (uint32_t i = 0; i < pool->used; i++) {
        const qd_hash_cell *cell = &pool->grid[i];
        bool empty = pool->cell[2 * i].count == 0 && pool->cell[2 * i + 1].count == 0;

        if (cell->level == QD_HASH_FREE) {
            QD_ASSERT(empty);
            continue;
        }
        QD_ASSERT((cell->flags & ~QD_HASH_CANDIDATE) == 0 && (!empty || cell->flags == QD_HASH_CANDIDATE));
        QD_ASSERT(qd_hash_find(pool, cell->at, cell->level) == i);
        candidates += cell->flags == QD_HASH_CANDIDATE;
        count_of[cell->level]++;
        cells++;
    }
    QD_ASSERT(candidates == pool->candidates && cells == pool->count);
    for (uint32_t level = 0; level < QD_HASH_LEVELS; level++) {
        QD_ASSERT(count_of[level] == pool->level_count[level]);
        QD_ASSERT((count_of[level] > 0) == (pool->levels >> level & 1));
    }
    for (uint32_t i = pool->free_first; i != QD_NONE; i = (uint32_t)pool->grid[i].at[0]) {
        QD_ASSERT(pool->grid[i].level == QD_HASH_FREE);
        cells++;
        QD_ASSERT(cells <= pool->used);
    }
    QD_ASSERT(cells == pool->used);
    for (uint32_t slot = 0; slot < 1u << pool->table_bits; slot++) {
        in_table += pool->table[slot] != QD_NONE;
    }
    QD_ASSERT(in_table == pool->count);
}

/* The first cells are as large as the bounds: as good a size as any, as long as there are few rows. */
static bool begin(qd_index *index)
{
    const qd_extent bounds = qd_index_bounds(index);
    double side = 0;

    for (uint32_t k = 0; k < QD_AXES; k++) {
        side = fmax(side, bounds.hi[k] - bounds.lo[k]);
    }
    qd_hash_resize(of(index), index->config->cell_size > 0 ? (double)index->config->cell_size : side);
    const bool is_made = qd_hash_pool_init(&of(index)->pool, index->heap, index->config->key);
    qd_hash_show(of(index));
    return is_made;
}

static void end(qd_index *index)
{
    qd_hash_pool_free(&of(index)->pool, index->heap);
}

const qd_index_ops qd_hash_ops = {
    .kind = QD_SPACE_HASH,
    .bytes = sizeof(qd_hash),
    .begin = begin,
    .end = end,
    .reserve = reserve,
    .locate = locate,
    .loosest = loosest,
    .numbers = numbers,
    .is_far = is_far,
    .move = move,
    .emptied = emptied,
    .prepare = prepare,
    .traverse_begin = qd_hash_traverse_begin,
    .traverse = qd_hash_traverse,
    .traverse_end = qd_hash_traverse_end,
    .settle = settle,
    .search = qd_hash_search,
    .count = count,
    .holds = holds,
    .validate = validate,
};
