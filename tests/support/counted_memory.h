/* SPDX-License-Identifier: Apache-2.0
 *
 * A qd_codec_memory for tests: counts what is allocated and checks what is given back, and fails when told to.
 * One thread.
 */
#ifndef QD_TESTS_SUPPORT_COUNTED_MEMORY_H
#define QD_TESTS_SUPPORT_COUNTED_MEMORY_H

#include <stdlib.h>

#include "proto/codec.h"

typedef struct counted_memory {
    qd_codec_memory memory; /* give this away */
    size_t bytes, bytes_peak;
    unsigned calls;
    unsigned fail_at; /* the call that fails, counted from 1; 0 for none */
} counted_memory;

static inline void *counted_alloc(void *context, size_t size)
{
    counted_memory *counted = context;

    if (++counted->calls == counted->fail_at) {
        return NULL;
    }
    counted->bytes += size;
    if (counted->bytes > counted->bytes_peak) {
        counted->bytes_peak = counted->bytes;
    }
    return malloc(size);
}

static inline void counted_release(void *context, void *memory, size_t size)
{
    counted_memory *counted = context;

    counted->bytes -= size;
    free(memory);
}

static inline void counted_memory_init(counted_memory *counted)
{
    *counted = (counted_memory){.memory = {counted_alloc, counted_release, counted}};
}

#endif
