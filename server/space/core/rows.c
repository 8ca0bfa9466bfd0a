/* SPDX-License-Identifier: Apache-2.0 */
#include "rows.h"

#include <string.h>

#include "../../base/assert.h"
#include "../../base/memory/array.h"

void qd_rows_init(qd_rows *rows, qd_heap *heap)
{
    memset(rows, 0, sizeof *rows);
    rows->heap = heap;
    rows->free_first = QD_NONE;
}

/* Of the arrays by reference, a block. */
#define BLOCK_BYTES (QD_BLOCK_ROWS * (2 * sizeof(qd_row) + sizeof(uint32_t)))

static void set_home(qd_rows *rows, void *home, uint32_t capacity)
{
    rows->now = home;
    rows->was = rows->now + (size_t)capacity * QD_BLOCK_ROWS;
    rows->id = (uint32_t *)(void *)(rows->was + (size_t)capacity * QD_BLOCK_ROWS);
    rows->capacity = capacity;
}

bool qd_rows_make(qd_rows *rows, qd_heap *heap, uint32_t blocks)
{
    QD_ASSERT(blocks <= QD_BLOCKS_MAX);
    qd_rows_init(rows, heap);
    if (!qd_rows_grow(rows, blocks + blocks / 8 + 1)) {
        return false;
    }
    rows->used = blocks;
    return true;
}

void qd_rows_deinit(qd_rows *rows)
{
    qd_array_free(rows->heap, rows->now, rows->capacity * BLOCK_BYTES);
    qd_array_free(rows->heap, rows->info, rows->capacity * sizeof *rows->info);
    qd_array_free(rows->heap, rows->changed, rows->capacity * sizeof *rows->changed);
}

bool qd_rows_grow(qd_rows *rows, uint32_t blocks)
{
    const uint32_t capacity = qd_array_capacity(rows->capacity, rows->used - rows->free_count + blocks, 1);
    void *home = qd_array_grow(rows->heap, NULL, 0, 0, capacity * BLOCK_BYTES);

    if (home == NULL) {
        return false;
    }
    const qd_rows from = *rows;
    const size_t used = (size_t)rows->used * QD_BLOCK_ROWS;
    const qd_array_part parts[] = {
        QD_ARRAY_PART(rows->info, from.capacity, from.used, capacity),
        QD_ARRAY_PART(rows->changed, from.capacity, from.changed_count, capacity),
    };
    if (!qd_array_grow_all(rows->heap, parts, 2)) {
        qd_array_free(rows->heap, home, capacity * BLOCK_BYTES);
        return false;
    }
    set_home(rows, home, capacity);
    if (used > 0) {
        memcpy(rows->now, from.now, used * sizeof *rows->now);
        memcpy(rows->was, from.was, used * sizeof *rows->was);
        memcpy(rows->id, from.id, used * sizeof *rows->id);
    }
    qd_array_free(rows->heap, from.now, from.capacity * BLOCK_BYTES);
    return true;
}

static void give(qd_rows *rows, uint32_t block)
{
    rows->info[block].next = rows->free_first;
    rows->free_first = block;
    rows->free_count++;
}

/* Lanes beyond the count are read, and their results dropped; they must only be numbers that compare quickly. */
void qd_rows_clear(qd_rows *rows, uint32_t block)
{
    const size_t first = (size_t)block * QD_BLOCK_ROWS;

    memset(rows->now + first, 0, QD_BLOCK_ROWS * sizeof *rows->now);
    memset(rows->was + first, 0, QD_BLOCK_ROWS * sizeof *rows->was);
    memset(rows->id + first, 0, QD_BLOCK_ROWS * sizeof *rows->id);
}

static uint32_t take(qd_rows *rows)
{
    uint32_t block = rows->free_first;

    if (block != QD_NONE) {
        rows->free_first = rows->info[block].next;
        rows->free_count--;
        return block;
    }
    QD_ASSERT(rows->used < rows->capacity && rows->used < QD_BLOCKS_MAX);
    block = rows->used++;
    memset(&rows->info[block], 0, sizeof rows->info[block]);
    qd_rows_clear(rows, block);
    return block;
}

static void set_bit(uint16_t *bits, uint32_t lane, bool value)
{
    *bits = (uint16_t)((*bits & ~(1u << lane)) | (unsigned)value << lane);
}

void qd_rows_flag(qd_rows *rows, uint32_t reference, uint32_t id)
{
    uint32_t block = reference / QD_BLOCK_ROWS, lane = reference % QD_BLOCK_ROWS;
    qd_block_info *info = &rows->info[block];

    rows->id[reference] = id;
    set_bit(&info->special, lane, (id & QD_ID_SPECIAL) != 0);
    set_bit(&info->round, lane, (id & QD_ID_ROUND) != 0);
    set_bit(&info->unproven, lane, (id & QD_ID_UNPROVEN) != 0);
}

