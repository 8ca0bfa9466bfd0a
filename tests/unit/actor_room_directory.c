/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "server/actor/service/room_directory.h"
#include "support/rng.h"
#include "tests/support/test.h"

static qd_room_directory directory;

static int setup(void **state)
{
    (void)state;
    qd_room_directory_init(&directory, 1000);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    while (directory.count > 0) {
        qd_room_directory_remove(&directory, directory.by_name[0]);
    }
    qd_room_directory_deinit(&directory);
    return 0;
}

static void name(qd_room_entry *entry, const char *text)
{
    snprintf(entry->name, sizeof entry->name, "%s", text);
}

TEST_WITH(name_finds_its_room, setup, teardown)
{
    static qd_room_entry rooms[4];
    const char *names[4] = {"b", "a", "\xc3\xa4", "ab"};

    for (int i = 0; i < 4; i++) {
        name(&rooms[i], names[i]);
        assert_int_equal(qd_room_directory_add(&directory, &rooms[i]), QD_OK);
        assert_true(rooms[i].listed);
    }
    assert_ptr_equal(qd_room_directory_find(&directory, "ab"), &rooms[3]);
    assert_null(qd_room_directory_find(&directory, "abc"));
    assert_null(qd_room_directory_find(&directory, ""));
    /* In byte order: a, ab, b, ä. */
    assert_ptr_equal(directory.by_name[0], &rooms[1]);
    assert_ptr_equal(directory.by_name[3], &rooms[2]);
    assert_int_equal(qd_room_directory_after(&directory, ""), 0);
    assert_int_equal(qd_room_directory_after(&directory, "a"), 1);
    assert_int_equal(qd_room_directory_after(&directory, "aa"), 1);
    assert_int_equal(qd_room_directory_after(&directory, "\xc3\xa4"), 4);

    qd_room_directory_remove(&directory, &rooms[3]);
    assert_false(rooms[3].listed);
    assert_null(qd_room_directory_find(&directory, "ab"));
    assert_ptr_equal(qd_room_directory_find(&directory, "b"), &rooms[0]);
}

TEST_WITH(room_above_the_limit_is_refused, setup, teardown)
{
    static qd_room_entry rooms[1001];

    for (int i = 0; i < 1001; i++) {
        snprintf(rooms[i].name, sizeof rooms[i].name, "room %d", i);
        assert_int_equal(qd_room_directory_add(&directory, &rooms[i]), i < 1000 ? QD_OK : QD_ERR_FULL);
    }
    qd_room_directory_remove(&directory, &rooms[17]);
    assert_int_equal(qd_room_directory_add(&directory, &rooms[1000]), QD_OK);
}

static int compare(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

    return (left > right) - (left < right);
}

TEST_WITH(handle_is_never_used_again, setup, teardown)
{
    enum { ROOMS = 50, ROUNDS = 200 };
    static qd_room_entry rooms[ROOMS];
    static uint64_t handles[ROOMS * ROUNDS];
    size_t count = 0;
    rng_stream rng = {1};
    for (int i = 0; i < ROOMS; i++) {
        snprintf(rooms[i].name, sizeof rooms[i].name, "room %d", i);
    }
    while (count < ROOMS * ROUNDS) {
        qd_room_entry *room = &rooms[rng_below(&rng, ROOMS)];

        if (room->listed) {
            qd_room_directory_remove(&directory, room);
        } else {
            assert_int_equal(qd_room_directory_add(&directory, room), QD_OK);
            handles[count++] = room->handle;
        }
    }
    qsort(handles, count, sizeof *handles, compare);
    assert_true(handles[0] > 0);
    for (size_t i = 1; i < count; i++) {
        assert_true(handles[i] != handles[i - 1]);
    }
    assert_true(handles[count - 1] < UINT64_C(1) << 53);
}

/* After its last generation a slot is not used any more, and the handle before was still below 2^53. */
TEST_WITH(slot_without_handles_is_not_reused, setup, teardown)
{
    static qd_room_entry room;

    name(&room, "room");
    assert_int_equal(qd_room_directory_add(&directory, &room), QD_OK);
    uint64_t slot = room.handle & (QD_ROOM_DIRECTORY_ROOMS_MAX - 1);
    qd_room_directory_remove(&directory, &room);

    directory.generations[slot] = QD_ROOM_DIRECTORY_GENERATION_MAX - 1;
    assert_int_equal(qd_room_directory_add(&directory, &room), QD_OK);
    assert_int_equal(room.handle >> QD_ROOM_DIRECTORY_SLOT_BITS, QD_ROOM_DIRECTORY_GENERATION_MAX);
    assert_true(room.handle < UINT64_C(1) << 53);
    qd_room_directory_remove(&directory, &room);

    assert_int_equal(qd_room_directory_add(&directory, &room), QD_OK);
    assert_true((room.handle & (QD_ROOM_DIRECTORY_ROOMS_MAX - 1)) != slot);
}

TEST_MAIN()
