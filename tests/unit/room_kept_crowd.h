/* SPDX-License-Identifier: Apache-2.0
 *
 * For room_kept_views.c: a crowd with observers that walks in a room. A run's rules say which regions, limits and lists
 * the observers have; a seed draws the rest. Brute force reads from the crowd what the test has told the room.
 */
#ifndef QD_TESTS_UNIT_ROOM_KEPT_CROWD_H
#define QD_TESTS_UNIT_ROOM_KEPT_CROWD_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "server/room/room_views.h"
#include "server/room/state.h"
#include "server/room/views/join/join.h"
#include "support/rng.h"
#include "tests/support/test.h"

enum { ENTITIES = 900, OBSERVERS = 32, HIDDEN = 30, SHOWN = 40, SHOWN_MANY = 1024, TIERS_MAX = 3 };
enum { BEACON_EVERY = 40, FEW_BEACONS_EVERY = 300 };
enum { BYTES_MAX = 10000, BYTES_MAX_WITH_MORE = 21000, BYTES_MAX_OF_SHORT = 13000, BURST = 30 };

static const float side = 52, range = 6; /* about 38 in range */

/* Which rules a run has. */
enum {
    LIMIT = 1,
    MARGIN = 2,
    BUDGET = 4,
    TIERS = 8,
    HIDE = 16,
    BOXES = 32,
    CONES = 64,
    TEAMS = 128,
    ONCE = 256,     /* the member gets each position once */
    COARSE = 512,   /* positions are multiples of a quarter, so that many are equally far */
    JUMPS = 1024,   /* some entities go far at times, */
    CHANGES = 2048, /* and some observers change at times */
    BYTES = 4096,   /* the member gets few bytes at a tick; at times many entities go far */
    BEACONS = 8192, /* some entities have a visible range, at times another one */
    SHOW = 16384,   /* observers show some entities, and ids that are not in the room; */
    MANY = 32768,   /* a few of them, very many */
    SHORT = 65536,  /* with BYTES: they suffice for enters, but not for the positions, which have short periods */
};

typedef struct observer {
    uint32_t limit, budget, team, tiers;
    float margin, angle, direction[3];
    float relay_range[TIERS_MAX];
    uint32_t relay_every[TIERS_MAX];
    uint8_t kind; /* qd_region */
    bool hides;
    uint32_t shown_count, shown[SHOWN_MANY];
} observer;

typedef struct crowd {
    qd_heap heap;
    qd_room *room;
    uint32_t member, rules;
    unsigned axes;
    rng_stream rng;
    observer observers[OBSERVERS];
    uint32_t hidden[HIDDEN];
    float at[ENTITIES][3], speed[ENTITIES][3];
    float visible_range[ENTITIES];
    bool moved[ENTITIES];
    bool seen[OBSERVERS][ENTITIES], reported[OBSERVERS][ENTITIES];
    bool is[OBSERVERS][ENTITIES]; /* chosen at this tick, before bytes are spent */
    bool changed[OBSERVERS][ENTITIES], relayed[OBSERVERS][ENTITIES];
    bool waits[OBSERVERS][ENTITIES]; /* its turn has come, and bytes hold back its relay */
    uint32_t held;                   /* the first that was held back last: its observer times ENTITIES, and its id */
    uint32_t bytes_max;              /* of the member; 0: no limit */
    uint64_t bytes_left, bytes_left_reported;
} crowd;

/* ---- the room ---- */

static inline float placed(const crowd *c, float at)
{
    return c->rules & COARSE ? roundf(4 * at) / 4 : at;
}

static inline void spawn(crowd *c)
{
    uint32_t id[ENTITIES];
    float axis[3][ENTITIES];
    qd_room_refusals refusals;

    for (uint32_t i = 0; i < ENTITIES; i++) {
        id[i] = i;
        for (unsigned k = 0; k < c->axes; k++) {
            c->at[i][k] = axis[k][i] = placed(c, rng_between(&c->rng, 0, k < 2 ? side : 4));
            c->speed[i][k] = rng_between(&c->rng, -0.3f, 0.3f);
        }
    }
    qd_room_spawn(
        c->room, c->member,
        &(qd_room_batch){.count = ENTITIES, .id = id, .x = axis[0], .y = axis[1], .z = c->axes == 3 ? axis[2] : NULL},
        false, &refusals);
    assert_int_equal(refusals.count, 0);
    for (uint32_t i = 0; i < ENTITIES && c->rules & TEAMS; i++) {
        const uint32_t team = i % 3;

        qd_room_describe(c->room, c->member, &(qd_msg_set_description){.count = 1, .id = &i, .team = &team}, &refusals);
        assert_int_equal(refusals.count, 0);
    }
}

