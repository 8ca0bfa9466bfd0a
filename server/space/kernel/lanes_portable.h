/* SPDX-License-Identifier: Apache-2.0
 *
 * What the kernel asks of an instruction set, in plain C for the compiler to vectorise. Each lanes_<isa>.h defines the
 * same: a group of rows of a list (64 of 8 bits, 32 of 16 bits), held ready and compared with one row at a time.
 */
#ifndef QD_SPACE_KERNEL_LANES_PORTABLE_H
#define QD_SPACE_KERNEL_LANES_PORTABLE_H

#include <stdint.h>

#include "../geometry/shape.h"
#include "bytes.h"

typedef struct lanes8 {
    const uint8_t *edge[QD_EDGES];
} lanes8;

typedef struct lanes16 {
    const uint16_t *edge[QD_EDGES];
} lanes16;

static inline lanes8 lanes_load8(uint8_t *const *column, uint32_t base)
{
    lanes8 lanes;

    for (uint32_t k = 0; k < QD_EDGES; k++) {
        lanes.edge[k] = column[k] + base;
    }
    return lanes;
}

static inline lanes16 lanes_load16(uint16_t *const *column, uint32_t base)
{
    lanes16 lanes;

    for (uint32_t k = 0; k < QD_EDGES; k++) {
        lanes.edge[k] = column[k] + base;
    }
    return lanes;
}

/* Which lanes meet a row: on each axis, the lane's lower edge <= hi of the row, and the lane's upper edge >= its lo. */
static inline uint64_t lanes_meet8(const lanes8 *lanes, const uint8_t lo[QD_AXES], const uint8_t hi[QD_AXES])
{
    uint8_t hit[64];

    for (uint32_t i = 0; i < 64; i++) {
        uint32_t met = 1;

        for (uint32_t k = 0; k < QD_AXES; k++) {
            met &= (lanes->edge[k][i] <= hi[k]) & (lanes->edge[QD_AXES + k][i] >= lo[k]);
        }
        hit[i] = (uint8_t)met;
    }
    return bits_of_bytes(hit, 64);
}

static inline uint64_t lanes_meet16(const lanes16 *lanes, const uint16_t lo[QD_AXES], const uint16_t hi[QD_AXES])
{
    uint8_t hit[32];

    for (uint32_t i = 0; i < 32; i++) {
        uint32_t met = 1;

        for (uint32_t k = 0; k < QD_AXES; k++) {
            met &= (lanes->edge[k][i] <= hi[k]) & (lanes->edge[QD_AXES + k][i] >= lo[k]);
        }
        hit[i] = (uint8_t)met;
    }
    return bits_of_bytes(hit, 32);
}

/* Whether two boxes overlap now (1) and did (2). */
static inline uint32_t lanes_overlap(const qd_row *now_a, const qd_row *was_a, const qd_row *now_b, const qd_row *was_b)
{
    return (uint32_t)qd_boxes_overlap(now_a, now_b) | (uint32_t)qd_boxes_overlap(was_a, was_b) << 1;
}

#endif
