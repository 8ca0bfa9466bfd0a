/* SPDX-License-Identifier: Apache-2.0 */
#include "buffer.h"

#include "../assert.h"
#include "alloc.h"

static qd_buffer *create(size_t capacity, void *(*alloc)(size_t size))
{
    qd_buffer *buffer = capacity <= SIZE_MAX - sizeof *buffer ? alloc(sizeof *buffer + capacity) : NULL;

    if (!buffer) {
        return NULL;
    }
    atomic_init(&buffer->references, 1);
    buffer->size = capacity;
    buffer->capacity = capacity;
    return buffer;
}

qd_buffer *qd_buffer_create(size_t capacity)
{
    return create(capacity, qd_shared_alloc_frame);
}

qd_buffer *qd_buffer_create_reserved(size_t capacity)
{
    return create(capacity, qd_shared_alloc_reserved);
}

void qd_buffer_acquire(qd_buffer *buffer)
{
    /* Relaxed: the caller already holds a reference, and got the bytes with it. */
    uint32_t before = atomic_fetch_add_explicit(&buffer->references, 1, memory_order_relaxed);

    QD_ASSERT(before > 0 && before < UINT32_MAX);
}

void qd_buffer_release(qd_buffer *buffer)
{
    /* Release: this owner's reads come before the free. Acquire: the free comes after the reads of all owners. */
    uint32_t before = atomic_fetch_sub_explicit(&buffer->references, 1, memory_order_acq_rel);

    QD_ASSERT(before > 0);
    if (before == 1) {
        qd_shared_free(buffer, sizeof *buffer + buffer->capacity);
    }
}
