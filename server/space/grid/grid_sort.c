/* SPDX-License-Identifier: Apache-2.0 */
#include "grid.h"

#include <string.h>

#include "../../base/ablation.h"
#include "../../base/assert.h"
#include "../../base/memory/array.h"
#include "../kernel/choose.h"

#define DIGIT_BITS_MIN 8u
#define DIGIT_BITS_MAX 16u

/* A traversal's steps (qd_grid_work), measured: a word through sorting and into a list, and a cell's list. */
#define STEPS_A_WORD 8u
#define STEPS_A_CELL 40u
#define LARGE_A_STEP 2u /* looked at in a cell */
#define STEP_ROWS    64u

#define WORDS_KEPT 8u /* times as many as there are, and a few, have memory, at most */
#define WORDS_FEW  64u

/* Before a loop over the rows of a block: compilers unroll it first and then see no loop to vectorise. */
#define AS_A_LOOP _Pragma("GCC unroll 1")

/* One row at a time, as words are made. */
typedef struct maker {
    qd_grid *grid;
    const qd_kernel *kernel;
    qd_sink sink; /* for the kernel: the rows, and how to read them */
    bool swept;
    bool all; /* no caller asks what changed */
} maker;

/* False: no memory, which is noted. */
static bool reserve(qd_grid *grid, uint32_t more)
{
    qd_grid_words *words = &grid->words;
    uint32_t needed = words->count + more + QD_BLOCK_ROWS;

    if (QD_LIKELY(needed <= words->capacity)) {
        return true;
    }
    const uint32_t old = words->capacity, capacity = qd_array_capacity(old, needed, 64);
    const qd_array_part parts[] = {
        QD_ARRAY_PART(words->word[0], old, words->count, capacity),
        QD_ARRAY_PART(words->word[1], old, 0, capacity),
    };
    if (!qd_array_grow_all(grid->one_list.index.heap, parts, 2)) {
        words->no_memory = true;
        return false;
    }
    words->capacity = capacity;
    return true;
}

static uint64_t word_of(const qd_grid_shape *shape, const uint32_t *at, uint32_t class, uint32_t row)
{
    uint32_t key = 0;

    for (uint32_t k = QD_AXES; k-- > 0;) {
        key = key << shape->bits[k] | at[k];
    }
    return qd_word(key << QD_AXES | class, row);
}

/* 0: nothing is there. */
static uint32_t cells_in(const qd_grid_span *span)
{
    uint64_t cells = 1;

    for (uint32_t k = 0; k < QD_AXES; k++) {
        if (span->lo[k] > span->hi[k]) {
            return 0;
        }
        cells *= span->hi[k] - span->lo[k] + 1;
        cells = cells < UINT32_MAX ? cells : UINT32_MAX;
    }
    return (uint32_t)cells;
}

static void put_large(qd_grid *grid, const qd_grid_span *span, uint32_t row)
{
    qd_grid_words *words = &grid->words;

    if (words->large_count == words->large_capacity) {
        size_t size = sizeof *words->large;
        uint32_t capacity = qd_array_capacity(words->large_capacity, words->large_count + 1, 16);
        qd_grid_large *grown = qd_array_grow(grid->one_list.index.heap, words->large, words->large_capacity * size,
                                             words->large_count * size, capacity * size);

        if (grown == NULL) {
            words->no_memory = true;
            return;
        }
        words->large = grown;
        words->large_capacity = capacity;
    }
    words->large[words->large_count++] = (qd_grid_large){*span, row};
}

/* A word for each cell of a span; that of its home only when asked. */
static void put(qd_grid *grid, const qd_grid_span *span, uint32_t row, bool home)
{
    qd_grid_words *words = &grid->words;

    if (!reserve(grid, QD_GRID_CELLS_MAX)) {
        return;
    }
    uint32_t at[QD_AXES];
    memcpy(at, span->lo, sizeof at);
    for (;;) {
        uint32_t class = 0, k = 0;

        for (uint32_t axis = 0; axis < QD_AXES; axis++) {
            class |= (uint32_t)(at[axis] != span->lo[axis]) << axis;
        }
        words->word[0][words->count] = word_of(&grid->shape, at, class, row);
        words->count += home || class != 0;
        for (; k < QD_AXES && at[k] == span->hi[k]; k++) {
            at[k] = span->lo[k];
        }
        if (k == QD_AXES) {
            break;
        }
        at[k]++;
    }
    for (uint32_t k = 0; k < QD_AXES; k++) {
        uint32_t reach = span->hi[k] - span->lo[k];

        words->reach[k] = reach > words->reach[k] ? reach : words->reach[k];
    }
}

