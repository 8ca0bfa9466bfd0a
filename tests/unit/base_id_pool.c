/* SPDX-License-Identifier: Apache-2.0
 *
 * The pool of ids: ids are small, unique while in use, and returning one never fails.
 */
#include "server/base/memory/id_pool.h"

#include "base_heap.h"
#include "support/rng.h"

#define IDS 1000u

HEAP_TEST(returned_id_is_taken_next)
{
    qd_id_pool pool;
    uint32_t id;

    qd_id_pool_init(&pool, &heap);
    for (uint32_t expected = 0; expected < 100; expected++) {
        assert_int_equal(qd_id_pool_take(&pool, &id), QD_OK);
        assert_int_equal(id, expected);
    }
    qd_id_pool_give(&pool, 42);
    assert_int_equal(qd_id_pool_take(&pool, &id), QD_OK);
    assert_int_equal(id, 42);
    assert_int_equal(qd_id_pool_take(&pool, &id), QD_OK);
    assert_int_equal(id, 100);
    qd_id_pool_deinit(&pool);
}

HEAP_TEST(id_in_use_is_never_taken)
{
    bool used[IDS] = {false};
    uint32_t used_count = 0;
    rng_stream random = {1};
    qd_id_pool pool;

    qd_id_pool_init(&pool, &heap);
    for (uint32_t round = 0; round < 100000; round++) {
        uint32_t draw = rng_below(&random, IDS);

        if (used[draw]) {
            qd_id_pool_give(&pool, draw);
            used[draw] = false;
            used_count--;
        } else if (used_count < IDS) {
            uint32_t id;

            assert_int_equal(qd_id_pool_take(&pool, &id), QD_OK);
            assert_true(id < IDS);
            assert_false(used[id]);
            used[id] = true;
            used_count++;
        }
    }
    qd_id_pool_deinit(&pool);
}

HEAP_TEST(ids_can_be_returned_without_memory)
{
    qd_id_pool pool;
    uint32_t taken = 0, id;

    qd_id_pool_init(&pool, &heap);
    qd_memory_limit_set(16 * 1024);
    while (qd_id_pool_take(&pool, &id) == QD_OK) {
        taken++;
    }
    assert_true(taken > 100);
    qd_memory_limit_set(1);
    for (id = 0; id < taken; id++) {
        qd_id_pool_give(&pool, id);
    }
    for (uint32_t index = 0; index < taken; index++) {
        assert_int_equal(qd_id_pool_take(&pool, &id), QD_OK);
    }
    assert_int_equal(qd_id_pool_take(&pool, &id), QD_ERR_NO_MEMORY);
    qd_id_pool_deinit(&pool);
}

HEAP_TEST(trimmed_pool_hands_out_in_order_again)
{
    qd_id_pool pool;
    uint32_t id;

    qd_id_pool_init(&pool, &heap);
    for (uint32_t i = 0; i < IDS; i++) {
        assert_int_equal(qd_id_pool_take(&pool, &id), QD_OK);
    }
    const size_t full = heap.bytes;
    for (uint32_t i = 5; i < IDS; i++) {
        qd_id_pool_give(&pool, (i * 7) % (IDS - 5) + 5);
    }
    qd_id_pool_give(&pool, 3);
    qd_id_pool_trim(&pool, 5);
    assert_true(heap.bytes < full / 4);
    assert_int_equal(qd_id_pool_take(&pool, &id), QD_OK);
    assert_int_equal(id, 3);
    for (uint32_t expected = 5; expected < IDS; expected++) {
        assert_int_equal(qd_id_pool_take(&pool, &id), QD_OK);
        assert_int_equal(id, expected);
    }
    qd_id_pool_trim(&pool, IDS);
    qd_id_pool_deinit(&pool);
}

TEST_MAIN()
