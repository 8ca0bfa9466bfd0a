/* SPDX-License-Identifier: Apache-2.0
 *
 * The memory of a room: little when new, none when destroyed, constant once warm, given back after a burst. A command
 * that exceeds the budget is refused.
 */
#include <string.h>

#include "room/scenario.h"
#include "server/room/common/memory.h"

#define CROWD 400u

TEST(a_new_room_is_small)
{
    play("open");
    assert_in_range(played.heap.bytes, 1, 6 * 1024);
    play_end();
}

/* All move back and forth between two scenes. */
static void move_crowd(uint32_t round)
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
    qd_room_move(played.room, 0, &batch, &refusals);
    assert_int_equal(refusals.count, 0);
}

/* AUTO takes memory when it changes; another plan of the tree may give some back. */
TEST(a_warm_room_takes_no_more_memory)
{
    qd_room_report report;
    uint64_t events = 0;
    size_t warm = 0;

    play("open events_max 100000 index %d; spawn 0..%u 50; subscribe", QD_SPACE_QUADTREE, CROWD - 1);
    for (uint32_t round = 0; round < 40; round++) {
        move_crowd(round);
        qd_room_tick(played.room, &qd_executor_serial, 0);
        while (qd_room_next_report(played.room, &report)) {
            events += report.begins.count + report.ends.count;
        }
        if (round == 8) {
            warm = played.heap.bytes;
        }
        assert_true(round < 8 || played.heap.bytes <= warm);
    }
    assert_true(events > 1000);
    play_end();
}

TEST(a_block_stays_warm_and_shrinks_after_a_burst)
{
    qd_block block = {0};
    qd_heap heap;

    qd_heap_init(&heap);
    assert_non_null(qd_block_fit(&block, &heap, 0));
    assert_int_equal(heap.bytes, 0);
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
        assert_non_null(qd_block_fit(&block, &heap, 0));
    }
    assert_int_equal(heap.bytes, 0);
    memset(qd_block_fit(&block, &heap, 10), 3, 10);
    qd_block_deinit(&block, &heap);
    assert_int_equal(heap.bytes, 0);
    qd_heap_deinit(&heap);
}

/* A point with that id. */
static int spawn(uint32_t id)
{
    float x = (float)(id % 90);
    const qd_room_batch batch = {.count = 1, .id = &id, .x = &x, .y = &x};
    qd_room_refusals refusals;

    qd_room_spawn(played.room, 0, &batch, false, &refusals);
    return refusals.count > 0 ? refusals.code[0] : 0;
}

TEST(a_spent_budget_refuses_and_breaks_nothing)
{
    uint32_t spawned = 0, member;
    qd_room_batch columns;
    qd_status status;
    int refusal;
    bool more;

    play("open entities_max %u", QD_SPACE_SLOTS_MAX);
    qd_memory_limit_set(qd_memory_used() + 300000);
    while (!(refusal = spawn(spawned * 97))) {
        spawned++;
    }
    assert_int_equal(refusal, QD_ROOM_FULL);
    play("stats -> entities %u; move 97 3; move %u 3 -> UNKNOWN_ID", spawned, spawned * 97);
    /* Joining needs little, but in the end it needs something. */
    while ((status = qd_room_join(played.room, &member)) == QD_OK) {
    }
    assert_int_equal(status, QD_ERR_NO_MEMORY);
    assert_int_equal(qd_room_snapshot(played.room, QD_ROOM_ANYBODY, NULL, spawned, &columns, &more), QD_ERR_NO_MEMORY);
    qd_memory_limit_set(0);
    assert_int_equal(qd_room_snapshot(played.room, QD_ROOM_ANYBODY, NULL, spawned, &columns, &more), QD_OK);
    assert_int_equal(columns.count, spawned);
    play("spawn %u 5", spawned * 97);
    qd_room_tick(played.room, &qd_executor_serial, 0);
    play_end();
}

TEST(a_room_that_cannot_be_made_leaves_nothing)
{
    const qd_room_config config = {.space = {.max_x = 100, .max_y = 100}, .entities_max = 1000, .events_max = 1000};
    bool refused = false, made = false;
    qd_heap heap;
    qd_room *room;

    /* The memory runs out at every point there is. */
    for (size_t spare = 1; spare < 6000; spare += 50) {
        qd_heap_init(&heap);
        qd_memory_limit_set(qd_memory_used() + spare);
        qd_status status = qd_room_create(&config, &heap, 1, &room);
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
