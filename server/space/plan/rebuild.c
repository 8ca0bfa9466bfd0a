/* SPDX-License-Identifier: Apache-2.0 */
#include "rebuild.h"

#include <string.h>

#include "../../base/ablation.h"
#include "../../base/memory/array.h"
#include "../geometry/morton.h"

#define KEY_AXIS_BITS (QD_AXES == 2 ? 16u : 10u) /* of a number in a word's key */
#define PARTS_MAX     64u
#define ROWS_AHEAD    32u /* a row is fetched so many before it is copied */

/* ---- begin: where the rows are ---- */

/* A part is worth a worker with so many rows. */
static uint32_t parts_for(const qd_index *index, uint32_t rows, const qd_executor *executor)
{
    const size_t width = executor->width < PARTS_MAX ? executor->width : PARTS_MAX;

    return rows >= index->tuning.task_rows_min && !QD_WITHOUT(PARALLEL_PLANS) ? (uint32_t)width : 1;
}

static bool grow(qd_rebuild *r)
{
    const uint32_t blocks = r->old->used - r->old->free_count;
    const qd_array_part parts[] = {
        QD_ARRAY_PART(r->span, 0, 0, blocks + 1),
        QD_ARRAY_PART(r->word, 0, 0, r->count),
        QD_ARRAY_PART(r->spare, 0, 0, r->count),
        QD_ARRAY_PART(r->digits, 0, 0, r->parts * QD_DIGITS),
    };

    r->spans = blocks;
    return qd_array_grow_all(r->index->heap, parts, 4);
}

void qd_rebuild_drop(qd_rebuild *r)
{
    qd_heap *heap = r->index->heap;

    qd_array_free(heap, r->span, (r->spans + 1) * sizeof *r->span);
    qd_array_free(heap, r->word, r->count * sizeof *r->word);
    qd_array_free(heap, r->spare, r->count * sizeof *r->spare);
    qd_array_free(heap, r->digits, (size_t)r->parts * QD_DIGITS * sizeof *r->digits);
}

bool qd_rebuild_begin(qd_rebuild *r, qd_index *index, qd_rows *old, qd_scan all, const qd_executor *executor)
{
    uint32_t first, count, at = 0, spans = 0;

    *r = (qd_rebuild){.index = index, .old = old, .executor = executor, .count = old->count};
    r->parts = parts_for(index, r->count, executor);
    if (!grow(r)) {
        return false;
    }
    while (qd_scan_next(&all, &first, &count)) {
        r->span[spans++] = (qd_span){first, at};
        at += count;
    }
    QD_ASSERT(spans == r->spans && at == r->count);
    r->span[spans] = (qd_span){.at = at};
    return true;
}

void qd_rebuild_fork(const qd_rebuild *r, qd_task_fn task, void *argument)
{
    r->executor->run(r->executor->context, r->parts, task, argument);
}

/* ---- sort: rows along the curve ---- */

/* The words of a part, and which bits of its places are set anywhere, and everywhere. */
typedef struct reading {
    qd_rebuild *rebuild;
    uint32_t any[PARTS_MAX], every[PARTS_MAX];
} reading;

static void read_part(size_t part, void *argument)
{
    reading *of = argument;
    qd_rebuild *r = of->rebuild;
    const qd_index *index = r->index;
    const uint32_t end = qd_rebuild_part(r, r->spans, part + 1);
    uint32_t any = 0, every = UINT32_MAX;

    for (uint32_t s = qd_rebuild_part(r, r->spans, part); s < end; s++) {
        for (uint32_t at = r->span[s].at, row = r->span[s].first; at < r->span[s + 1].at; at++, row++) {
            uint32_t note = 0, place = 0;

            if (index->ops->place != NULL) {
                const qd_row box = qd_row_box(r->old, row);

                place = index->ops->place(index, &box, &note);
                any |= place;
                every &= place;
            }
            r->word[at] = qd_word(place, note << QD_WORD_NOTE | row);
        }
    }
    of->any[part] = any;
    of->every[part] = every;
}

