/* SPDX-License-Identifier: Apache-2.0
 *
 * Scratch memory: each thread has its own, the same at every call, which is released when the thread ends.
 */
#include <pthread.h>

#include "server/base/memory/scratch.h"
#include "tests/support/test.h"

static int released;

static void note_release(void *memory)
{
    assert_ptr_equal(memory, &released);
    released++;
}

static qd_scratch *borrow(qd_scratch_kind kind)
{
    qd_scratch *scratch = qd_scratch_of_thread(kind);

    assert_non_null(scratch);
    return scratch;
}

static void *borrow_and_end(void *argument)
{
    qd_scratch **first = argument;

    first[0] = borrow(QD_SCRATCH_SLOT_2D);
    first[1] = borrow(QD_SCRATCH_SLOT_3D);
    first[2] = borrow(QD_SCRATCH_RECORD);
    assert_null(first[0]->memory);
    *first[0] = *first[1] = *first[2] = (qd_scratch){&released, note_release};
    assert_ptr_equal(borrow(QD_SCRATCH_SLOT_2D), first[0]);
    assert_ptr_equal(first[0]->memory, &released);
    return NULL;
}

TEST(scratch_is_released_when_its_thread_ends)
{
    qd_scratch *of_other[QD_SCRATCH_KINDS];
    pthread_t thread;

    released = 0;
    assert_null(borrow(QD_SCRATCH_SLOT_2D)->memory);
    assert_int_equal(pthread_create(&thread, NULL, borrow_and_end, of_other), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(released, QD_SCRATCH_KINDS);
    assert_null(borrow(QD_SCRATCH_SLOT_2D)->memory);
    assert_ptr_not_equal(of_other[0], of_other[1]);
    assert_ptr_not_equal(of_other[1], of_other[2]);
}

TEST(scratch_is_released_on_request)
{
    released = 0;
    *borrow(QD_SCRATCH_SLOT_3D) = (qd_scratch){&released, note_release};
    qd_scratch_release();
    assert_int_equal(released, 1);
    assert_null(borrow(QD_SCRATCH_SLOT_3D)->memory);
    qd_scratch_release();
    assert_int_equal(released, 1);
}

TEST_MAIN()
