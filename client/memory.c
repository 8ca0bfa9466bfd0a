/* SPDX-License-Identifier: Apache-2.0 */
#include "memory.h"

#include <stdlib.h>
#include <string.h>

#include "quadrille.h"

static qd_allocator present = {malloc, realloc, free};

void qd_set_allocator(qd_allocator allocator)
{
    present = allocator;
}

void *qd_memory_alloc(size_t size)
{
    return present.alloc(size > 0 ? size : 1);
}

void *qd_memory_zeroed(size_t count, size_t size)
{
    void *memory = size == 0 || count <= SIZE_MAX / size ? qd_memory_alloc(count * size) : NULL;

    if (memory != NULL) {
        memset(memory, 0, count * size);
    }
    return memory;
}

void *qd_memory_resize(void *old, size_t size)
{
    return old != NULL ? present.resize(old, size > 0 ? size : 1) : qd_memory_alloc(size);
}

void qd_memory_free(void *memory)
{
    if (memory != NULL) {
        present.release(memory);
    }
}

char *qd_memory_string(const char *string)
{
    size_t size = strlen(string) + 1;
    char *copy = qd_memory_alloc(size);

    if (copy != NULL) {
        memcpy(copy, string, size);
    }
    return copy;
}

static void *codec_alloc(void *context, size_t size)
{
    (void)context;
    return qd_memory_alloc(size);
}

static void codec_release(void *context, void *memory, size_t size)
{
    (void)context;
    (void)size;
    qd_memory_free(memory);
}

const qd_codec_memory qd_memory_of_codec = {codec_alloc, codec_release, NULL};
