/* SPDX-License-Identifier: Apache-2.0
 *
 * Moving many bodies of a quadtree, a register of them at a time, as quadtree_move.c does it one by one.
 * Compiled by each quadtree_move_<isa>.c after it has defined
 *
 *     OP(name)          an intrinsic of its width
 *     LANES             a quarter of the bodies of a register: records are read and rows are written by fours of floats
 *     floats, ints      a register of them; vector: the latter, as intrinsics take it
 *     lane_of           a lane's four floats
 *     any, exceeding    a bit for each element that is not 0, or where the first one is greater than the second
 *     in_order          whether slots follow each other, where it matters to the next three
 *     gather            32 bits each, from an array of them
 *     load_fours        four floats of each of LANES elements of an array, by their numbers
 *     load_records      LANES records, four floats after four
 *     to_columns_order  elements that were read in the bodies' order, as columns have them
 *     store_two         the first two fields of all records (of two dimensions)
 *     put_aside         the slots of those whose bit is set
 *
 * Records come as rows and are turned into columns within lanes: element e of lane l is body LANES * e + l.
 */
#include <immintrin.h>

#include "../base/assert.h"

#define WIDTH (4 * LANES) /* bodies */

#define RECORD_FOURS (sizeof(qd_record) / 16)

/* What is the same for all. */
typedef struct constants {
    floats origin[QD_AXES], scale, last;
    ints shift;
} constants;

/* Columns of bodies: as they were moved to last, and where they move now. */
typedef struct group {
    floats before[QD_AXES], half[QD_AXES], centre[QD_AXES];
    ints row, place, change, state;
} group;

/* The rows that makes: a column for each of their floats. */
typedef struct columns {
    floats edge[QD_ROW_FLOATS];
} columns;

static inline floats all_floats(float value)
{
    return OP(set1_ps)(value);
}

static inline ints all_ints(uint32_t value)
{
    return (ints)OP(set1_epi32)((int)value);
}

static inline floats abs_of(floats value)
{
    return (floats)((ints)value & 0x7fffffffu);
}

/* `a` where all bits of `mask` are set, `b` where none is. */
static inline floats choose(ints mask, floats a, floats b)
{
    return (floats)(((ints)a & mask) | ((ints)b & ~mask));
}

/* Rows to columns, and back. */
static inline void transpose(const floats *from, floats *to)
{
    floats a = OP(unpacklo_ps)(from[0], from[1]), b = OP(unpackhi_ps)(from[0], from[1]);
    floats c = OP(unpacklo_ps)(from[2], from[3]), d = OP(unpackhi_ps)(from[2], from[3]);
    to[0] = (floats)OP(unpacklo_pd)(OP(castps_pd)(a), OP(castps_pd)(c));
    to[1] = (floats)OP(unpackhi_pd)(OP(castps_pd)(a), OP(castps_pd)(c));
    to[2] = (floats)OP(unpacklo_pd)(OP(castps_pd)(b), OP(castps_pd)(d));
    to[3] = (floats)OP(unpackhi_pd)(OP(castps_pd)(b), OP(castps_pd)(d));
}

static constants constants_of(const qd_quadtree *tree)
{
    const qd_frame *frame = &tree->frame;
    constants c = {
        .scale = all_floats(frame->scale),
        .last = all_floats((float)QD_FRAME_LAST),
        .shift = all_ints(QD_FRAME_BITS - tree->depth),
    };
    for (uint32_t k = 0; k < QD_AXES; k++) {
        c.origin[k] = all_floats(frame->origin[k]);
    }
    return c;
}

/* Fields follow each other as they do in qd_record. */
static inline void load(const qd_record *records, const uint32_t *slots, bool is_in_order, group *next)
{
    floats four[RECORD_FOURS][4], field[4 * RECORD_FOURS];
    for (uint32_t j = 0; j < 4; j++) {
        floats each[RECORD_FOURS];
        load_records(records, slots + LANES * j, is_in_order, each);
        for (uint32_t i = 0; i < RECORD_FOURS; i++) {
            four[i][j] = each[i];
        }
    }
    for (uint32_t i = 0; i < RECORD_FOURS; i++) {
        transpose(four[i], field + 4 * i);
    }
    for (uint32_t k = 0; k < QD_AXES; k++) {
        next->before[k] = field[k];
        next->half[k] = field[QD_AXES + k];
    }
    const ints *other = (const ints *)(const void *)(field + 2 * QD_AXES);
    next->row = other[0];
    next->place = other[1];
    next->change = other[2];
    next->state = other[3];
}

