/* SPDX-License-Identifier: Apache-2.0
 *
 * A list of bytes that grows. Zero to begin with. Its memory counts in the budget (qd_shared_alloc). If there is none,
 * the list `failed`, and what is appended is lost; the user looks once, at the end.
 */
#ifndef QD_BASE_BYTES_BYTE_LIST_H
#define QD_BASE_BYTES_BYTE_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct qd_byte_list {
    uint8_t *bytes;
    size_t size, capacity;
    bool failed;
} qd_byte_list;

/* Appends so many bytes, which the caller writes at once. NULL: there is no memory. */
uint8_t *qd_byte_list_add(qd_byte_list *list, size_t size);
void qd_byte_list_bytes(qd_byte_list *list, const void *bytes, size_t size);
/* A varint: 7 bits in each byte, the lowest ones first. */
void qd_byte_list_number(qd_byte_list *list, uint64_t number);
/* Empties it. Gives the memory back if it is more than `keep`. */
void qd_byte_list_clear(qd_byte_list *list, size_t keep);

/* Signed numbers as unsigned ones, small ones as small ones. */
static inline uint64_t qd_zigzag(int64_t number)
{
    return (uint64_t)number << 1 ^ (uint64_t)(number >> 63);
}

static inline int64_t qd_unzigzag(uint64_t number)
{
    return (int64_t)(number >> 1 ^ (0 - (number & 1)));
}

/* Four bytes, the lowest first. */
static inline void qd_bytes_write_u32(uint8_t *bytes, uint32_t number)
{
    for (unsigned i = 0; i < 4; i++) {
        bytes[i] = (uint8_t)(number >> 8 * i);
    }
}

static inline uint32_t qd_bytes_read_u32(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

#endif
