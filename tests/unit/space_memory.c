/* SPDX-License-Identifier: Apache-2.0
 *
 * What a space with QD_AXES axes does without memory, and what it gives back. model/space_memory.c plays random
 * scripts.
 */
#include "server/base/memory/scratch.h"
#include "space_fixture.h"

#define NO_MEMORY   (void)qd_memory_fail(1, UINT64_MAX - 1)
#define MEMORY      (void)qd_memory_fail(0, 0)
#define TRIM_TICKS  40u /* a space looks at what it keeps every 16 ticks, and some of it takes two looks */
#define KEPT_FACTOR 4u
#define KEPT_FEW    65536u /* bytes */

/* Full blocks fall apart, until each body is in a cell of its own, for which there is no block. */
TEST(bodies_spread_without_memory)
{
    enum { COUNT = 3000 };
    const float side = QD_AXES == 2 ? 1000 : 150;

    for (size_t i = 0; i < CROWD_INDEXES; i++) {
        for (uint32_t depth = 0; depth <= 5; depth += 5) {
            qd_space_config config = crowd_config(crowd_indexes[i], 0, side);

            if (depth > 0 && crowd_indexes[i] != CROWD_TREE && crowd_indexes[i] != QD_SPACE_SPARSE) {
                continue;
            }
            config.depth = depth;
            config.cell_size = crowd_indexes[i] == QD_SPACE_HASH ? 20 : 0;
            crowd_begin_beside_brute(&config, NULL);
            crowd_scatter(COUNT, 100, 110, 0.5f);
            crowd_tick();
            for (int t = 0; t < 3; t++) {
                NO_MEMORY;
                for (uint32_t b = 0; b < COUNT; b++) {
                    crowd_place_anywhere(b, 0, side);
                }
                crowd_move(0, COUNT / 2);
                crowd_teleport(COUNT / 2, COUNT / 2);
                MEMORY;
                /* Without memory nobody knows which were teleported. */
                qd_space_events found;
                for (uint32_t k = 0; k < 2; k++) {
                    qd_space_validate(crowd.space[k]);
                    qd_space_tick(crowd.space[k], &qd_executor_serial, QD_SPACE_WANT_EVENTS, CROWD_NO_LIMIT, &found);
                    assert_true(!found.complete && found.stopped == QD_SPACE_STOP_MEMORY);
                    (void)qd_space_settle(crowd.space[k]);
                    qd_space_validate(crowd.space[k]);
                }
                crowd_pairs();
                NO_MEMORY;
                for (uint32_t b = 0; b < COUNT; b++) {
                    crowd_place_anywhere(b, 0, side);
                }
                crowd_move(0, COUNT);
                MEMORY;
                assert_true(crowd_tick() > 0);
                crowd_pairs();
            }
            NO_MEMORY;
            while (crowd.count > COUNT / 10) {
                assert_false(crowd_remove(0));
            }
            MEMORY;
            crowd_tick();
            crowd_wander(crowd.count, side / 3);
            crowd_tick();
            crowd_end();
        }
    }
}

/* A tick stops where there is no memory for its lists and events; the next one misses nothing. */
TEST(traversal_without_memory_says_so)
{
    for (size_t i = 0; i < CROWD_INDEXES; i++) {
        const qd_space_config config = crowd_config(crowd_indexes[i], 0, 100);

        crowd_begin_beside_brute(&config, NULL);
        crowd_scatter(2000, 0, 100, 1);
        crowd_tick();
        crowd_wander(2000, 50);
        qd_space_events found;
        qd_scratch_release();
        for (uint32_t k = 0; k < 2; k++) {
            qd_space_trim(crowd.space[k]);
            NO_MEMORY;
            qd_space_tick(crowd.space[k], &qd_executor_serial, QD_SPACE_WANT_STAYS, CROWD_NO_LIMIT, &found);
            assert_true(!found.complete && found.stopped == QD_SPACE_STOP_MEMORY && found.count == 0);
            (void)qd_space_settle(crowd.space[k]);
            MEMORY;
            qd_space_validate(crowd.space[k]);
        }
        crowd_pairs();
        crowd_wander(2000, 50);
        assert_true(crowd_tick() > 0);
        crowd_end();
    }
}