/* qd_frame_number */
static inline ints number_of(const constants *c, floats edge, uint32_t k)
{
    floats number = (edge - c->origin[k]) * c->scale;
    return (ints)OP(cvttps_epi32)(OP(min_ps)(OP(max_ps)(number, all_floats(0)), c->last));
}

static floats radii(const qd_bodies *bodies, const uint32_t *slots)
{
    _Alignas(64) float radius[WIDTH];
    for (uint32_t i = 0; i < WIDTH; i++) {
        radius[i] = qd_bodies_radius(bodies, slots[i]);
    }
    return to_columns_order(OP(load_ps)(radius));
}

/* In lanes that are round: the boxes around what reaches so far on an axis, as qd_round_bounds makes them. */
static inline void round_bounds(ints round, floats centre, floats reach, floats *low, floats *high)
{
    const floats more = reach + 0x1p-22f * (abs_of(centre) + reach);
    *low = choose(round, centre - more, *low);
    *high = choose(round, centre + more, *high);
}

static inline ints are_of_shape(const group *at, uint32_t shape)
{
    return (ints)((at->state & 0xff00u) == shape << 8);
}

/* Where some are circles: their rows, as in qd_row_of_circle, and what contains them. */
static inline void make_circles(const group *at, columns *row, columns *bounds)
{
    const ints circle = are_of_shape(at, QD_SPACE_CIRCLE);
    const floats reach = at->half[0];
    for (uint32_t k = 0; k < QD_AXES; k++) {
        round_bounds(circle, at->centre[k], reach, &bounds->edge[k], &bounds->edge[QD_ROW_HIGH + k]);
        row->edge[k] = choose(circle, at->centre[k], row->edge[k]);
        row->edge[QD_ROW_HIGH + k] = choose(circle, reach, row->edge[QD_ROW_HIGH + k]);
    }
}

/* The same of capsules, as in qd_row_of_capsule. */
static __attribute__((noinline)) void make_capsules(const qd_bodies *bodies, const uint32_t *slots, const group *at,
                                                    columns *row, columns *bounds)
{
    const ints capsule = are_of_shape(at, QD_SPACE_CAPSULE);
    const floats radius = radii(bodies, slots);
    for (uint32_t k = 0; k < QD_AXES; k++) {
        floats reach = (abs_of(at->half[k]) + radius) * (1 + 0x1p-22f);
        round_bounds(capsule, at->centre[k], reach, &bounds->edge[k], &bounds->edge[QD_ROW_HIGH + k]);
        row->edge[k] = choose(capsule, at->centre[k], row->edge[k]);
        row->edge[QD_ROW_HIGH + k] = choose(capsule, reach, row->edge[QD_ROW_HIGH + k]);
    }
}

/* Makes the rows; a bit where the body does not stay in its cell. */
static inline uint32_t leaving(const constants *c, const qd_bodies *bodies, const uint32_t *slots, const group *at,
                               columns *row)
{
    for (uint32_t k = 0; k < QD_AXES; k++) {
        row->edge[k] = at->centre[k] - at->half[k];
        row->edge[QD_ROW_HIGH + k] = at->centre[k] + at->half[k];
    }
    for (uint32_t pad = QD_AXES; pad < QD_ROW_HIGH; pad++) {
        row->edge[pad] = row->edge[QD_ROW_HIGH + pad] = all_floats(0);
    }
    columns bounds = *row;
    if (any((at->state & 0xffffu) ^ (QD_RECORD_LIVE | QD_SPACE_BOX << 8)) != 0) {
        QD_ASSERT(any((at->state & 0xffu) ^ QD_RECORD_LIVE) == 0);
        make_circles(at, row, &bounds);
        if (QD_UNLIKELY(any(are_of_shape(at, QD_SPACE_CAPSULE)) != 0)) {
            /* Copies, so that the others can stay in registers. */
            const group odd = *at;
            columns odd_row = *row, odd_bounds = bounds;
            make_capsules(bodies, slots, &odd, &odd_row, &odd_bounds);
            *row = odd_row;
            bounds = odd_bounds;
        }
    }
    const ints shift = c->shift + (at->place >> 28);
    ints out = all_ints(0), apart = all_ints(0);
    uint32_t far = 0;
    for (uint32_t k = 0; k < QD_AXES; k++) {
        ints low = number_of(c, bounds.edge[k], k), high = number_of(c, bounds.edge[QD_ROW_HIGH + k], k);
        ints cell = at->place >> QD_PLACE_BITS * (QD_AXES - 1 - k) & ((1u << QD_PLACE_BITS) - 1);
        out |= ((low >> shift) ^ cell) | ((high >> shift) ^ cell);
        apart |= low ^ high;
        far |= exceeding(abs_of(at->centre[k] - at->before[k]), bounds.edge[QD_ROW_HIGH + k] - bounds.edge[k]);
    }
    /* Done for leaves, too: a branch would be foreseen too seldom. */
    uint32_t is_leaf = any(at->place & (1u << 24)), is_astride = any(apart >> (shift - 1));
    return any(out) | (~is_leaf & (far | (~is_astride & ((1u << WIDTH) - 1))));
}

