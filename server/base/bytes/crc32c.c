/* SPDX-License-Identifier: Apache-2.0 */
#include "crc32c.h"

#include <pthread.h>
#include <string.h>

#if defined(__x86_64__)
#include <nmmintrin.h>

#define INSTRUCTION       "sse4.2"
#define crc_word          _mm_crc32_u64
#define crc_byte          _mm_crc32_u8
#define has_instruction() __builtin_cpu_supports("sse4.2")
#elif defined(__aarch64__) && (!defined(__clang__) || defined(__ARM_FEATURE_CRC32)) /* clang has it only if all has */
#include <arm_acle.h>
#include <sys/auxv.h>

#define INSTRUCTION       "+crc"
#define crc_word          __crc32cd
#define crc_byte          __crc32cb
#define has_instruction() ((getauxval(AT_HWCAP) & HWCAP_CRC32) != 0)
#endif

#define POLYNOMIAL UINT32_C(0x82f63b78) /* reversed */

/* Eight bytes are looked up at once: table[k] is for a byte with k bytes behind it. */
static uint32_t table[8][256];
static pthread_once_t made = PTHREAD_ONCE_INIT;

static void make_table(void)
{
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t crc = byte;

        for (unsigned bit = 0; bit < 8; bit++) {
            crc = crc >> 1 ^ (crc & 1 ? POLYNOMIAL : 0);
        }
        table[0][byte] = crc;
    }
    for (uint32_t byte = 0; byte < 256; byte++) {
        for (unsigned behind = 1; behind < 8; behind++) {
            table[behind][byte] = table[behind - 1][byte] >> 8 ^ table[0][table[behind - 1][byte] & 0xff];
        }
    }
}

uint32_t qd_crc32c_portable(uint32_t before, const void *bytes, size_t size)
{
    const uint8_t *at = bytes;
    uint32_t crc = ~before;

    pthread_once(&made, make_table);
    for (; size >= 8; size -= 8, at += 8) {
        crc ^= (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
        crc = table[7][crc & 0xff] ^ table[6][crc >> 8 & 0xff] ^ table[5][crc >> 16 & 0xff] ^ table[4][crc >> 24] ^
              table[3][at[4]] ^ table[2][at[5]] ^ table[1][at[6]] ^ table[0][at[7]];
    }
    for (; size > 0; size--, at++) {
        crc = crc >> 8 ^ table[0][(crc ^ *at) & 0xff];
    }
    return ~crc;
}

#ifdef INSTRUCTION
__attribute__((target(INSTRUCTION))) static uint32_t by_instruction(uint32_t before, const uint8_t *at, size_t size)
{
    uint32_t crc = ~before;

    for (; size >= 8; size -= 8, at += 8) {
        uint64_t word;

        memcpy(&word, at, sizeof word);
        crc = (uint32_t)crc_word(crc, word);
    }
    for (; size > 0; size--, at++) {
        crc = crc_byte(crc, *at);
    }
    return ~crc;
}

uint32_t qd_crc32c(uint32_t before, const void *bytes, size_t size)
{
    return has_instruction() ? by_instruction(before, bytes, size) : qd_crc32c_portable(before, bytes, size);
}
#else
uint32_t qd_crc32c(uint32_t before, const void *bytes, size_t size)
{
    return qd_crc32c_portable(before, bytes, size);
}
#endif
