/* SPDX-License-Identifier: Apache-2.0
 *
 * The footprint: what the process occupies beyond its allocations. It is the program itself, and pages that jemalloc
 * holds: its records, the free parts of pages in use, freed pages that it has not returned yet, the caches of threads.
 */
#ifndef QD_BASE_MEMORY_FOOTPRINT_H
#define QD_BASE_MEMORY_FOOTPRINT_H

#include <stddef.h>

/* In bytes, now. *free_bytes of them are free pages. [any] */
size_t qd_memory_footprint(size_t *free_bytes);
/* The allocator's own figures, in bytes; all are 0 in a build without jemalloc. */
typedef struct qd_allocator_stats {
    size_t allocated, active, metadata, resident, mapped, retained;
} qd_allocator_stats;

/* Now. [any] */
qd_allocator_stats qd_memory_allocator_stats(void);
/* Returns the free pages to the system, which takes a millisecond for some MiB. [any] */
void qd_memory_return_free(void);

#endif
