/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory. Only alloc.c and footprint.c name jemalloc; sanitizer builds use plain malloc behind the same interface.
 *
 * A qd_heap counts what one owner (a room, a connection, the server) has allocated: of each allocation the bytes that
 * the allocator sets aside for it, its size class. Heaps draw on one process-wide budget in steps, so the total has a
 * limit without an atomic operation per allocation:
 *
 *     budget (process, atomic)  <- steps of a few KiB -  heap (one owner)  <- size classes -  allocations
 *
 * In a server, the footprint counts too: the program itself, and pages that the allocator holds without an allocation
 * in them. It is measured, at most 1/64 of the limit and 16 MiB too late (qd_memory_limit_footprint). Each thread then
 * holds up to 128 KiB of the budget for small pieces of memory that move between threads.
 *
 * One thread at a time uses a heap. When the budget is spent, qd_heap_alloc and its variants return NULL.
 *
 * The caller passes the size of an allocation when it frees it. A heap must be empty when it is deinitialized.
 */
#ifndef QD_BASE_MEMORY_ALLOC_H
#define QD_BASE_MEMORY_ALLOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../status.h"

typedef struct qd_heap {
    size_t bytes; /* set aside for its allocations */
    size_t drawn; /* taken from the budget; at least bytes */
} qd_heap;

/* The budget. Set the limit before threads start; 0 means none. What is used includes the footprint, if that counts.
 * [any] */
void qd_memory_limit_set(size_t bytes_max);
size_t qd_memory_limit(void);
size_t qd_memory_used(void);
/* From now on the footprint counts too. Its size varies between runs, so simulations leave it out. */
void qd_memory_limit_footprint(bool counts);
/* Memory that others hold on behalf of this process, such as the system's buffers of a socket. It may take half of what
 * is kept, so that new connections find a place. [any] */
bool qd_memory_charge(size_t bytes) QD_MUST_USE;
void qd_memory_discharge(size_t bytes);
/* The bytes that the allocator sets aside for an allocation. */
size_t qd_memory_class(size_t alignment, size_t size);
/* The memory that this process may use: the smaller of the machine's memory and its cgroup's limit (v1 or v2). */
size_t qd_memory_of_machine(void);

void qd_heap_init(qd_heap *heap);
void qd_heap_deinit(qd_heap *heap);
/* Gives back what it has drawn ahead, before it rests. */
void qd_heap_trim(qd_heap *heap);

/* Memory aligned to 16 bytes, or to `alignment` (a power of two, at most 4096). A size of 0 gives NULL. */
void *qd_heap_alloc(qd_heap *heap, size_t size) QD_MUST_USE;
void *qd_heap_alloc_zeroed(qd_heap *heap, size_t size) QD_MUST_USE;
void *qd_heap_alloc_aligned(qd_heap *heap, size_t alignment, size_t size) QD_MUST_USE;

/* `memory` may be NULL when `size` is 0. */
void qd_heap_free(qd_heap *heap, void *memory, size_t size);
void qd_heap_free_aligned(qd_heap *heap, void *memory, size_t alignment, size_t size);

/* Grows or shrinks an allocation of qd_heap_alloc to 1 byte or more; NULL of size 0 makes the first one. A result of
 * NULL leaves the old allocation unchanged. */
void *qd_heap_resize(qd_heap *heap, void *memory, size_t size_old, size_t size_new) QD_MUST_USE;

/* Memory that moves between threads. It counts in the budget only. Where the footprint counts, the last 1/16
 * of the limit is kept, at most 64 MiB: pieces of at most 16 KiB may take half of that, the reserve all of it. [any] */
void *qd_shared_alloc(size_t size) QD_MUST_USE;
/* The same for frames to a peer, of which small ones may take a quarter of what is kept, and others nothing. */
void *qd_shared_alloc_frame(size_t size) QD_MUST_USE;
/* The same for the few bytes that answer a peer that reads its answers: all of them together may exceed the limit by
 * QD_MEMORY_RESERVE_BYTES. Otherwise nobody could be told that the budget is spent. The footprint can exceed the limit
 * by most of a megabyte, because the allocator's own memory grows between two looks at it. */
#define QD_MEMORY_RESERVE_BYTES ((size_t)1 << 20)
void *qd_shared_alloc_reserved(size_t size) QD_MUST_USE;
void qd_shared_free(void *memory, size_t size);

/* How often memory was refused in this process. [any] */
uint64_t qd_memory_refused(void);

/* For tests: of all allocations from now on, `count` fail, from the one numbered `first` on; 1 is the next one. Returns
 * how many were tried since the last call. 0, 0: none fails. While no other thread allocates. */
uint64_t qd_memory_fail(uint64_t first, uint64_t count);

#endif
