/* SPDX-License-Identifier: Apache-2.0 */
#include "index.h"

#include <string.h>

#include "../../base/ablation.h"
#include "../../base/assert.h"
#include "../../base/memory/array.h"
#include "../geometry/morton.h"

#define KEY_AXIS_BITS (QD_AXES == 2 ? 16u : 10u) /* of a number in a word's key */
#define DIGIT_BITS    11u
#define ROWS_AHEAD    32u

#define RETRY_TICKS_MAX 255u

qd_index *qd_index_create(const qd_index_ops *ops, const qd_index *as)
{
    qd_index *index = qd_heap_alloc_zeroed(as->heap, ops->bytes);

    if (index == NULL) {
        return NULL;
    }
    *index = *as;
    index->ops = ops;
    index->cell = NULL;
    index->cells = 0;
    index->retry = (qd_retry){0};
    if (!ops->begin(index)) {
        qd_heap_free(as->heap, index, ops->bytes);
        return NULL;
    }
    return index;
}

void qd_index_destroy(qd_index *index)
{
    if (index->ops->end != NULL) {
        index->ops->end(index);
    }
    qd_heap_free(index->heap, index, index->ops->bytes);
}

void qd_retry_note(qd_retry *retry, bool failed)
{
    retry->longest = failed ? 2 * retry->longest + 1 : 0;
    retry->longest = retry->longest < RETRY_TICKS_MAX ? retry->longest : RETRY_TICKS_MAX;
    retry->wait = retry->longest;
}

void qd_index_prepare(qd_index *index)
{
    if (index->ops->prepare != NULL) {
        index->ops->prepare(index);
    }
}

void qd_index_settle(qd_index *index)
{
    index->retry.wait -= index->retry.wait > 0;
    if (index->ops->settle != NULL) {
        index->ops->settle(index);
    }
}

qd_extent qd_index_bounds(const qd_index *index)
{
    const qd_space_config *config = index->config;
    const double lo[3] = {config->min_x, config->min_y, config->min_z};
    const double hi[3] = {config->max_x, config->max_y, config->max_z};
    qd_extent bounds;

    memcpy(bounds.lo, lo, sizeof bounds.lo);
    memcpy(bounds.hi, hi, sizeof bounds.hi);
    return bounds;
}

/* ---- registering all rows again ---- */

/* Goes through the rows in the order of the scan: their references, with their places as keys where the index has them.
 * Returns how many of the lowest bits of places differ. */
static uint32_t scan_rows(qd_rebuild *r, qd_scan all)
{
    const qd_index *index = r->index;
    uint32_t first, count, at = 0, differ = 0, one = 0;

    while (qd_scan_next(&all, &first, &count)) {
        for (uint32_t i = first; i < first + count; i++) {
            uint32_t note = 0, place = 0;

            if (index->ops->place != NULL) {
                const qd_row box = qd_row_box(r->old, i);

                place = index->ops->place(index, &box, &note);
                one = at == 0 ? place : one;
                differ |= place ^ one;
            }
            r->word[at++] = qd_word(place, note << QD_REBUILD_NOTE | i);
        }
    }
    return qd_bits_of(differ);
}

/* Gives each word a key, the Morton number of some bits of its row's numbers. Returns on how many bits, from the lowest
 * on, any numbers differ. */
static uint32_t make_keys(qd_rebuild *r, uint32_t shift)
{
    uint32_t first[QD_AXES] = {0}, differ = 0;

    for (uint32_t i = 0; i < r->count; i++) {
        const uint32_t reference = qd_rebuild_row_of(r->word[i]);
        const qd_row box = qd_row_box(r->old, reference);
        uint32_t at[QD_AXES];

        r->index->ops->numbers(r->index, &box, at);
        for (uint32_t k = 0; k < QD_AXES; k++) {
            first[k] = i == 0 ? at[k] : first[k];
            differ |= at[k] ^ first[k];
            at[k] = at[k] >> shift & ((1u << KEY_AXIS_BITS) - 1);
        }
        r->word[i] = qd_word(qd_morton(at), reference);
    }
    return qd_bits_of(differ);
}

/* By the lowest `bits` of their keys, the lowest ones first: each pass keeps the order of the one before where its own
 * digits are the same. */
