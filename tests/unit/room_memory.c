/* SPDX-License-Identifier: Apache-2.0
 *
 * The memory of a room: little when new, none when destroyed, constant once warm, given back after a burst. A command
 * that exceeds the budget is refused.
 */
#include "room_fixture.h"

#include "server/room/common/memory.h"
#include "tests/support/test.h"

#define CROWD 400u

TEST(a_new_room_is_small)
{
    room_fixture fixture;

    (void)state;
    open_room(&fixture, default_config());
    assert_in_range(fixture.heap.bytes, 1, 6 * 1024);
    close_room(&fixture);
}

/* All move back and forth between two scenes. */
static void move_crowd(room_fixture *fixture, uint32_t round)
{
    uint32_t id[CROWD];
    float x[CROWD], y[CROWD];
    qd_room_batch batch = {.count = CROWD, .id = id, .x = x, .y = y};
    qd_room_refusals refusals;

    for (uint32_t i = 0; i < CROWD; i++) {
        id[i] = i;
        uint32_t place = (i + 1 + round % 2 * CROWD) * 2654435761u;
        place = (place ^ place >> 15) * 0x85ebca6bu;
        x[i] = (float)(place >> 16) * (100.0f / 65536);
        y[i] = (float)(place & 0xffff) * (100.0f / 65536);
    }
    qd_room_move(fixture->room, fixture->me, &batch, &refusals);
    assert_int_equal(refusals.count, 0);
}

TEST(a_warm_room_takes_no_more_memory)
{
    qd_room_config config = *default_config();
    room_fixture fixture;
    uint64_t events = 0;
    size_t warm = 0;

    (void)state;
    config.events_max = 100000;
    config.space.index = QD_SPACE_QUADTREE; /* AUTO takes memory when it changes */
    open_room(&fixture, &config);
    for (uint32_t i = 0; i < CROWD; i++) {
        assert_int_equal(spawn(fixture.room, fixture.me, i, (float)(i % 100)), 0);
    }
    subscribe(fixture.room, fixture.me);
    for (uint32_t round = 0; round < 40; round++) {
        move_crowd(&fixture, round);
        tick(fixture.room);
        qd_room_report report;
        while (qd_room_next_report(fixture.room, &report)) {
            events += report.begins.count + report.ends.count;
        }
        if (round == 8) {
            warm = fixture.heap.bytes;
        }
        /* Another plan of the tree may give some back. */
        assert_true(round < 8 || fixture.heap.bytes <= warm);
    }
    assert_true(events > 1000);
    close_room(&fixture);
}

TEST(a_block_stays_warm_and_shrinks_after_a_burst)
{
    qd_block block = {0};
    qd_heap heap;

    (void)state;
    qd_heap_init(&heap);
    assert_null(qd_block_fit(&block, &heap, 0));
    char *memory = qd_block_fit(&block, &heap, 100000);
    memset(memory, 1, 100000);
    size_t burst = heap.bytes;
    assert_true((uintptr_t)memory % QD_BLOCK_ALIGNMENT == 0);
    assert_ptr_equal(qd_block_fit(&block, &heap, 3), memory);
    for (int i = 0; i < 200; i++) {
        assert_ptr_equal(qd_block_fit(&block, &heap, 5000), memory);
    }
    assert_true(heap.bytes == burst);
    for (int i = 0; i < 600; i++) {
        memset(qd_block_fit(&block, &heap, 5000), 2, 5000);
    }
    assert_in_range(heap.bytes, 5000, burst / 4);
    for (int i = 0; i < 600; i++) {
        (void)qd_block_fit(&block, &heap, 0);
    }
    assert_int_equal(heap.bytes, 0);
    memset(qd_block_fit(&block, &heap, 10), 3, 10);
    qd_block_deinit(&block, &heap);
    assert_int_equal(heap.bytes, 0);
    qd_heap_deinit(&heap);
}

TEST(a_spent_budget_refuses_and_breaks_nothing)
{
    qd_room_config config = *default_config();
    room_fixture fixture;
    uint32_t spawned = 0, member;
    int refusal = 0;

    (void)state;
    config.entities_max = QD_SPACE_SLOTS_MAX;
    open_room(&fixture, &config);
    qd_memory_limit_set(qd_memory_used() + 300000);
    while (!(refusal = spawn(fixture.room, fixture.me, spawned * 97, (float)(spawned % 90)))) {
        spawned++;
    }
    assert_int_equal(refusal, QD_ROOM_FULL);
    assert_int_equal(stats_of(fixture.room).entities, spawned);
    assert_int_equal(move(fixture.room, fixture.me, 97, 3), 0);
    assert_int_equal(move(fixture.room, fixture.me, spawned * 97, 3), QD_ROOM_UNKNOWN_ID);

    /* Joining needs little, but in the end it needs something. */
    qd_status status;
    while ((status = qd_room_join(fixture.room, &member)) == QD_OK)
        ;
    assert_int_equal(status, QD_ERR_NO_MEMORY);

    qd_room_batch columns;
    bool more;
    assert_int_equal(qd_room_snapshot(fixture.room, QD_ROOM_ANYBODY, NULL, spawned, &columns, &more), QD_ERR_NO_MEMORY);
    qd_memory_limit_set(0);
    assert_int_equal(qd_room_snapshot(fixture.room, QD_ROOM_ANYBODY, NULL, spawned, &columns, &more), QD_OK);
    assert_int_equal(columns.count, spawned);
    assert_int_equal(spawn(fixture.room, fixture.me, spawned * 97, 5), 0);
    tick(fixture.room);
    close_room(&fixture);
}

TEST(a_room_that_cannot_be_made_leaves_nothing)
{
    qd_heap heap;
    qd_room *room;

    (void)state;
    bool refused = false, made = false;

    /* The memory runs out at every point there is. */
    for (size_t spare = 1; spare < 6000; spare += 50) {
        qd_heap_init(&heap);
        qd_memory_limit_set(qd_memory_used() + spare);
        qd_status status = qd_room_create(default_config(), &heap, 1, &room);
        if (status == QD_OK) {
            qd_room_destroy(room);
        } else {
            assert_int_equal(status, QD_ERR_NO_MEMORY);
        }
        refused |= status != QD_OK;
        made |= status == QD_OK;
        assert_int_equal(heap.bytes, 0);
        qd_heap_deinit(&heap);
    }
    qd_memory_limit_set(0);
    assert_true(refused && made);
}

TEST_MAIN()
