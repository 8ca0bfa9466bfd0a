/* SPDX-License-Identifier: Apache-2.0
 *
 * Bodies that move as columns, a register of them at a time: their records are read, their rows made and written, as
 * move.h does it one by one. What an index makes of it is in linear_move_body.h and one_list_move_body.h.
 * Compiled by each move_<isa>.c after it has defined
 *
 *     MOVE_SYMBOL(name) a function to define
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
 *     put_left          the slots of those whose bit is set; returns how many
 *
 * Records come as rows and are turned into columns within lanes: element e of lane l is body LANES * e + l.
 */
#include <immintrin.h>

#include "../../base/assert.h"

#define WIDTH (4 * LANES) /* bodies */

#define RECORD_FOURS (sizeof(qd_record) / 16)

/* Columns of bodies: as they were moved to last, and where they move now. */
typedef struct group {
    floats before[QD_AXES], half[QD_AXES], centre[QD_AXES];
    ints row, cell_key, change, state;
    bool is_in_order;                    /* their slots are */
    _Alignas(64) uint32_t offset[WIDTH]; /* of their rows, in bytes */
} group;

/* Their rows: a column for each float. */
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

_Static_assert(offsetof(qd_record, half) == 4 * QD_AXES && offsetof(qd_record, row) == 8 * QD_AXES &&
                   offsetof(qd_record, cell_key) == offsetof(qd_record, row) + 4 &&
                   offsetof(qd_record, change) == offsetof(qd_record, row) + 8 &&
                   offsetof(qd_record, state) == offsetof(qd_record, row) + 12 &&
                   offsetof(qd_record, shape) == offsetof(qd_record, row) + 13,
               "load, make_rows and what looks at a group know where the fields are");

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
    next->cell_key = other[1];
    next->change = other[2];
    next->state = other[3];
}

static floats radii(const qd_bodies *bodies, const uint32_t *slots)
{
    _Alignas(64) float radius[WIDTH];

    for (uint32_t i = 0; i < WIDTH; i++) {
        radius[i] = qd_bodies_radius(bodies, slots[i]);
    }
    return to_columns_order(OP(load_ps)(radius));
}

/* By how much on an axis the box around something round is further than its center, as qd_round_bounds has it. */
static inline floats more_than(floats centre, floats reach)
{
    const floats further = reach + QD_ROUND_LEAST;

    return further + (0x1p-22f * (abs_of(centre) + further) + QD_ROUND_LEAST);
}

/* In lanes that are round: the boxes around what reaches so far on an axis. */
static inline void round_bounds(ints round, floats centre, floats reach, floats *low, floats *high)
{
    const floats more = more_than(centre, reach);

    *low = choose(round, centre - more, *low);
    *high = choose(round, centre + more, *high);
}

static inline ints are_of_shape(const group *at, uint32_t shape)
{
    return (ints)((at->state & 0xff00u) == shape << 8);
}

/* Where all are circles: their rows, as in qd_row_of_circle, and what contains them. */
static inline void make_all_circles(const group *at, columns *row, columns *bounds)
{
    for (uint32_t k = 0; k < QD_AXES; k++) {
        const floats more = more_than(at->centre[k], at->half[0]);

        bounds->edge[k] = at->centre[k] - more;
        bounds->edge[QD_ROW_HIGH + k] = at->centre[k] + more;
        row->edge[k] = at->centre[k];
        row->edge[QD_ROW_HIGH + k] = at->half[0];
    }
}

/* The same where some are. */
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

/* Makes the rows, and the boxes that contain what they say. */
static inline void make_rows(const qd_bodies *bodies, const uint32_t *slots, const group *at, columns *row,
                             columns *bounds)
{
    for (uint32_t k = 0; k < QD_AXES; k++) {
        row->edge[k] = at->centre[k] - at->half[k];
        row->edge[QD_ROW_HIGH + k] = at->centre[k] + at->half[k];
    }
    for (uint32_t pad = QD_AXES; pad < QD_ROW_HIGH; pad++) {
        row->edge[pad] = row->edge[QD_ROW_HIGH + pad] = all_floats(0);
    }
    *bounds = *row;
    if (any((at->state & 0xffffu) ^ (QD_RECORD_LIVE | QD_SPACE_BOX << 8)) != 0) {
        if (any((at->state & 0xffffu) ^ (QD_RECORD_LIVE | QD_SPACE_CIRCLE << 8)) == 0) {
            make_all_circles(at, row, bounds);
            return;
        }
        QD_ASSERT(any((at->state & 0xffu) ^ QD_RECORD_LIVE) == 0);
        make_circles(at, row, bounds);
        if (QD_UNLIKELY(any(are_of_shape(at, QD_SPACE_CAPSULE)) != 0)) {
            /* Copies, so that the others can stay in registers. */
            const group odd = *at;
            columns odd_row = *row, odd_bounds = *bounds;

            make_capsules(bodies, slots, &odd, &odd_row, &odd_bounds);
            *row = odd_row;
            *bounds = odd_bounds;
        }
    }
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
/* The centers, and behind them what stands there anyway. */
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

/* ---- a register of them ---- */

static inline void check_slots(const uint32_t *slots, uint32_t used)
{
    ints all;

    memcpy(&all, slots, sizeof all);
    QD_ASSERT(any((ints)(all >= used)) == 0);
}

/* What is needed further on; so many slots are left. */
static inline void fetch_ahead(const qd_index *index, const uint32_t *slots, size_t left, bool marks)
{
    const qd_bodies *bodies = index->bodies;

    if (qd_moves_prefetch(bodies) && left >= QD_MOVE_PREFETCH_RECORD + WIDTH) {
        check_slots(slots + QD_MOVE_PREFETCH_ROW, bodies->used);
        for (size_t k = 0; k < WIDTH; k++) {
            qd_move_prefetch(index, slots + k, marks);
        }
    }
}

/* The bodies with these slots, which move to at[axis][i] and so on. */
static inline void read_group(const qd_bodies *bodies, const uint32_t *slots, const float *const *at, size_t i,
                              group *next)
{
    check_slots(slots, bodies->used);
    next->is_in_order = in_order(slots);
    load(bodies->record, slots, next->is_in_order, next);
    for (uint32_t k = 0; k < QD_AXES; k++) {
        next->centre[k] = to_columns_order(OP(loadu_ps)(at[k] + i));
    }
    ints offsets = next->row * (uint32_t)sizeof(qd_row);
    memcpy(next->offset, &offsets, sizeof next->offset);
    /* Without this the compiler takes them out of the register one by one, which takes longer. */
    __asm__ volatile("" : : : "memory");
}

/* Records, rows and marks of those. */
static inline void write_group(const qd_index *index, const uint32_t *slots, const float *const *at, size_t i,
                               const group *next, const columns *row, bool marks)
{
    qd_record *records = index->bodies->record;
#if QD_AXES == 2
    store_two(records, slots, next->is_in_order, OP(loadu_ps)(at[0] + i), OP(loadu_ps)(at[1] + i));
#else
    (void)at, (void)i;
    store_centres(records, slots, next);
#endif
    store_rows(index->rows->now, next->offset, row);
    if (marks) {
        for (size_t k = 0; k < WIDTH; k++) {
            qd_rows_set_changed(index->rows, records[slots[k]].row);
        }
    }
}
