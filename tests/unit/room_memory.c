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

/* ---- without any memory ---- */

/* The second try comes a tick after the first, the third one two ticks later. */
SCENARIO(tick_without_memory_suspends_subscriptions,
         "spawn 1 10, 2 40; tick; subscribe; catch up -> A reset;"
         "move 1 40; memory none; tick -> A suspended without memory; tick; memory 0; tick; tick -> A reset begin 1-2;"
         "move 1 10; tick -> A end 1-2 moved apart")

SCENARIO(reset_without_memory_suspends_the_subscription_that_waits_for_it,
         "spawn 1 10, 2 10; tick; subscribe; memory none; catch up -> A suspended without memory;"
         "subscribe; catch up -> A suspended without memory; memory 0; tick; tick -> A reset begin 1-2")

SCENARIO(tick_without_memory_suspends_views,
         "spawn 1 50, 2 52; observe 7 range 9; tick -> A view enter 7:1 7:2;"
         "move 2 90; spawn 3 51; memory none; tick -> A view suspended without memory; tick; memory 0; tick;"
         "tick -> A view reset enter 7:1 7:3; tick")

/* The reset of the watchers fails between ticks, and comes with the next tick. */
SCENARIO(reset_of_watchers_without_memory_waits_for_the_tick,
         "spawn 1 50; observe 7 range 9; tick -> A view enter 7:1;"
         "options all; memory none; catch up; memory 0; tick -> A view reset watchers watch 7:1:A; tick")

/* Views are suspended, and their last observer ends: that is no reason to wait. */
SCENARIO(suspension_without_memory_ends_with_the_last_observer,
         "spawn 1 50; observe 7 range 9; tick -> A view enter 7:1;"
         "spawn 2..90 50; memory none; tick -> A view suspended without memory; unobserve 7; tick -> A view reset;"
         "memory 0; despawn 2..90; observe 7 range 9; tick -> A view enter 7:1")

SCENARIO(what_ends_needs_no_memory,
         "open grace 5 rosters 99; spawn 1..99 10; join -> B; B spawn 101..199 30; subscribe stays; B subscribe own;"
         "observe 1..9 range 90; B observe 1..9 range 90 tier 50 1; options all; name 0 0 1 2 3 -> 1 2 3;"
         "describe 1..20 visible 30 team 1; unread tick; memory none;"
         "B leave 3; unobserve 1..5; unsubscribe; despawn 1..50; move 51..60 20; teleport 61 30; unread tick; expire 9;"
         "stats -> entities 49, members 1; unread tick; despawn all; unread tick; leave; memory 0")

/* ---- memory goes back ---- */

/* Fills a room, empties it, and expects that it is about as small as a new one. */
static void fill_and_empty(const char *filling)
{
    play("open grace 0 rosters 100000 entities_max 100000");
    play("trim");
    const size_t fresh = played.heap.bytes;
    play("%s", filling);
    const size_t full = played.heap.bytes;
    play("leave 1; expire 2; unread tick; trim");
    if (played.heap.bytes > fresh) {
        fail_msg("%zu bytes when new, %zu when full, %zu when empty again: %s", fresh, full, played.heap.bytes,
                 filling);
    }
    assert_true(played.heap.drawn == played.heap.bytes);
    play_end();
}

TEST(an_empty_room_is_as_small_as_a_new_one)
{
    static const char *const fillings[] = {
        "spawn 0..999 10; spawn 1000..1999 20; unread tick",
        "spawn 1000000..1000999 10; unread tick",
        "spawn 0..300 10; subscribe stays; unread tick; move 0..300 50; unread tick",
        "spawn 0..999 10; name 0 0 1 2 3 4 5 6 7 8 -> 1 2 3 4 5 6 7 8; place 0 0 20; unread tick",
        "spawn 0..999 10; describe 0..999 tag 7 visible 1; unread tick",
        "spawn 0..100 10; observe 0..99 range 90; options all; unread tick; unread tick",
        "spawn 0..100 10; observe 0..99 range 90 tier 9 2; unread tick; unread tick",
        "observe 1 range 5; except 1 show 1 2 3 4 5 hide 6 7 8; unread tick",
        "spawn 0..999 10; query box 0 0 100 100",
    };

    for (size_t i = 0; i < sizeof fillings / sizeof fillings[0]; i++) {
        fill_and_empty(fillings[i]);
    }
}

TEST(members_that_left_leave_no_memory)
{
    enum { MEMBERS = 5000 };
    uint32_t member[MEMBERS];

    play("open; trim");
    const size_t fresh = played.heap.bytes;
    for (uint32_t i = 0; i < MEMBERS; i++) {
        assert_int_equal(qd_room_join(played.room, &member[i]), QD_OK);
    }
    for (uint32_t i = 0; i < MEMBERS; i++) {
        qd_room_leave(played.room, member[i], 0);
    }
    qd_room_trim(played.room);
    assert_in_range(played.heap.bytes, 1, fresh);
    assert_int_equal(qd_room_member_end(played.room), 1);
    play("join -> B");
    play_end();
}

TEST_MAIN()
