/* SPDX-License-Identifier: Apache-2.0
 *
 * The map against an array with a linear search, over random operations.
 */
#include <string.h>

#include "base_heap.h"
#include "server/base/memory/map.h"
#include "support/rng.h"

#define KEYS_MAX 600u

/* The reference: every key that the test uses, and whether it is present. */
typedef struct reference {
    uint64_t keys[KEYS_MAX];
    uint64_t values[KEYS_MAX];
    bool present[KEYS_MAX];
    uint32_t key_count, count;
} reference;

static void check_all(const qd_map *map, const reference *expected)
{
    bool visited[KEYS_MAX] = {false};
    uint32_t cursor = 0, visits = 0;
    uint64_t key, value;

    assert_int_equal(map->count, expected->count);
    for (uint32_t index = 0; index < expected->key_count; index++) {
        bool found = qd_map_get(map, expected->keys[index], &value);

        assert_int_equal(found, expected->present[index]);
        if (found) {
            assert_true(value == expected->values[index]);
        }
    }
    while (qd_map_next(map, &cursor, &key, &value)) {
        uint32_t index = 0;

        while (index < expected->key_count && expected->keys[index] != key) {
            index++;
        }
        assert_true(index < expected->key_count && expected->present[index] && !visited[index]);
        assert_true(value == expected->values[index]);
        visited[index] = true;
        visits++;
    }
    assert_int_equal(visits, expected->count);
}

/* Puts a random key with `put_percent` probability, otherwise removes one. */
static void play(qd_map *map, reference *expected, rng_stream *random, uint32_t operations, uint32_t put_percent)
{
    for (uint32_t operation = 0; operation < operations; operation++) {
        uint32_t index = rng_below(random, expected->key_count);
        uint64_t key = expected->keys[index];

        if (rng_below(random, 100) < put_percent) {
            uint64_t value = rng_draw_64(random);

            assert_int_equal(qd_map_put(map, key, value), QD_OK);
            expected->count += !expected->present[index];
            expected->present[index] = true;
            expected->values[index] = value;
        } else {
            assert_int_equal(qd_map_remove(map, key), expected->present[index]);
            expected->count -= expected->present[index];
            expected->present[index] = false;
        }
        if (operation % 64 == 0) {
            check_all(map, expected);
        }
    }
    check_all(map, expected);
}

/* The entry where a key's search begins. The map holds only this key, so iteration finds it there. */
static uint32_t home_of(uint64_t key, uint64_t salt, uint32_t room_for)
{
    qd_map map;
    uint32_t cursor = 0;
    uint64_t key_found, value;

    qd_map_init(&map, &heap, salt);
    assert_int_equal(qd_map_reserve(&map, room_for), QD_OK);
    assert_int_equal(qd_map_put(&map, key, 0), QD_OK);
    assert_true(qd_map_next(&map, &cursor, &key_found, &value));
    qd_map_deinit(&map);
    return cursor - 1;
}

static void check_keys(reference *expected, uint64_t salt, rng_stream random)
{
    qd_map map;

    qd_map_init(&map, &heap, salt);
    check_all(&map, expected);
    for (uint32_t round = 0; round < 4; round++) {
        play(&map, expected, &random, 1500, 80);
        play(&map, expected, &random, 1500, 50);
        play(&map, expected, &random, 1500, 15);
    }
    qd_map_deinit(&map);
}

HEAP_TEST(random_keys_agree_with_an_array)
{
    for (uint64_t seed = 1; seed <= 4; seed++) {
        reference expected = {.key_count = KEYS_MAX};
        rng_stream random = {seed};

        for (uint32_t index = 0; index < KEYS_MAX; index++) {
            expected.keys[index] = rng_draw_64(&random);
        }
        check_keys(&expected, seed, random);
    }
}

