/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

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

/* Whether the system may give large pages at that address ("hg" in smaps), because somebody asked for them there. */
static bool are_large_pages_asked(uintptr_t address)
{
    FILE *maps = fopen("/proc/self/smaps", "re");
    char line[1000];
    bool is_here = false, are_asked = false;

    assert_non_null(maps);
    while (fgets(line, sizeof line, maps) != NULL) {
        uintptr_t from, to;

        if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " ", &from, &to) == 2) {
            is_here = from <= address && address < to;
        } else if (is_here && strncmp(line, "VmFlags:", 8) == 0) {
            are_asked |= strstr(line, " hg") != NULL;
        }
    }
    fclose(maps);
    return are_asked;
}

/* Else the system fills large pages with memory that was returned to it. */
TEST(large_pages_are_asked_for_only_while_an_array_lives)
{
    const size_t bytes = (size_t)32 << 20;
    qd_heap heap;

    qd_heap_init(&heap);
    void *array = qd_array_grow(&heap, NULL, 0, 0, bytes);
    assert_non_null(array);
    const uintptr_t middle = (uintptr_t)array + bytes / 2;
    const bool was_asked = are_large_pages_asked(middle);
    qd_array_free(&heap, array, bytes);
    assert_false(are_large_pages_asked(middle));
    qd_heap_deinit(&heap);
    if (!was_asked) {
        print_message("skipped: this kernel has no large pages\n");
        skip();
    }
}

TEST_MAIN()
