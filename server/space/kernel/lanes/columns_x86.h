/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows as columns, a register for one edge of many rows, for AVX2 and AVX-512. Included by columns_<isa>.h, which
 * defines
 *
 *     OP(name)              an intrinsic of its width
 *     floats, ints          a register of floats, and of 32-bit integers
 *     lane_mask             a mask of lanes; & and | work on it
 *     COMPARE(a, b, how)    a mask of floats compared
 *     choose                the lanes of a mask from one register, the others from another
 *
 * and after this file, because they call its functions
 *
 *     columns_of            the columns of 16 rows
 *     columns_of_boxes      the same of boxes
 */

static inline void columns_of(const qd_quantizer *quantizer, const qd_row *now, const qd_row *was, uint32_t is_round,
                              bool any_round, qd_edges *result);
static inline void columns_of_boxes(const qd_quantizer *quantizer, const qd_row *now, const qd_row *was,
                                    qd_edges *result);

/* The pack to 16 bits turns numbers below 0 into 0. */
static inline ints number_edges(floats edge, floats origin, floats scale)
{
    const floats number = OP(mul_ps)(OP(sub_ps)(edge, origin), scale);

    return OP(cvttps_epi32)(OP(min_ps)(number, OP(set1_ps)((float)QD_QUANTIZER_LAST)));
}

/* Rows, a register for each of their floats, and which of them are round. An absent round row counts as an absent box. */
typedef struct row_lanes {
    floats column[QD_ROW_FLOATS];
    lane_mask round;
} row_lanes;

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

/* Rows that are not round keep their edges. */
static inline sides sides_of(const row_lanes *rows, uint32_t k, bool any_round)
{
    const floats at = rows->column[k], high = rows->column[QD_ROW_HIGH + k];

    if (!any_round) {
        return (sides){at, high, at, high};
    }
    const floats least = OP(set1_ps)(QD_ROUND_LEAST);
    const floats reach = OP(add_ps)(high, least), far = OP(add_ps)(OP(andnot_ps)(OP(set1_ps)(-0.0f), at), reach);
    const floats slack = OP(add_ps)(OP(mul_ps)(OP(set1_ps)(0x1p-22f), far), least);
    const floats more = OP(add_ps)(reach, slack);
    const floats less = OP(sub_ps)(OP(mul_ps)(reach, OP(set1_ps)(QD_CIRCLE_CORE)), slack);

    return (sides){choose(rows->round, OP(sub_ps)(at, more), at), choose(rows->round, OP(add_ps)(at, more), high),
                   choose(rows->round, OP(sub_ps)(at, less), at), choose(rows->round, OP(add_ps)(at, less), high)};
}

/* A register of numbers for each column, from rows at two times. */
static inline void number_columns(const qd_quantizer *quantizer, const row_lanes *now, const row_lanes *was,
                                  bool any_round, ints number[QD_LIST_COLUMNS])
{
    const floats scale = OP(set1_ps)(quantizer->scale);

    for (uint32_t k = 0; k < QD_AXES; k++) {
        const sides a = sides_of(now, k, any_round), b = sides_of(was, k, any_round);
        const floats origin = OP(set1_ps)(quantizer->origin[k]);

        number[QD_OUTER_LO + k] = number_edges(OP(min_ps)(a.outer_lo, b.outer_lo), origin, scale);
        number[QD_OUTER_HI + k] = number_edges(OP(max_ps)(a.outer_hi, b.outer_hi), origin, scale);
        number[QD_INNER_LO + k] = number_edges(OP(max_ps)(a.inner_lo, b.inner_lo), origin, scale);
        number[QD_INNER_HI + k] = number_edges(OP(min_ps)(a.inner_hi, b.inner_hi), origin, scale);
    }
}

/* Not inlined, or boxes would have to save registers that only round rows need. */
static __attribute__((noinline)) void columns_of_round(const qd_quantizer *quantizer, const qd_row *now,
                                                       const qd_row *was, uint32_t is_round, qd_edges *result)
{
    columns_of(quantizer, now, was, is_round, true, result);
}

#define COLUMNS_EDGES

static inline void columns_edges(const qd_quantizer *quantizer, const qd_row *now, const qd_row *was, uint32_t is_round,
                                 qd_edges *result)
{
    if (QD_LIKELY(is_round == 0)) {
        columns_of_boxes(quantizer, now, was, result);
    } else {
        columns_of_round(quantizer, now, was, is_round, result);
    }
}
