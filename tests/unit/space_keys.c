/* SPDX-License-Identifier: Apache-2.0
 *
 * The keyed hash of cells with QD_AXES axes, in HASH and SPARSE: an attacker who knows the function, but not the key,
 * chooses cells that are looked for in the same place. Steps through the table are counted.
 */
#include "server/space/grid/hash.h"
#include "server/space/tree/sparse/sparse_cells.h"
#include "space_fixture.h"

#define CELLS       1024u /* half of the table, or up to two thirds */
#define TABLE_BITS  11u   /* of HASH, with room for so many cells */
#define WINDOW      64u   /* an attacker's cells are looked for first in these places */
#define KEYS        50u
#define STEPS_MAX   4u   /* a cell, on average, with any key that the attacker does not know */
#define STEPS_KNOWN 100u /* and with one that he does, at least */

static int32_t chosen[CELLS][QD_AXES];

static uint32_t random_number(void)
{
    return rng_below(&crowd.rng, QD_KEY_LAST + 1);
}

/* ---- HASH ---- */

static uint32_t hash_place(uint64_t key, const int32_t *at)
{
    const qd_hash_pool pool = {.mixer = qd_mixer_of(key), .table_bits = TABLE_BITS};

    return qd_hash_slot(&pool, at, 0);
}

/* Cells that collide with this key. */
static void choose_hash(uint64_t key)
{
    for (uint32_t count = 0; count < CELLS;) {
        for (uint32_t k = 0; k < QD_AXES; k++) {
            chosen[count][k] = (int32_t)random_number();
        }
        count += hash_place(key, chosen[count]) < WINDOW;
    }
}

/* All steps that it takes to find every cell. */
static uint64_t hash_steps(uint64_t key)
{
    qd_heap heap;
    qd_hash_pool pool;
    uint64_t steps = 0;

    qd_heap_init(&heap);
    assert_true(qd_hash_pool_init(&pool, &heap, key));
    for (uint32_t i = 0; i < CELLS; i++) {
        qd_hash_spot spot = {.level = 0};

        memcpy(spot.at, chosen[i], sizeof spot.at);
        assert_int_not_equal(qd_hash_get(&pool, &heap, &spot), QD_NONE);
    }
    const uint32_t mask = (1u << pool.table_bits) - 1;
    for (uint32_t slot = 0; slot <= mask; slot++) {
        if (pool.table[slot] != QD_NONE) {
            const qd_hash_cell *cell = &pool.grid[pool.table[slot]];

            steps += 1 + ((slot - qd_hash_slot(&pool, cell->at, cell->level)) & mask);
        }
    }
    qd_hash_pool_free(&pool, &heap);
    qd_heap_deinit(&heap);
    return steps;
}

TEST(chosen_cells_of_hash_collide_only_with_a_known_key)
{
    crowd.rng.state = 3;
    choose_hash(0);
    assert_true(hash_steps(0) > STEPS_KNOWN * CELLS);
    for (uint64_t key = 1; key <= KEYS; key++) {
        assert_in_range(hash_steps(key), CELLS, STEPS_MAX * CELLS);
    }
}

TEST(neighbors_in_hash_do_not_collide)
{
    static const uint32_t edges[][3] = {{32, 32, 1}, {1024, 1, 1}, {1, 1024, 1}, {16, 8, 8}};

    for (size_t e = 0; e < sizeof edges / sizeof *edges; e++) {
        for (int32_t stride = 1; (QD_AXES == 3 || edges[e][2] == 1) && stride <= 64; stride *= 4) {
            for (uint32_t i = 0; i < CELLS; i++) {
                uint32_t left = i;

                for (uint32_t k = 0; k < QD_AXES; k++) {
                    chosen[i][k] = ((int32_t)(left % edges[e][k]) - 7) * stride;
                    left /= edges[e][k];
                }
            }
            for (uint64_t key = 0; key < KEYS; key++) {
                assert_in_range(hash_steps(key), CELLS, STEPS_MAX * CELLS);
            }
        }
    }
}

/* ---- SPARSE ---- */

static uint64_t sparse_key(const int32_t *at)
{
    uint32_t numbers[QD_AXES];

    memcpy(numbers, at, sizeof numbers);
    return qd_key_of(numbers);
}

static uint64_t sparse_steps(uint64_t key)
{
    qd_heap heap;
    qd_sparse_cells cells;
    uint64_t steps = 0;

    qd_heap_init(&heap);
    qd_sparse_cells_init(&cells, &heap, false, key);
    for (uint32_t i = 0; i < CELLS; i++) {
        assert_true(qd_sparse_cells_reserve(&cells, 1));
        (void)qd_sparse_cells_make(&cells, sparse_key(chosen[i]), QD_NONE);
    }
    const uint32_t last = (1u << cells.slot_bits) - 1;
    for (uint32_t slot = 0; slot <= last; slot++) {
        if (cells.slot[slot] != QD_NONE) {
            steps += 1 + ((slot - qd_sparse_cells_home(&cells, cells.key[cells.slot[slot]])) & last);
        }
    }
    qd_sparse_cells_deinit(&cells);
    qd_heap_deinit(&heap);
    return steps;
}

TEST(chosen_cells_of_sparse_collide_only_with_a_known_key)
{
    const qd_sparse_cells known = {.mixer = qd_mixer_of(0), .slot_bits = TABLE_BITS};

    crowd.rng.state = 5;
    for (uint32_t count = 0; count < CELLS;) {
        for (uint32_t k = 0; k < QD_AXES; k++) {
            chosen[count][k] = (int32_t)random_number();
        }
        count += qd_sparse_cells_home(&known, sparse_key(chosen[count])) < WINDOW;
    }
    assert_true(sparse_steps(0) > STEPS_KNOWN * CELLS);
    for (uint64_t key = 1; key <= KEYS; key++) {
        assert_in_range(sparse_steps(key), CELLS, STEPS_MAX * CELLS);
    }
}

/* ---- spaces ---- */

/* Bodies in the chosen cells. Whatever the key, the space reports the same and tests as much. */
TEST(key_changes_neither_events_nor_tests)
{
    enum { LEAST_KEYS = 4 };
    static const qd_space_index indexes[] = {QD_SPACE_HASH, QD_SPACE_SPARSE};

    crowd.rng.state = 3;
    choose_hash(0);
    for (size_t i = 0; i < sizeof indexes / sizeof *indexes; i++) {
        uint64_t tests = 0;

        for (uint64_t key = 0; key < LEAST_KEYS; key++) {
            qd_space_config config = crowd_config(indexes[i], 0, QD_KEY_LAST);

            config.cell_size = indexes[i] == QD_SPACE_HASH ? 1 : 0;
            config.key = key;
            crowd_begin_beside_brute(&config, NULL);
            for (uint32_t b = 0; b < CELLS; b++) {
                const int32_t *at = chosen[b];
                const float z = QD_AXES == 3 ? (float)at[QD_AXES - 1] + 0.5f : 0;

                crowd_add(crowd_box((float)at[0] + 0.5f, (float)at[1] + 0.5f, z, b % 8 == 0 ? 4000 : 0.25f));
            }
            for (int t = 0; t < 4; t++) {
                crowd_tick();
                crowd_wander(CELLS, t == 2 ? 10000 : 1);
            }
            tests = key == 0 ? crowd_counters().tests : tests;
            assert_int_equal(crowd_counters().tests, tests);
            crowd_end();
        }
    }
}

TEST_MAIN()
