/* SPDX-License-Identifier: Apache-2.0 */

#include "server/actor/service/token.h"
#include "server/base/memory/alloc.h"
#include "tests/support/test.h"

TEST(the_same_is_the_same_text)
{
    qd_token *one = qd_token_create("alpha"), *other = qd_token_create("alpha"), *third = qd_token_create("alph");

    assert_true(qd_token_same(one, one) && qd_token_same(one, other));
    assert_false(qd_token_same(one, third));
    assert_false(qd_token_same(third, one));
    /* Who has none is nobody's twin. */
    assert_false(qd_token_same(one, NULL));
    assert_false(qd_token_same(NULL, one));
    assert_false(qd_token_same(NULL, NULL));
    qd_token_release(one);
    qd_token_release(other);
    qd_token_release(third);
}

TEST(it_is_there_until_the_last_reference_goes)
{
    size_t before = qd_memory_used();
    qd_token *one = qd_token_create("alpha");

    assert_ptr_equal(qd_token_acquire(one), one);
    assert_null(qd_token_acquire(NULL));
    qd_token_release(one);
    assert_string_equal(one->text, "alpha");
    assert_true(qd_memory_used() > before);
    qd_token_release(one);
    qd_token_release(NULL);
    assert_int_equal(qd_memory_used(), before);
}

TEST_MAIN()
