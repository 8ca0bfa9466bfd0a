/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory: the counts of heaps, their draws from the budget, and the limit.
 */
#include <malloc.h>
#include <string.h>

#include "base_heap.h"

#define HEAP_BYTES_LIMIT (1u << 20)

HEAP_TEST(heap_counts_what_the_allocator_sets_aside)
{
    char *small = qd_heap_alloc(&heap, 7);
    char *zeroed = qd_heap_alloc_zeroed(&heap, 100000);

    assert_non_null(small);
    assert_non_null(zeroed);
    assert_int_equal(heap.bytes, 16 + 114688);
    assert_true(heap.drawn >= heap.bytes);
    assert_int_equal(qd_memory_used(), heap.drawn);
    for (size_t index = 0; index < 100000; index++) {
        assert_int_equal(zeroed[index], 0);
    }
    qd_heap_free(&heap, small, 7);
    assert_int_equal(heap.bytes, 114688);
    qd_heap_free(&heap, zeroed, 100000);
    assert_int_equal(heap.bytes, 0);
}

/* The sanitizers' allocator, which no server uses, sets aside what it is asked for. */
HEAP_TEST(classes_cover_each_size_and_alignment)
{
    for (size_t size = 1; size < 40u << 20; size += size / 9 + 1) {
        for (size_t alignment = 16; alignment <= 4096; alignment *= 4) {
            void *memory = qd_heap_alloc_aligned(&heap, alignment, size);

            assert_non_null(memory);
            assert_true(heap.bytes >= malloc_usable_size(memory));
#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
            assert_int_equal(heap.bytes, malloc_usable_size(memory));
#endif
            qd_heap_free_aligned(&heap, memory, alignment, size);
        }
    }
}

HEAP_TEST(allocation_of_no_bytes_is_null)
{
    assert_null(qd_heap_alloc(&heap, 0));
    assert_null(qd_heap_alloc_aligned(&heap, 64, 0));
    assert_null(qd_shared_alloc(0));
    qd_heap_free(&heap, NULL, 0);
    qd_shared_free(NULL, 0);
}

HEAP_TEST(allocations_are_aligned)
{
    for (size_t size = 1; size < 3000; size = size * 3 + 1) {
        char *plain = qd_heap_alloc(&heap, size);

        assert_int_equal((uintptr_t)plain % 16, 0);
        plain = qd_heap_resize(&heap, plain, size, size + 5);
        assert_int_equal((uintptr_t)plain % 16, 0);
        qd_heap_free(&heap, plain, size + 5);
        for (size_t alignment = 1; alignment <= 4096; alignment *= 2) {
            char *aligned = qd_heap_alloc_aligned(&heap, alignment, size);

            assert_int_equal((uintptr_t)aligned % alignment, 0);
            memset(aligned, 1, size);
            qd_heap_free_aligned(&heap, aligned, alignment, size);
        }
    }
}

HEAP_TEST(resize_keeps_the_bytes)
{
    unsigned char *bytes = NULL;
    size_t size = 0;

    for (size_t next = 1; next < 500000; next = next * 2 + 3) {
        bytes = qd_heap_resize(&heap, bytes, size, next);
        assert_non_null(bytes);
        assert_int_equal(heap.bytes, qd_memory_class(16, next));
        for (size_t index = 0; index < size; index++) {
            assert_int_equal(bytes[index], index % 251);
        }
        for (size_t index = size; index < next; index++) {
            bytes[index] = (unsigned char)(index % 251);
        }
        size = next;
    }
    bytes = qd_heap_resize(&heap, bytes, size, 10);
    assert_int_equal(heap.bytes, 16);
    assert_int_equal(bytes[9], 9);
    qd_heap_free(&heap, bytes, 10);
}

HEAP_TEST(allocation_above_the_limit_fails)
{
    qd_memory_limit_set(HEAP_BYTES_LIMIT);
    assert_int_equal(qd_memory_limit(), HEAP_BYTES_LIMIT);
    assert_null(qd_heap_alloc(&heap, HEAP_BYTES_LIMIT + 1));
    assert_int_equal(heap.bytes, 0);

    /* The limit is exact: drawing in steps must not make the last bytes unavailable. */
    void *all = qd_heap_alloc(&heap, HEAP_BYTES_LIMIT);
    assert_non_null(all);
    assert_null(qd_heap_alloc(&heap, 1));
    assert_null(qd_shared_alloc(1));
    assert_null(qd_heap_resize(&heap, all, HEAP_BYTES_LIMIT, HEAP_BYTES_LIMIT + 1));
    assert_int_equal(heap.bytes, HEAP_BYTES_LIMIT);
    qd_heap_free(&heap, all, HEAP_BYTES_LIMIT);

    void *shared = qd_shared_alloc(HEAP_BYTES_LIMIT / 2);
    assert_non_null(shared);
    assert_null(qd_heap_alloc(&heap, HEAP_BYTES_LIMIT));
    qd_shared_free(shared, HEAP_BYTES_LIMIT / 2);
}

