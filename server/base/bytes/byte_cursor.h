/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads bytes in their order. Past the end, and after a varint that is too long, the cursor `failed`, and every further
 * value is 0; the user looks once, at the end.
 */
#ifndef QD_BASE_BYTES_BYTE_CURSOR_H
#define QD_BASE_BYTES_BYTE_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct qd_byte_cursor {
    const uint8_t *at, *end;
    bool failed;
} qd_byte_cursor;

static inline qd_byte_cursor qd_byte_cursor_of(const uint8_t *bytes, size_t size)
{
    return (qd_byte_cursor){.at = bytes, .end = size > 0 ? bytes + size : bytes};
}

static inline size_t qd_byte_cursor_left(const qd_byte_cursor *cursor)
{
    return (size_t)(cursor->end - cursor->at);
}

/* The next bytes. NULL: there are fewer. */
static inline const uint8_t *qd_byte_cursor_bytes(qd_byte_cursor *cursor, size_t size)
{
    if (cursor->failed || size > qd_byte_cursor_left(cursor)) {
        cursor->failed = true;
        cursor->at = cursor->end;
        return NULL;
    }
    const uint8_t *bytes = cursor->at;
    cursor->at += size;
    return bytes;
}

/* A varint (byte_list.h). */
static inline uint64_t qd_byte_cursor_number(qd_byte_cursor *cursor)
{
    uint64_t number = 0;

    for (unsigned shift = 0; shift < 64; shift += 7) {
        const uint8_t *byte = qd_byte_cursor_bytes(cursor, 1);

        if (byte == NULL) {
            return 0;
        }
        number |= (uint64_t)(*byte & 0x7f) << shift;
        if (*byte < 0x80) {
            return number;
        }
    }
    cursor->failed = true;
    return 0;
}

#endif
