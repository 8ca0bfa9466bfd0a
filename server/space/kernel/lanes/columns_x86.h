/* SPDX-License-Identifier: Apache-2.0
 *
 * Round rows as columns, a register for one edge of many rows, for AVX2 and AVX-512. Included by columns_<isa>.h, which
 * defines
 *
 *     OP(name)              an intrinsic of its width
 *     floats, ints          a register of floats, and of 32-bit integers
 *     round_mask            for each lane, whether its row is round
 *     choose_round          lanes that are round from one register, the others from another
 *     number_round          edges of one axis as numbers
 */

/* Rows as columns, and which of them are round. An absent round row counts as an absent box. */
typedef struct round_rows {
    floats column[QD_ROW_FLOATS];
    round_mask round;
} round_rows;

/* The edges of the boxes around rows, and inside of them, on one axis. */
typedef struct sides {
    floats outer_lo, outer_hi, inner_lo, inner_hi;
} sides;

/* Transposes four registers of fours. */
static inline void transpose_fours(const floats row[4], floats column[4])
{
    const floats a = OP(unpacklo_ps)(row[0], row[1]), b = OP(unpackhi_ps)(row[0], row[1]);
    const floats c = OP(unpacklo_ps)(row[2], row[3]), d = OP(unpackhi_ps)(row[2], row[3]);

    column[0] = OP(shuffle_ps)(a, c, 0x44);
    column[1] = OP(shuffle_ps)(a, c, 0xee);
    column[2] = OP(shuffle_ps)(b, d, 0x44);
    column[3] = OP(shuffle_ps)(b, d, 0xee);
}

/* Rows that are not round keep their edges. With all_round there are none. */
static inline sides sides_of(const round_rows *rows, uint32_t k, bool all_round)
{
    const floats at = rows->column[k], high = rows->column[QD_ROW_HIGH + k], least = OP(set1_ps)(QD_ROUND_LEAST);
    const floats reach = OP(add_ps)(high, least), far = OP(add_ps)(OP(andnot_ps)(OP(set1_ps)(-0.0f), at), reach);
    const floats slack = OP(add_ps)(OP(mul_ps)(OP(set1_ps)(0x1p-22f), far), least);
    const floats more = OP(add_ps)(reach, slack);
    const floats less = OP(sub_ps)(OP(mul_ps)(reach, OP(set1_ps)(QD_CIRCLE_CORE)), slack);
    const sides made = {OP(sub_ps)(at, more), OP(add_ps)(at, more), OP(sub_ps)(at, less), OP(add_ps)(at, less)};

    if (all_round) {
        return made;
    }
    return (sides){choose_round(rows->round, made.outer_lo, at), choose_round(rows->round, made.outer_hi, high),
                   choose_round(rows->round, made.inner_lo, at), choose_round(rows->round, made.inner_hi, high)};
}

/* A register of numbers for each column, from rows at two times. */
static inline void number_columns(const qd_quantizer *quantizer, const round_rows *now, const round_rows *was,
                                  bool all_round, ints number[QD_LIST_COLUMNS])
{
    for (uint32_t k = 0; k < QD_AXES; k++) {
        const sides a = sides_of(now, k, all_round), b = sides_of(was, k, all_round);

        number[QD_OUTER_LO + k] = number_round(quantizer, k, OP(min_ps)(a.outer_lo, b.outer_lo));
        number[QD_OUTER_HI + k] = number_round(quantizer, k, OP(max_ps)(a.outer_hi, b.outer_hi));
        number[QD_INNER_LO + k] = number_round(quantizer, k, OP(max_ps)(a.inner_lo, b.inner_lo));
        number[QD_INNER_HI + k] = number_round(quantizer, k, OP(min_ps)(a.inner_hi, b.inner_hi));
    }
}