static inline observer drawn(crowd *c)
{
    static const uint32_t limits[] = {1, 2, 16, 30, 38, 50, 300}, periods[] = {1, 2, 3, 5, 7, 4, 6, 11, 9, 8, 10};
    observer o = {.angle = rng_between(&c->rng, 0.2f, 3)};

    o.limit = c->rules & LIMIT ? limits[rng_below(&c->rng, 7)] : 0;
    o.margin = c->rules & MARGIN ? rng_between(&c->rng, 0, 2) : 0;
    o.budget = c->rules & BUDGET ? 1 + rng_below(&c->rng, 4) : 0;
    o.team = c->rules & TEAMS ? rng_below(&c->rng, 3) : 0;
    o.hides = c->rules & HIDE;
    o.kind = c->rules & BOXES ? QD_REGION_BOX : c->rules & CONES ? QD_REGION_CONE : QD_REGION_CIRCLE;
    o.tiers = c->rules & TIERS ? 1 + rng_below(&c->rng, TIERS_MAX) : 0;
    for (uint32_t tier = 0; tier < o.tiers; tier++) {
        o.relay_range[tier] = (float)(tier + 1) * (c->rules & SHORT ? 5 : 2.5f);
        o.relay_every[tier] = periods[rng_below(&c->rng, c->rules & SHORT ? 2 : 11)];
    }
    if (o.tiers == 1 && rng_one_in(&c->rng, 2)) { /* all in the region at each tick */
        o.relay_range[0] = 2 * (range + o.margin);
        o.relay_every[0] = 1;
    }
    for (unsigned k = 0; k < c->axes; k++) {
        o.direction[k] = rng_between(&c->rng, -1, 1);
    }
    o.shown_count = c->rules & SHOW ? rng_below(&c->rng, rng_one_in(&c->rng, 4) ? SHOWN + 1 : 7) : 0;
    if (c->rules & MANY && rng_one_in(&c->rng, 6)) {
        o.shown_count = rng_one_in(&c->rng, 2) ? SHOWN_MANY : rng_below(&c->rng, SHOWN_MANY + 1);
    }
    for (uint32_t n = 0; n < o.shown_count; n++) { /* some are near, some are there twice */
        o.shown[n] = rng_below(&c->rng, rng_one_in(&c->rng, 3) ? OBSERVERS : ENTITIES + ENTITIES / 8);
    }
    return o;
}

static inline void observe(crowd *c, uint32_t i, const observer *o)
{
    const float half = range;
    qd_room_refusals refusals;
    qd_msg_observers batch = {.count = 1,
                              .id = &i,
                              .entity = &i,
                              .region = &o->kind,
                              .limit = &o->limit,
                              .leave_margin = &o->margin,
                              .enter_budget = &o->budget,
                              .team = &o->team,
                              .tier_count = o->tiers,
                              .relay_range = o->relay_range,
                              .relay_every = o->relay_every};

    batch.range = o->kind == QD_REGION_BOX ? NULL : &range;
    batch.half_x = batch.half_y = batch.half_z = o->kind == QD_REGION_BOX ? &half : NULL;
    if (o->kind == QD_REGION_CONE) {
        batch.angle = &o->angle;
        batch.direction_x = &o->direction[0];
        batch.direction_y = &o->direction[1];
        batch.direction_z = &o->direction[2];
    }
    qd_room_observe(c->room, c->member, &batch, &refusals);
    assert_int_equal(refusals.count, 0);
    if (c->rules & (HIDE | SHOW)) {
        const uint32_t hidden = o->hides ? HIDDEN : 0;

        assert_int_equal(qd_room_except(c->room, c->member, i, o->shown_count, o->shown, hidden, c->hidden), QD_OK);
    }
}

/* Whether it may get another visible range before this tick. */
static inline bool is_light(const crowd *c, uint32_t e, uint32_t tick)
{
    return c->rules & BEACONS && e % (c->rules & JUMPS ? FEW_BEACONS_EVERY : BEACON_EVERY) == 0 && tick % 5 == 4;
}

/* Some have a range, some have none any more. */
static inline void light(crowd *c, uint32_t tick)
{
    qd_room_refusals refusals;

    for (uint32_t e = 0; e < ENTITIES; e++) {
        if (!is_light(c, e, tick) || rng_one_in(&c->rng, 3)) {
            continue;
        }
        c->visible_range[e] = rng_one_in(&c->rng, 3) ? 0 : placed(c, rng_between(&c->rng, 0.25f, side / 2));
        const qd_msg_set_description one = {.count = 1, .id = &e, .visible_range = &c->visible_range[e]};
        qd_room_describe(c->room, c->member, &one, &refusals);
        assert_int_equal(refusals.count, 0);
    }
}

