/* SPDX-License-Identifier: Apache-2.0
 *
 * How rows come into lists: collecting, culling and carrying; a part of lanes/kernel_body.h. It is compiled once for
 * each instruction set, whose lanes may define COLUMNS_BYTES and COLUMNS_APPEND in place of the plain C here.
 */

/* ---- collecting: a cell's rows as columns ---- */

#ifndef COLUMNS_BYTES
typedef struct byte_frame {
    const qd_quantizer *quantizer;
    const qd_window *window;
} byte_frame;

static inline byte_frame columns_byte_frame(const qd_quantizer *quantizer, const qd_window *window)
{
    return (byte_frame){quantizer, window};
}

/* Writes the edges of 16 boxes into columns at `at`, as 8 bits relative to the window's corner. */
static inline void columns_bytes(const byte_frame *frame, const qd_row *now, const qd_row *was, uint8_t *const *column,
                                 uint32_t at)
{
    qd_edges found;

    columns_edges(frame->quantizer, now, was, 0, &found);
    columns_narrow(&found, frame->window, column, at);
}
#endif

/* Where the rows of a block are now: where they were, if they are at rest or only that counts. */
static inline const qd_row *now_of(const qd_sink *sink, uint32_t block)
{
    const uint16_t changed = sink->rows->info[block].changed;
    const bool is_still = (changed == 0 && !sink->rows->all) || sink->mode == QD_TRAVERSAL_PAIRS;

    return is_still ? qd_row_was(sink->rows, block * QD_BLOCK_ROWS) : qd_row_now(sink->rows, block * QD_BLOCK_ROWS);
}

static inline void edges_of(const qd_sink *sink, uint32_t block, qd_edges *result)
{
    const qd_block_info *info = &sink->rows->info[block];
    const qd_row *was = qd_row_was(sink->rows, block * QD_BLOCK_ROWS);

    edges_of_rows(&sink->quantizer, now_of(sink, block), was, info->round, info->unproven, result);
}

static void edges16(const qd_sink *sink, uint32_t block, qd_edges *result)
{
    edges_of(sink, block, result);
}

static inline void note_rows(const qd_rows *rows, uint32_t block, uint32_t *row, uint64_t *changed, uint32_t at)
{
    typedef uint32_t lanes __attribute__((vector_size(QD_BLOCK_ROWS * sizeof(uint32_t))));
    const lanes lane = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    const lanes bit = {1,      1 << 1, 1 << 2,  1 << 3,  1 << 4,  1 << 5,  1 << 6,  1 << 7,
                       1 << 8, 1 << 9, 1 << 10, 1 << 11, 1 << 12, 1 << 13, 1 << 14, 1 << 15};
    const qd_block_info *info = &rows->info[block];
    /* A sum carries the bit up. Compilers would split a comparison of vectors that are wider than registers. */
    lanes special = ((info->special & bit) + (QD_LIST_SPECIAL - bit)) & QD_LIST_SPECIAL;
    lanes reference = (block * QD_BLOCK_ROWS + lane) | special;
    memcpy(row + at, &reference, sizeof reference);
    qd_bits_set(changed, at, info->changed, QD_BLOCK_ROWS);
}

/* The head block holds the last rows; the list begins with the first rows. */
static void collect16(const qd_sink *sink, const qd_cell *cell, qd_list16 *list)
{
    list->own = list->count = cell->count;
    uint32_t at = (cell->count + QD_BLOCK_ROWS - 1) / QD_BLOCK_ROWS * QD_BLOCK_ROWS;
    for (uint32_t block = cell->head; block != QD_NONE; block = sink->rows->info[block].next) {
        at -= QD_BLOCK_ROWS;
        qd_edges found;
        edges_of(sink, block, &found);
        for (uint32_t k = 0; k < QD_LIST_COLUMNS; k++) {
            memcpy(list->column[k] + at, found.v[k], sizeof found.v[k]);
        }
        note_rows(sink->rows, block, list->row, list->changed, at);
    }
}

static void collect8(const qd_sink *sink, const qd_cell *cell, const qd_window *window, qd_list8 *list)
{
    const byte_frame frame = columns_byte_frame(&sink->quantizer, window);
    uint8_t *column[QD_LIST_COLUMNS]; /* in the list, they would be read again after every store of a byte */

    memcpy(column, list->column, sizeof column);
    list->window = *window;
    list->own = list->count = cell->count;
    uint32_t at = (cell->count + QD_BLOCK_ROWS - 1) / QD_BLOCK_ROWS * QD_BLOCK_ROWS;
    for (uint32_t block = cell->head; block != QD_NONE; block = sink->rows->info[block].next) {
        const qd_block_info *info = &sink->rows->info[block];

        at -= QD_BLOCK_ROWS;
        if (QD_LIKELY((info->round | info->unproven) == 0) && !QD_WITHOUT(BYTE_COLUMNS)) {
            columns_bytes(&frame, now_of(sink, block), qd_row_was(sink->rows, block * QD_BLOCK_ROWS), column, at);
        } else {
            qd_edges found;

            edges_of(sink, block, &found);
            columns_narrow(&found, window, column, at);
        }
        note_rows(sink->rows, block, list->row, list->changed, at);
    }
}