static void put_whole(qd_grid *grid, const qd_grid_span *span, uint32_t row)
{
    if (cells_in(span) > QD_GRID_CELLS_MAX) {
        put_large(grid, span, row);
    } else {
        put(grid, span, row, true);
    }
}

/* False: nothing is there. */
static bool span_of(const qd_grid_shape *shape, const qd_row *row, bool is_round, qd_grid_span *span)
{
    qd_row box = qd_row_bounds(row, is_round);
    qd_numbers numbers = qd_quantizer_numbers(&shape->quantizer, &box);

    for (uint32_t k = 0; k < QD_AXES; k++) {
        span->lo[k] = numbers.v[k] < shape->last[k] ? numbers.v[k] : shape->last[k];
        span->hi[k] = numbers.v[QD_ROW_HIGH + k] < shape->last[k] ? numbers.v[QD_ROW_HIGH + k] : shape->last[k];
    }
    return qd_row_present(&box, false);
}

/* Puts a row's was and now each on its own, when that is less than all from the one to the other. */
static bool put_apart(maker *make, const qd_grid_span *both, uint32_t reference, uint32_t row)
{
    qd_grid *grid = make->grid;
    const qd_rows *rows = make->sink.rows;
    bool is_round = (qd_row_id(rows, reference) & QD_ID_ROUND) != 0;
    qd_grid_span was, now;

    if (make->swept || QD_WITHOUT(GRID_APART) || make->sink.mode == QD_TRAVERSAL_PAIRS ||
        !span_of(&grid->shape, qd_row_was(rows, reference), is_round, &was) ||
        !span_of(&grid->shape, qd_row_now(rows, reference), is_round, &now) ||
        cells_in(both) <= (uint64_t)cells_in(&was) + cells_in(&now)) {
        return false;
    }
    put_whole(grid, &was, row | QD_LIST_SPECIAL | QD_LIST_WAS);
    put_whole(grid, &now, row | QD_LIST_SPECIAL | QD_LIST_NOW);
    return true;
}

/* Bytes of 0 or 1 to bits; the multiplication moves bit 8 i to bit 56 + i. */
static inline uint32_t bits_of(const uint8_t *bytes)
{
    uint32_t bits = 0;

    for (uint32_t i = 0; i < QD_BLOCK_ROWS; i += 8) {
        uint64_t eight;

        memcpy(&eight, bytes + i, sizeof eight);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        eight = __builtin_bswap64(eight);
#endif
        bits |= (uint32_t)(eight * UINT64_C(0x0102040810204080) >> 56) << i;
    }
    return bits;
}

/* The references of a block's rows, with the bits of QD_LIST that they have. */
static inline void references_of(const maker *make, uint32_t block, uint32_t *restrict row)
{
    const qd_block_info *info = &make->sink.rows->info[block];

    AS_A_LOOP
    for (uint32_t r = 0; r < QD_BLOCK_ROWS; r++) {
        row[r] = block * QD_BLOCK_ROWS + r;
    }
    for (uint32_t moved = make->all ? 0 : info->changed; moved != 0; moved &= moved - 1) {
        row[__builtin_ctz(moved)] |= QD_LIST_CHANGED;
    }
    for (uint32_t special = info->special; special != 0; special &= special - 1) {
        row[__builtin_ctz(special)] |= QD_LIST_SPECIAL;
    }
}

/* Adds an axis to the keys of a block's homes, and notes which rows begin and end in different cells. */
static inline void add_axis(const qd_grid_shape *shape, uint32_t k, const qd_edges *edges, uint32_t *restrict key,
                            uint8_t *restrict wide)
{
    const uint16_t last = (uint16_t)shape->last[k], *lower = edges->v[QD_OUTER_LO + k];
    const uint16_t *upper = edges->v[QD_OUTER_HI + k];
    const uint32_t bits = shape->bits[k];

    AS_A_LOOP
    for (uint32_t r = 0; r < QD_BLOCK_ROWS; r++) {
        uint16_t lo = lower[r] < last ? lower[r] : last, hi = upper[r] < last ? upper[r] : last;

        wide[r] |= lo != hi;
        key[r] = key[r] << bits | lo;
    }
}