static inline uint32_t bytes_by(uint32_t rules)
{
    return !(rules & BYTES)            ? 0
           : rules & SHORT             ? BYTES_MAX_OF_SHORT
           : rules & (TIERS | BEACONS) ? BYTES_MAX_WITH_MORE
                                       : BYTES_MAX;
}

static inline void limit_bytes(crowd *c, uint32_t bytes)
{
    c->bytes_max = bytes;
    qd_room_view_options_set(c->room, c->member,
                             (qd_room_view_options){.relays_once = (c->rules & ONCE) != 0, .bytes_max = bytes});
}

static inline crowd *begin(uint32_t rules, unsigned axes, uint64_t seed, const qd_join_kernel *kernel)
{
    crowd *c = calloc(1, sizeof *c);
    const qd_room_config config = {
        .space = {.max_x = side, .max_y = side, .max_z = axes == 3 ? 4 : 0, .dimensions = axes},
        .entities_max = ENTITIES,
        .events_max = 1u << 20,
        .observers_max = OBSERVERS,
        .visible_entries_max = 1u << 20,
    };

    c->rules = rules;
    c->axes = axes;
    c->rng.state = seed;
    qd_heap_init(&c->heap);
    assert_int_equal(qd_room_create(&config, &c->heap, 1, &c->room), QD_OK);
    assert_int_equal(qd_room_join(c->room, &c->member), QD_OK);
    limit_bytes(c, bytes_by(rules));
    spawn(c);
    light(c, 4);
    for (uint32_t i = 0; i < HIDDEN; i++) {
        c->hidden[i] = rng_below(&c->rng, ENTITIES);
    }
    for (uint32_t i = 0; i < OBSERVERS; i++) {
        c->observers[i] = drawn(c);
        observe(c, i, &c->observers[i]);
    }
    c->room->views.join_tuning = (qd_join_tuning){.always = true, .kernel = kernel};
    return c;
}

static inline void end(crowd *c)
{
    qd_room_destroy(c->room);
    assert_int_equal(c->heap.bytes, 0);
    qd_heap_deinit(&c->heap);
    free(c);
}

/* Two thirds of the entities move. */
static inline void walk(crowd *c, uint32_t tick)
{
    const bool bursts = c->rules & BYTES && !(c->rules & SHORT && c->rules & CHANGES);
    const uint32_t far = bursts && tick % BURST == BURST - 1 ? 4 : c->rules & JUMPS ? 40 : UINT32_MAX;
    uint32_t id[ENTITIES], count = 0;
    float axis[3][ENTITIES];
    qd_room_refusals refusals;

    for (uint32_t i = 0; i < ENTITIES; i++) {
        c->moved[i] = false;
        if (rng_one_in(&c->rng, 3)) {
            continue;
        }
        for (unsigned k = 0; k < c->axes; k++) {
            const float most = k < 2 ? side : 4, before = placed(c, c->at[i][k]);

            c->at[i][k] += c->speed[i][k];
            c->speed[i][k] *= c->at[i][k] < 0 || c->at[i][k] > most ? -1 : 1;
            if (rng_one_in(&c->rng, is_light(c, i, tick) && c->rules & JUMPS ? 2 : far)) {
                c->at[i][k] = rng_between(&c->rng, 0, most);
            }
            axis[k][count] = placed(c, c->at[i][k]);
            c->moved[i] |= axis[k][count] != before;
        }
        id[count++] = i;
    }
    qd_room_move(
        c->room, c->member,
        &(qd_room_batch){.count = count, .id = id, .x = axis[0], .y = axis[1], .z = c->axes == 3 ? axis[2] : NULL},
        &refusals);
    assert_int_equal(refusals.count, 0);
}

/* Some observers get other rules, and the member may get another limit. Those that had tiers keep them, because with its
 * first tiers an observer relays all. */
static inline void change(crowd *c)
{
    if (c->rules & SHORT && rng_one_in(&c->rng, 3)) {
        limit_bytes(c, rng_one_in(&c->rng, 2) ? 0 : BYTES_MAX_OF_SHORT);
    }
    for (uint32_t n = 0; n < 2; n++) {
        const uint32_t i = rng_below(&c->rng, OBSERVERS);
        observer o = drawn(c);

        o.tiers = c->observers[i].tiers;
        memcpy(o.relay_range, c->observers[i].relay_range, sizeof o.relay_range);
        memcpy(o.relay_every, c->observers[i].relay_every, sizeof o.relay_every);
        c->observers[i] = o;
        observe(c, i, &o);
    }
}

#endif
