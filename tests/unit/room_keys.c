/* SPDX-License-Identifier: Apache-2.0
 *
 * A room's salt is the key of its hash of cells, in HASH and SPARSE. (unit/space_keys shows what the key is for.)
 */
#define QD_AXES 2

#include <string.h>

#include "server/room/room.h"
#include "server/room/state.h"
#include "server/space/grid/hash.h"
#include "server/space/tree/sparse/sparse.h"
#include "server/space/upkeep.h"
#include "tests/support/test.h"

#define ENTITIES 2000u
#define TICKS    40u

static void tick(qd_room *room)
{
    qd_room_report report;

    qd_room_tick(room, &qd_executor_serial, 0);
    while (qd_room_next_report(room, &report)) {
        continue;
    }
}

/* Entities that come, spread, move and go, so that the index plans again. */
static void play(qd_room *room)
{
    static uint32_t id[ENTITIES];
    static float x[ENTITIES];
    const qd_room_batch batch = {.count = ENTITIES, .id = id, .x = x, .y = x};
    qd_room_refusals refusals;
    uint32_t member;

    assert_int_equal(qd_room_join(room, &member), QD_OK);
    for (uint32_t i = 0; i < ENTITIES; i++) {
        id[i] = i;
        x[i] = (float)i * 50; /* most are far out of bounds */
    }
    qd_room_subscribe(room, member, (qd_room_interest){.own_only = false});
    qd_room_spawn(room, member, &batch, false, &refusals);
    assert_int_equal(refusals.count, 0);
    for (uint32_t t = 0; t < TICKS; t++) {
        for (uint32_t i = 0; i < ENTITIES; i++) {
            x[i] += (float)(i % 7) * 10;
        }
        tick(room);
        qd_room_move(room, member, &batch, &refusals);
    }
    qd_room_despawn(room, member, &(qd_room_batch){.count = ENTITIES - 1, .id = id}, &refusals);
    for (uint32_t t = 0; t < TICKS; t++) {
        tick(room);
    }
}

static qd_mixer mixer_of(const qd_room *room, qd_space_index kind)
{
    const qd_index *index = ((const space_nd *)room->entities.space)->index;

    return kind == QD_SPACE_HASH ? ((const qd_hash *)index)->pool.mixer : ((const qd_sparse *)index)->cells.mixer;
}

/* The mixers of a room with that salt: of the first plan, and of a later one. */
static void get_mixers(qd_space_index kind, uint64_t salt, qd_mixer mixers[2])
{
    const qd_room_config config = {
        .space = {.dimensions = 2, .max_x = 1000, .max_y = 1000, .index = kind},
        .entities_max = ENTITIES,
        .events_max = ENTITIES,
        .observers_max = 1,
        .visible_entries_max = 1,
    };
    qd_room *room;
    qd_heap heap;

    qd_heap_init(&heap);
    assert_int_equal(qd_room_create(&config, &heap, salt, &room), QD_OK);
    mixers[0] = mixer_of(room, kind);
    play(room);
    mixers[1] = mixer_of(room, kind);
    qd_room_destroy(room);
    qd_heap_deinit(&heap);
}

TEST(salt_of_a_room_is_the_key_of_its_cells)
{
    static const qd_space_index kinds[] = {QD_SPACE_HASH, QD_SPACE_SPARSE};

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        qd_mixer a[2], b[2];

        get_mixers(kinds[i], 1, a);
        get_mixers(kinds[i], 2, b);
        assert_memory_not_equal(&a[0], &b[0], sizeof *a);
        assert_memory_not_equal(&a[1], &b[1], sizeof *a);
    }
}

TEST_MAIN()
