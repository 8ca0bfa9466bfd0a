/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows: what the traversal reads. The rows of a cell lie in blocks of 16, chained; blocks come from one pool and are
 * named by index, so they may move when it grows.
 *
 *     cell --head--> block --next--> block ...          all full but the head, which holds the last rows
 *
 * A reference to a row is block * 16 + lane. By reference:
 *
 *     now     16 or 32 bytes: what a move writes
 *     was     as at the last tick
 *     id      slot and flags
 *
 * By block, info: next, cell, and a bit a row: changed since the last tick, and what makes a row unusual. Taking a row
 * out moves the last one into its place.
 *
 * A SPLIT body has two rows: an old row, where it was (its now is absent), and a new row, where it is (its was is
 * absent); so a teleport, or a box that became a circle, needs no row that covers both.
 *
 * Owned by the space. A tick's tasks read all rows and commit only those of their own cells.
 */
#ifndef QD_SPACE_CORE_ROWS_H
#define QD_SPACE_CORE_ROWS_H

#include "../../base/assert.h"
#include "bodies.h"

#define QD_BLOCK_ROWS 16u

/* The flags of an id, above its 22 bits of slot. A row with any of them is special: the rows alone do not decide. */
#define QD_ID_SLOT       (QD_SPACE_SLOTS_MAX - 1)
#define QD_ID_ROUND      (1u << 22) /* the rows are round: a circle's, or with QD_ID_CAPSULE a capsule's */
#define QD_ID_FILTER     (1u << 23) /* its filter is not the default, or was not */
#define QD_ID_REFILTERED (1u << 24) /* its filter changed since the last tick */
#define QD_ID_OLD_ROW    (1u << 25)
#define QD_ID_NEW_ROW    (1u << 26)
#define QD_ID_CAPSULE    (1u << 27)
#define QD_ID_SPECIAL    (~QD_ID_SLOT)
#define QD_ID_CLASS      28u /* from this bit on: the class of its filter (bodies.h); QD_FILTER_CLASSES_MAX: none */
/* Overlapping inner boxes prove nothing of these: what they were is not what stands in their row, or counts otherwise.
 */
#define QD_ID_UNPROVEN (QD_ID_REFILTERED | QD_ID_NEW_ROW | QD_ID_CAPSULE)

#define QD_BLOCKS_MAX (1u << 24) /* so that a reference has 28 bits, as in lists (QD_LIST_ROW) */

typedef struct qd_block_info {
    uint32_t next; /* or QD_NONE; of a free block the next free one */
    uint32_t cell : 31;
    uint32_t listed : 1; /* in the list of changed blocks */
    /* A bit a row. */
    union {
        struct {
            uint16_t changed;  /* changed since the last tick */
            uint16_t special;  /* has a flag */
            uint16_t round;    /* has QD_ID_ROUND */
            uint16_t unproven; /* has a flag of QD_ID_UNPROVEN */
        };
        uint64_t bits; /* all of them at once */
    };
} qd_block_info;

typedef struct qd_cell {
    uint32_t head; /* block, or QD_NONE */
    uint32_t count;
} qd_cell;

typedef struct qd_rows {
    qd_heap *heap;
    /* By reference; one allocation, which begins with `now`. */
    qd_row *now, *was;
    uint32_t *id;
    qd_block_info *info;
    uint32_t *changed; /* blocks with changed rows, each once */
    uint32_t used;     /* blocks ever given out: all above are free and untouched */
    uint32_t capacity;
    uint32_t free_first;
    uint32_t free_count;
    uint32_t changed_count;
    uint32_t count; /* rows */
    bool all;       /* every row counts as changed, and none is marked by itself */
    uint64_t operations;
} qd_rows;

void qd_rows_init(qd_rows *rows, qd_heap *heap);
/* A pool whose first `blocks` are given out; the caller fills them. False: no memory. */
bool qd_rows_make(qd_rows *rows, qd_heap *heap, uint32_t blocks) QD_MUST_USE;
void qd_rows_deinit(qd_rows *rows);