HEAP_TEST(consecutive_keys_agree_with_an_array)
{
    reference expected = {.key_count = KEYS_MAX};

    /* From zero, and up to the largest; the map treats both ends specially. */
    for (uint32_t index = 0; index < KEYS_MAX; index++) {
        expected.keys[index] = index < KEYS_MAX / 2 ? index : UINT64_MAX - (KEYS_MAX - 1 - index);
    }
    check_keys(&expected, 0, (rng_stream){7});
}

/* All keys belong to the last three entries of a table of 64. So runs are long and wrap around, and removals must close
 * gaps across the edge. The test finds such keys by trying. */
HEAP_TEST(clustered_keys_agree_with_an_array)
{
    reference expected = {.key_count = 0};
    const uint32_t room_for = 50;

    for (uint64_t key = 1; expected.key_count < 48; key++) {
        if (home_of(key, 99, room_for) >= 61) {
            expected.keys[expected.key_count++] = key;
        }
    }
    qd_map map;
    rng_stream random = {3};
    qd_map_init(&map, &heap, 99);
    assert_int_equal(qd_map_reserve(&map, room_for), QD_OK);
    for (uint32_t round = 0; round < 10; round++) {
        play(&map, &expected, &random, 400, 70);
        play(&map, &expected, &random, 400, 30);
    }
    assert_int_equal(map.capacity, 64);
    qd_map_deinit(&map);
}

HEAP_TEST(put_without_memory_changes_nothing)
{
    qd_map map;
    uint64_t value;
    uint32_t put = 0;

    qd_map_init(&map, &heap, 5);
    qd_memory_limit_set(64 * 1024);
    while (qd_map_put(&map, put, put) == QD_OK) {
        put++;
    }
    assert_true(put > 100);
    assert_int_equal(map.count, put);
    for (uint32_t key = 0; key < put; key++) {
        assert_true(qd_map_get(&map, key, &value) && value == key);
    }
    assert_false(qd_map_get(&map, put, &value));
    assert_int_equal(qd_map_put(&map, 0, 17), QD_OK); /* a present key can still be replaced */
    qd_map_deinit(&map);
}

HEAP_TEST(puts_within_a_reserve_allocate_nothing)
{
    qd_map map;

    qd_map_init(&map, &heap, 5);
    assert_int_equal(qd_map_reserve(&map, 10000), QD_OK);
    size_t bytes = heap.bytes;
    for (uint64_t key = 0; key < 10000; key++) {
        assert_int_equal(qd_map_put(&map, key << 32, key), QD_OK);
    }
    assert_int_equal(heap.bytes, bytes);
    qd_map_deinit(&map);
}

HEAP_TEST(trim_gives_memory_back_and_keeps_the_keys)
{
    qd_map map;
    uint64_t value;

    qd_map_init(&map, &heap, 5);
    for (uint64_t key = 0; key < 10000; key++) {
        assert_int_equal(qd_map_put(&map, key == 7 ? UINT64_MAX : key, key), QD_OK);
    }
    const size_t full = heap.bytes;
    qd_map_trim(&map);
    assert_int_equal(heap.bytes, full);
    for (uint64_t key = 100; key < 10000; key++) {
        assert_true(qd_map_remove(&map, key));
    }
    (void)qd_memory_fail(1, 1);
    qd_map_trim(&map); /* without memory it stays as large */
    assert_int_equal(heap.bytes, full);
    (void)qd_memory_fail(0, 0);
    qd_map_trim(&map);
    assert_true(heap.bytes < full / 16);
    for (uint64_t key = 0; key < 100; key++) {
        assert_true(qd_map_get(&map, key == 7 ? UINT64_MAX : key, &value) && value == key);
        assert_true(qd_map_remove(&map, key == 7 ? UINT64_MAX : key));
    }
    qd_map_trim(&map);
    assert_int_equal(heap.bytes, 0);
    assert_int_equal(qd_map_put(&map, 1, 2), QD_OK);
    qd_map_deinit(&map);
}

TEST_MAIN()