/* Returns how many of the lowest bits of the places differ. */
static uint32_t read_rows(qd_rebuild *r)
{
    reading of = {.rebuild = r};
    uint32_t any = 0, every = UINT32_MAX;

    qd_rebuild_fork(r, read_part, &of);
    for (uint32_t part = 0; part < r->parts; part++) {
        any |= of.any[part];
        every &= of.every[part];
    }
    return qd_bits_of(any & ~every);
}

/* Gives each word a key, the Morton number of some bits of its row's numbers. Returns on how many bits, from the lowest
 * on, any numbers differ. */
static uint32_t make_keys(qd_rebuild *r, uint32_t shift)
{
    uint32_t first[QD_AXES] = {0}, differ = 0;

    for (uint32_t i = 0; i < r->count; i++) {
        const uint32_t row = qd_word_row(r->word[i]);
        const qd_row box = qd_row_box(r->old, row);
        uint32_t at[QD_AXES];

        r->index->ops->numbers(r->index, &box, at);
        for (uint32_t k = 0; k < QD_AXES; k++) {
            first[k] = i == 0 ? at[k] : first[k];
            differ |= at[k] ^ first[k];
            at[k] = at[k] >> shift & ((1u << KEY_AXIS_BITS) - 1);
        }
        r->word[i] = qd_word(qd_morton(at), row);
    }
    return qd_bits_of(differ);
}

/* One digit of a radix sort. */
typedef struct digit {
    qd_rebuild *rebuild;
    uint32_t shift;
} digit;

static void count_part(size_t part, void *argument)
{
    const digit *of = argument;
    const qd_rebuild *r = of->rebuild;
    uint32_t *many = r->digits + part * QD_DIGITS;
    const uint32_t end = qd_rebuild_part(r, r->count, part + 1);

    memset(many, 0, QD_DIGITS * sizeof *many);
    for (uint32_t i = qd_rebuild_part(r, r->count, part); i < end; i++) {
        many[(r->word[i] >> of->shift) & (QD_DIGITS - 1)]++;
    }
}

static void sort_part(size_t part, void *argument)
{
    const digit *of = argument;
    const qd_rebuild *r = of->rebuild;
    const uint32_t begin = qd_rebuild_part(r, r->count, part), end = qd_rebuild_part(r, r->count, part + 1);

    qd_words_sort(r->word + begin, end - begin, of->shift, QD_DIGITS - 1, r->digits + part * QD_DIGITS, r->spare);
}

/* Words keep their order where the digit is the same. */
static void sort_by_digit(qd_rebuild *r, uint32_t shift)
{
    digit of = {r, shift};
    uint64_t *from = r->word;
    uint32_t sum = 0;

    qd_rebuild_fork(r, count_part, &of);
    for (uint32_t value = 0; value < QD_DIGITS; value++) {
        for (uint32_t part = 0; part < r->parts; part++) {
            uint32_t *next = &r->digits[part * QD_DIGITS + value];
            const uint32_t many = *next;

            *next = sum;
            sum += many;
        }
    }
    qd_rebuild_fork(r, sort_part, &of);
    r->word = r->spare;
    r->spare = from;
}

/* By the lowest `bits` of the keys, the lowest ones first. */
static void sort_by_key(qd_rebuild *r, uint32_t bits)
{
    for (uint32_t done = 0; done < bits; done += QD_DIGIT_BITS) {
        sort_by_digit(r, QD_WORD_KEY + done);
    }
}

static void sort_by_numbers(qd_rebuild *r)
{
    uint32_t bits = 1;

    for (uint32_t shift = 0; shift < bits; shift += KEY_AXIS_BITS) {
        bits = make_keys(r, shift);
        const uint32_t left = bits > shift ? bits - shift : 0;
        sort_by_key(r, QD_AXES * (left < KEY_AXIS_BITS ? left : KEY_AXIS_BITS));
    }
}

void qd_rebuild_sort(qd_rebuild *r)
{
    const uint32_t bits = read_rows(r);

    if (QD_WITHOUT(ROW_ORDER)) {
        return;
    }
    if (r->index->ops->place != NULL) {
        sort_by_key(r, bits);
    } else if (r->index->ops->numbers != NULL) {
        sort_by_numbers(r);
    }
}

