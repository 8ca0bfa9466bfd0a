/* SPDX-License-Identifier: Apache-2.0
 *
 * A buffer: immutable bytes with a reference count, such as one encoded frame for many readers.
 *
 * The creator fills a buffer before it shares it; afterwards the bytes are read-only. Any thread may acquire and
 * release.
 */
#ifndef QD_BASE_MEMORY_BUFFER_H
#define QD_BASE_MEMORY_BUFFER_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "../status.h"

typedef struct qd_buffer {
    _Atomic uint32_t references;
    size_t size;
    size_t capacity;
    uint8_t bytes[];
} qd_buffer;

/* The caller gets the one reference. `size` starts as `capacity`; the creator may lower it. NULL: no memory. */
qd_buffer *qd_buffer_create(size_t capacity) QD_MUST_USE;
/* The same, from the reserve of qd_shared_alloc_reserved. */
qd_buffer *qd_buffer_create_reserved(size_t capacity) QD_MUST_USE;
void qd_buffer_acquire(qd_buffer *buffer);
/* Frees it with the last reference. */
void qd_buffer_release(qd_buffer *buffer);

#endif