/* Gives every row of a block the word of its home. Returns those, 1 bit each, that take up more, or nothing. */
static uint32_t put_homes(const maker *make, uint32_t block, uint32_t count, const qd_edges *edges)
{
    qd_grid_words *words = &make->grid->words;
    uint32_t key[QD_BLOCK_ROWS] = {0}, row[QD_BLOCK_ROWS];
    uint8_t wide[QD_BLOCK_ROWS] = {0};

    for (uint32_t k = QD_AXES; k-- > 0;) {
        add_axis(&make->grid->shape, k, edges, key, wide);
    }
    references_of(make, block, row);
    uint64_t *word = words->word[0] + words->count;
    AS_A_LOOP
    for (uint32_t r = 0; r < QD_BLOCK_ROWS; r++) {
        word[r] = qd_word(key[r] << QD_AXES, row[r]);
    }
    words->count += count;
    return bits_of(wide) & ((1u << count) - 1);
}

/* The cells that a row of a block takes up. */
static qd_grid_span span_in(const qd_grid_shape *shape, const qd_edges *edges, uint32_t r)
{
    qd_grid_span span;

    for (uint32_t k = 0; k < QD_AXES; k++) {
        uint32_t lo = edges->v[QD_OUTER_LO + k][r], hi = edges->v[QD_OUTER_HI + k][r];

        span.lo[k] = lo < shape->last[k] ? lo : shape->last[k];
        span.hi[k] = hi < shape->last[k] ? hi : shape->last[k];
    }
    return span;
}

/* Takes the words of some rows of a block, 1 bit each, out again. */
static void drop_homes(qd_grid_words *words, uint32_t at, uint32_t count, uint32_t rows, uint32_t behind)
{
    uint64_t *word = words->word[0] + at;
    uint32_t left = 0;

    for (uint32_t i = 0; i < count + behind; i++) {
        word[left] = word[i];
        left += i >= count || !(rows >> i & 1);
    }
    words->count = at + left;
}

/* What is not there has its last cell before its first, on every axis of more than one cell. */

static void put_block(maker *make, uint32_t block, uint32_t count)
{
    qd_grid *grid = make->grid;
    qd_grid_words *words = &grid->words;
    qd_edges edges;

    if (!reserve(grid, QD_BLOCK_ROWS)) {
        return;
    }
    make->kernel->edges16(&make->sink, block, &edges);
    uint32_t at = words->count, elsewhere = 0;
    for (uint32_t wide = put_homes(make, block, count, &edges); wide != 0; wide &= wide - 1) {
        uint32_t r = (uint32_t)__builtin_ctz(wide), row = (uint32_t)words->word[0][at + r];
        qd_grid_span span = span_in(&grid->shape, &edges, r);
        uint32_t cells = cells_in(&span);

        if (cells == 0) { /* only in a traversal for pairs, of what came since */
            elsewhere |= 1u << r;
        } else if (cells > 2 && put_apart(make, &span, block * QD_BLOCK_ROWS + r, row)) {
            elsewhere |= 1u << r;
        } else if (cells > QD_GRID_CELLS_MAX) {
            put_large(grid, &span, row);
            elsewhere |= 1u << r;
        } else {
            put(grid, &span, row, false);
        }
    }
    if (elsewhere != 0) {
        drop_homes(words, at, count, elsewhere, words->count - at - count);
    }
}

/* The last digit, in halves; behind the references some more, for readers that take whole blocks. */
static void sort_halves(qd_grid_words *words, uint32_t shift, uint32_t mask, uint32_t *next)
{
    const uint64_t *from = words->word[0];

    words->key = (uint32_t *)words->word[1];
    words->row = words->key + words->capacity - QD_BLOCK_ROWS;
    for (uint32_t i = 0; i < words->count; i++) {
        uint32_t to = next[(from[i] >> shift) & mask]++;

        words->key[to] = (uint32_t)(from[i] >> 32);
        words->row[to] = (uint32_t)from[i];
    }
    for (uint32_t i = 0; i < QD_BLOCK_ROWS; i++) {
        words->row[words->count + i] = words->row[0];
    }
}