/* Makes room for some more blocks. False: no memory. With one more, a row can go anywhere. */
bool qd_rows_grow(qd_rows *rows, uint32_t blocks) QD_MUST_USE;
static inline bool qd_rows_reserve(qd_rows *rows, uint32_t blocks)
{
    return QD_LIKELY(rows->free_count + rows->capacity - rows->used >= blocks) || qd_rows_grow(rows, blocks);
}

/* Lays all rows into a pool that is no larger than need be, cell by cell. Where there is no memory for it, nothing
 * changes. After a tick, when no row is changed. */
void qd_rows_compact(qd_rows *rows, qd_cell *cell, uint32_t cells, qd_bodies *bodies);

/* Puts a row into a cell's list, marked as changed; returns its reference. There is room for a block. */
uint32_t qd_rows_insert(qd_rows *rows, qd_cell *cell, uint32_t cell_number, uint32_t id, const qd_row *now,
                        const qd_row *was);

/* Takes a row out of its cell's list. When another row took its place, its id is returned: it is at `reference` now.
 * QD_NONE when none did. */
uint32_t qd_rows_remove(qd_rows *rows, qd_cell *cell, uint32_t reference);

/* Whether a row can be taken from one cell's list to another's: if that takes a block, there is one. */
static inline bool qd_rows_can_transfer(qd_rows *rows, const qd_cell *from, const qd_cell *to)
{
    return QD_LIKELY(to->count % QD_BLOCK_ROWS != 0) || from->count % QD_BLOCK_ROWS == 1 || qd_rows_reserve(rows, 1);
}

/* Takes a row from one cell's list to another's, as it is; returns its new reference. Where another row took its place,
 * `moved` is that one's id, else QD_NONE. */
uint32_t qd_rows_transfer(qd_rows *rows, qd_cell *from, qd_cell *to, uint32_t to_number, uint32_t reference,
                          uint32_t *moved);

/* The same where that takes a block and there is none. The block that holds the last rows of `from` goes to `to` with
 * its rows, fewer than 16 without the one that is taken out, which follows them. So no memory is needed, however few
 * rows each block holds. */
uint32_t qd_rows_transfer_block(qd_rows *rows, qd_cell *from, qd_cell *to, uint32_t to_number, uint32_t reference,
                                uint32_t *moved);

/* Fills a block with rows that compare quickly. */
void qd_rows_clear(qd_rows *rows, uint32_t block);

/* Gives a row other flags, and keeps the bits of its block true. */
void qd_rows_flag(qd_rows *rows, uint32_t reference, uint32_t id);

/* Now becomes was in every changed block that is left; and the list of them is empty again, `all` unset. */
void qd_rows_commit_all(qd_rows *rows);

/* Where `all` is set, unsets it and marks every row, for a caller that reads the marks. */
void qd_rows_list_all(qd_rows *rows);

/* Puts a block on the list of changed ones, once. */
static inline void qd_rows_list(qd_rows *rows, uint32_t block)
{
    if (!rows->info[block].listed) {
        rows->info[block].listed = 1;
        rows->changed[rows->changed_count++] = block;
    }
}

static inline void qd_rows_set_changed(qd_rows *rows, uint32_t reference)
{
    if (rows->all) {
        return;
    }
    qd_block_info *info = &rows->info[reference / QD_BLOCK_ROWS];
    info->changed = (uint16_t)(info->changed | 1u << reference % QD_BLOCK_ROWS);
    qd_rows_list(rows, reference / QD_BLOCK_ROWS);
}

static inline bool qd_rows_is_changed(const qd_rows *rows, uint32_t reference)
{
    return rows->all || (rows->info[reference / QD_BLOCK_ROWS].changed >> reference % QD_BLOCK_ROWS & 1) != 0;
}

static inline qd_row *qd_row_now(const qd_rows *rows, uint32_t reference)
{
    return &rows->now[reference];
}