/* Rows are written in place also where their bodies leave: they are taken from there by what the records say. */
static inline void store_rows(qd_row *now, const uint32_t *offset, const columns *row)
{
    for (uint32_t i = 0; i < QD_ROW_FLOATS; i += 4) {
        floats four[4];
        transpose(row->edge + i, four);
        for (uint32_t j = 0; j < 4; j++) {
            for (uint32_t l = 0; l < LANES; l++) {
                _mm_store_ps((float *)(void *)((char *)now + offset[4 * l + j]) + i, lane_of(four[j], l));
            }
        }
    }
}

#if QD_AXES == 3
/* The centres, and behind them what stands there anyway. */
static inline void store_centres(qd_record *records, const uint32_t *slots, const group *at)
{
    const floats column[4] = {at->centre[0], at->centre[1], at->centre[2], at->half[0]};
    floats four[4];
    transpose(column, four);
    for (uint32_t j = 0; j < 4; j++) {
        for (uint32_t l = 0; l < LANES; l++) {
            _mm_store_ps(records[slots[LANES * j + l]].at, lane_of(four[j], l));
        }
    }
}
#endif

/* ---- those that left ---- */

/* Boxes as numbers, shifted to finest cells. */
typedef struct span {
    ints low[QD_AXES], high[QD_AXES];
} span;

typedef struct spot {
    ints cell, place;
} spot;

/* qd_morton_spread */
static inline ints spread(ints n)
{
#if QD_AXES == 2
    n = (n | n << 8) & 0x00ff00ffu;
    n = (n | n << 4) & 0x0f0f0f0fu;
    n = (n | n << 2) & 0x33333333u;
    return (n | n << 1) & 0x55555555u;
#else
    n = (n | n << 8) & 0x0000f00fu;
    n = (n | n << 4) & 0x000c30c3u;
    return (n | n << 2) & 0x00249249u;
#endif
}

/* The number's highest bit, counted from 1; 0 has none. Of numbers below 2^24, which floats hold as they are. */
static inline ints bits_of(ints n)
{
    ints exponent = (ints)OP(cvtepi32_ps)((vector)n) >> 23;
    return (ints)OP(max_epi32)((vector)(exponent - 126), (vector)all_ints(0));
}

/* qd_quadtree_cell_of */
static inline spot spot_of(const qd_quadtree *tree, const span *box)
{
    ints low = all_ints(0), apart = all_ints(0), numbers = all_ints(0), leaf_height = all_ints(0);
    for (uint32_t k = 0; k < QD_AXES; k++) {
        low |= spread(box->low[k]) << k;
        apart |= box->low[k] ^ box->high[k];
    }
    ints height = bits_of(apart);
    if (tree->leaf_map != NULL) {
        /* Four of them at a time: there are as many, or a single one that the allocation is longer than. */
        ints four = gather(tree->leaf_map, low >> 2);
        leaf_height = four >> (low & 3) * 8 & 0xff;
    }
    ints is_leaf = (ints)(height <= leaf_height);
    height = (ints)OP(max_epi32)((vector)height, (vector)leaf_height);
    for (uint32_t k = 0; k < QD_AXES; k++) {
        numbers = numbers << QD_PLACE_BITS | box->low[k] >> height;
    }
    /* The level's first cell, qd_level_first, has a 1 in each of its digits. */
    const uint32_t ones = QD_AXES == 2 ? 0x55555555u : 0x49249249u;
    ints first = ~(all_ints(UINT32_MAX) << QD_AXES * (tree->depth - height)) & ones;
    return (spot){
        .cell = first + (low >> QD_AXES * height),
        .place = height << 28 | (is_leaf & (1u << 24)) | numbers,
    };
}

