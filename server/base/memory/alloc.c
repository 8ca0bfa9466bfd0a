/* SPDX-License-Identifier: Apache-2.0 */
#include "alloc.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "../ablation.h"
#include "../assert.h"
#include "../clock.h"
#include "footprint.h"

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

/* jemalloc's size classes: multiples of 16 up to 128, then four per power of two. Whole pages start at 16 KiB. */
#define CLASS_SMALLEST    16u
#define CLASS_LARGE       16384u
#define SMALL_BYTES_MAX   14336u
#define CLASSES_PER_POWER 4u

size_t qd_memory_class(size_t alignment, size_t size)
{
    bool small = size <= SMALL_BYTES_MAX;

    if (size == 0 || size > SIZE_MAX / 4) {
        return size;
    }
    size = small ? (size + alignment - 1) & ~(alignment - 1) : size;
    size = !small && size < CLASS_LARGE ? CLASS_LARGE : size;
    size_t power = (size_t)1 << (63 - __builtin_clzll(2 * (unsigned long long)size - 1)); /* at least size */
    size_t step = power / 2 / CLASSES_PER_POWER;

    step = step < CLASS_SMALLEST ? CLASS_SMALLEST : step;
    return (size + step - 1) & ~(step - 1);
}

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

static _Atomic uint64_t refused;

uint64_t qd_memory_refused(void)
{
    return atomic_load_explicit(&refused, memory_order_relaxed);
}

