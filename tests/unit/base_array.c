/* SPDX-License-Identifier: Apache-2.0 */
#include "server/base/memory/array.h"
#include "tests/support/test.h"

/* The first and the third array have rows, the second one stays as it is. */
TEST(arrays_grow_together_or_not_at_all)
{
    qd_heap heap;
    uint32_t *first = NULL, *third = NULL;
    uint8_t *second = NULL;

    qd_heap_init(&heap);
    for (uint32_t capacity = 4, old = 0; capacity <= 1024; old = capacity, capacity *= 2) {
        const qd_array_part parts[] = {
            QD_ARRAY_PART(first, old, old, capacity),
            QD_ARRAY_PART(second, 0, 0, 0),
            QD_ARRAY_PART(third, old, old, 2 * capacity),
        };
        const size_t bytes = heap.bytes;

        for (uint64_t fail = 1; fail <= 2; fail++) {
            uint32_t *const before = first;

            (void)qd_memory_fail(fail, 1);
            assert_false(qd_array_grow_all(&heap, parts, 3));
            (void)qd_memory_fail(0, 0);
            assert_true(first == before && heap.bytes == bytes);
        }
        const qd_array_part grown[] = {
            parts[0], parts[1], {&third, 2 * old * sizeof *third, old * sizeof *third, 2 * capacity * sizeof *third}};
        assert_true(qd_array_grow_all(&heap, grown, 3));
        assert_null(second);
        for (uint32_t i = 0; i < capacity; i++) {
            assert_true(i >= old || (first[i] == i && third[i] == 2 * i));
            first[i] = i;
            third[i] = 2 * i;
        }
    }
    qd_array_free(&heap, first, 1024 * sizeof *first);
    qd_array_free(&heap, third, 2048 * sizeof *third);
    assert_int_equal(heap.bytes, 0);
    qd_heap_deinit(&heap);
}

TEST_MAIN()