static inline qd_row *qd_row_was(const qd_rows *rows, uint32_t reference)
{
    return &rows->was[reference];
}

static inline uint32_t qd_row_id(const qd_rows *rows, uint32_t reference)
{
    return rows->id[reference];
}

/* What an id says of a filter. */
static inline uint32_t qd_id_of_filter(const qd_bodies *bodies, qd_filter filter)
{
    const uint32_t class = qd_bodies_filter_class(bodies, filter);

    return class == 0 ? 0 : QD_ID_FILTER | class << QD_ID_CLASS;
}

/* Whether the filters of two bodies agree, by the ids of rows that have not changed theirs. */
static inline bool qd_ids_agree(const qd_bodies *bodies, uint32_t id_a, uint32_t id_b)
{
    const uint32_t class_a = id_a >> QD_ID_CLASS, class_b = id_b >> QD_ID_CLASS;

    if ((class_a > class_b ? class_a : class_b) == QD_FILTER_CLASSES_MAX) {
        return qd_filters_agree(bodies->filter[id_a & QD_ID_SLOT], bodies->filter[id_b & QD_ID_SLOT]);
    }
    return (bodies->classes.agree[class_a] >> class_b & 1) != 0;
}

/* Fetches what taking a row out, and putting one in, will read: the row, and a cell's last one. */
static inline void qd_rows_fetch(const qd_rows *rows, uint32_t reference)
{
    __builtin_prefetch(qd_row_now(rows, reference), 1);
    __builtin_prefetch(qd_row_was(rows, reference), 1);
    __builtin_prefetch(&rows->id[reference], 1);
    __builtin_prefetch(&rows->info[reference / QD_BLOCK_ROWS], 1);
}

static inline void qd_rows_fetch_last(const qd_rows *rows, const qd_cell *cell)
{
    if (cell->count > 0) {
        qd_rows_fetch(rows, cell->head * QD_BLOCK_ROWS + (cell->count - 1) % QD_BLOCK_ROWS);
    }
}

/* ---- going through all rows, and laying them down again: what a plan does, and the change to another index ---- */

/* Goes through the rows of cells, cell by cell. */
typedef struct qd_scan {
    const qd_rows *rows;
    const qd_cell *cell;
    uint32_t cells, at, block;
} qd_scan;

static inline qd_scan qd_scan_start(const qd_rows *rows, const qd_cell *cell, uint32_t cells)
{
    return (qd_scan){rows, cell, cells, 0, QD_NONE};
}

/* The next block's rows: the reference of the first, and how many. False: there are no more. */
bool qd_scan_next(qd_scan *scan, uint32_t *first, uint32_t *count);

/* The box of a row: the union of its was and now. */
static inline qd_row qd_row_box(const qd_rows *rows, uint32_t reference)
{
    const bool is_round = (qd_row_id(rows, reference) & QD_ID_ROUND) != 0;
    const qd_row now = qd_row_bounds(qd_row_now(rows, reference), is_round);
    const qd_row was = qd_row_bounds(qd_row_was(rows, reference), is_round);

    return qd_row_union(&now, &was);
}

/* Notes with a body that its row with this id is at `reference` now. */
void qd_row_relocated(qd_bodies *bodies, uint32_t id, uint32_t reference);

/* Words: a key above a row's reference. */
#define QD_WORD_KEY 32u /* from this bit on */

static inline uint64_t qd_word(uint32_t key, uint32_t reference)
{
    return (uint64_t)key << QD_WORD_KEY | reference;
}

/* A pass of a radix sort: puts words in the order of a digit, of the bits of `mask` from `shift` on. It keeps the order
 * of words in which the digit is the same. qd_words_count first sets `next`, of mask + 1 places, to where the words of
 * each value begin. */
void qd_words_count(const uint64_t *word, uint32_t count, uint32_t shift, uint32_t mask, uint32_t *next);
void qd_words_sort(const uint64_t *from, uint32_t count, uint32_t shift, uint32_t mask, uint32_t *next, uint64_t *to);

#endif