/* qd_quadtree_look for many, but also of those that are split. Returns a bit for each that goes; those in `odd` are to
 * be looked at one by one. Their rows stand where they are already. */
static inline uint32_t look(const qd_quadtree *tree, const constants *c, const uint32_t *slots, qd_leaver *leavers,
                            uint32_t *odd)
{
    const qd_index *index = &tree->index;
    group at;
    uint32_t row[WIDTH];
    floats was[QD_ROW_FLOATS];
    load(index->bodies->record, slots, false, &at);
    for (uint32_t i = 0; i < WIDTH; i++) {
        row[i] = index->bodies->record[slots[i]].row;
    }
    for (uint32_t i = 0; i < QD_ROW_FLOATS; i += 4) {
        floats four[4];
        for (uint32_t j = 0; j < 4; j++) {
            four[j] = load_fours((const float *)(const void *)index->rows->was + i, sizeof(qd_row), row + LANES * j);
        }
        transpose(four, was + i);
    }
    span now, both;
    /* Absent rows are so as boxes, too. */
    const ints circle = are_of_shape(&at, QD_SPACE_CIRCLE), was_circle = circle & (ints)(was[QD_ROW_HIGH] >= 0);
    uint32_t apart = 0, far = 0;
    const uint32_t absent = exceeding(was[0], was[QD_ROW_HIGH]) & ~any(was_circle);
    const ints longest = all_ints(2) << c->shift;
    for (uint32_t k = 0; k < QD_AXES; k++) {
        floats low = at.before[k] - at.half[k], high = at.before[k] + at.half[k];
        floats was_low = was[k], was_high = was[QD_ROW_HIGH + k];
        round_bounds(circle, at.before[k], at.half[0], &low, &high);
        round_bounds(was_circle, was[k], was[QD_ROW_HIGH + k], &was_low, &was_high);
        ints now_low = number_of(c, low, k), now_high = number_of(c, high, k);
        ints all_low = (ints)OP(min_epi32)((vector)now_low, (vector)number_of(c, was_low, k));
        ints all_high = (ints)OP(max_epi32)((vector)now_high, (vector)number_of(c, was_high, k));
        far |= any((ints)(all_high - all_low > longest));
        apart |= exceeding(low, was_high) | exceeding(was_low, high);
        now.low[k] = now_low >> c->shift;
        now.high[k] = now_high >> c->shift;
        both.low[k] = all_low >> c->shift;
        both.high[k] = all_high >> c->shift;
    }
    spot to = spot_of(tree, &both), natural = spot_of(tree, &now);
    uint32_t is_leaf = any(to.place & (1u << 24)), is_other = any(natural.place ^ to.place);
    uint32_t split = index->config->swept ? 0 : far & apart & ~is_leaf & ~absent;
    *odd =
        any((at.state & 0xffu) ^ QD_RECORD_LIVE) | any(are_of_shape(&at, QD_SPACE_CAPSULE)) | any(at.change ^ QD_NONE);
    uint32_t cell[2][WIDTH], place[2][WIDTH];
    memcpy(cell[0], &to.cell, sizeof cell[0]);
    memcpy(cell[1], &natural.cell, sizeof cell[1]);
    memcpy(place[0], &to.place, sizeof place[0]);
    memcpy(place[1], &natural.place, sizeof place[1]);
    for (uint32_t e = 0; e < WIDTH; e++) {
        uint32_t is_split = split >> e & 1;
        leavers[e] = (qd_leaver){
            .slot = slots[e % 4 * LANES + e / 4],
            .cell = cell[is_split][e],
            .place = place[is_split][e],
            .how = is_split            ? QD_LEAVE_SPLIT
                   : is_other >> e & 1 ? QD_LEAVE_STRETCHED
                                       : QD_LEAVE_WHOLE,
        };
    }
    return split | any(to.place ^ at.place);
}