/* ---- rows by their references ---- */

/* 16 rows from anywhere, laid out as a block. */
typedef struct picked {
    _Alignas(64) qd_row now[QD_BLOCK_ROWS], was[QD_BLOCK_ROWS];
    uint16_t is_round, unproven;
} picked;

static void pick_special(const qd_sink *sink, uint32_t reference, uint32_t r, picked *to)
{
    uint32_t at = reference & QD_LIST_ROW, id = qd_row_id(sink->rows, at);
    bool is_half = (reference & (QD_LIST_WAS | QD_LIST_NOW)) != 0;

    if (reference & QD_LIST_WAS) {
        to->now[r] = to->was[r];
    } else if (reference & QD_LIST_NOW) {
        to->was[r] = to->now[r];
    }
    to->is_round |= (uint16_t)((unsigned)((id & QD_ID_ROUND) != 0) << r);
    to->unproven |= (uint16_t)((unsigned)(is_half || (id & QD_ID_UNPROVEN)) << r);
}

static inline void pick(const qd_sink *sink, const uint32_t *reference, picked *to)
{
    const qd_row *was = sink->rows->was, *now = sink->mode == QD_TRAVERSAL_PAIRS ? was : sink->rows->now;
    uint32_t any = 0;

    for (uint32_t r = 0; r < QD_BLOCK_ROWS; r++) {
        uint32_t at = reference[r] & QD_LIST_ROW;

        to->now[r] = now[at];
        to->was[r] = was[at];
        any |= reference[r];
    }
    to->is_round = to->unproven = 0;
    for (uint32_t r = 0; any & QD_LIST_SPECIAL && r < QD_BLOCK_ROWS; r++) {
        if (reference[r] & QD_LIST_SPECIAL) {
            pick_special(sink, reference[r], r, to);
        }
    }
}

static void collect_again(const qd_sink *sink, const qd_list16 *from, qd_list16 *list)
{
    list->own = 0;
    list->count = from->count;
    list->strips = 0;
    for (uint32_t at = 0; at < from->count; at += QD_BLOCK_ROWS) {
        picked rows;
        qd_edges found;
        uint32_t reference[QD_BLOCK_ROWS];

        for (uint32_t r = 0; r < QD_BLOCK_ROWS; r++) {
            reference[r] = from->row[at + r < from->count ? at + r : at];
        }
        pick(sink, reference, &rows);
        edges_of_rows(&sink->quantizer, rows.now, rows.was, rows.is_round, rows.unproven, &found);
        for (uint32_t k = 0; k < QD_LIST_COLUMNS; k++) {
            memcpy(list->column[k] + at, found.v[k], sizeof found.v[k]);
        }
        memcpy(list->row + at, reference, sizeof reference);
        qd_bits_set(list->changed, at, from->changed[at / 64] >> at % 64 & 0xffff, QD_BLOCK_ROWS);
    }
}

static void pick8(const qd_sink *sink, const uint32_t *reference, uint32_t count, const qd_window *window, bool all,
                  qd_list8 *list)
{
    list->window = *window;
    for (uint32_t i = 0, at = list->count; i < count; i += QD_BLOCK_ROWS, at += QD_BLOCK_ROWS) {
        picked rows;
        qd_edges found;

        pick(sink, reference + i, &rows);
        edges_of_rows(&sink->quantizer, rows.now, rows.was, rows.is_round, rows.unproven, &found);
        columns_narrow(&found, window, list->column, at);
        for (uint32_t r = 0; r < QD_BLOCK_ROWS; r++) {
            list->row[at + r] = reference[i + r] & ~QD_LIST_CHANGED;
        }
        if (!all) {
            uint64_t changed = 0;

            for (uint32_t r = 0; r < QD_BLOCK_ROWS; r++) {
                changed |= (uint64_t)((reference[i + r] & QD_LIST_CHANGED) != 0) << r;
            }
            qd_bits_set(list->changed, at, changed, QD_BLOCK_ROWS);
        }
    }
    list->count += count;
}

/* ---- culling: the carried rows that meet a cell ---- */

#ifndef COLUMNS_APPEND
/* Appends the rows of a mask, of the 32 rows from `base` on. */
static inline void columns_append16(const qd_list16 *from, uint32_t base, uint64_t mask, qd_list16 *list)
{
    for (; mask != 0; mask &= mask - 1) {
        uint32_t i = base + (uint32_t)__builtin_ctzll(mask), at = list->count++;

        for (uint32_t k = 0; k < QD_LIST_COLUMNS; k++) {
            list->column[k][at] = from->column[k][i];
        }
        list->row[at] = from->row[i];
        qd_bits_set(list->changed, at, from->changed[i / 64] >> i % 64 & 1, 1);
    }
}

