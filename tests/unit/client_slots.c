/* SPDX-License-Identifier: Apache-2.0
 *
 * Views whose positions come by slots: each position reaches all views of the entity, and frames that contradict the
 * slots are refused.
 */
#include <string.h>

#include "quadrille.h"
#include "tests/support/test.h"

#define LIST(...) ((const uint32_t[]){__VA_ARGS__})
#define AT(...)   ((const float[]){__VA_ARGS__})

/* A run of slots 0 and 1, which change by (1, 0) and (0, -1) steps; and of slots 0 to 2. */
static const uint8_t two[] = {0x11, 0, 2, 0x12, 0x02, 0x02, 0, 0, 0, 0};
static const uint8_t three[] = {0x11, 0, 3, 0x00, 0, 0, 0, 0};

static uint32_t relays;
static float relayed_x[3]; /* by observer */
static float left_x;

static void on_relay(const qd_view_entity *entity, void *context)
{
    (void)context;
    relays++;
    relayed_x[entity->observer] = entity->x;
}

static void on_leave(const qd_view_entity *entity, qd_leave_reason reason, void *context)
{
    (void)reason;
    (void)context;
    left_x = entity->x;
}

/* Observer 1 sees 7 and 8, observer 2 sees 7. Steps are a quarter. */
static qd_msg_view enters(void)
{
    static const uint32_t observer[] = {1, 1, 2}, id[] = {7, 8, 7}, slot_and_1[] = {1, 2, 0};
    static const float x[] = {1, 2, 1}, y[] = {3, 4, 3};

    return (qd_msg_view){.tick = 1,
                         .last = true,
                         .enter_count = 3,
                         .enter_observer = observer,
                         .enter = {.count = 3, .id = id, .x = x, .y = y},
                         .enter_slot = slot_and_1,
                         .has_relay_k = true,
                         .relay_k = 2};
}

static qd_msg_view blob(uint64_t tick, const uint8_t *bytes, size_t size)
{
    return (qd_msg_view){.tick = tick, .last = true, .has_relay_k = true, .relay_k = 2, .relay = {size, bytes}};
}

static void apply(qd_view *view, qd_msg_view frame)
{
    assert_int_equal(qd_view_apply(view, &frame), QD_CLIENT_OK);
}

static qd_view *view_of_three(void)
{
    qd_view *view = qd_view_create(&(qd_view_handlers){.relay = on_relay});

    relays = 0;
    apply(view, enters());
    return view;
}

static void expect_at(const qd_view *view, uint32_t observer, uint32_t id, float x, float y, uint64_t placed)
{
    const qd_view_entity *entity = qd_view_find(view, observer, id);

    assert_non_null(entity);
    assert_true(entity->x == x && entity->y == y && entity->z == 0);
    assert_int_equal(entity->placed, placed);
}

TEST(blob_reaches_all_views_of_an_entity)
{
    qd_view *view = view_of_three();

    apply(view, blob(2, two, sizeof two));
    expect_at(view, 1, 7, 1.25f, 3, 2);
    expect_at(view, 2, 7, 1.25f, 3, 2);
    expect_at(view, 1, 8, 2, 3.75f, 2);
    assert_int_equal(relays, 3);
    assert_true(relayed_x[1] == 2 || relayed_x[1] == 1.25f); /* of 7 and of 8 */
    assert_true(relayed_x[2] == 1.25f);
    qd_view_destroy(view);
}

TEST(position_of_an_enter_counts_until_the_next_relay)
{
    qd_view *view = qd_view_create(&(qd_view_handlers){.leave = on_leave});
    qd_msg_view frame = enters();

    apply(view, frame);
    apply(view, blob(2, two, sizeof two));
    frame.tick = 3;
    frame.enter_count = frame.enter.count = 1;
    frame.enter_observer = LIST(3);
    frame.enter.x = AT(9);
    frame.enter.y = AT(8);
    frame.enter_slot = LIST(0);
    apply(view, frame);
    expect_at(view, 3, 7, 9, 8, 3);
    expect_at(view, 1, 7, 1.25f, 3, 2);
    apply(view, blob(4, two, sizeof two));
    const float x = qd_view_find(view, 1, 7)->x;
    expect_at(view, 3, 7, x, 3, 4);
    assert_true(x != 1.25f);
    apply(view, (qd_msg_view){.tick = 5,
                              .last = true,
                              .leave_count = 1,
                              .leave_observer = LIST(2),
                              .leave_id = LIST(7),
                              .leave_reason = (const uint8_t[]){QD_LEAVE_RANGE}});
    assert_true(left_x == x); /* nobody has read it since the last relay */
    qd_view_destroy(view);
}

