/* SPDX-License-Identifier: Apache-2.0 */
#include "hash.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "../../base/array.h"
#include "../../base/assert.h"
#include "../move/move.h"

#define CELLS_FIRST 8u
#define FAR         0x1p-2f /* cells */

/* ---- the pool ---- */

static size_t pool_bytes(uint32_t capacity, uint32_t table_bits)
{
    return capacity * (2 * sizeof(qd_cell) + sizeof(qd_hash_cell) + 2 * sizeof(uint32_t)) +
           (sizeof(uint32_t) << table_bits);
}

void qd_hash_pool_free(qd_hash_pool *pool, qd_heap *heap)
{
    qd_array_free(heap, pool->cell, pool_bytes(pool->capacity, pool->table_bits));
}

static void enter(qd_hash_pool *pool, uint32_t number)
{
    const qd_hash_cell *cell = &pool->grid[number];
    const uint32_t mask = (1u << pool->table_bits) - 1;
    uint32_t slot = qd_hash_slot(pool, cell->at, cell->level);

    while (pool->table[slot] != QD_NONE) {
        slot = (slot + 1) & mask;
    }
    pool->table[slot] = number;
}

void qd_hash_fill_table(qd_hash_pool *pool)
{
    memset(pool->table, 0xff, sizeof *pool->table << pool->table_bits);
    for (uint32_t i = 0; i < pool->used; i++) {
        if (pool->grid[i].level != QD_HASH_FREE) {
            enter(pool, i);
        }
    }
}

/* At most half of the table is in use. */
static bool grow(qd_hash_pool *pool, qd_heap *heap, qd_array_mode mode)
{
    qd_hash_pool old = *pool;
    uint32_t capacity = qd_array_capacity(old.capacity, old.used + 1, CELLS_FIRST), bits = 1;

    while (1u << bits < 2 * capacity) {
        bits++;
    }
    unsigned char *home = qd_array_grow(heap, mode, NULL, 0, 0, pool_bytes(capacity, bits));
    if (home == NULL) {
        return false;
    }
    pool->cell = (qd_cell *)(void *)home;
    pool->grid = (qd_hash_cell *)(void *)(pool->cell + 2 * capacity);
    pool->candidate = (uint32_t *)(void *)(pool->grid + capacity);
    pool->visit = pool->candidate + capacity;
    pool->table = pool->visit + capacity;
    pool->capacity = capacity;
    pool->table_bits = bits;
    if (old.used > 0) {
        memcpy(pool->cell, old.cell, 2 * old.used * sizeof *pool->cell);
        memcpy(pool->grid, old.grid, old.used * sizeof *pool->grid);
        memcpy(pool->candidate, old.candidate, old.candidates * sizeof *pool->candidate);
    }
    qd_hash_fill_table(pool);
    qd_hash_pool_free(&old, heap);
    return true;
}

bool qd_hash_pool_init(qd_hash_pool *pool, qd_heap *heap, qd_array_mode mode)
{
    *pool = (qd_hash_pool){.free_first = QD_NONE};
    return grow(pool, heap, mode);
}

static void note_candidate(qd_hash_pool *pool, uint32_t number)
{
    if (!(pool->grid[number].flags & QD_HASH_CANDIDATE)) {
        pool->grid[number].flags |= QD_HASH_CANDIDATE;
        pool->candidate[pool->candidates++] = number;
    }
}

uint32_t qd_hash_need(qd_hash_pool *pool, qd_heap *heap, const qd_hash_spot *spot)
{
    uint32_t number = qd_hash_find(pool, spot->at, spot->level);

    if (number != QD_NONE) {
        return number;
    }
    number = pool->free_first;
    if (number != QD_NONE) {
        pool->free_first = (uint32_t)pool->grid[number].at[0];
    } else {
        if (pool->used == pool->capacity) {
            bool grown = grow(pool, heap, QD_ARRAY_NEED);

            QD_ASSERT(grown);
        }
        number = pool->used++;
    }
    qd_hash_cell *cell = &pool->grid[number];
    *cell = (qd_hash_cell){.level = (uint8_t)spot->level};
    memcpy(cell->at, spot->at, sizeof cell->at);
    pool->cell[2 * number] = pool->cell[2 * number + 1] = (qd_cell){QD_NONE, 0};
    pool->count++;
    pool->made++;
    pool->level_count[spot->level]++;
    pool->levels |= 1u << spot->level;
    enter(pool, number);
    note_candidate(pool, number);
    return number;
}

