/* SPDX-License-Identifier: Apache-2.0
 *
 * The ids of a room against an array: random ids are put and removed, counted up, spread, or both.
 */
#include <string.h>

#include "server/room/entities/ids/ids.h"
#include "support/rng.h"
#include "tests/support/test.h"

#define KEYS_MAX 4000u

typedef struct reference {
    uint32_t id[KEYS_MAX];
    qd_id_entry place[KEYS_MAX];
    uint32_t key_count, count;
} reference;

static void check_all(const qd_ids *ids, const reference *expected)
{
    uint32_t cursor = 0, mapped = 0, id, below = 0;
    qd_id_entry place;

    for (uint32_t i = 0; i < expected->key_count; i++) {
        qd_id_entry found = qd_ids_get(ids, expected->id[i]);

        assert_int_equal(found.slot, expected->place[i].slot);
        assert_int_equal(found.owner, expected->place[i].owner);
        below += expected->place[i].slot != QD_SLOT_NONE && expected->id[i] < ids->table_count;
    }
    assert_int_equal(ids->count, expected->count);
    while (qd_ids_next_mapped(ids, &cursor, &id, &place)) {
        assert_true(id >= ids->table_count);
        mapped++;
    }
    assert_int_equal(below + mapped, expected->count);
}

/* The table is at most four times as large as the ids ever were, but for a small least size. */
static void check_table(const qd_ids *ids, uint32_t count_peak)
{
    assert_true(ids->table_count <= 4 * count_peak + 128);
}

/* `spread` 0: ids 0, 1, 2, ...; 1: any; 2: half and half. */
static void run_script(unsigned spread, uint64_t seed, uint32_t key_count)
{
    static reference expected;
    qd_heap heap;
    qd_ids ids;
    uint32_t peak = 0;
    rng_stream rng = {seed};

    qd_heap_init(&heap);
    qd_ids_init(&ids, &heap, seed * 1000003);
    expected = (reference){.key_count = key_count};
    for (uint32_t i = 0; i < key_count; i++) {
        bool wild = spread == 1 || (spread == 2 && i % 2);

        expected.id[i] = wild ? (i + 1) * 2654435761u : i;
        expected.place[i] = (qd_id_entry){QD_SLOT_NONE, QD_OWNER_NOBODY};
    }
    for (uint32_t step = 0; step < 8 * key_count; step++) {
        /* Grows first, then shrinks. */
        bool put = rng_below(&rng, 8) < (step < 5 * key_count ? 6 : 2);
        uint32_t i = rng_below(&rng, key_count);
        bool there = expected.place[i].slot != QD_SLOT_NONE;

        if (put && !there) {
            expected.place[i] = (qd_id_entry){step, rng_draw(&rng)};
            assert_int_equal(qd_ids_put(&ids, expected.id[i], expected.place[i]), QD_OK);
            expected.count++;
        } else if (!put && there) {
            expected.place[i] = (qd_id_entry){QD_SLOT_NONE, QD_OWNER_NOBODY};
            qd_ids_remove(&ids, expected.id[i]);
            expected.count--;
        }
        peak = expected.count > peak ? expected.count : peak;
        if (step % 997 == 0) {
            check_all(&ids, &expected);
            check_table(&ids, peak);
        }
    }
    check_all(&ids, &expected);
    qd_ids_deinit(&ids);
    assert_int_equal(heap.bytes, 0);
    qd_heap_deinit(&heap);
}

TEST(ids_agree_with_an_array)
{
    for (unsigned spread = 0; spread < 3; spread++) {
        for (uint64_t seed = 1; seed < 6; seed++) {
            run_script(spread, seed, seed % 2 ? 60 : KEYS_MAX);
        }
    }
}

/* Counted ids that arrive last first begin in the map, and end in the table. */
TEST(table_takes_over_from_the_map)
{
    qd_heap heap;
    qd_ids ids;

    (void)state;
    qd_heap_init(&heap);
    qd_ids_init(&ids, &heap, 1);
    for (uint32_t id = 3000; id-- > 0;) {
        assert_int_equal(qd_ids_put(&ids, id, (qd_id_entry){id * 2, id * 3}), QD_OK);
    }
    for (uint32_t id = 0; id < 3000; id++) {
        assert_int_equal(qd_ids_get(&ids, id).slot, id * 2);
        assert_int_equal(qd_ids_get(&ids, id).owner, id * 3);
    }
    assert_true(ids.table_count >= 1500);
    qd_ids_deinit(&ids);
    qd_heap_deinit(&heap);
}

TEST(the_outermost_ids_work)
{
    static const uint32_t edges[] = {0, 1, 63, 64, 65, 1u << 24, (1u << 24) - 1, UINT32_MAX - 1, UINT32_MAX};
    qd_heap heap;
    qd_ids ids;

    (void)state;
    qd_heap_init(&heap);
    qd_ids_init(&ids, &heap, 1);
    for (uint32_t i = 0; i < sizeof edges / sizeof edges[0]; i++) {
        assert_int_equal(qd_ids_get(&ids, edges[i]).slot, QD_SLOT_NONE);
        assert_int_equal(qd_ids_put(&ids, edges[i], (qd_id_entry){i, i}), QD_OK);
    }
    for (uint32_t i = 0; i < sizeof edges / sizeof edges[0]; i++) {
        assert_int_equal(qd_ids_get(&ids, edges[i]).slot, i);
        qd_ids_remove(&ids, edges[i]);
        assert_int_equal(qd_ids_get(&ids, edges[i]).slot, QD_SLOT_NONE);
    }
    assert_true(heap.bytes < 4096);
    qd_ids_deinit(&ids);
    qd_heap_deinit(&heap);
}

TEST_MAIN()
