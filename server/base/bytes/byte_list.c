/* SPDX-License-Identifier: Apache-2.0 */
#include "byte_list.h"

#include <string.h>

#include "../memory/alloc.h"

#define CAPACITY_MIN     256u
#define VARINT_BYTES_MAX 10u

static bool grow(qd_byte_list *list, size_t needed)
{
    size_t capacity = list->capacity < CAPACITY_MIN ? CAPACITY_MIN : list->capacity;

    while (capacity < needed) {
        capacity *= 2;
    }
    uint8_t *bytes = qd_shared_alloc(capacity);
    if (bytes == NULL) {
        return false;
    }
    if (list->size > 0) {
        memcpy(bytes, list->bytes, list->size);
    }
    qd_shared_free(list->bytes, list->capacity);
    list->bytes = bytes;
    list->capacity = capacity;
    return true;
}

uint8_t *qd_byte_list_add(qd_byte_list *list, size_t size)
{
    if (list->failed || size > SIZE_MAX / 4 - list->size ||
        (list->size + size > list->capacity && !grow(list, list->size + size))) {
        list->failed = true;
        return NULL;
    }
    uint8_t *bytes = list->bytes + list->size;
    list->size += size;
    return bytes;
}

void qd_byte_list_bytes(qd_byte_list *list, const void *bytes, size_t size)
{
    uint8_t *to = size > 0 ? qd_byte_list_add(list, size) : NULL;

    if (to != NULL) {
        memcpy(to, bytes, size);
    }
}

void qd_byte_list_number(qd_byte_list *list, uint64_t number)
{
    uint8_t bytes[VARINT_BYTES_MAX];
    size_t size = 0;

    for (; number >= 0x80; number >>= 7) {
        bytes[size++] = (uint8_t)(number | 0x80);
    }
    bytes[size++] = (uint8_t)number;
    qd_byte_list_bytes(list, bytes, size);
}

void qd_byte_list_clear(qd_byte_list *list, size_t keep)
{
    if (list->capacity > keep) {
        qd_shared_free(list->bytes, list->capacity);
        *list = (qd_byte_list){0};
    }
    list->size = 0;
    list->failed = false;
}
