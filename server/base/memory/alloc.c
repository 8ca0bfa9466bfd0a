/* SPDX-License-Identifier: Apache-2.0 */
#include "alloc.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../assert.h"

#ifdef QD_JEMALLOC
#include <jemalloc/jemalloc.h>
#endif

#define ALIGNMENT_DEFAULT 16u
#define ALIGNMENT_MAX     4096u

/* A heap draws ahead by this, or by an eighth of what it holds if that is more. */
#define STEP_BYTES_MIN 4096u

/* ---- the allocator ---- */

#ifdef QD_JEMALLOC
static void *system_alloc(size_t alignment, size_t size)
{
    return mallocx(size, MALLOCX_ALIGN(alignment));
}
static void system_free(void *memory, size_t alignment, size_t size)
{
    sdallocx(memory, size, MALLOCX_ALIGN(alignment));
}
static void *system_resize(void *memory, size_t size)
{
    return rallocx(memory, size, MALLOCX_ALIGN(ALIGNMENT_DEFAULT));
}
#else
_Static_assert(_Alignof(max_align_t) >= ALIGNMENT_DEFAULT, "malloc and realloc align well enough");
static void *system_alloc(size_t alignment, size_t size)
{
    if (alignment <= ALIGNMENT_DEFAULT) {
        return malloc(size);
    }
    /* aligned_alloc requires a multiple of the alignment. */
    return size > SIZE_MAX - alignment ? NULL : aligned_alloc(alignment, (size + alignment - 1) & ~(alignment - 1));
}
static void system_free(void *memory, size_t alignment, size_t size)
{
    (void)alignment, (void)size;
    free(memory);
}
static void *system_resize(void *memory, size_t size)
{
    return realloc(memory, size);
}
#endif

/* ---- failures ---- */

/* Tests set these. */
static _Atomic bool counts_tries;
static _Atomic uint64_t tries;
static uint64_t fail_first, fail_end;

uint64_t qd_memory_fail(uint64_t first, uint64_t count)
{
    const uint64_t before = atomic_exchange_explicit(&tries, 0, memory_order_relaxed);

    fail_first = first;
    fail_end = count > UINT64_MAX - first ? UINT64_MAX : first + count;
    atomic_store_explicit(&counts_tries, true, memory_order_relaxed);
    return before;
}

static bool fails(void)
{
    if (!atomic_load_explicit(&counts_tries, memory_order_relaxed)) {
        return false;
    }
    const uint64_t number = atomic_fetch_add_explicit(&tries, 1, memory_order_relaxed) + 1;
    return number >= fail_first && number < fail_end;
}

/* ---- the budget ---- */

/* Relaxed throughout: these counters publish no other memory. */
static _Atomic size_t budget_limit;
static _Atomic size_t budget_used;

void qd_memory_limit_set(size_t bytes_max)
{
    atomic_store_explicit(&budget_limit, bytes_max, memory_order_relaxed);
}

size_t qd_memory_limit(void)
{
    return atomic_load_explicit(&budget_limit, memory_order_relaxed);
}
size_t qd_memory_used(void)
{
    return atomic_load_explicit(&budget_used, memory_order_relaxed);
}

static bool budget_take(size_t bytes, size_t beyond)
{
    size_t limit = qd_memory_limit();
    size_t used = qd_memory_used();

    if (limit == 0) {
        limit = SIZE_MAX;
    }
    limit += limit < SIZE_MAX - beyond ? beyond : 0;
    do {
        if (used > limit || bytes > limit - used) {
            return false;
        }
    } while (!atomic_compare_exchange_weak_explicit(&budget_used, &used, used + bytes, memory_order_relaxed,
                                                    memory_order_relaxed));
    return true;
}

static void budget_give(size_t bytes)
{
    size_t before = atomic_fetch_sub_explicit(&budget_used, bytes, memory_order_relaxed);

    QD_ASSERT(before >= bytes);
}

/* ---- heaps ---- */

static size_t step_of(size_t bytes)
{
    return bytes / 8 > STEP_BYTES_MIN ? bytes / 8 : STEP_BYTES_MIN;
}

/* Counts `size` more bytes and draws on the budget if the heap has too little left. */
static bool count_up(qd_heap *heap, size_t size)
{
    if (size > SIZE_MAX / 2 - heap->bytes) {
        return false;
    }
    size_t bytes = heap->bytes + size;
    if (bytes > heap->drawn) {
        size_t missing = bytes - heap->drawn;
        size_t ahead = step_of(bytes);

        /* Near the limit the budget may suffice for this allocation, but not for a step ahead. */
        if (!budget_take(missing + ahead, 0)) {
            if (!budget_take(missing, 0)) {
                return false;
            }
            ahead = 0;
        }
        heap->drawn += missing + ahead;
    }
    heap->bytes = bytes;
    return true;
}