HEAP_TEST(reserve_is_beyond_the_limit_and_has_an_end)
{
    qd_memory_limit_set(HEAP_BYTES_LIMIT);
    void *all = qd_heap_alloc(&heap, HEAP_BYTES_LIMIT);
    assert_non_null(all);
    assert_null(qd_shared_alloc(1));
    void *reserved = qd_shared_alloc_reserved(QD_MEMORY_RESERVE_BYTES);
    assert_non_null(reserved);
    assert_null(qd_shared_alloc_reserved(1));
    assert_null(qd_shared_alloc(1));
    qd_shared_free(reserved, QD_MEMORY_RESERVE_BYTES);
    qd_heap_free(&heap, all, HEAP_BYTES_LIMIT);
}

HEAP_TEST(chosen_allocations_fail)
{
    (void)qd_memory_fail(2, 2);
    void *first = qd_heap_alloc(&heap, 10);
    assert_non_null(first);
    assert_null(qd_heap_resize(&heap, first, 10, 20));
    assert_null(qd_shared_alloc(10));
    void *last = qd_shared_alloc(10);
    assert_non_null(last);
    assert_int_equal(qd_memory_fail(0, 0), 4);
    qd_shared_free(last, 10);
    qd_heap_free(&heap, first, 10);
}

HEAP_TEST(trimmed_heap_has_drawn_what_it_holds)
{
    void *memory = qd_heap_alloc(&heap, 100);

    assert_non_null(memory);
    assert_true(heap.drawn > heap.bytes);
    qd_heap_trim(&heap);
    assert_int_equal(heap.drawn, heap.bytes);
    assert_int_equal(qd_memory_used(), heap.bytes);
    qd_heap_free(&heap, memory, 100);
}

HEAP_TEST(huge_size_fails_without_overflow)
{
    /* volatile, because the compiler warns of such a constant */
    volatile size_t huge = SIZE_MAX;
    void *one = qd_heap_alloc(&heap, 1);

    assert_non_null(one);
    assert_null(qd_heap_alloc(&heap, huge));
    assert_null(qd_heap_alloc_aligned(&heap, 4096, huge - 1));
    assert_null(qd_heap_resize(&heap, one, 1, huge));
    qd_memory_limit_set(HEAP_BYTES_LIMIT);
    assert_null(qd_shared_alloc(huge));
    assert_int_equal(heap.bytes, 16);
    qd_heap_free(&heap, one, 1);
}

/* The draw of a heap beyond its bytes is bounded, and a heap that alternately frees and allocates rarely draws. */
HEAP_TEST(heap_draws_from_the_budget_in_steps)
{
    enum { PIECES = 4000, PIECE_BYTES = 256 };
    static void *pieces[PIECES];
    size_t draws = 0;
    for (size_t index = 0; index < PIECES; index++) {
        size_t drawn = heap.drawn;

        pieces[index] = qd_heap_alloc(&heap, PIECE_BYTES);
        assert_non_null(pieces[index]);
        draws += heap.drawn != drawn;
    }
    assert_true(draws < PIECES / 20);
    draws = 0;
    for (size_t round = 0; round < 1000; round++) {
        size_t drawn = heap.drawn;

        qd_heap_free(&heap, pieces[0], PIECE_BYTES);
        draws += heap.drawn != drawn;
        drawn = heap.drawn;
        pieces[0] = qd_heap_alloc(&heap, PIECE_BYTES);
        draws += heap.drawn != drawn;
    }
    assert_true(draws <= 2);
    for (size_t index = 0; index < PIECES; index++) {
        qd_heap_free(&heap, pieces[index], PIECE_BYTES);
        assert_true(heap.drawn - heap.bytes <= 2 * 4096 + heap.bytes / 4);
        assert_int_equal(qd_memory_used(), heap.drawn);
    }
}

TEST(memory_of_machine_is_plausible)
{
    size_t bytes = qd_memory_of_machine();

    assert_true(bytes > 16u << 20);
    assert_true(bytes < (size_t)1 << 50);
}

TEST_MAIN()
