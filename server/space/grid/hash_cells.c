/* SPDX-License-Identifier: Apache-2.0 */
#include "hash.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "../../base/assert.h"

#define CELLS_FIRST 8u
#define KEPT_CELLS  1u /* for qd_hash_loosest */

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

/* At most half of the table is in use. */
static bool grow(qd_hash_pool *pool, qd_heap *heap)
{
    qd_hash_pool old = *pool;
    uint32_t capacity = qd_array_capacity(old.capacity, old.used + 1, CELLS_FIRST), bits = 1;

    while (1u << bits < 2 * capacity) {
        bits++;
    }
    unsigned char *home = qd_array_grow(heap, NULL, 0, 0, pool_bytes(capacity, bits));
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
    memset(pool->table, 0xff, sizeof *pool->table << bits);
    for (uint32_t i = 0; i < pool->used; i++) {
        if (pool->grid[i].level != QD_HASH_FREE) {
            enter(pool, i);
        }
    }
    qd_hash_pool_free(&old, heap);
    return true;
}

bool qd_hash_pool_reserve(qd_hash_pool *pool, qd_heap *heap)
{
    return pool->capacity - pool->count > KEPT_CELLS || grow(pool, heap);
}

bool qd_hash_pool_init(qd_hash_pool *pool, qd_heap *heap, uint64_t key)
{
    *pool = (qd_hash_pool){.free_first = QD_NONE, .mixer = qd_mixer_of(key)};
    return grow(pool, heap);
}

void qd_hash_note_candidate(qd_hash_pool *pool, uint32_t number)
{
    if (!(pool->grid[number].flags & QD_HASH_CANDIDATE)) {
        pool->grid[number].flags |= QD_HASH_CANDIDATE;
        pool->candidate[pool->candidates++] = number;
    }
}

/* There is room for it. */
static uint32_t make(qd_hash_pool *pool, const qd_hash_spot *spot)
{
    uint32_t number = pool->free_first;

    if (number != QD_NONE) {
        pool->free_first = (uint32_t)pool->grid[number].at[0];
    } else {
        QD_ASSERT(pool->used < pool->capacity);
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
    qd_hash_note_candidate(pool, number);
    return number;
}

uint32_t qd_hash_get(qd_hash_pool *pool, qd_heap *heap, const qd_hash_spot *spot)
{
    const uint32_t number = qd_hash_find(pool, spot->at, spot->level);

    if (number != QD_NONE) {
        return number;
    }
    return qd_hash_pool_reserve(pool, heap) ? make(pool, spot) : QD_NONE;
}

/* It ends where the last cells of its level do, so it and they hold all there is. It is before all others: each of them
 * is tested with what lies across from it. */
uint32_t qd_hash_loosest(qd_hash_pool *pool)
{
    qd_hash_spot spot = {.level = QD_HASH_LEVELS - 1};

    for (uint32_t k = 0; k < QD_AXES; k++) {
        spot.at[k] = -1;
    }
    const uint32_t number = qd_hash_find(pool, spot.at, spot.level);
    return number != QD_NONE ? number : make(pool, &spot);
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

void qd_hash_prune(qd_hash_pool *pool)
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

void qd_hash_show(qd_hash *hash)
{
    hash->index.cell = hash->pool.cell;
    hash->index.cells = 2 * hash->pool.used;
}