/* Returns surplus from two steps down to one, so that a heap that grows and shrinks rarely touches the budget. */
static void count_down(qd_heap *heap, size_t size)
{
    QD_ASSERT(heap->bytes >= size);
    heap->bytes -= size;
    size_t surplus = heap->drawn - heap->bytes;
    size_t step = step_of(heap->bytes);
    if (surplus > 2 * step) {
        budget_give(surplus - step);
        heap->drawn -= surplus - step;
    }
}

void qd_heap_init(qd_heap *heap)
{
    *heap = (qd_heap){0};
}

void qd_heap_deinit(qd_heap *heap)
{
    QD_ASSERT(heap->bytes == 0);
    budget_give(heap->drawn);
    *heap = (qd_heap){0};
}

void qd_heap_trim(qd_heap *heap)
{
    budget_give(heap->drawn - heap->bytes);
    heap->drawn = heap->bytes;
}

void *qd_heap_alloc(qd_heap *heap, size_t size)
{
    return qd_heap_alloc_aligned(heap, ALIGNMENT_DEFAULT, size);
}

void *qd_heap_alloc_zeroed(qd_heap *heap, size_t size)
{
    void *memory = qd_heap_alloc(heap, size);

    if (memory) {
        memset(memory, 0, size);
    }
    return memory;
}

static bool is_alignment(size_t alignment)
{
    return alignment >= 1 && alignment <= ALIGNMENT_MAX && (alignment & (alignment - 1)) == 0;
}

void *qd_heap_alloc_aligned(qd_heap *heap, size_t alignment, size_t size)
{
    QD_ASSERT(is_alignment(alignment));
    if (size == 0 || fails() || !count_up(heap, size)) {
        return NULL;
    }
    void *memory = system_alloc(alignment, size);
    if (!memory) {
        count_down(heap, size);
    }
    return memory;
}

void *qd_heap_need(qd_heap *heap, size_t alignment, size_t size)
{
    QD_ASSERT(is_alignment(alignment));
    if (size == 0) {
        return NULL;
    }
    void *memory = system_alloc(alignment, size);
    if (!memory) {
        fprintf(stderr, "out of memory: the system has no %zu bytes more, and a tick cannot end without them\n", size);
        abort();
    }
    heap->bytes += size;
    if (heap->bytes > heap->drawn) {
        atomic_fetch_add_explicit(&budget_used, heap->bytes - heap->drawn, memory_order_relaxed);
        heap->drawn = heap->bytes;
    }
    return memory;
}

void qd_heap_free(qd_heap *heap, void *memory, size_t size)
{
    qd_heap_free_aligned(heap, memory, ALIGNMENT_DEFAULT, size);
}

void qd_heap_free_aligned(qd_heap *heap, void *memory, size_t alignment, size_t size)
{
    QD_ASSERT((memory == NULL) == (size == 0));
    if (!memory) {
        return;
    }
    system_free(memory, alignment, size);
    count_down(heap, size);
}

void *qd_heap_resize(qd_heap *heap, void *memory, size_t size_old, size_t size_new)
{
    QD_ASSERT((memory == NULL) == (size_old == 0) && size_new > 0);
    if (!memory) {
        return qd_heap_alloc(heap, size_new);
    }
    if (fails() || (size_new > size_old && !count_up(heap, size_new - size_old))) {
        return NULL;
    }
    void *resized = system_resize(memory, size_new);
    if (!resized) {
        if (size_new > size_old) {
            count_down(heap, size_new - size_old);
        }
        return NULL;
    }
    if (size_new < size_old) {
        count_down(heap, size_old - size_new);
    }
    return resized;
}

/* ---- memory that moves between threads ---- */

static void *shared_alloc(size_t size, size_t beyond)
{
    if (size == 0 || fails() || !budget_take(size, beyond)) {
        return NULL;
    }
    void *memory = system_alloc(ALIGNMENT_DEFAULT, size);
    if (!memory) {
        budget_give(size);
    }
    return memory;
}

void *qd_shared_alloc(size_t size)
{
    return shared_alloc(size, 0);
}

void *qd_shared_alloc_reserved(size_t size)
{
    return shared_alloc(size, QD_MEMORY_RESERVE_BYTES);
}

void *qd_shared_alloc_beyond(size_t size)
{
    void *memory = size > 0 ? system_alloc(ALIGNMENT_DEFAULT, size) : NULL;

    if (memory) {
        atomic_fetch_add_explicit(&budget_used, size, memory_order_relaxed);
    }
    return memory;
}

void qd_shared_free(void *memory, size_t size)
{
    QD_ASSERT((memory == NULL) == (size == 0));
    if (!memory) {
        return;
    }
    system_free(memory, ALIGNMENT_DEFAULT, size);
    budget_give(size);
}
