/* SPDX-License-Identifier: Apache-2.0
 *
 * The exact test of boxes and circles, a register of pairs at a time, for AVX2 and AVX-512. It computes in float as far
 * as that decides, and finds the same events as the plain C of exact_body.h. Included by each kernel_<isa>.c after its
 * lanes_<isa>.h, which defines
 *
 *     PAIRS_LANES         pairs in a register
 *     load_ints           a register from memory
 *     take_apart          PAIRS_LANES pairs of numbers as two registers
 *     put_together        two registers as pairs of numbers, only the lanes of a mask, one behind the other
 *     put_lanes           a register to memory, only the lanes of a mask, one behind the other; may write all lanes
 *     gather_ids          the ids of rows, 0 for lanes that are not valid
 *     with_either         a bit for each lane where one of two registers has one of its flags
 *     filters_agree       a bit for each lane whose filters agree, where both have a class; and those where not
 *     odd_agree           the same for filters without a class
 *     load_fours_at       four floats of each of PAIRS_LANES rows, as columns
 *     bits_of_lanes       a lane_mask (columns_x86.h) as bits
 *     lanes_of_bits       bits as a lane_mask
 *     are_round           which ids are of round rows
 *     kinds_of            the kinds of events, from what overlaps now and did, and those that are not 0
 */
#define LANES_PAIR

/* As in kernel_body.h. Most hits have one or two lanes; no branch depends on which. A reference follows the last lane,
 * so that lane 64 can be read. */
static inline uint32_t lanes_pair(qd_pair *to, uint32_t count, uint32_t row, const uint32_t *lanes, uint64_t mask)
{
    const uint32_t end = count + (uint32_t)_mm_popcnt_u64(mask);

    for (uint32_t i = 0; i < 2; i++) {
        to[count + i] = (qd_pair){row, lanes[_tzcnt_u64(mask)]};
        mask = _blsr_u64(mask);
    }
    for (count += 2; mask != 0; mask = _blsr_u64(mask)) {
        to[count++] = (qd_pair){row, lanes[_tzcnt_u64(mask)]};
    }
    return end;
}

#define PAIRS_MANY

/* A bit for each of the first `count` lanes. */
static inline uint32_t lanes_of_count(uint32_t count)
{
    return count < PAIRS_LANES ? (1u << count) - 1 : (1u << PAIRS_LANES) - 1;
}

static inline uint32_t take_shapes_many(const qd_sink *sink, qd_pair *pairs, uint32_t *pair_count, qd_shapes *to)
{
    const ints row = OP(set1_epi32)(QD_LIST_ROW);
    const uint32_t count = *pair_count, swept = sink->swept ? UINT32_MAX : 0;
    uint32_t found = 0, left = 0;

    for (uint32_t p = 0; p < count; p += PAIRS_LANES) {
        const uint32_t valid = lanes_of_count(count - p);
        ints a, b;

        take_apart(pairs + p, &a, &b);
        const ints row_a = a & row, row_b = b & row;
        const ints id_a = gather_ids(sink->rows->id, row_a, valid), id_b = gather_ids(sink->rows->id, row_b, valid);
        const uint32_t half = QD_LIST_WAS | QD_LIST_NOW;
        const uint32_t others = (with_either(a | b, half, id_a | id_b, QD_ID_INTRICATE) | swept) & valid;
        if (QD_UNLIKELY(others != 0)) {
            /* Not behind where they are read. */
            put_together(pairs + left, a, b, others);
            left += (uint32_t)_mm_popcnt_u32(others);
        }
        uint32_t usual = valid & ~others, odd;
        usual &= filters_agree(&sink->bodies->classes, id_a, id_b, &odd);
        odd &= valid & ~others;
        if (QD_UNLIKELY(odd != 0)) {
            usual |= odd_agree(sink->bodies->filter, odd, id_a, id_b);
        }
        put_lanes(to->a + found, row_a, usual);
        put_lanes(to->b + found, row_b, usual);
        put_lanes(to->id_a + found, id_a, usual);
        put_lanes(to->id_b + found, id_b, usual);
        found += (uint32_t)_mm_popcnt_u32(usual);
    }
    *pair_count = left;
    return found;
}

/* In float a sum of squares is wrong by less than this share of it, and so is a reach's square. */
#define SQUARE_ERROR 0x1p-19f
/* Smaller squares may be wrong by more: those of floats this small are lost. */
#define SQUARE_LEAST 0x1p-80f

/* Which of the pairs in `lanes` overlap, in double. */
static __attribute__((noinline)) uint32_t meeting_exactly(const qd_row *rows, const uint32_t *a, const uint32_t *b,
                                                          uint32_t round_a, uint32_t round_b, uint32_t lanes)
{
    uint32_t met = 0;

    for (; lanes != 0; lanes &= lanes - 1) {
        const uint32_t p = (uint32_t)__builtin_ctz(lanes);
        const bool is_round_a = (round_a >> p & 1) != 0, is_round_b = (round_b >> p & 1) != 0;

        met |= (uint32_t)qd_rows_overlap(&rows[a[p]], is_round_a, &rows[b[p]], is_round_b) << p;
    }
    return met;
}