static __attribute__((noinline)) void resolve(qd_quadtree *tree, qd_aside *aside)
{
    const constants c = constants_of(tree);
    const qd_index *index = &tree->index;
    const bool is_large = index->bodies->used > QD_MOVE_PREFETCH_FROM;
    qd_leaver leavers[QD_ASIDE_MAX + WIDTH], many[WIDTH];
    uint32_t count = 0;
    /* Whole registers of slots: after the last one it comes again. */
    for (uint32_t i = aside->count; i % WIDTH != 0; i++) {
        aside->slot[i] = aside->slot[aside->count - 1];
    }
    for (uint32_t i = 0; i < aside->count; i += WIDTH) {
        for (uint32_t k = i + WIDTH; is_large && k < i + 2 * WIDTH && k < aside->count; k++) {
            qd_rows_fetch(index->rows, index->bodies->record[aside->slot[k]].row);
        }
        uint32_t odd, out = look(tree, &c, aside->slot + i, many, &odd);
        for (uint32_t left = out & ~odd; left != 0; left &= left - 1) {
            leavers[count++] = many[__builtin_ctz(left)];
        }
        for (uint32_t left = odd; left != 0; left &= left - 1) {
            count += qd_quadtree_look(tree, many[__builtin_ctz(left)].slot, &leavers[count]);
        }
    }
    aside->count = 0;
    qd_quadtree_leave(tree, leavers, count);
}

/* ---- all ---- */

static inline void check_slots(const uint32_t *slots, uint32_t used)
{
    ints all;
    memcpy(&all, slots, sizeof all);
    QD_ASSERT(any((ints)(all >= used)) == 0);
}

static inline __attribute__((always_inline)) size_t move_many(qd_quadtree *tree, size_t count, const uint32_t *slots,
                                                              const float *const *at, bool marks)
{
    qd_aside aside;
    aside.count = 0;
    const constants c = constants_of(tree);
    const qd_bodies *bodies = tree->index.bodies;
    const bool is_large = bodies->used > QD_MOVE_PREFETCH_FROM;
    qd_record *records = bodies->record;
    qd_row *now = tree->index.rows->now;
    size_t i = 0;
    for (; i + WIDTH <= count; i += WIDTH, slots += WIDTH) {
        check_slots(slots, bodies->used);
        if (is_large && i + QD_MOVE_PREFETCH_RECORD + WIDTH <= count) {
            check_slots(slots + QD_MOVE_PREFETCH_ROW, bodies->used);
            for (size_t k = 0; k < WIDTH; k++) {
                qd_move_prefetch(&tree->index, slots + k, marks);
            }
        }
        group next;
        columns row;
        floats to[QD_AXES];
        const bool is_in_order = in_order(slots);
        load(records, slots, is_in_order, &next);
        for (uint32_t k = 0; k < QD_AXES; k++) {
            to[k] = OP(loadu_ps)(at[k] + i);
            next.centre[k] = to_columns_order(to[k]);
        }
        _Alignas(64) uint32_t offset[WIDTH];
        ints offsets = next.row * (uint32_t)sizeof(qd_row);
        memcpy(offset, &offsets, sizeof offset);
        /* Or the compiler takes them out of the register one by one, which takes longer. */
        __asm__ volatile("" : : : "memory");
        uint32_t out = leaving(&c, bodies, slots, &next, &row);
#if QD_AXES == 2
        store_two(records, slots, is_in_order, to[0], to[1]);
#else
        store_centres(records, slots, &next);
#endif
        store_rows(now, offset, &row);
        if (marks) {
            for (size_t k = 0; k < WIDTH; k++) {
                qd_rows_mark(tree->index.rows, records[slots[k]].row);
            }
        }
        put_aside(&aside, slots, out);
        if (QD_UNLIKELY(aside.count > QD_ASIDE_MAX - WIDTH)) {
            resolve(tree, &aside);
            now = tree->index.rows->now;
        }
    }
    resolve(tree, &aside);
    return i;
}

static size_t move_all(qd_quadtree *tree, size_t count, const uint32_t *slots, const float *const *at)
{
    _Static_assert(offsetof(qd_record, half) == 4 * QD_AXES && offsetof(qd_record, row) == 8 * QD_AXES &&
                       offsetof(qd_record, place) == offsetof(qd_record, row) + 4 &&
                       offsetof(qd_record, change) == offsetof(qd_record, row) + 8 &&
                       offsetof(qd_record, state) == offsetof(qd_record, row) + 12 &&
                       offsetof(qd_record, shape) == offsetof(qd_record, row) + 13,
                   "load, leaving and look know where the fields are");
    return tree->index.rows->all ? move_many(tree, count, slots, at, false) : move_many(tree, count, slots, at, true);
}