static inline void columns_append8(const qd_list16 *from, uint32_t base, uint64_t mask, const qd_window *window,
                                   qd_list8 *list)
{
    for (; mask != 0; mask &= mask - 1) {
        uint32_t i = base + (uint32_t)__builtin_ctzll(mask), at = list->count++;

        for (uint32_t k = 0; k < QD_LIST_COLUMNS; k++) {
            qd_narrow_column(&from->column[k][i], 1, k, window, &list->column[k][at]);
        }
        list->row[at] = from->row[i];
        qd_bits_set(list->changed, at, from->changed[i / 64] >> i % 64 & 1, 1);
    }
}
#endif

static inline __attribute__((always_inline)) uint64_t meeting(const qd_list16 *from, uint32_t base,
                                                              const qd_window *window, bool changed_only)
{
    lanes16 lanes = lanes_load16(from->column, base);
    uint64_t mask = lanes_meet16(&lanes, window->lo, window->hi);

    if (changed_only) {
        mask &= from->changed[base / 64] >> base % 64;
    }
    return mask & lanes_below(from->count - base, 32);
}

static void cull16(const qd_list16 *from, const qd_window *window, bool changed_only, qd_list16 *list)
{
    for (uint32_t base = 0; base < from->count; base += 32) {
        uint64_t mask = meeting(from, base, window, changed_only);

        if (mask != 0) {
            columns_append16(from, base, mask, list);
        }
    }
}

static void cull8(const qd_list16 *from, const qd_window *window, bool changed_only, qd_list8 *list)
{
    for (uint32_t base = 0; base < from->count; base += 32) {
        uint64_t mask = meeting(from, base, window, changed_only);

        if (mask != 0) {
            columns_append8(from, base, mask, window, list);
        }
    }
}

static void narrow_list(const qd_list16 *from, const qd_window *window, qd_list8 *list)
{
    list->window = *window;
    list->own = from->own;
    list->count = from->count;
    list->strips = from->strips;
    for (uint32_t k = 0; k < QD_LIST_COLUMNS; k++) {
        qd_narrow_column(from->column[k], from->count, k, window, list->column[k]);
    }
    memcpy(list->row, from->row, from->count * sizeof *from->row);
    memcpy(list->changed, from->changed, (from->count + 63) / 64 * sizeof *from->changed);
}

/* ---- carrying: culling straight from a cell ---- */

/* Two blocks as a list to cull from. */
typedef struct span {
    uint16_t column[QD_LIST_COLUMNS][2 * QD_BLOCK_ROWS];
    uint32_t row[2 * QD_BLOCK_ROWS];
    uint64_t changed[1];
    qd_list16 list;
} span;

static inline void span_init(span *two)
{
    two->list = (qd_list16){.row = two->row, .changed = two->changed, .count = 2 * QD_BLOCK_ROWS};
    for (uint32_t k = 0; k < QD_LIST_COLUMNS; k++) {
        two->list.column[k] = two->column[k];
    }
}

/* Fills a span from a cell's blocks, from `block` on; with changed_only it skips resting blocks. Returns a bit for each
 * row in the span, 0 at the end, and advances `block`. */
static inline uint64_t span_fill(const qd_sink *sink, const qd_cell *cell, uint32_t *block, bool changed_only,
                                 span *two)
{
    uint64_t there = 0;

    for (uint32_t at = 0; at < 2 * QD_BLOCK_ROWS && *block != QD_NONE; *block = sink->rows->info[*block].next) {
        if (changed_only && sink->rows->info[*block].changed == 0) {
            continue;
        }
        qd_edges found;
        edges_of(sink, *block, &found);
        for (uint32_t k = 0; k < QD_LIST_COLUMNS; k++) {
            memcpy(two->column[k] + at, found.v[k], sizeof found.v[k]);
        }
        note_rows(sink->rows, *block, two->row, two->changed, at);
        /* All blocks except the head are full. */
        uint32_t rows = *block == cell->head ? (cell->count - 1) % QD_BLOCK_ROWS + 1 : QD_BLOCK_ROWS;
        there |= lanes_below(rows, QD_BLOCK_ROWS) << at;
        at += QD_BLOCK_ROWS;
    }
    return there;
}

static void carry16(const qd_sink *sink, const qd_cell *cell, const qd_window *window, bool changed_only,
                    qd_list16 *list)
{
    span two;

    span_init(&two);
    uint32_t block = cell->head;
    for (uint64_t there; (there = span_fill(sink, cell, &block, changed_only, &two)) != 0;) {
        uint64_t mask = there & meeting(&two.list, 0, window, changed_only);

        if (mask != 0) {
            columns_append16(&two.list, 0, mask, list);
        }
    }
}

static void carry8(const qd_sink *sink, const qd_cell *cell, const qd_window *window, bool changed_only, qd_list8 *list)
{
    span two;

    span_init(&two);
    uint32_t block = cell->head;
    for (uint64_t there; (there = span_fill(sink, cell, &block, changed_only, &two)) != 0;) {
        uint64_t mask = there & meeting(&two.list, 0, window, changed_only);

        if (mask != 0) {
            columns_append8(&two.list, 0, mask, window, list);
        }
    }
}