/* Of each kind the bit of a lane. */
static uint64_t bits_of(uint32_t lane)
{
    return UINT64_C(0x0001000100010001) << lane;
}

/* Makes room for a row behind a cell's last one. */
static uint32_t push(qd_rows *rows, qd_cell *cell, uint32_t cell_number)
{
    uint32_t lane = cell->count % QD_BLOCK_ROWS;

    if (lane == 0) {
        uint32_t block = take(rows);
        qd_block_info *info = &rows->info[block];

        info->next = cell->head;
        info->cell = cell_number;
        info->bits = 0;
        cell->head = block;
    }
    cell->count++;
    rows->operations++;
    return cell->head * QD_BLOCK_ROWS + lane;
}

uint32_t qd_rows_insert(qd_rows *rows, qd_cell *cell, uint32_t cell_number, uint32_t id, const qd_row *now,
                        const qd_row *was)
{
    uint32_t reference = push(rows, cell, cell_number);

    rows->count++;
    *qd_row_now(rows, reference) = *now;
    *qd_row_was(rows, reference) = *was;
    qd_rows_flag(rows, reference, id);
    qd_rows_set_changed(rows, reference);
    return reference;
}

/* A cell's last row takes the place of the one at `reference`. */
static uint32_t close_gap(qd_rows *rows, qd_cell *cell, uint32_t reference)
{
    uint32_t head = cell->head, lane = (cell->count - 1) % QD_BLOCK_ROWS, gap = reference % QD_BLOCK_ROWS;
    uint32_t last = head * QD_BLOCK_ROWS + lane, moved = QD_NONE;
    qd_block_info *from = &rows->info[head], *to = &rows->info[reference / QD_BLOCK_ROWS];

    to->bits &= ~bits_of(gap);
    if (last != reference) {
        moved = qd_row_id(rows, last);
        rows->id[reference] = moved;
        *qd_row_now(rows, reference) = *qd_row_now(rows, last);
        *qd_row_was(rows, reference) = *qd_row_was(rows, last);
        to->bits |= (from->bits >> lane & bits_of(0)) << gap;
        if (to->changed != 0) {
            qd_rows_list(rows, reference / QD_BLOCK_ROWS);
        }
        from->bits &= ~bits_of(lane);
    }
    cell->count--;
    rows->operations++;
    if (lane == 0) {
        cell->head = from->next;
        give(rows, head);
    }
    return moved;
}

uint32_t qd_rows_remove(qd_rows *rows, qd_cell *cell, uint32_t reference)
{
    rows->count--;
    return close_gap(rows, cell, reference);
}

/* A row out of every list. */
typedef struct lifted {
    qd_row now, was;
    uint64_t bits;
    uint32_t id;
} lifted;

static inline lifted lift(qd_rows *rows, qd_cell *cell, uint32_t reference, uint32_t *moved)
{
    const lifted row = {
        .now = *qd_row_now(rows, reference),
        .was = *qd_row_was(rows, reference),
        .bits = rows->info[reference / QD_BLOCK_ROWS].bits >> reference % QD_BLOCK_ROWS & bits_of(0),
        .id = qd_row_id(rows, reference),
    };

    *moved = close_gap(rows, cell, reference);
    return row;
}

static inline uint32_t put_down(qd_rows *rows, qd_cell *cell, uint32_t cell_number, const lifted *row)
{
    const uint32_t reference = push(rows, cell, cell_number);
    qd_block_info *info = &rows->info[reference / QD_BLOCK_ROWS];

    *qd_row_now(rows, reference) = row->now;
    *qd_row_was(rows, reference) = row->was;
    rows->id[reference] = row->id;
    info->bits |= row->bits << reference % QD_BLOCK_ROWS;
    if (info->changed != 0) {
        qd_rows_list(rows, reference / QD_BLOCK_ROWS);
    }
    return reference;
}

uint32_t qd_rows_transfer(qd_rows *rows, qd_cell *from, qd_cell *to, uint32_t to_number, uint32_t reference,
                          uint32_t *moved)
{
    const lifted row = lift(rows, from, reference, moved);

    return put_down(rows, to, to_number, &row);
}

uint32_t qd_rows_transfer_block(qd_rows *rows, qd_cell *from, qd_cell *to, uint32_t to_number, uint32_t reference,
                                uint32_t *moved)
{
    QD_ASSERT(to->count % QD_BLOCK_ROWS == 0 && from->count % QD_BLOCK_ROWS != 1);
    const lifted row = lift(rows, from, reference, moved);
    const uint32_t block = from->head, count = (from->count - 1) % QD_BLOCK_ROWS + 1;
    qd_block_info *info = &rows->info[block];
    from->head = info->next;
    from->count -= count;
    info->next = to->head;
    info->cell = to_number & 0x7fffffffu;
    to->head = block;
    to->count += count;
    rows->operations += 2 * (uint64_t)count;
    return put_down(rows, to, to_number, &row);
}

