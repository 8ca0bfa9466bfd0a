/* SPDX-License-Identifier: Apache-2.0 */
#include "openssl_memory.h"

#include <openssl/crypto.h>
#include <stdint.h>
#include <string.h>

#include "../../base/memory/alloc.h"

/* Each piece begins with its size, which OpenSSL does not pass when it frees. It keeps the alignment. */
#define HEADER_BYTES 16u

static size_t size_of(const void *memory)
{
    size_t size;

    memcpy(&size, (const uint8_t *)memory - HEADER_BYTES, sizeof size);
    return size;
}

static void *allocate(size_t size, const char *file, int line)
{
    (void)file, (void)line;
    if (size == 0 || size > SIZE_MAX / 4) {
        return NULL;
    }
    uint8_t *memory = qd_shared_alloc(HEADER_BYTES + size);
    if (memory == NULL) {
        return NULL;
    }
    memcpy(memory, &size, sizeof size);
    return memory + HEADER_BYTES;
}

static void release(void *memory, const char *file, int line)
{
    (void)file, (void)line;
    if (memory != NULL) {
        qd_shared_free((uint8_t *)memory - HEADER_BYTES, HEADER_BYTES + size_of(memory));
    }
}

static void *resize(void *memory, size_t size, const char *file, int line)
{
    if (memory == NULL) {
        return allocate(size, file, line);
    }
    if (size == 0) {
        release(memory, file, line);
        return NULL;
    }
    void *resized = allocate(size, file, line);
    if (resized != NULL) {
        const size_t before = size_of(memory);

        memcpy(resized, memory, before < size ? before : size);
        release(memory, file, line);
    }
    return resized;
}

bool qd_tls_memory_init(void)
{
    return CRYPTO_set_mem_functions(allocate, resize, release) == 1;
}
