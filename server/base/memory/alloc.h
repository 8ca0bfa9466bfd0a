/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory. alloc.c is the only file that names jemalloc; sanitizer builds use plain malloc behind the same interface.
 *
 * A qd_heap counts to the byte what one owner (a room, a connection, the server) has allocated. Heaps draw on one
 * process-wide budget in steps, so the total has a limit without an atomic operation per allocation:
 *
 *     budget (process, atomic)  <- steps of a few KiB -  heap (one owner)  <- exact bytes -  allocations
 *
 * One thread at a time uses a heap. When the budget is spent, qd_heap_alloc and its variants return NULL. qd_heap_need
 * is for scratch memory that a tick cannot do without: it is counted, may overdraw the budget, and aborts only when the
 * system itself has no memory.
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
    size_t bytes; /* allocated now */
    size_t drawn; /* taken from the budget; at least bytes */
} qd_heap;

/* The budget. Set the limit before threads start; 0 means none. [any] */
void qd_memory_limit_set(size_t bytes_max);
size_t qd_memory_limit(void);
size_t qd_memory_used(void);
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
void *qd_heap_need(qd_heap *heap, size_t alignment, size_t size);

/* `memory` may be NULL when `size` is 0. */
void qd_heap_free(qd_heap *heap, void *memory, size_t size);
void qd_heap_free_aligned(qd_heap *heap, void *memory, size_t alignment, size_t size);

/* Grows or shrinks an allocation of qd_heap_alloc to 1 byte or more; NULL of size 0 makes the first one. A result of
 * NULL leaves the old allocation unchanged. */
void *qd_heap_resize(qd_heap *heap, void *memory, size_t size_old, size_t size_new) QD_MUST_USE;

/* Memory that moves between threads (buffers, messages). It counts in the budget only, atomically. [any] */
void *qd_shared_alloc(size_t size) QD_MUST_USE;
/* The same for the few bytes that answer a peer: all of them together may exceed the limit by QD_MEMORY_RESERVE_BYTES.
 * Otherwise nobody could be told that the budget is spent. */
#define QD_MEMORY_RESERVE_BYTES ((size_t)256 << 10)
void *qd_shared_alloc_reserved(size_t size) QD_MUST_USE;
/* May overdraw the budget: for the few bytes that report to a peer that the budget is spent. */
void *qd_shared_alloc_beyond(size_t size) QD_MUST_USE;
void qd_shared_free(void *memory, size_t size);

/* For tests: of all allocations from now on, `count` fail, from the one numbered `first` on; 1 is the next one. Returns
 * how many were tried since the last call. 0, 0: none fails. While no other thread allocates. */
uint64_t qd_memory_fail(uint64_t first, uint64_t count);

#endif
