/* SPDX-License-Identifier: Apache-2.0
 *
 * How rows become the columns of a list, with NEON; what the functions do is said in columns_portable.h.
 */
#ifndef QD_SPACE_COLUMNS_NEON_H
#define QD_SPACE_COLUMNS_NEON_H

#include <arm_neon.h>

#include "columns_append.h"

static inline uint16x4_t number_edges(float32x4_t at, float origin, float scale)
{
    float32x4_t number = vmulq_n_f32(vsubq_f32(at, vdupq_n_f32(origin)), scale);
    number = vminq_f32(vmaxnmq_f32(number, vdupq_n_f32(0)), vdupq_n_f32((float)QD_FRAME_LAST));
    return vmovn_u32(vcvtq_u32_f32(number));
}

/* Eight rows as a register of numbers an edge; the load takes the edges of four apart, or the floats of two rows. */
#if QD_AXES == 2
static inline void number_rows(const qd_frame *frame, const qd_row *rows, uint16x8_t number[QD_EDGES])
{
    float32x4x4_t first = vld4q_f32(rows[0].v), second = vld4q_f32(rows[4].v);
    for (uint32_t k = 0; k < QD_EDGES; k++) {
        float origin = frame->origin[k % QD_AXES];
        number[k] = vcombine_u16(number_edges(first.val[k], origin, frame->scale),
                                 number_edges(second.val[k], origin, frame->scale));
    }
}
#else
static inline void number_rows(const qd_frame *frame, const qd_row *rows, uint16x8_t number[QD_EDGES])
{
    float32x4x4_t two[4];
    for (uint32_t i = 0; i < 4; i++) {
        two[i] = vld4q_f32(rows[2 * i].v);
    }
    for (uint32_t k = 0; k < QD_AXES; k++) {
        /* Lower and upper edges in turns. */
        uint16x4_t both[4];
        for (uint32_t i = 0; i < 4; i++) {
            both[i] = number_edges(two[i].val[k], frame->origin[k], frame->scale);
        }
        uint16x8_t first = vcombine_u16(both[0], both[1]), second = vcombine_u16(both[2], both[3]);
        number[k] = vuzp1q_u16(first, second);
        number[QD_AXES + k] = vuzp2q_u16(first, second);
    }
}
#endif

static inline void columns_of_rows(const qd_frame *frame, const qd_row *rows_now, const qd_row *rows_was,
                                   qd_edges *result)
{
    for (uint32_t r = 0; r < QD_BLOCK_ROWS; r += 8) {
        uint16x8_t now[QD_EDGES], was[QD_EDGES];
        number_rows(frame, rows_now + r, now);
        number_rows(frame, rows_was + r, was);
        for (uint32_t k = 0; k < QD_AXES; k++) {
            uint32_t hi = QD_AXES + k;
            vst1q_u16(result->v[QD_OUTER_LO + k] + r, vminq_u16(now[k], was[k]));
            vst1q_u16(result->v[QD_OUTER_HI + k] + r, vmaxq_u16(now[hi], was[hi]));
            vst1q_u16(result->v[QD_INNER_LO + k] + r, vaddq_u16(vmaxq_u16(now[k], was[k]), vdupq_n_u16(1)));
            vst1q_u16(result->v[QD_INNER_HI + k] + r, vminq_u16(now[hi], was[hi]));
        }
    }
}

static inline void columns_narrow(const qd_edges *from, const qd_window *window, uint8_t *const *column, uint32_t at)
{
    const int16x8_t shift = vdupq_n_s16((int16_t) - (int32_t)window->shift);
    for (uint32_t k = 0; k < QD_LIST_COLUMNS; k++) {
        const uint16x8_t corner = vdupq_n_u16(window->lo[k % QD_AXES]);
        const uint16x8_t one = vdupq_n_u16(qd_column_is_plus_one(k));
        for (uint32_t r = 0; r < QD_BLOCK_ROWS; r += 8) {
            uint16x8_t offset = vqsubq_u16(vsubq_u16(vld1q_u16(from->v[k] + r), one), corner);
            offset = vminq_u16(vshlq_u16(offset, shift), vdupq_n_u16(254));
            vst1_u8(column[k] + at + r, vmovn_u16(vaddq_u16(offset, one)));
        }
    }
}

#endif
