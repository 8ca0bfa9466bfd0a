/* SPDX-License-Identifier: Apache-2.0
 *
 * What loops that compilers vectorise leave behind, as the masks that the kernel works with. [any]
 */
#ifndef QD_SPACE_KERNEL_BYTES_H
#define QD_SPACE_KERNEL_BYTES_H

#include <stdint.h>
#include <string.h>

/* Bytes of 0 or 1 to bits; the multiplication moves bit 8 i to bit 56 + i. */
static inline uint64_t bits_of_bytes(const uint8_t *hit, uint32_t count)
{
    uint64_t bits = 0;

    for (uint32_t i = 0; i < count; i += 8) {
        uint64_t bytes;

        memcpy(&bytes, hit + i, sizeof bytes);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        bytes = __builtin_bswap64(bytes);
#endif
        bits |= (bytes * UINT64_C(0x0102040810204080) >> 56) << i;
    }
    return bits;
}

#endif