/* ---- end: cells, and the blocks of the new pool ---- */

/* The new pool, and for each of its rows the word that it comes from. */
typedef struct layout {
    qd_rebuild *rebuild;
    qd_rows made;
    uint32_t blocks;
    uint32_t *from; /* by reference; QD_NONE: there is no row */
} layout;

static void locate_part(size_t part, void *argument)
{
    const qd_rebuild *r = argument;
    const uint32_t end = qd_rebuild_part(r, r->count, part + 1);

    for (uint32_t i = qd_rebuild_part(r, r->count, part); i < end; i++) {
        uint32_t cell_key;
        const uint32_t cell =
            r->index->ops->locate_place(r->index, qd_word_key(r->word[i]), qd_word_note(r->word[i]), &cell_key);

        r->word[i] = qd_word(cell, qd_word_row(r->word[i]));
        r->spare[i] = cell_key;
    }
}

/* An index without places may make a cell for each row. */
static void locate_one(qd_rebuild *r, uint32_t i)
{
    const uint32_t row = qd_word_row(r->word[i]);
    const qd_row box = qd_row_box(r->old, row);
    uint32_t cell_key;
    const uint32_t cell = r->index->ops->locate(r->index, &box, &cell_key);

    r->word[i] = qd_word(cell, row);
    r->spare[i] = cell_key;
}

/* Finds the cell of each row: it is the word's key then, and the cell key is where words were sorted. Counts the rows
 * of each cell. Returns how many blocks they take. */
static uint32_t locate_rows(qd_rebuild *r)
{
    qd_index *index = r->index;
    uint32_t blocks = 0;

    index->is_loose = false;
    if (index->ops->place != NULL) {
        qd_rebuild_fork(r, locate_part, r);
    }
    for (uint32_t i = 0; i < r->count; i++) {
        if (index->ops->place == NULL) {
            locate_one(r, i);
        }
        const uint32_t cell = qd_word_key(r->word[i]);
        if (index->ops->entered != NULL) {
            index->ops->entered(index, cell);
        }
        blocks += index->cell[cell].count++ % QD_BLOCK_ROWS == 0;
    }
    return blocks;
}

/* Gives each list its blocks, the first of them as its head and no rows yet, and each row its place in them. */
static void lay_out(layout *to)
{
    const qd_rebuild *r = to->rebuild;
    uint32_t blocks = 0;

    for (uint32_t i = 0; i < r->count; i++) {
        qd_cell *cell = &r->index->cell[qd_word_key(r->word[i])];

        if (cell->head == QD_NONE) {
            cell->head = blocks;
            blocks += (cell->count + QD_BLOCK_ROWS - 1) / QD_BLOCK_ROWS;
            cell->count = 0;
            memset(to->from + (size_t)(blocks - 1) * QD_BLOCK_ROWS, UINT8_MAX, QD_BLOCK_ROWS * sizeof *to->from);
        }
        to->from[cell->head * QD_BLOCK_ROWS + cell->count++] = i;
    }
}

static uint32_t cell_of_block(const layout *to, uint32_t block)
{
    return qd_word_key(to->rebuild->word[to->from[block * QD_BLOCK_ROWS]]);
}

/* Fetches what a later row is copied from, and what the body of a row between will write. */
static void fetch_ahead(const layout *to, uint32_t reference)
{
    const qd_rebuild *r = to->rebuild;
    const uint32_t all = to->blocks * QD_BLOCK_ROWS, later = reference + ROWS_AHEAD, soon = reference + ROWS_AHEAD / 2;

    if (later < all && to->from[later] != QD_NONE) {
        qd_rows_fetch(r->old, (uint32_t)r->word[to->from[later]]);
    }
    if (soon < all && to->from[soon] != QD_NONE) {
        const uint32_t id = qd_row_id(r->old, (uint32_t)r->word[to->from[soon]]);

        __builtin_prefetch(&r->index->bodies->record[id & QD_ID_SLOT], 1);
    }
}