/* Those behind it in the table move up, as far as to where they are looked for first. */
static void leave_table(qd_hash_pool *pool, uint32_t number)
{
    const uint32_t mask = (1u << pool->table_bits) - 1;
    uint32_t gap = qd_hash_slot(pool, pool->grid[number].at, pool->grid[number].level);

    while (pool->table[gap] != number) {
        gap = (gap + 1) & mask;
    }
    for (uint32_t slot = (gap + 1) & mask; pool->table[slot] != QD_NONE; slot = (slot + 1) & mask) {
        const qd_hash_cell *cell = &pool->grid[pool->table[slot]];
        uint32_t first = qd_hash_slot(pool, cell->at, cell->level);

        if (((slot - first) & mask) >= ((slot - gap) & mask)) {
            pool->table[gap] = pool->table[slot];
            gap = slot;
        }
    }
    pool->table[gap] = QD_NONE;
}

static void give_back(qd_hash_pool *pool, uint32_t number)
{
    qd_hash_cell *cell = &pool->grid[number];

    leave_table(pool, number);
    pool->count--;
    if (--pool->level_count[cell->level] == 0) {
        pool->levels &= ~(1u << cell->level);
    }
    *cell = (qd_hash_cell){.level = QD_HASH_FREE};
    cell->at[0] = (int32_t)pool->free_first;
    pool->free_first = number;
}

static void prune(qd_hash_pool *pool)
{
    for (uint32_t i = 0; i < pool->candidates; i++) {
        uint32_t number = pool->candidate[i];

        pool->grid[number].flags &= (uint8_t)~QD_HASH_CANDIDATE;
        if (pool->cell[2 * number].count == 0 && pool->cell[2 * number + 1].count == 0) {
            give_back(pool, number);
        }
    }
    pool->candidates = 0;
}

/* ---- ranges ---- */

qd_hash_range qd_hash_range_start(const qd_hash_pool *pool, uint32_t level, const int32_t *lo, const int32_t *hi)
{
    qd_hash_range range = {.level = level};
    double cells = 1;

    for (uint32_t k = 0; k < QD_AXES; k++) {
        range.lo[k] = range.at[k] = lo[k];
        range.hi[k] = hi[k];
        cells *= (double)hi[k] - lo[k] + 1;
    }
    range.by_number = cells > pool->used;
    return range;
}

static bool is_in(const qd_hash_range *range, const qd_hash_cell *cell)
{
    bool in = cell->level == range->level;

    for (uint32_t k = 0; k < QD_AXES; k++) {
        in &= range->lo[k] <= cell->at[k] && cell->at[k] <= range->hi[k];
    }
    return in;
}

static bool next_by_number(const qd_hash_pool *pool, qd_hash_range *range, uint32_t *number)
{
    while (range->number < pool->used) {
        *number = range->number++;
        if (is_in(range, &pool->grid[*number])) {
            return true;
        }
    }
    return false;
}

/* The first axis runs fastest; the last has run out when all have. */
static void step(qd_hash_range *range)
{
    for (uint32_t k = 0; k < QD_AXES; k++) {
        if (range->at[k]++ < range->hi[k] || k == QD_AXES - 1) {
            return;
        }
        range->at[k] = range->lo[k];
    }
}

bool qd_hash_range_next(const qd_hash_pool *pool, qd_hash_range *range, uint32_t *number)
{
    if (range->by_number) {
        return next_by_number(pool, range, number);
    }
    while (range->at[QD_AXES - 1] <= range->hi[QD_AXES - 1]) {
        *number = qd_hash_find(pool, range->at, range->level);
        step(range);
        if (*number != QD_NONE) {
            return true;
        }
    }
    return false;
}

/* Coordinates times the inverse are rounded, by less than 2^-23 of themselves. */
double qd_hash_line(const qd_hash *hash, int32_t at, uint32_t level, double side)
{
    if (at <= QD_HASH_FIRST >> level) {
        return -INFINITY;
    }
    if (at > QD_HASH_LAST >> level) {
        return INFINITY;
    }
    double first = ldexp(at, (int)level);
    return (first + side * (fabs(first) + 1) * 0x1p-22) * hash->size;
}