TEST(first_radius_may_be_refused)
{
    const qd_space_config config = crowd_config(QD_SPACE_AUTO, 0, 100);
    qd_body capsule = crowd_box(50, 50, 50, 1);

    capsule.shape = QD_SPACE_CAPSULE;
    capsule.radius = 2;
    crowd_begin_beside_brute(&config, NULL);
    crowd_scatter(100, 0, 100, 2);
    crowd_tick();
    NO_MEMORY;
    assert_int_equal(qd_space_reshape(crowd.space[0], crowd.slot[0][0], &capsule), QD_ERR_NO_MEMORY);
    MEMORY;
    assert_int_equal(crowd_tick(), 0);
    crowd_reshape(0, &capsule);
    NO_MEMORY;
    crowd_reshape(1, &capsule);
    MEMORY;
    crowd_tick();
    crowd_end();
}

/* ---- what is given back ---- */

static size_t bytes_of(const qd_space_config *config, uint32_t bodies)
{
    crowd_begin(config, NULL);
    crowd_scatter(bodies, 0, 100, 0.2f);
    for (uint32_t t = 0; t < TRIM_TICKS; t++) {
        crowd_wander(bodies, 0.1);
        crowd_tick();
    }
    const size_t bytes = crowd.heap[0].bytes;
    crowd_end();
    return bytes;
}

TEST(memory_returns_with_the_bodies)
{
    enum { MANY = 10000, FEW = 200 };
    for (size_t i = 0; i < CROWD_INDEXES; i++) {
        const qd_space_config config = crowd_config(crowd_indexes[i], 0, 100);
        const size_t bytes_of_new = bytes_of(&config, 0), bytes_of_few = bytes_of(&config, FEW);

        crowd_begin_beside_brute(&config, NULL);
        crowd_scatter(MANY, 0, 100, 0.2f);
        for (uint32_t t = 0; t < 3; t++) {
            crowd_wander(MANY, 50);
            crowd_teleport(0, MANY);
            crowd_tick();
        }
        const size_t bytes_of_many = crowd.heap[0].bytes;
        assert_true(bytes_of_many > 64 * MANY);
        while (crowd.count > FEW) {
            (void)crowd_remove(crowd.count - 1);
        }
        for (uint32_t t = 0; t < TRIM_TICKS; t++) {
            crowd_wander(FEW, 0.1);
            crowd_tick();
        }
        assert_in_range(crowd.heap[0].bytes, 0, KEPT_FACTOR * bytes_of_few + KEPT_FEW);
        while (crowd.count > 0) {
            (void)crowd_remove(crowd.count - 1);
        }
        for (uint32_t t = 0; t < TRIM_TICKS; t++) {
            crowd_tick();
        }
        assert_in_range(crowd.heap[0].bytes, 0, bytes_of_new);
        crowd_end();
    }
}

/* Slots keep their numbers, so one that is high holds the arrays; not for longer than it is in use. */
TEST(arrays_end_behind_the_last_slot)
{
    enum { MANY = 20000, FEW = 10 };
    const qd_space_config config = crowd_config(QD_SPACE_AUTO, 0, 100);

    crowd_begin(&config, NULL);
    crowd_scatter(MANY, 0, 100, 0.2f);
    for (uint32_t i = MANY - FEW; i-- > 0;) {
        (void)crowd_remove(i);
    }
    for (uint32_t t = 0; t < TRIM_TICKS; t++) {
        crowd_tick();
    }
    const size_t held = crowd.heap[0].bytes;
    crowd_scatter(2 * FEW, 0, 100, 0.2f);
    for (uint32_t i = FEW; i-- > 0;) {
        (void)crowd_remove(i);
    }
    for (uint32_t t = 0; t < 4 * TRIM_TICKS; t++) {
        crowd_tick();
    }
    assert_int_equal(crowd.count, 2 * FEW);
    assert_in_range(crowd.heap[0].bytes, 0, held / 4);
    crowd_end();
}

/* A burst of events leaves neither its space nor its thread with more than is bounded. */
TEST(memory_of_a_burst_returns)
{
    const qd_space_config config = crowd_config(QD_SPACE_AUTO, 0, 100);

    crowd_begin(&config, NULL);
    crowd_scatter(1000, 50, 51, 2);
    assert_true(crowd_tick() == 1000 * 999 / 2);
    assert_in_range(qd_memory_used() - crowd.heap[0].drawn, 0, 640u << 10);
    for (uint32_t i = 0; i < 1000; i++) {
        crowd_place_anywhere(i, 0, 100);
    }
    crowd_move(0, 1000);
    crowd_tick();
    for (uint32_t t = 0; t < TRIM_TICKS; t++) {
        crowd_wander(1000, 0.1);
        crowd_tick();
    }
    assert_in_range(crowd.heap[0].bytes, 0, 1u << 20);
    crowd_end();
    qd_scratch_release();
    assert_int_equal(qd_memory_used(), 0);
}

TEST_MAIN()