static void sort_by_key(qd_rebuild *r, uint32_t bits)
{
    uint32_t next[1u << DIGIT_BITS];

    for (uint32_t digit = 0; digit < bits; digit += DIGIT_BITS) {
        uint64_t *from = r->word;

        qd_words_count(from, r->count, QD_WORD_KEY + digit, (1u << DIGIT_BITS) - 1, next);
        qd_words_sort(from, r->count, QD_WORD_KEY + digit, (1u << DIGIT_BITS) - 1, next, r->spare);
        r->word = r->spare;
        r->spare = from;
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

bool qd_rebuild_begin(qd_rebuild *r, qd_index *index, qd_rows *old, qd_scan all)
{
    const size_t bytes = old->count * sizeof(uint64_t);
    const qd_array_part parts[] = {{&r->word, 0, 0, bytes}, {&r->spare, 0, 0, bytes}};

    *r = (qd_rebuild){.index = index, .old = old, .count = old->count};
    if (bytes > 0 && !qd_array_grow_all(index->heap, parts, 2)) {
        return false;
    }
    const uint32_t bits = scan_rows(r, all);
    if (QD_WITHOUT(ROW_ORDER)) {
        return true;
    }
    if (index->ops->place != NULL) {
        sort_by_key(r, bits);
    } else if (index->ops->numbers != NULL) {
        sort_by_numbers(r);
    }
    return true;
}

static uint32_t locate(qd_rebuild *r, uint64_t word, uint32_t *cell_key)
{
    qd_index *index = r->index;

    if (index->ops->place != NULL) {
        return index->ops->locate_place(index, (uint32_t)(word >> QD_WORD_KEY), qd_rebuild_note_of(word), cell_key);
    }
    const qd_row box = qd_row_box(r->old, qd_rebuild_row_of(word));

    return index->ops->locate(index, &box, cell_key);
}

/* Finds the cell of each row, and counts the rows of each. Cell keys go where words were sorted. */
static void locate_rows(qd_rebuild *r)
{
    qd_index *index = r->index;

    for (uint32_t i = 0; i < r->count; i++) {
        uint32_t cell_key, cell = locate(r, r->word[i], &cell_key);

        if (index->ops->entered != NULL) {
            index->ops->entered(index, cell);
        }
        index->cell[cell].count++;
        r->word[i] = qd_word(cell, qd_rebuild_row_of(r->word[i]));
        r->spare[i] = cell_key;
    }
}

/* Gives each list its blocks, with the first of them as its head and no rows yet. Returns how many there are. */
static uint32_t lay_out(const qd_rebuild *r)
{
    uint32_t blocks = 0;

    for (uint32_t i = 0; i < r->count; i++) {
        qd_cell *cell = &r->index->cell[r->word[i] >> QD_WORD_KEY];

        if (cell->head == QD_NONE) {
            cell->head = blocks;
            blocks += (cell->count + QD_BLOCK_ROWS - 1) / QD_BLOCK_ROWS;
            cell->count = 0;
        }
    }
    return blocks;
}

/* Fetches the row of a later word, and what the body of a word between will write. */
static void fetch_ahead(const qd_rebuild *r, uint32_t i)
{
    if (i + ROWS_AHEAD < r->count) {
        qd_rows_fetch(r->old, (uint32_t)r->word[i + ROWS_AHEAD]);
    }
    if (i + ROWS_AHEAD / 2 < r->count) {
        const uint32_t id = qd_row_id(r->old, (uint32_t)r->word[i + ROWS_AHEAD / 2]);

        __builtin_prefetch(&r->index->bodies->record[id & QD_ID_SLOT], 1);
    }
}

static void lay_rows(const qd_rebuild *r)
{
    qd_index *index = r->index;

    for (uint32_t i = 0; i < r->count; i++) {
        const uint32_t cell = (uint32_t)(r->word[i] >> QD_WORD_KEY), from = (uint32_t)r->word[i];
        const uint32_t id = qd_row_id(r->old, from);

        fetch_ahead(r, i);
        if (!(id & QD_ID_OLD_ROW)) {
            index->bodies->record[id & QD_ID_SLOT].cell_key = (uint32_t)r->spare[i];
        }
        qd_rebuild_row(index->rows, &index->cell[cell], cell, index->bodies, r->old, from);
    }
}

bool qd_rebuild_end(qd_rebuild *r)
{
    qd_index *index = r->index;
    const size_t bytes = r->count * sizeof(uint64_t);
    qd_rows made;

    index->is_loose = false;
    locate_rows(r);
    const bool done = !index->is_loose && qd_rows_make(&made, index->heap, lay_out(r));
    if (done) {
        made.count = r->count;
        made.operations = r->old->operations;
        *index->rows = made;
        lay_rows(r);
        qd_rows_deinit(r->old);
    }
    qd_array_free(index->heap, r->word, bytes);
    qd_array_free(index->heap, r->spare, bytes);
    return done;
}

bool qd_index_rebuild(qd_index *index, qd_rows *old, qd_scan all)
{
    qd_rebuild rebuild;

    return qd_rebuild_begin(&rebuild, index, old, all) && qd_rebuild_end(&rebuild);
}

/* ---- validation ---- */

static bool is_same(const qd_row *a, const qd_row *b)
{
    bool same = true;

    for (uint32_t k = 0; k < QD_ROW_FLOATS; k++) {
        same &= a->v[k] == b->v[k];
    }
    return same;
}

/* A row is where its body says, and tells what its body does. */
static void check_body(const qd_index *index, uint32_t reference)
{
    const qd_rows *rows = index->rows;
    const qd_bodies *bodies = index->bodies;
    uint32_t id = qd_row_id(rows, reference), slot = id & QD_ID_SLOT;

    QD_ASSERT(slot < bodies->used);
    const qd_record *record = &bodies->record[slot];
    QD_ASSERT(record->state != QD_RECORD_FREE);
    bool is_round = (id & QD_ID_ROUND) != 0;
    uint32_t old_row = record->change == QD_NONE ? QD_NONE : bodies->change[record->change].old_row;
    QD_ASSERT(!(id & QD_ID_CAPSULE) || is_round);
    if (id & QD_ID_OLD_ROW) {
        QD_ASSERT(old_row == reference);
        QD_ASSERT(!qd_row_present(qd_row_now(rows, reference), is_round));
        return;
    }
    QD_ASSERT(record->row == reference);
    QD_ASSERT(((id & QD_ID_NEW_ROW) != 0) == (old_row != QD_NONE));
    if (!(id & QD_ID_REFILTERED)) {
        const uint32_t of_filter = QD_ID_FILTER | QD_FILTER_CLASSES_MAX << QD_ID_CLASS;

        QD_ASSERT((id & of_filter) == qd_id_of_filter(bodies, bodies->filter[slot]));
    }
    if (record->state == QD_RECORD_LIVE) {
        qd_row now = qd_bodies_row(bodies, slot);

        QD_ASSERT(is_same(qd_row_now(rows, reference), &now));
        QD_ASSERT(is_round == (record->shape != QD_SPACE_BOX));
        QD_ASSERT(((id & QD_ID_CAPSULE) != 0) == (record->shape == QD_SPACE_CAPSULE));
    } else {
        QD_ASSERT(!qd_row_present(qd_row_now(rows, reference), is_round));
    }
}

/* A row is in a cell where it may be, and its block's bits are true. */
static void check_row(const qd_index *index, uint32_t cell, uint32_t reference)
{
    const qd_rows *rows = index->rows;
    const qd_block_info *info = &rows->info[reference / QD_BLOCK_ROWS];
    uint32_t lane = reference % QD_BLOCK_ROWS, id = qd_row_id(rows, reference);

    check_body(index, reference);
    QD_ASSERT((info->special >> lane & 1) == ((id & QD_ID_SPECIAL) != 0));
    QD_ASSERT((info->round >> lane & 1) == ((id & QD_ID_ROUND) != 0));
    QD_ASSERT((info->unproven >> lane & 1) == ((id & QD_ID_UNPROVEN) != 0));
    QD_ASSERT(qd_rows_is_changed(rows, reference) || is_same(qd_row_now(rows, reference), qd_row_was(rows, reference)));
    qd_row box = qd_row_box(rows, reference);
    QD_ASSERT(qd_row_present(&box, false) && index->ops->holds(index, cell, &box));
}

static uint32_t check_cell(const qd_index *index, uint32_t number)
{
    const qd_rows *rows = index->rows;
    const qd_cell *cell = &index->cell[number];

    QD_ASSERT((cell->head == QD_NONE) == (cell->count == 0));
    uint32_t left = cell->count;
    for (uint32_t block = cell->head; block != QD_NONE; block = rows->info[block].next) {
        const qd_block_info *info = &rows->info[block];
        uint32_t lanes = (left - 1) % QD_BLOCK_ROWS + 1;

        QD_ASSERT(left > 0 && block < rows->used && info->cell == number);
        QD_ASSERT(info->changed == 0 || info->listed);
        QD_ASSERT(((info->special | info->round | info->unproven) >> lanes) == 0);
        for (uint32_t lane = 0; lane < lanes; lane++) {
            check_row(index, number, block * QD_BLOCK_ROWS + lane);
        }
        left -= lanes;
    }
    QD_ASSERT(left == 0);
    return (cell->count + QD_BLOCK_ROWS - 1) / QD_BLOCK_ROWS;
}

void qd_index_validate(const qd_index *index)
{
    const qd_rows *rows = index->rows;
    uint32_t blocks = 0, count = 0, listed = 0;

    for (uint32_t cell = 0; cell < index->cells; cell++) {
        blocks += check_cell(index, cell);
        count += index->cell[cell].count;
    }
    QD_ASSERT(count == rows->count);
    for (uint32_t block = rows->free_first; block != QD_NONE; block = rows->info[block].next) {
        blocks++;
        QD_ASSERT(blocks <= rows->used);
    }
    QD_ASSERT(blocks == rows->used);
    for (uint32_t block = 0; block < rows->used; block++) {
        listed += rows->info[block].listed;
    }
    QD_ASSERT(listed == rows->changed_count);
    index->ops->validate(index);
}
