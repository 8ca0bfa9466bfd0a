/* SPDX-License-Identifier: Apache-2.0
 *
 * HASH: a uniform grid without bounds. Its cells are found by hashing, and exist only while they hold something.
 *
 * The cell of a coordinate is the floor of it divided by the cells' size, as an integer. What is too far for 32 bits
 * belongs to the cell at the edge, which so reaches to infinity. A cell has two lists:
 *
 *     INSIDE   boxes that lie in this cell alone
 *     ACROSS   boxes that begin in this cell and end in the next, on one axis or more
 *
 *     +-------+-------+
 *     | i   a-|-a     |     a box is registered in the cell C of its lower corner,
 *     |   C   |   D   |     and lies in C and the cells after it, on each axis
 *     +-------+-------+
 *
 * Boxes that overlap are in the same cell or in neighbors. Of two neighbors, only boxes ACROSS from the one that is
 * before the other on the last axis on which they differ can reach the other. So a cell's rows are tested with each
 * other and with those ACROSS from the neighbors before it: 4, in three dimensions 13. Cells are planned to hold many
 * bodies: then few of them lie across.
 *
 * LEVELS. Boxes that would reach over more than two cells belong to a coarser grid. Each has cells of twice the size,
 * so a cell's number in it is that in the finest, shifted; a box goes to the first where it reaches over no more than
 * two. A pair of rows of unlike levels is tested in the finer cell.
 *
 *     cell     two lists:  2 * number is INSIDE, 2 * number + 1 is ACROSS        (qd_index.cell, and a body's cell key)
 *     grid     its coordinates, level, flags; a plan puts cells that are near each other side by side
 *     table    numbers of cells by their hash, open addressing; the hash is keyed (geometry/mixer.h)
 *
 * Owned by the space.
 */
#ifndef QD_SPACE_GRID_HASH_H
#define QD_SPACE_GRID_HASH_H

#include <string.h>

#include "../../base/memory/array.h"
#include "../core/search.h"
#include "../core/traversal.h"
#include "../geometry/mixer.h"
#include "../plan/replan_debt.h"

#define QD_HASH_LEVELS 31u  /* in the last one there are two cells an axis, and all boxes fit */
#define QD_HASH_FREE   255u /* the level of a cell that does not exist */

/* Coordinates of the finest cells, of either sign. So far from the type's last that neighbors have numbers too. */
#define QD_HASH_FIRST (-(1 << 30))
#define QD_HASH_LAST  ((1 << 30) - 64) /* a float */

typedef enum qd_hash_flag {
    QD_HASH_CANDIDATE = 1, /* is in the list of candidates */
    QD_HASH_ACTIVE = 2,    /* holds a row that changed; only during a traversal, as those below */
    QD_HASH_REACHED = 4,   /* cells that its changed rows may reach into are listed for a visit */
    QD_HASH_LISTED = 8,    /* for a visit */
} qd_hash_flag;

typedef struct qd_hash_cell {
    int32_t at[QD_AXES]; /* of a free one, [0]: the next free one */
    uint8_t level;
    uint8_t flags; /* qd_hash_flag */
} qd_hash_cell;

/* What depends on where cells are; a plan makes a new one. */
typedef struct qd_hash_pool {
    qd_cell *cell; /* the one allocation begins here */
    qd_hash_cell *grid;
    uint32_t *candidate; /* cells that were made or emptied: those that hold nothing go when the tick is over */
    uint32_t *visit;     /* during a traversal of what changed: the cells to look at */
    uint32_t *table;
    uint32_t capacity; /* cells */
    uint32_t used;     /* cells ever made: all above do not exist */
    uint32_t count;    /* that exist */
    uint32_t free_first;
    uint32_t table_bits;
    uint32_t candidates, visits;
    uint32_t made;   /* cells, ever */
    uint32_t levels; /* a bit for each that has a cell */
    qd_mixer mixer;
    uint32_t level_count[QD_HASH_LEVELS]; /* cells of each */
} qd_hash_pool;

typedef struct qd_hash {
    qd_index index;
    double size;   /* of the finest cells */
    float inverse; /* of which it is the inverse */
    qd_hash_pool pool;
    uint32_t tasks; /* of the traversal under way */
    /* Why to plan again. */
    uint32_t planned_for; /* the count of rows at the last plan */
    qd_replan_debt debt;
} qd_hash;

/* The finest cells where a box's edges lie, laid out as a row is. */
typedef struct qd_hash_reach {
    _Alignas(4 * QD_ROW_FLOATS) int32_t v[QD_ROW_FLOATS];
} qd_hash_reach;

/* Where a box belongs. */
typedef struct qd_hash_spot {
    int32_t at[QD_AXES];
    uint32_t level;
    uint32_t across;
} qd_hash_spot;

/* Of four edges at once. Numbers never decrease as coordinates grow. */
static inline void qd_hash_number_four(float inverse, const float *at, int32_t *numbers)
{
    typedef float floats __attribute__((vector_size(16)));
    typedef int32_t ints __attribute__((vector_size(16)));
    const floats first = {QD_HASH_FIRST, QD_HASH_FIRST, QD_HASH_FIRST, QD_HASH_FIRST};
    const floats last = {QD_HASH_LAST, QD_HASH_LAST, QD_HASH_LAST, QD_HASH_LAST};
    /* One by one: a load of all would wait for a row that is just being written. */
    floats number = {at[0], at[1], at[2], at[3]};
    number *= inverse;
    ints above = number > first, below = number < last;
    number = (floats)(((ints)number & above & below) | ((ints)first & ~above) | ((ints)last & ~below));
    ints whole = __builtin_convertvector(number, ints);
    /* A comparison gives -1 where that rounded up. */
    whole += __builtin_convertvector(whole, floats) > number;
    memcpy(numbers, &whole, sizeof whole);
}