/* Now becomes was in one block. */
static void commit(qd_rows *rows, uint32_t block)
{
    const size_t first = (size_t)block * QD_BLOCK_ROWS;

    memcpy(rows->was + first, rows->now + first, QD_BLOCK_ROWS * sizeof *rows->was);
    rows->info[block].changed = 0;
}

/* Free blocks are marked, too, which does no harm: they are cleared when they are given out. */
void qd_rows_list_all(qd_rows *rows)
{
    if (!rows->all) {
        return;
    }
    rows->all = false;
    rows->changed_count = rows->used;
    for (uint32_t block = 0; block < rows->used; block++) {
        rows->changed[block] = block;
        rows->info[block].changed = UINT16_MAX;
        rows->info[block].listed = 1;
    }
}

void qd_rows_commit_all(qd_rows *rows)
{
    qd_rows_list_all(rows);
    for (uint32_t i = 0; i < rows->changed_count; i++) {
        uint32_t block = rows->changed[i];

        if (rows->info[block].changed != 0) {
            commit(rows, block);
        }
        rows->info[block].listed = 0;
    }
    rows->changed_count = 0;
}

/* ---- going through all rows, and laying them down again ---- */

bool qd_scan_next(qd_scan *scan, uint32_t *first, uint32_t *count)
{
    while (scan->block == QD_NONE) {
        if (scan->at == scan->cells) {
            return false;
        }
        scan->block = scan->cell[scan->at++].head;
    }
    /* All blocks of a cell are full but its head. */
    const qd_cell *cell = &scan->cell[scan->at - 1];
    *first = scan->block * QD_BLOCK_ROWS;
    *count = scan->block == cell->head ? (cell->count - 1) % QD_BLOCK_ROWS + 1 : QD_BLOCK_ROWS;
    scan->block = scan->rows->info[scan->block].next;
    return true;
}

void qd_row_relocated(qd_bodies *bodies, uint32_t id, uint32_t reference)
{
    qd_record *record = &bodies->record[id & QD_ID_SLOT];

    if (id & QD_ID_OLD_ROW) {
        bodies->change[record->change].old_row = reference;
    } else {
        record->row = reference;
    }
}

void qd_rows_compact(qd_rows *rows, qd_cell *cell, uint32_t cells, qd_bodies *bodies)
{
    qd_rows compact;
    uint32_t to = 0;

    QD_ASSERT(rows->changed_count == 0);
    if (!qd_rows_make(&compact, rows->heap, rows->used - rows->free_count)) {
        return;
    }
    compact.count = rows->count;
    compact.all = rows->all;
    compact.operations = rows->operations;
    for (uint32_t number = 0; number < cells; number++) {
        uint32_t *at = &cell[number].head, left = cell[number].count;

        while (*at != QD_NONE) {
            const size_t first = (size_t)*at * QD_BLOCK_ROWS, next = (size_t)to * QD_BLOCK_ROWS;
            const uint32_t count = (left - 1) % QD_BLOCK_ROWS + 1;

            memcpy(compact.now + next, rows->now + first, QD_BLOCK_ROWS * sizeof *rows->now);
            memcpy(compact.was + next, rows->was + first, QD_BLOCK_ROWS * sizeof *rows->was);
            memcpy(compact.id + next, rows->id + first, QD_BLOCK_ROWS * sizeof *rows->id);
            compact.info[to] = rows->info[*at];
            for (uint32_t lane = 0; lane < count; lane++) {
                qd_row_relocated(bodies, compact.id[next + lane], (uint32_t)next + lane);
            }
            left -= count;
            *at = to;
            at = &compact.info[to++].next;
        }
    }
    QD_ASSERT(to == compact.used);
    qd_rows_deinit(rows);
    *rows = compact;
}

void qd_words_count(const uint64_t *word, uint32_t count, uint32_t shift, uint32_t mask, uint32_t *next)
{
    uint32_t sum = 0;

    memset(next, 0, ((size_t)mask + 1) * sizeof *next);
    for (uint32_t i = 0; i < count; i++) {
        next[(word[i] >> shift) & mask]++;
    }
    for (uint32_t digit = 0; digit <= mask; digit++) {
        uint32_t many = next[digit];

        next[digit] = sum;
        sum += many;
    }
}

void qd_words_sort(const uint64_t *from, uint32_t count, uint32_t shift, uint32_t mask, uint32_t *next, uint64_t *to)
{
    for (uint32_t i = 0; i < count; i++) {
        to[next[(from[i] >> shift) & mask]++] = from[i];
    }
}