/* Neither it nor its inverse may be 0 or infinite. */
void qd_hash_resize(qd_hash *hash, double size)
{
    hash->inverse = (float)fmin(fmax(1 / size, (double)FLT_MIN), (double)FLT_MAX);
    hash->size = 1 / (double)hash->inverse;
}

/* Of a room's bounds: as good a size as any, as long as there are few. */
static double side_of(const qd_space_config *config)
{
    double side = fmax((double)config->max_x - config->min_x, (double)config->max_y - config->min_y);

    return QD_AXES == 3 ? fmax(side, (double)config->max_z - config->min_z) : side;
}

/* ---- the operations ---- */

static qd_hash *of(const qd_index *index)
{
    return (qd_hash *)index;
}

void qd_hash_show(qd_hash *hash)
{
    hash->index.cell = hash->pool.cell;
    hash->index.cells = 2 * hash->pool.used;
}

static qd_status reserve(qd_index *index)
{
    qd_hash *hash = of(index);
    qd_hash_pool *pool = &hash->pool;

    if (pool->free_first == QD_NONE && pool->used == pool->capacity) {
        if (!grow(pool, index->heap, QD_ARRAY_TRY)) {
            return QD_ERR_NO_MEMORY;
        }
        qd_hash_show(hash);
    }
    return QD_OK;
}

static uint32_t locate(qd_index *index, const qd_row *box, uint32_t *cell_key)
{
    qd_hash *hash = of(index);
    qd_hash_spot spot = qd_hash_spot_of(hash->inverse, box);

    *cell_key = 2 * qd_hash_need(&hash->pool, index->heap, &spot) + spot.across;
    qd_hash_show(hash);
    return *cell_key;
}

/* A row is met by all that is beside it in its cell. */
static bool is_far(const qd_index *index, const qd_row *box, uint32_t cell_key)
{
    (void)cell_key;
    bool far = false;
    for (uint32_t k = 0; k < QD_AXES; k++) {
        far |= (box->v[QD_ROW_HIGH + k] - box->v[k]) * of(index)->inverse > FAR;
    }
    return far;
}

static bool is_high(const qd_index *index, uint32_t cell_key)
{
    return cell_key % 2 == 1 || of(index)->pool.grid[cell_key / 2].level > 0;
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
    note_candidate(&of(index)->pool, cell / 2);
}

static void prepare(qd_index *index)
{
    if (qd_hash_plan_is_due(of(index))) {
        qd_hash_replan(of(index));
    }
}

static void settle(qd_index *index)
{
    prune(&of(index)->pool);
    prepare(index);
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

static void destroy(qd_index *index)
{
    qd_hash_pool_free(&of(index)->pool, index->heap);
    qd_heap_free(index->heap, index, sizeof(qd_hash));
}

static const qd_index_ops ops = {
    .kind = QD_SPACE_HASH,
    .reserve = reserve,
    .locate = locate,
    .is_far = is_far,
    .is_high = is_high,
    .move = move,
    .emptied = emptied,
    .prepare = prepare,
    .traverse_begin = qd_hash_traverse_begin,
    .traverse = qd_hash_walk,
    .traverse_end = qd_hash_traverse_end,
    .settle = settle,
    .search = qd_hash_search,
    .count = count,
    .holds = holds,
    .validate = validate,
    .destroy = destroy,
};

qd_index *qd_hash_create(const qd_index *as)
{
    qd_hash *hash = qd_heap_alloc_zeroed(as->heap, sizeof *hash);

    if (hash == NULL) {
        return NULL;
    }
    if (!qd_hash_pool_init(&hash->pool, as->heap, QD_ARRAY_TRY)) {
        qd_heap_free(as->heap, hash, sizeof *hash);
        return NULL;
    }
    hash->index = *as;
    hash->index.ops = &ops;
    qd_hash_show(hash);
    qd_hash_resize(hash, as->config->cell_size > 0 ? (double)as->config->cell_size : side_of(as->config));
    return &hash->index;
}
