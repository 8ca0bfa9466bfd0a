/* SPDX-License-Identifier: Apache-2.0
 *
 * Entities that are seen as far as their visible range, while the spatial join is in use. The model test and
 * room_kept_views compare many more with brute force.
 */
#include "server/room/room_views.h"
#include "server/room/state.h"
#include "server/room/views/join/join.h"
#include "server/room/views/join/join_shown.h"

#include "tests/support/test.h"

enum { WATCHER = 1, OTHER = 2 };

typedef struct scene {
    qd_heap heap;
    qd_room *room;
    uint32_t member;
} scene;

/* A room in which an observer with a range of 6 is at the entity WATCHER. */
static void begin(scene *s, const uint32_t *shown, uint32_t shown_count)
{
    static const float axis_x[] = {10, 12}, axis_y[] = {10, 10}, range = 6;
    static const uint32_t id[] = {WATCHER, OTHER};
    const qd_room_config config = {.space = {.max_x = 100, .max_y = 100, .dimensions = 2},
                                   .entities_max = 10,
                                   .events_max = 100,
                                   .observers_max = 10,
                                   .visible_entries_max = 100};
    const qd_room_batch batch = {.count = 2, .id = id, .x = axis_x, .y = axis_y};
    const uint32_t limit = shown_count > 0 ? shown_count - 1 : 0;
    const qd_msg_observers observers = {.count = 1, .id = id, .entity = id, .range = &range, .limit = &limit};
    qd_room_refusals refusals;

    qd_heap_init(&s->heap);
    assert_int_equal(qd_room_create(&config, &s->heap, 1, &s->room), QD_OK);
    assert_int_equal(qd_room_join(s->room, &s->member), QD_OK);
    qd_room_spawn(s->room, s->member, &batch, false, &refusals);
    assert_int_equal(refusals.count, 0);
    qd_room_observe(s->room, s->member, &observers, &refusals);
    assert_int_equal(refusals.count, 0);
    assert_int_equal(qd_room_except(s->room, s->member, WATCHER, shown_count, shown, 0, NULL), QD_OK);
    s->room->views.join_tuning.always = true;
}

static void end(scene *s)
{
    qd_room_destroy(s->room);
    qd_heap_deinit(&s->heap);
}

static void set_range(scene *s, float visible_range)
{
    const uint32_t id = OTHER;
    qd_room_refusals refusals;

    qd_room_describe(s->room, s->member,
                     &(qd_msg_set_description){.count = 1, .id = &id, .visible_range = &visible_range}, &refusals);
    assert_int_equal(refusals.count, 0);
}

static void move(scene *s, float x)
{
    const uint32_t id = OTHER;
    const float y = 10;
    qd_room_refusals refusals;

    qd_room_move(s->room, s->member, &(qd_room_batch){.count = 1, .id = &id, .x = &x, .y = &y}, &refusals);
    assert_int_equal(refusals.count, 0);
}

/* Ticks. What enters counts 1, what leaves 10. */
static uint32_t tick(scene *s)
{
    qd_room_view_report report;
    uint32_t sum = 0;

    qd_room_tick(s->room, &qd_executor_serial, 0);
    while (qd_room_next_view(s->room, &report)) {
        sum += report.enter_count + 10 * report.leave_count;
    }
    return sum;
}

static bool is_derived(const scene *s)
{
    return s->room->views.uses_join && s->room->views.observers[0].is_derived;
}

/* It was in the region, is far outside it now, and can be seen from there. */
TEST(one_that_jumps_out_of_a_region_stays_in_view)
{
    scene s;

    (void)state;

    begin(&s, NULL, 0);
    assert_int_equal(tick(&s), 1);
    assert_int_equal(tick(&s), 0);
    assert_true(is_derived(&s));
    set_range(&s, 50);
    move(&s, 40);
    assert_int_equal(tick(&s), 0);
    move(&s, 70);
    assert_int_equal(tick(&s), 10);
    assert_true(is_derived(&s));
    end(&s);
}

TEST(its_range_comes_and_goes)
{
    scene s;

    (void)state;

    begin(&s, NULL, 0);
    move(&s, 40);
    assert_int_equal(tick(&s), 0);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(tick(&s), 0);
        set_range(&s, 30);
        assert_int_equal(tick(&s), 1);
        set_range(&s, 29.9f);
        assert_int_equal(tick(&s), 10);
        set_range(&s, 30);
        assert_int_equal(tick(&s), 1);
        set_range(&s, 0);
        assert_int_equal(tick(&s), 10);
    }
    assert_true(is_derived(&s));
    end(&s);
}

TEST(one_that_despawns_leaves)
{
    const uint32_t id = OTHER;
    qd_room_refusals refusals;
    scene s;

    (void)state;

    begin(&s, NULL, 0);
    move(&s, 40);
    set_range(&s, 50);
    assert_int_equal(tick(&s), 1);
    assert_int_equal(tick(&s), 0);
    qd_room_despawn(s.room, s.member, &(qd_room_batch){.count = 1, .id = &id}, &refusals);
    assert_int_equal(tick(&s), 10);
    assert_int_equal(tick(&s), 0);
    end(&s);
}

/* The list `show` is longer than the limit, so the observer keeps entries. */
TEST(views_with_entries_see_it)
{
    static const uint32_t shown[] = {WATCHER, 1000, 1001}; /* itself, and two that are not there */
    scene s;

    (void)state;

    begin(&s, shown, sizeof shown / sizeof shown[0]);
    move(&s, 40);
    assert_int_equal(tick(&s), 1); /* itself */
    set_range(&s, 30);
    assert_int_equal(tick(&s), 1);
    assert_true(s.room->views.uses_join && !is_derived(&s));
    move(&s, 41);
    assert_int_equal(tick(&s), 10);
    move(&s, 40);
    assert_int_equal(tick(&s), 1);
    set_range(&s, 0);
    assert_int_equal(tick(&s), 10);
    end(&s);
}

TEST_MAIN()