TEST(exact_entry_restarts_its_slot)
{
    qd_view *view = view_of_three();
    qd_msg_view frame = blob(2, NULL, 0);

    apply(view, blob(2, two, sizeof two));
    frame.tick = 3;
    frame.exact_count = 1;
    frame.exact_slot = LIST(0);
    frame.exact_x = AT(50.1f);
    frame.exact_y = AT(-60);
    apply(view, frame);
    expect_at(view, 1, 7, 50.1f, -60, 3);
    expect_at(view, 2, 7, 50.1f, -60, 3);
    expect_at(view, 1, 8, 2, 3.75f, 2);
    apply(view, blob(4, two, sizeof two));
    expect_at(view, 2, 7, 50.25f, -60, 4); /* from the step below 50.1 */
    qd_view_destroy(view);
}

TEST(entity_keeps_its_slot_until_its_last_view_ends)
{
    qd_view *view = view_of_three();

    apply(view, (qd_msg_view){.tick = 2,
                              .last = true,
                              .leave_count = 1,
                              .leave_observer = LIST(1),
                              .leave_id = LIST(7),
                              .leave_reason = (const uint8_t[]){QD_LEAVE_RANGE}});
    apply(view, blob(3, two, sizeof two));
    expect_at(view, 2, 7, 1.25f, 3, 3);
    assert_int_equal(relays, 2);
    qd_msg_view frame = enters();
    frame.tick = 4;
    frame.leave_count = 1;
    frame.leave_observer = LIST(2);
    frame.leave_id = LIST(7);
    frame.leave_reason = (const uint8_t[]){QD_LEAVE_RANGE};
    frame.enter_count = frame.enter.count = 1;
    frame.enter.id = LIST(9);
    apply(view, frame); /* 9 gets the slot of 7 */
    apply(view, blob(5, two, sizeof two));
    expect_at(view, 1, 9, 1.25f, 3, 5);
    qd_view_destroy(view);
}

TEST(precision_may_change_with_a_reset)
{
    qd_view *view = view_of_three();
    qd_msg_view frame = enters();

    frame.tick = 2;
    frame.reset = true;
    frame.relay_k = 0;
    apply(view, frame);
    frame = blob(3, two, sizeof two);
    frame.relay_k = 0;
    apply(view, frame);
    expect_at(view, 2, 7, 2, 3, 3);
    frame = enters();
    frame.tick = 4;
    frame.reset = true;
    frame.enter_slot = NULL;
    frame.has_relay_k = false;
    frame.relay_k = 0;
    apply(view, frame); /* a relay per observer again */
    assert_int_equal(qd_view_count(view), 3);
    qd_view_destroy(view);
}

static void expect_contradiction(qd_view *view, qd_msg_view frame)
{
    assert_int_equal(qd_view_apply(view, &frame), QD_CLIENT_ERR_PROTOCOL);
    assert_true(qd_view_suspended(view));
    assert_int_equal(qd_view_count(view), 0);
    frame = enters();
    frame.tick = 9;
    frame.reset = true;
    apply(view, frame);
    apply(view, blob(10, two, sizeof two));
    expect_at(view, 2, 7, 1.25f, 3, 10);
    qd_view_destroy(view);
}

TEST(frames_that_contradict_the_slots_are_refused)
{
    qd_msg_view frame = blob(2, three, sizeof three); /* a slot that nothing has */

    expect_contradiction(view_of_three(), frame);
    frame = blob(2, two, sizeof two - 1);
    expect_contradiction(view_of_three(), frame);
    frame = blob(2, two, sizeof two);
    frame.relay_k = 3;
    expect_contradiction(view_of_three(), frame);
    frame = blob(2, NULL, 0);
    frame.exact_count = 1;
    frame.exact_slot = LIST(1u << 31);
    frame.exact_x = frame.exact_y = AT(1);
    expect_contradiction(view_of_three(), frame);

    frame = enters();
    frame.tick = 2;
    frame.enter_count = frame.enter.count = 1;
    frame.enter.id = LIST(9);
    expect_contradiction(view_of_three(), frame); /* a slot in use */
    frame.enter_slot = LIST((1u << 24) + 1);
    expect_contradiction(view_of_three(), frame);
    frame.enter_slot = NULL; /* no slot for a new entity */
    expect_contradiction(view_of_three(), frame);
    frame.enter_slot = LIST(3);
    frame.relay_k = 4;
    expect_contradiction(view_of_three(), frame);
    frame.relay_k = 2;
    frame.enter_observer = LIST(5);
    frame.enter.id = LIST(8);
    expect_contradiction(view_of_three(), frame); /* a second slot */
    frame = enters();
    frame.relay_k = 21;
    expect_contradiction(qd_view_create(NULL), frame);
    expect_contradiction(qd_view_create(NULL), blob(1, two, sizeof two));
}

TEST_MAIN()
