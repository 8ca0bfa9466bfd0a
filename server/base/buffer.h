/* SPDX-License-Identifier: Apache-2.0
 *
 * An immutable run of bytes shared by reference counting: one encoded frame on its way to many readers.
 *
 * Filled by its maker before anyone else knows it, read-only from then on. Acquire and release from any thread.
 */
#ifndef QD_BASE_BUFFER_H
#define QD_BASE_BUFFER_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "status.h"

typedef struct qd_buffer {
    _Atomic uint32_t references;
    size_t size;
    size_t capacity;
    uint8_t bytes[];
} qd_buffer;

/* One reference, the caller's; `size` is `capacity` and may be lowered by the maker. NULL: no memory. */
qd_buffer *qd_buffer_create(size_t capacity) QD_MUST_USE;
void qd_buffer_acquire(qd_buffer *buffer);
/* Frees it with the last reference. */
void qd_buffer_release(qd_buffer *buffer);

#endif