/* As many digits as a key needs, each no longer than it takes to have about as many values as there are words. False:
 * no memory. */
static bool sort(qd_grid *grid)
{
    qd_grid_words *words = &grid->words;
    uint32_t bits = QD_AXES, longest = DIGIT_BITS_MIN;

    for (uint32_t k = 0; k < QD_AXES; k++) {
        bits += grid->shape.bits[k];
    }
    while (longest < DIGIT_BITS_MAX && words->count >> longest > 1) {
        longest++;
    }
    uint32_t digits = (bits + longest - 1) / longest, length = (bits + digits - 1) / digits, mask = (1u << length) - 1;
    size_t room = ((size_t)mask + 1) * sizeof(uint32_t);
    qd_heap *heap = grid->one_list.index.heap;
    uint32_t *next = qd_heap_alloc_aligned(heap, QD_ARRAY_ALIGNMENT, room), shift = 32;
    if (next == NULL) {
        return false;
    }
    for (; digits > 0; digits--, shift += length) {
        uint64_t *from = words->word[0];

        qd_words_count(from, words->count, shift, mask, next);
        if (digits == 1) {
            sort_halves(words, shift, mask, next);
            break;
        }
        qd_words_sort(from, words->count, shift, mask, next, words->word[1]);
        words->word[0] = words->word[1];
        words->word[1] = from;
    }
    qd_heap_free_aligned(heap, next, QD_ARRAY_ALIGNMENT, room);
    return true;
}

bool qd_grid_sort(qd_grid *grid, qd_traversal_mode mode, bool all, uint32_t words_max)
{
    const qd_index *index = &grid->one_list.index;
    qd_grid_words *words = &grid->words;
    maker make = {
        .grid = grid,
        .kernel = qd_kernel_chosen(),
        .sink = {.rows = index->rows, .bodies = index->bodies, .mode = mode, .quantizer = grid->shape.quantizer},
        .swept = index->config->swept,
        .all = all,
    };

    words->count = words->large_count = 0;
    words->no_memory = false;
    memset(words->reach, 0, sizeof words->reach);
    uint32_t count = (grid->one_list.list.count - 1) % QD_BLOCK_ROWS + 1;
    for (uint32_t block = grid->one_list.list.head; block != QD_NONE; block = index->rows->info[block].next) {
        put_block(&make, block, count);
        count = QD_BLOCK_ROWS;
        if (words->count > words_max || words->no_memory) {
            return false;
        }
    }
    words->no_memory = !sort(grid);
    return !words->no_memory;
}

uint64_t qd_grid_work(const qd_grid *grid)
{
    const qd_grid_words *words = &grid->words;
    const uint32_t *key = words->key, cell_steps = STEPS_A_CELL + words->large_count / LARGE_A_STEP;
    uint64_t steps = (uint64_t)words->count * STEPS_A_WORD;

    for (uint32_t from = 0, to; from < words->count; from = to) {
        uint32_t cell = qd_grid_cell(key[from]), home = 0;

        for (to = from; to < words->count && qd_grid_cell(key[to]) == cell; to++) {
            home += qd_grid_is_home(key[to]);
        }
        steps += (uint64_t)home * ((to - from + STEP_ROWS - 1) / STEP_ROWS) + cell_steps;
    }
    return steps;
}

void qd_grid_words_free(qd_grid *grid)
{
    qd_grid_words *words = &grid->words;
    qd_heap *heap = grid->one_list.index.heap;

    qd_array_free(heap, words->word[0], words->capacity * sizeof(uint64_t));
    qd_array_free(heap, words->word[1], words->capacity * sizeof(uint64_t));
    qd_array_free(heap, words->large, words->large_capacity * sizeof *words->large);
    *words = (qd_grid_words){.count = 0};
}

void qd_grid_words_trim(qd_grid *grid)
{
    const qd_grid_words *words = &grid->words;
    const uint32_t rows = grid->one_list.list.count, kept = words->count > rows ? words->count : rows;

    if (words->capacity > WORDS_KEPT * (kept + WORDS_FEW) || words->large_capacity > WORDS_KEPT * (rows + WORDS_FEW)) {
        qd_grid_words_free(grid);
    }
}
