/* SPDX-License-Identifier: Apache-2.0
 *
 * The library's allocations, all by the program's allocator (qd_set_allocator). Not installed.
 */
#ifndef QD_CLIENT_MEMORY_H
#define QD_CLIENT_MEMORY_H

#include <stddef.h>

#include "../proto/codec.h"

/* NULL: out of memory. The memory of qd_memory_zeroed is zeroed. */
void *qd_memory_alloc(size_t size);
void *qd_memory_zeroed(size_t count, size_t size);
/* `old` may be NULL. On failure `old` stays as it is. */
void *qd_memory_resize(void *old, size_t size);
/* Accepts NULL. */
void qd_memory_free(void *memory);
char *qd_memory_string(const char *string);

/* The same for decoded messages. */
extern const qd_codec_memory qd_memory_of_codec;

#endif
