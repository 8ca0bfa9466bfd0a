/* SPDX-License-Identifier: Apache-2.0 */

#include "server/actor/service/token.h"
#include "server/base/memory/alloc.h"
#include "tests/support/test.h"

TEST(equal_texts_give_equal_tokens)
{
    qd_token *one = qd_token_create("alpha"), *other = qd_token_create("alpha"), *third = qd_token_create("alph");

    assert_true(qd_token_same(one, one) && qd_token_same(one, other));
    assert_false(qd_token_same(one, third));
    assert_false(qd_token_same(third, one));
    /* A session without a token equals no other. */
    assert_false(qd_token_same(one, NULL));
    assert_false(qd_token_same(NULL, one));
    assert_false(qd_token_same(NULL, NULL));
    qd_token_release(one);
    qd_token_release(other);
    qd_token_release(third);
}

TEST(token_lives_until_its_last_reference)
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
