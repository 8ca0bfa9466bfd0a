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
 *     repeat_floats         four floats, again and again
 *     repeat_ints           128 bits of integers, again and again
 *     BYTE_PARTS            how many registers hold the bytes of 16 boxes
 *
 * and after this file, because they call its functions
 *
 *     columns_of            the columns of 16 rows
 *     columns_of_boxes      the same of boxes
 *     bytes_of_boxes        the bytes of 16 boxes
 *     store_columns         bytes as columns
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

/* ---- boxes as bytes: narrow before the least and the most of two times are found, four edges to a register ---- */

#define COLUMNS_BYTES

/* What the boxes of a list have in common. */
typedef struct byte_frame {
    floats origin, scale;
    ints corner; /* of the window */
    __m128i shift;
} byte_frame;

static inline byte_frame columns_byte_frame(const qd_quantizer *quantizer, const qd_window *window)
{
    _Alignas(16) float origin[4] = {0};
    _Alignas(16) uint16_t corner[8] = {0};

    for (uint32_t k = 0; k < 8; k++) {
        if (k % QD_ROW_HIGH < QD_AXES) {
            origin[k % 4] = quantizer->origin[k % QD_ROW_HIGH];
            corner[k] = window->lo[k % QD_ROW_HIGH];
        }
    }
    return (byte_frame){repeat_floats(_mm_load_ps(origin)), OP(set1_ps)(quantizer->scale),
                        repeat_ints(_mm_load_si128((const __m128i *)(const void *)corner)),
                        _mm_cvtsi32_si128((int)window->shift)};
}

/* Two registers of floats in the layout of rows, as 16 bits each that are below 255. */
static inline ints narrow_edges_of(const byte_frame *frame, floats first, floats second)
{
    const ints number = OP(packus_epi32)(number_edges(first, frame->origin, frame->scale),
                                         number_edges(second, frame->origin, frame->scale));
    const ints offset = OP(srl_epi16)(OP(subs_epu16)(number, frame->corner), frame->shift);

    return OP(min_epu16)(offset, OP(set1_epi16)(254));
}

static inline void bytes_of_boxes(const byte_frame *frame, const qd_row *rows, ints bytes[BYTE_PARTS]);
/* `one` is added to the lower edges. */
static inline void store_columns(const ints bytes[BYTE_PARTS], uint8_t one, uint8_t *const *lower,
                                 uint8_t *const *upper, uint32_t at);

static inline void columns_bytes(const byte_frame *frame, const qd_row *now, const qd_row *was, uint8_t *const *column,
                                 uint32_t at)
{
    ints a[BYTE_PARTS], b[BYTE_PARTS], less[BYTE_PARTS], more[BYTE_PARTS];

    bytes_of_boxes(frame, was, a);
    if (now == was) {
        memcpy(b, a, sizeof b);
    } else {
        bytes_of_boxes(frame, now, b);
    }
    for (uint32_t i = 0; i < BYTE_PARTS; i++) {
        less[i] = OP(min_epu8)(a[i], b[i]);
        more[i] = OP(max_epu8)(a[i], b[i]);
    }
    store_columns(less, 0, column + QD_OUTER_LO, column + QD_INNER_HI, at);
    store_columns(more, 1, column + QD_INNER_LO, column + QD_OUTER_HI, at);
}