static inline qd_hash_reach qd_hash_reach_of(float inverse, const qd_row *box)
{
    qd_hash_reach reach;

    for (uint32_t k = 0; k < QD_ROW_FLOATS; k += 4) {
        qd_hash_number_four(inverse, &box->v[k], &reach.v[k]);
    }
    return reach;
}

static inline int32_t qd_hash_number(float inverse, float at)
{
    qd_row row = {{at}};

    return qd_hash_reach_of(inverse, &row).v[0];
}

/* On how many cells of a level, beyond the first, the longest side lies. */
static inline uint32_t qd_hash_steps(const qd_hash_reach *reach, uint32_t level)
{
    uint32_t most = 0;

    for (uint32_t k = 0; k < QD_AXES; k++) {
        uint32_t steps = (uint32_t)((reach->v[QD_ROW_HIGH + k] >> level) - (reach->v[k] >> level));

        most = steps > most ? steps : most;
    }
    return most;
}

static inline qd_hash_spot qd_hash_spot_of(float inverse, const qd_row *box)
{
    qd_hash_reach reach = qd_hash_reach_of(inverse, box);
    qd_hash_spot spot = {.level = 0};
    uint32_t steps;

    while ((steps = qd_hash_steps(&reach, spot.level)) > 1) {
        spot.level++;
    }
    for (uint32_t k = 0; k < QD_AXES; k++) {
        spot.at[k] = reach.v[k] >> spot.level;
    }
    spot.across = steps;
    return spot;
}

static inline uint32_t qd_hash_slot(const qd_hash_pool *pool, const int32_t *at, uint32_t level)
{
    uint64_t sum = (level + 1) * pool->mixer.start;

    for (uint32_t k = 0; k < QD_AXES; k++) {
        sum += (uint32_t)at[k] * pool->mixer.factor[k];
    }
    return qd_mixer_place(&pool->mixer, sum, pool->table_bits);
}

/* A cell's number, or QD_NONE. */
static inline uint32_t qd_hash_find(const qd_hash_pool *pool, const int32_t *at, uint32_t level)
{
    const uint32_t mask = (1u << pool->table_bits) - 1;

    for (uint32_t slot = qd_hash_slot(pool, at, level);; slot = (slot + 1) & mask) {
        uint32_t number = pool->table[slot];

        if (number == QD_NONE) {
            return QD_NONE;
        }
        const qd_hash_cell *cell = &pool->grid[number];
        bool same = cell->level == level;
        for (uint32_t k = 0; k < QD_AXES; k++) {
            same &= cell->at[k] == at[k];
        }
        if (same) {
            return number;
        }
    }
}

/* Makes room for one more cell. The last one is kept for qd_hash_loosest. False: no memory. */
bool qd_hash_pool_reserve(qd_hash_pool *pool, qd_heap *heap) QD_MUST_USE;
/* Notes a cell that may have to go. */
void qd_hash_note_candidate(qd_hash_pool *pool, uint32_t number);
/* Takes those away that hold nothing. */
void qd_hash_prune(qd_hash_pool *pool);
/* An empty pool. False: no memory. */
bool qd_hash_pool_init(qd_hash_pool *pool, qd_heap *heap, uint64_t key) QD_MUST_USE;
void qd_hash_pool_free(qd_hash_pool *pool, qd_heap *heap);
/* A cell's number; it is made where there is none. QD_NONE: no memory. */
uint32_t qd_hash_get(qd_hash_pool *pool, qd_heap *heap, const qd_hash_spot *spot);
/* Where any box may lie across: the first cell of the coarsest level. It needs no memory. */
uint32_t qd_hash_loosest(qd_hash_pool *pool);
/* The pool's cells are the index's. */
void qd_hash_show(qd_hash *hash);
/* Gives the finest cells another size. Only where there are none. */
void qd_hash_resize(qd_hash *hash, double size);

/* Where the cell of a level with this coordinate begins on an axis, a little before that (side -1) or behind it (1): no
 * row that is registered there or further on begins before the one, and none that lies in cells before it ends behind
 * the other. Infinite at and beyond the edges. */
double qd_hash_line(const qd_hash *hash, int32_t at, uint32_t level, double side);

/* All cells of a level within a range of coordinates, by looking each of them up, or at all there are where those are
 * fewer. */
typedef struct qd_hash_range {
    int32_t lo[QD_AXES], hi[QD_AXES];
    uint32_t level;
    bool by_number;
    int32_t at[QD_AXES]; /* the next one, by coordinates */
    uint32_t number;     /* by number */
} qd_hash_range;

qd_hash_range qd_hash_range_start(const qd_hash_pool *pool, uint32_t level, const int32_t *lo, const int32_t *hi);
/* False: there are no more. */
bool qd_hash_range_next(const qd_hash_pool *pool, qd_hash_range *range, uint32_t *number);

/* ---- plans: hash_plan.c ---- */

bool qd_hash_plan_is_due(const qd_hash *hash);
/* Chooses another size and registers every row again, each list's rows side by side. At any time but during a
 * traversal. False: there is no memory, and all is as it was. */
bool qd_hash_replan(qd_hash *hash, const qd_executor *executor) QD_MUST_USE;

/* ---- traversals and queries, as in qd_index_ops ---- */

uint32_t qd_hash_traverse_begin(qd_index *index, qd_traversal_plan *plan);
void qd_hash_traverse(qd_index *index, qd_worker_slot *worker, uint32_t task);
void qd_hash_traverse_end(qd_index *index, const qd_traversal_plan *plan, const qd_traversal_result *result);
qd_status qd_hash_search(const qd_index *index, qd_search *search);

#endif