static void *refuse(void)
{
    atomic_fetch_add_explicit(&refused, 1, memory_order_relaxed);
    return NULL;
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

/* After a refusal, the footprint is measured again at most once in this time. */
#define LOOK_NS 1000000u

/* One part of so many is kept, at most so many bytes: half of it for pieces of at most that size, a quarter for frames of
 * at most that size, all of it for the reserve. */
#define KEPT_SHARE     16u
#define KEPT_BYTES_MAX ((size_t)64 << 20)
#define KEPT_PIECE_MAX 16384u

/* What an allocation leaves of the kept part, in quarters. */
typedef enum leaves { LEAVES_NOTHING = 0, LEAVES_HALF = 2, LEAVES_MOST = 3, LEAVES_ALL = 4 } leaves;

/* Relaxed throughout: these counters publish no other memory. */
static _Atomic size_t budget_limit;
static _Atomic size_t budget_used;

/* The footprint at the last look. Between two looks, the process grows at most by what is taken from the budget. So the
 * next look is due when `taken` reaches `look_at`. */
static _Atomic bool footprint_counts;
static _Atomic size_t footprint;
static _Atomic size_t taken, look_at;
static _Atomic uint64_t looked_ns;
static atomic_flag looking = ATOMIC_FLAG_INIT; /* guards the looks */

static size_t kept_bytes(size_t limit)
{
    return limit / KEPT_SHARE < KEPT_BYTES_MAX ? limit / KEPT_SHARE : KEPT_BYTES_MAX;
}

static size_t load(const _Atomic size_t *number)
{
    return atomic_load_explicit(number, memory_order_relaxed);
}

void qd_memory_limit_set(size_t bytes_max)
{
    atomic_store_explicit(&budget_limit, bytes_max, memory_order_relaxed);
}

size_t qd_memory_limit(void)
{
    return load(&budget_limit);
}

size_t qd_memory_used(void)
{
    return load(&budget_used) + load(&footprint);
}

/* Measures the footprint, unless another thread does. */
static void look(uint64_t now_ns)
{
    const size_t limit = qd_memory_limit(), least = kept_bytes(limit) / 4;

    if (limit == 0 || atomic_flag_test_and_set_explicit(&looking, memory_order_acquire)) {
        return;
    }
    atomic_store_explicit(&taken, 0, memory_order_relaxed);
    size_t free_bytes, bytes = qd_memory_footprint(&free_bytes);
    if (load(&budget_used) + bytes > limit - limit / 8 && free_bytes > least) {
        qd_memory_return_free();
        bytes = qd_memory_footprint(&free_bytes);
    }
    const size_t all = load(&budget_used) + bytes, left = all < limit ? limit - all : 0;
    atomic_store_explicit(&footprint, bytes, memory_order_relaxed);
    atomic_store_explicit(&look_at, left > least ? left : least, memory_order_relaxed);
    atomic_store_explicit(&looked_ns, now_ns, memory_order_relaxed);
    atomic_flag_clear_explicit(&looking, memory_order_release);
}

void qd_memory_limit_footprint(bool counts)
{
    atomic_store_explicit(&footprint_counts, counts, memory_order_relaxed);
    if (counts) {
        look(qd_clock_now_ns());
    } else {
        atomic_store_explicit(&footprint, 0, memory_order_relaxed);
    }
}

/* Takes from the limit less what is kept, and `beyond` above it. */
static bool try_take(size_t bytes, size_t kept, size_t beyond)
{
    size_t limit = qd_memory_limit();
    size_t used = load(&budget_used);

    if (limit == 0) {
        limit = SIZE_MAX;
    }
    const size_t apart = load(&footprint) + kept;
    limit = limit > apart ? limit - apart : 0;
    limit += limit < SIZE_MAX - beyond ? beyond : 0;
    do {
        if (used > limit || bytes > limit - used) {
            return false;
        }
    } while (!atomic_compare_exchange_weak_explicit(&budget_used, &used, used + bytes, memory_order_relaxed,
                                                    memory_order_relaxed));
    return true;
}

/* In a server, the last part of the limit is left for small pieces that move between threads: what clients ask when
 * memory is short, the events of small rooms beside a large one that took all it could get, and, with a part that neither
 * can take, the answers that report it. */
static bool budget_take(size_t bytes, leaves what, size_t beyond)
{
    bool counts = atomic_load_explicit(&footprint_counts, memory_order_relaxed);
    size_t kept = counts ? kept_bytes(qd_memory_limit()) / LEAVES_ALL * what : 0;

    if (!try_take(bytes, kept, beyond)) {
        uint64_t now_ns = counts ? qd_clock_now_ns() : 0;

        if (!counts || now_ns - atomic_load_explicit(&looked_ns, memory_order_relaxed) < LOOK_NS) {
            return false;
        }
        look(now_ns);
        return try_take(bytes, kept, beyond);
    }
    if (counts && atomic_fetch_add_explicit(&taken, bytes, memory_order_relaxed) + bytes > load(&look_at)) {
        look(qd_clock_now_ns());
    }
    return true;
}

static void budget_give(size_t bytes)
{
    size_t before = atomic_fetch_sub_explicit(&budget_used, bytes, memory_order_relaxed);

    QD_ASSERT(before >= bytes);
}

/* ---- what threads hold ---- */

/* A thread of a server draws on the budget for small pieces in steps, and holds at most so many bytes of it: otherwise
 * all threads would write one cache line for each message. */
#define HELD_BYTES_MAX ((size_t)128 << 10)

static _Thread_local size_t held;

/* A thread could not draw ahead, and no other has since. Threads give back at once what they free then. */
static _Atomic bool is_short;

static bool holds(size_t bytes)
{
    return bytes <= KEPT_PIECE_MAX && atomic_load_explicit(&footprint_counts, memory_order_relaxed) &&
           !QD_WITHOUT(HELD_BUDGET);
}

static bool held_take(size_t bytes)
{
    if (held >= bytes) {
        held -= bytes;
        return true;
    }
    if (budget_take(bytes + HELD_BYTES_MAX / 2, LEAVES_HALF, 0)) {
        held += HELD_BYTES_MAX / 2;
        if (atomic_load_explicit(&is_short, memory_order_relaxed)) {
            atomic_store_explicit(&is_short, false, memory_order_relaxed);
        }
        return true;
    }
    atomic_store_explicit(&is_short, true, memory_order_relaxed);
    /* Near the limit the budget may suffice for this piece, but not for a step ahead. */
    return budget_take(bytes, LEAVES_HALF, 0);
}

static void held_give(size_t bytes)
{
    const size_t kept = atomic_load_explicit(&is_short, memory_order_relaxed) ? 0 : HELD_BYTES_MAX / 2;

    held += bytes;
    if (held > 2 * kept) {
        budget_give(held - kept);
        held = kept;
    }
}

bool qd_memory_charge(size_t bytes)
{
    return budget_take(bytes, LEAVES_HALF, 0);
}

void qd_memory_discharge(size_t bytes)
{
    budget_give(bytes);
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
        if (!budget_take(missing + ahead, LEAVES_ALL, 0)) {
            if (!budget_take(missing, LEAVES_ALL, 0)) {
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
    const size_t bytes = qd_memory_class(alignment, size);
    if (size == 0) {
        return NULL;
    }
    if (fails() || !count_up(heap, bytes)) {
        return refuse();
    }
    void *memory = system_alloc(alignment, size);
    if (!memory) {
        count_down(heap, bytes);
        return refuse();
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
    count_down(heap, qd_memory_class(alignment, size));
}

void *qd_heap_resize(qd_heap *heap, void *memory, size_t size_old, size_t size_new)
{
    QD_ASSERT((memory == NULL) == (size_old == 0) && size_new > 0);
    if (!memory) {
        return qd_heap_alloc(heap, size_new);
    }
    const size_t old = qd_memory_class(ALIGNMENT_DEFAULT, size_old), new = qd_memory_class(ALIGNMENT_DEFAULT, size_new);
    if (fails() || (new > old && !count_up(heap, new - old))) {
        return refuse();
    }
    void *resized = system_resize(memory, size_new);
    if (!resized) {
        if (new > old) {
            count_down(heap, new - old);
        }
        return refuse();
    }
    if (new < old) {
        count_down(heap, old - new);
    }
    return resized;
}

/* ---- memory that moves between threads ---- */

static void *shared_alloc(size_t size, leaves what, size_t beyond)
{
    const size_t bytes = qd_memory_class(ALIGNMENT_DEFAULT, size);

    if (size == 0) {
        return NULL;
    }
    if (fails() || !(what == LEAVES_HALF && holds(bytes) ? held_take(bytes) : budget_take(bytes, what, beyond))) {
        return refuse();
    }
    void *memory = system_alloc(ALIGNMENT_DEFAULT, size);
    if (!memory) {
        budget_give(bytes);
        return refuse();
    }
    return memory;
}

void *qd_shared_alloc(size_t size)
{
    return shared_alloc(size, size > KEPT_PIECE_MAX ? LEAVES_ALL : LEAVES_HALF, 0);
}

void *qd_shared_alloc_frame(size_t size)
{
    return shared_alloc(size, size > KEPT_PIECE_MAX ? LEAVES_ALL : LEAVES_MOST, 0);
}

void *qd_shared_alloc_reserved(size_t size)
{
    return shared_alloc(size, LEAVES_NOTHING, QD_MEMORY_RESERVE_BYTES);
}

void qd_shared_free(void *memory, size_t size)
{
    QD_ASSERT((memory == NULL) == (size == 0));
    if (!memory) {
        return;
    }
    system_free(memory, ALIGNMENT_DEFAULT, size);
    const size_t bytes = qd_memory_class(ALIGNMENT_DEFAULT, size);
    if (holds(bytes)) {
        held_give(bytes);
    } else {
        budget_give(bytes);
    }
}