static void lay_row(layout *to, qd_block_info *info, uint32_t reference)
{
    const qd_rebuild *r = to->rebuild;
    const uint32_t i = to->from[reference], from = (uint32_t)r->word[i], id = qd_row_id(r->old, from);
    const uint16_t bit = (uint16_t)(1u << reference % QD_BLOCK_ROWS);

    *qd_row_now(&to->made, reference) = *qd_row_now(r->old, from);
    *qd_row_was(&to->made, reference) = *qd_row_was(r->old, from);
    to->made.id[reference] = id;
    info->special |= (id & QD_ID_SPECIAL) ? bit : 0;
    info->round |= (id & QD_ID_ROUND) ? bit : 0;
    info->unproven |= (id & QD_ID_UNPROVEN) ? bit : 0;
    info->changed |= qd_rows_is_changed(r->old, from) ? bit : 0;
    if (!(id & QD_ID_OLD_ROW)) {
        r->index->bodies->record[id & QD_ID_SLOT].cell_key = (uint32_t)r->spare[i];
    }
    qd_row_relocated(r->index->bodies, id, reference);
}

static void lay_block(layout *to, uint32_t block)
{
    const uint32_t cell = cell_of_block(to, block), first = block * QD_BLOCK_ROWS;
    const bool follows = block > 0 && cell_of_block(to, block - 1) == cell;
    qd_block_info info = {.next = follows ? block - 1 : QD_NONE, .cell = cell};

    if (to->from[first + QD_BLOCK_ROWS - 1] == QD_NONE) {
        qd_rows_clear(&to->made, block);
    }
    for (uint32_t lane = 0; lane < QD_BLOCK_ROWS; lane++) {
        fetch_ahead(to, first + lane);
        if (to->from[first + lane] != QD_NONE) {
            lay_row(to, &info, first + lane);
        }
    }
    to->made.info[block] = info;
}

static void lay_part(size_t part, void *argument)
{
    layout *to = argument;
    const uint32_t end = qd_rebuild_part(to->rebuild, to->blocks, part + 1);

    for (uint32_t block = qd_rebuild_part(to->rebuild, to->blocks, part); block < end; block++) {
        lay_block(to, block);
    }
}

/* A list's head is its last block; the blocks with changed rows are in a list. */
static void link_blocks(layout *to)
{
    for (uint32_t block = 0; block < to->blocks; block++) {
        to->rebuild->index->cell[to->made.info[block].cell].head = block;
        if (to->made.info[block].changed != 0) {
            qd_rows_list(&to->made, block);
        }
    }
}

static bool lay_rows(qd_rebuild *r, uint32_t blocks)
{
    qd_heap *heap = r->index->heap;
    layout to = {.rebuild = r, .blocks = blocks};
    const size_t bytes = (size_t)blocks * QD_BLOCK_ROWS * sizeof *to.from;

    if (!qd_rows_make(&to.made, heap, blocks)) {
        return false;
    }
    if (bytes > 0 && (to.from = qd_array_grow(heap, NULL, 0, 0, bytes)) == NULL) {
        qd_rows_deinit(&to.made);
        return false;
    }
    lay_out(&to);
    qd_rebuild_fork(r, lay_part, &to);
    link_blocks(&to);
    qd_array_free(heap, to.from, bytes);
    to.made.count = r->count;
    to.made.operations = r->old->operations;
    *r->index->rows = to.made;
    qd_rows_deinit(r->old);
    return true;
}

bool qd_rebuild_end(qd_rebuild *r)
{
    const uint32_t blocks = locate_rows(r);
    const bool done = !r->index->is_loose && lay_rows(r, blocks);

    qd_rebuild_drop(r);
    return done;
}

bool qd_rebuild_index(qd_index *index, qd_rows *old, qd_scan all, const qd_executor *executor)
{
    qd_rebuild rebuild;

    if (!qd_rebuild_begin(&rebuild, index, old, all, executor)) {
        return false;
    }
    qd_rebuild_sort(&rebuild);
    return qd_rebuild_end(&rebuild);
}