/* What decides whether pairs overlap: the sum of the squares of their gaps, the greatest gap, and their reach. */
typedef struct gaps {
    floats sum, most, reach;
} gaps;

/* A circle is a box of no size at its center, with a reach around it. */
static inline gaps gaps_of(const floats *a, const floats *b, lane_mask round_a, lane_mask round_b)
{
    const floats zero = OP(setzero_ps)();
    gaps all = {
        .reach = OP(add_ps)(choose(round_a, a[QD_ROW_HIGH], zero), choose(round_b, b[QD_ROW_HIGH], zero)),
    };

    for (uint32_t k = 0; k < QD_AXES; k++) {
        const floats below = OP(sub_ps)(a[k], choose(round_b, b[k], b[QD_ROW_HIGH + k]));
        const floats above = OP(sub_ps)(b[k], choose(round_a, a[k], a[QD_ROW_HIGH + k]));
        /* A NaN stays a NaN. */
        const floats gap = OP(max_ps)(zero, OP(max_ps)(below, above)), square = OP(mul_ps)(gap, gap);

        all.most = k == 0 ? gap : OP(max_ps)(all.most, gap);
        all.sum = k == 0 ? square : OP(add_ps)(all.sum, square);
    }
    return all;
}

/* Which pairs of rows overlap: in float as far as that decides, else in double. */
static inline lane_mask meeting_at(const qd_row *rows, const uint32_t *a, const uint32_t *b, lane_mask round_a,
                                   lane_mask round_b)
{
    const floats zero = OP(setzero_ps)(), little = OP(set1_ps)(SQUARE_LEAST);
    floats first[QD_ROW_FLOATS], second[QD_ROW_FLOATS];

    for (uint32_t i = 0; i < QD_ROW_FLOATS; i += 4) {
        load_fours_at(rows, a, i, first + i);
        load_fours_at(rows, b, i, second + i);
    }
    const gaps all = gaps_of(first, second, round_a, round_b);
    const floats square = OP(mul_ps)(all.reach, all.reach);
    const floats less = OP(mul_ps)(square, OP(set1_ps)(1 - SQUARE_ERROR));
    const floats more = OP(mul_ps)(OP(max_ps)(little, square), OP(set1_ps)(1 + SQUARE_ERROR));
    const lane_mask there = COMPARE(all.reach, zero, _CMP_GE_OQ);
    const lane_mask near = COMPARE(all.sum, less, _CMP_LT_OQ) & COMPARE(square, little, _CMP_GE_OQ);
    const lane_mask touching = COMPARE(OP(add_ps)(all.sum, all.most), zero, _CMP_EQ_OQ);
    const lane_mask apart = COMPARE(all.sum, more, _CMP_GT_OQ);
    lane_mask met = there & (near | touching);
    const uint32_t unsure = ~bits_of_lanes(met | (there & apart)) & lanes_of_count(PAIRS_LANES);
    if (QD_UNLIKELY(unsure != 0)) {
        met |= lanes_of_bits(meeting_exactly(rows, a, b, bits_of_lanes(round_a), bits_of_lanes(round_b), unsure));
    }
    return met;
}

/* Fills a register behind the last number with the first one. */
static inline void round_off(uint32_t *numbers, uint32_t count)
{
    const ints first = OP(set1_epi32)((int)numbers[0]);

    memcpy(numbers + count, &first, sizeof first);
}

static inline size_t exact_shapes_many(const qd_sink *sink, const uint8_t *kinds, qd_shapes *shapes,
                                       uint32_t shape_count, qd_space_event *event, size_t count)
{
    const ints slots = OP(set1_epi32)(QD_ID_SLOT);

    round_off(shapes->a, shape_count);
    round_off(shapes->b, shape_count);
    round_off(shapes->id_a, shape_count);
    round_off(shapes->id_b, shape_count);
    for (uint32_t p = 0; p < shape_count; p += PAIRS_LANES) {
        const uint32_t *a = shapes->a + p, *b = shapes->b + p;
        const ints id_a = load_ints(shapes->id_a + p), id_b = load_ints(shapes->id_b + p);
        const lane_mask round_a = are_round(id_a), round_b = are_round(id_b);
        const lane_mask now = meeting_at(sink->rows->now, a, b, round_a, round_b);
        const lane_mask was = meeting_at(sink->rows->was, a, b, round_a, round_b);
        ints kind;
        const uint32_t any = lanes_of_count(shape_count - p) & kinds_of(kinds, now, was, &kind);

        put_together(event + count, (id_a & slots) | OP(slli_epi32)(kind, QD_SPACE_EVENT_SHIFT), id_b & slots, any);
        count += (uint32_t)_mm_popcnt_u32(any);
    }
    return count;
}
