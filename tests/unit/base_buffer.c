/* SPDX-License-Identifier: Apache-2.0
 *
 * Buffers: counted in the budget, and freed with the last reference, on any thread.
 */
#include <pthread.h>
#include <string.h>

#include "server/base/memory/alloc.h"
#include "server/base/memory/buffer.h"
#include "tests/support/test.h"

TEST(buffer_lives_until_its_last_reference)
{
    qd_buffer *buffer = qd_buffer_create(1000);

    assert_non_null(buffer);
    assert_int_equal(buffer->size, 1000);
    assert_int_equal(buffer->capacity, 1000);
    memset(buffer->bytes, 0x5a, 1000);
    buffer->size = 10; /* the writer lowers the size; the free still counts what was allocated */
    assert_int_equal(qd_memory_used(), sizeof *buffer + 1000);
    qd_buffer_acquire(buffer);
    qd_buffer_release(buffer);
    assert_int_equal(qd_memory_used(), sizeof *buffer + 1000);
    assert_int_equal(buffer->bytes[9], 0x5a);
    qd_buffer_release(buffer);
    assert_int_equal(qd_memory_used(), 0);
}

TEST(buffer_above_the_limit_is_not_created)
{
    volatile size_t huge = SIZE_MAX;

    assert_null(qd_buffer_create(huge));
    qd_memory_limit_set(4096);
    assert_null(qd_buffer_create(4096));
    qd_buffer *empty = qd_buffer_create(0);
    assert_non_null(empty);
    qd_buffer_release(empty);
    qd_memory_limit_set(0);
}

static void *share(void *argument)
{
    qd_buffer *buffer = argument;

    for (uint32_t round = 0; round < 10000; round++) {
        qd_buffer_acquire(buffer);
        qd_buffer_release(buffer);
    }
    qd_buffer_release(buffer);
    return NULL;
}

TEST(buffer_shared_by_threads_is_freed_once)
{
    pthread_t threads[4];
    qd_buffer *buffer = qd_buffer_create(64);

    assert_non_null(buffer);
    for (uint32_t index = 0; index < 4; index++) {
        qd_buffer_acquire(buffer);
        assert_int_equal(pthread_create(&threads[index], NULL, share, buffer), 0);
    }
    qd_buffer_release(buffer);
    for (uint32_t index = 0; index < 4; index++) {
        pthread_join(threads[index], NULL);
    }
    assert_int_equal(qd_memory_used(), 0);
}

TEST_MAIN()
