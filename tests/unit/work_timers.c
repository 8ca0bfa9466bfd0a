/* SPDX-License-Identifier: Apache-2.0
 *
 * The heap of timers against a linear search.
 */

#include "server/work/queues/timers.h"
#include "support/rng.h"
#include "tests/support/test.h"

#define ACTORS 300u

static void do_nothing(qd_actor *actor)
{
    (void)actor;
}

static uint64_t earliest(const qd_actor *actors)
{
    uint64_t due_ns = QD_NEVER;

    for (uint32_t index = 0; index < ACTORS; index++) {
        due_ns = actors[index].due_ns < due_ns ? actors[index].due_ns : due_ns;
    }
    return due_ns;
}

TEST(the_heap_agrees_with_a_linear_search)
{
    static qd_actor actors[ACTORS];
    rng_stream random = {1};
    qd_heap heap;
    qd_timers timers;

    qd_heap_init(&heap);
    qd_timers_init(&timers, &heap);
    for (uint32_t i = 0; i < ACTORS; i++) {
        assert_true(qd_timers_reserve(&timers));
    }
    for (uint32_t index = 0; index < ACTORS; index++) {
        qd_actor_init(&actors[index], do_nothing);
    }
    for (uint32_t round = 0; round < 50000; round++) {
        qd_actor *actor = &actors[rng_below(&random, ACTORS)];
        uint64_t due_ns = rng_below(&random, 1000); /* few values, so that many are equal */

        switch (rng_below(&random, 4)) {
        case 0:
            qd_timers_set(&timers, actor, QD_NEVER);
            break;
        case 1: {
            /* Takes one of the earliest, and only if it is due. */
            uint64_t first_ns = earliest(actors);
            qd_actor *taken = qd_timers_take(&timers, due_ns);

            assert_int_equal(taken != NULL, first_ns <= due_ns);
            if (taken) {
                assert_int_equal(taken->due_ns, QD_NEVER);
                assert_int_equal(taken->timer_index, 0);
            }
            break;
        }
        default:
            qd_timers_set(&timers, actor, due_ns);
        }
        assert_true(qd_timers_next_ns(&timers) == earliest(actors));
    }
    uint64_t before_ns = 0;
    while (timers.count > 0) {
        uint64_t next_ns = qd_timers_next_ns(&timers);

        assert_true(next_ns >= before_ns);
        assert_non_null(qd_timers_take(&timers, QD_NEVER - 1));
        before_ns = next_ns;
    }
    assert_true(earliest(actors) == QD_NEVER);
    assert_null(qd_timers_take(&timers, QD_NEVER));
    qd_timers_deinit(&timers);
    qd_heap_deinit(&heap);
}

/* A room that cannot be woken must not be created, so the refusal comes with the reservation. */
TEST(reservation_fails_at_the_memory_limit_and_works_again)
{
    qd_heap heap;
    qd_timers timers;
    uint32_t reserved = 0;

    qd_heap_init(&heap);
    qd_timers_init(&timers, &heap);
    qd_memory_limit_set(64u << 10);
    while (qd_timers_reserve(&timers)) {
        reserved++;
    }
    assert_true(reserved > 100);
    assert_true(reserved <= timers.capacity);
    assert_true(qd_memory_used() <= 64u << 10);
    qd_timers_release(&timers);
    assert_true(qd_timers_reserve(&timers));
    assert_false(qd_timers_reserve(&timers));
    qd_memory_limit_set(0);
    assert_true(qd_timers_reserve(&timers));
    qd_timers_deinit(&timers);
    qd_heap_deinit(&heap);
}

TEST_MAIN()
