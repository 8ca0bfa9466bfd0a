/* SPDX-License-Identifier: Apache-2.0
 *
 * For the tests of base/: a heap for each test, without a limit. When the test ends, nothing may be allocated.
 */
#ifndef QD_TESTS_UNIT_BASE_HEAP_H
#define QD_TESTS_UNIT_BASE_HEAP_H

#include "server/base/memory/alloc.h"
#include "tests/support/test.h"

static qd_heap heap;

static int heap_begin(void **state)
{
    (void)state;
    qd_heap_init(&heap);
    return 0;
}

static int heap_end(void **state)
{
    (void)state;
    assert_int_equal(heap.bytes, 0);
    qd_heap_deinit(&heap);
    qd_memory_limit_set(0);
    assert_int_equal(qd_memory_used(), 0);
    return 0;
}

#define HEAP_TEST(name) TEST_WITH(name, heap_begin, heap_end)

#endif
