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

/* Eight rows as a register of numbers an edge; the load takes the edges of four apart. */
static inline void number_rows(const qd_frame *frame, const qd_row *rows, uint16x8_t number[4])
{
    float32x4x4_t first = vld4q_f32(rows[0].v), second = vld4q_f32(rows[4].v);
    for (uint32_t k = 0; k < 4; k++) {
        float origin = k & 1 ? frame->origin_y : frame->origin_x;
        number[k] = vcombine_u16(number_edges(first.val[k], origin, frame->scale),
                                 number_edges(second.val[k], origin, frame->scale));
    }
}

static inline void columns_of_rows(const qd_frame *frame, const qd_row *rows_now, const qd_row *rows_was,
                                   qd_edges *result)
{
    for (uint32_t r = 0; r < QD_BLOCK_ROWS; r += 8) {
        uint16x8_t now[4], was[4];
        number_rows(frame, rows_now + r, now);
        number_rows(frame, rows_was + r, was);
        for (uint32_t k = 0; k < 2; k++) {
            vst1q_u16(result->v[k] + r, vminq_u16(now[k], was[k]));
            vst1q_u16(result->v[k + 2] + r, vmaxq_u16(now[k + 2], was[k + 2]));
            vst1q_u16(result->v[k + 4] + r, vaddq_u16(vmaxq_u16(now[k], was[k]), vdupq_n_u16(1)));
            vst1q_u16(result->v[k + 6] + r, vminq_u16(now[k + 2], was[k + 2]));
        }
    }
}

static inline void columns_narrow(const qd_edges *from, const qd_window *window, uint8_t *const *column, uint32_t at)
{
    const int16x8_t shift = vdupq_n_s16((int16_t) - (int32_t)window->shift);
    for (uint32_t k = 0; k < QD_LIST_COLUMNS; k++) {
        const uint16x8_t corner = vdupq_n_u16(k & 1 ? window->lo_y : window->lo_x);
        const uint16x8_t one = vdupq_n_u16((k & 6) == 4);
        for (uint32_t r = 0; r < QD_BLOCK_ROWS; r += 8) {
            uint16x8_t offset = vqsubq_u16(vsubq_u16(vld1q_u16(from->v[k] + r), one), corner);
            offset = vminq_u16(vshlq_u16(offset, shift), vdupq_n_u16(254));
            vst1_u8(column[k] + at + r, vmovn_u16(vaddq_u16(offset, one)));
        }
    }
}

#endif
