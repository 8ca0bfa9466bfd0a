/* SPDX-License-Identifier: Apache-2.0
 *
 * Short forms of common commands about views. Observers come one at a time, entities are points at (x, 50).
 */
#ifndef QD_TESTS_UNIT_ROOM_VIEWS_FIXTURE_H
#define QD_TESTS_UNIT_ROOM_VIEWS_FIXTURE_H

#include "room_fixture.h"
#include "server/room/room_views.h"

static inline const qd_room_config *views_config(void)
{
    static const qd_room_config config = {.space = {.max_x = 100, .max_y = 100},
                                          .entities_max = 1000,
                                          .events_max = 1000,
                                          .grace_ns = 50,
                                          .observers_max = 100,
                                          .sightings_max = 1000};

    return &config;
}

/* One observer. Fields that are 0 are absent. */
typedef struct watch {
    uint32_t id;
    uint8_t anchored, sees_self;
    uint32_t entity;
    uint8_t region; /* 0: a circle */
    float x, y;     /* 0: in the middle of the room, (50, 50) */
    float range, half_x, half_y, direction_x, direction_y, angle, leave_margin;
    uint32_t mask; /* 0: all */
    uint32_t limit, enter_budget, team;
    uint32_t tiers;
    const float *relay_range;
    const uint32_t *relay_every;
} watch;

static inline int observe(qd_room *room, uint32_t member, watch how)
{
    qd_room_refusals refusals;

    how.region = how.region ? how.region : QD_ROOM_CIRCLE;
    how.mask = how.mask ? how.mask : UINT32_MAX;
    how.x = how.x != 0 ? how.x : 50;
    how.y = how.y != 0 ? how.y : 50;
    qd_msg_observers batch = {
        .count = 1,
        .id = &how.id,
        .anchored = &how.anchored,
        .region = &how.region,
        .entity = &how.entity,
        .x = &how.x,
        .y = &how.y,
        .range = &how.range,
        .half_x = &how.half_x,
        .half_y = &how.half_y,
        .direction_x = &how.direction_x,
        .direction_y = &how.direction_y,
        .angle = &how.angle,
        .leave_margin = &how.leave_margin,
        .mask = &how.mask,
        .limit = &how.limit,
        .enter_budget = &how.enter_budget,
        .team = &how.team,
        .sees_self = &how.sees_self,
        .tier_count = how.tiers,
        .relay_range = how.relay_range,
        .relay_every = how.relay_every,
    };
    qd_room_observe(room, member, &batch, &refusals);
    return only_refusal(&refusals);
}

static inline int unobserve(qd_room *room, uint32_t member, uint32_t id)
{
    qd_room_refusals refusals;

    qd_room_unobserve(room, member, 1, &id, &refusals);
    return only_refusal(&refusals);
}

static inline int recategorise(qd_room *room, uint32_t member, uint32_t id, uint32_t category)
{
    qd_room_batch batch = {.count = 1, .id = &id, .category = &category};
    qd_room_refusals refusals;

    qd_room_reshape(room, member, &batch, &refusals);
    return only_refusal(&refusals);
}

static inline int hide(qd_room *room, uint32_t member, uint32_t id, uint8_t hidden)
{
    qd_msg_describe batch = {.count = 1, .id = &id, .hidden = &hidden};
    qd_room_refusals refusals;

    qd_room_describe(room, member, &batch, &refusals);
    return only_refusal(&refusals);
}

static inline int set_team(qd_room *room, uint32_t member, uint32_t id, uint32_t team)
{
    qd_msg_describe batch = {.count = 1, .id = &id, .team = &team};
    qd_room_refusals refusals;

    qd_room_describe(room, member, &batch, &refusals);
    return only_refusal(&refusals);
}

static inline int set_visible_range(qd_room *room, uint32_t member, uint32_t id, float range)
{
    qd_msg_describe batch = {.count = 1, .id = &id, .visible_range = &range};
    qd_room_refusals refusals;

    qd_room_describe(room, member, &batch, &refusals);
    return only_refusal(&refusals);
}

/* ---- reports ---- */

static inline qd_room_view_report next_view(qd_room *room)
{
    qd_room_view_report report;

    assert_true(qd_room_next_view(room, &report));
    return report;
}

static inline void no_view(qd_room *room)
{
    qd_room_view_report report;

    assert_false(qd_room_next_view(room, &report));
}

/* `count` entries follow: observer, id, observer, id, ... */
static inline void expect_enters(qd_room_view_report report, uint32_t count, ...)
{
    va_list expected;

    assert_int_equal(report.enter_count, count);
    assert_int_equal(report.enter.count, count);
    va_start(expected, count);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(report.enter_observer[i], va_arg(expected, uint32_t));
        assert_int_equal(report.enter.id[i], va_arg(expected, uint32_t));
    }
    va_end(expected);
}

/* observer, id, reason, ... */
static inline void expect_leaves(qd_room_view_report report, uint32_t count, ...)
{
    va_list expected;

    assert_int_equal(report.leave_count, count);
    va_start(expected, count);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(report.leave_observer[i], va_arg(expected, uint32_t));
        assert_int_equal(report.leave_id[i], va_arg(expected, uint32_t));
        assert_int_equal(report.leave_reason[i], va_arg(expected, uint32_t));
    }
    va_end(expected);
}

/* observer, id, ... */
static inline void expect_relays(qd_room_view_report report, uint32_t count, ...)
{
    va_list expected;

    assert_int_equal(report.relay_count, count);
    va_start(expected, count);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(report.relay_observer[i], va_arg(expected, uint32_t));
        assert_int_equal(report.relay_id[i], va_arg(expected, uint32_t));
    }
    va_end(expected);
}

/* The next tick's report is the only one. */
static inline qd_room_view_report view_at_tick(qd_room *room)
{
    tick(room);
    return next_view(room);
}

static inline void silent_tick(qd_room *room)
{
    tick(room);
    no_view(room);
}

/* The room of a test, and a member of it. */
static room_fixture fixture;
static qd_room *room;
static uint32_t me;

static int set_up(void **state)
{
    (void)state;
    open_room(&fixture, views_config());
    room = fixture.room;
    me = fixture.me;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    close_room(&fixture);
    return 0;
}

#endif
