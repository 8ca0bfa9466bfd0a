/* SPDX-License-Identifier: Apache-2.0
 *
 * Views in a room whose memory may end at any command: a command that is refused for it changes nothing, any other has
 * its whole effect. A tick without memory suspends all views, which start again once there is some. Memory ends at a
 * budget, or at single allocations. Of the rule (server/room/room_views.h) only what takes memory in the
 * visibility index: circles, boxes, margins, visible ranges, anchors; found by the index, by the spatial join, or by
 * both, alternating.
 *
 *     model_room_views_memory [SEEDS [FIRST]]
 */
#include "room/seeds.h"
#include "server/room/room_views.h"
#include "server/room/state.h"
#include "support/rng.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEEDS_DEFAULT 400u
#define ENTITIES      200u
#define OBSERVERS     100u
#define SHARED        60u /* the first observers are of one member, the others of a member each */
#define MEMBERS       (1 + OBSERVERS - SHARED)
#define SIDE          60u
#define SPARE_MAX     40000u /* bytes that a command may find */
#define BATCH         15u
#define FAIL_MAX      60u
#define LEFT_MAX      4096u /* bytes */

/* Shared by all processes. */
struct met {
    uint32_t command;
    uint64_t entities_refused, observers_refused, ranges_refused, enters, leaves, joined, suspensions, resets;
};

static struct met *met;

typedef struct entity {
    bool is_there;
    float at[2], visible_range;
} entity;

typedef struct observer {
    bool is_there;
    uint8_t kind;
    float at[2], range, margin;
    uint32_t anchor; /* QD_NONE: it is free */
} observer;

typedef struct life {
    uint64_t seed;
    qd_heap heap;
    qd_room *room;
    uint32_t members[MEMBERS]; /* the first has all entities */
    uint32_t finding;          /* by the index, the join, or both, alternating */
    entity entities[ENTITIES];
    observer observers[OBSERVERS];
    bool reported[OBSERVERS][ENTITIES], expected[OBSERVERS][ENTITIES];
} life;

#define MUST(life, condition)                                                                                          \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "seed %" PRIu64 ", command %" PRIu32 ", line %d: %s\n", (life)->seed, met->command,        \
                    __LINE__, #condition);                                                                             \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

static uint32_t member_of(const life *l, uint32_t id)
{
    return l->members[id < SHARED ? 0 : 1 + id - SHARED];
}

/* ---- commands ---- */

static float coordinate(rng_stream *rng)
{
    return (float)rng_below(rng, SIDE);
}

static void carry_observers(life *l, uint32_t id)
{
    for (uint32_t i = 0; i < OBSERVERS; i++) {
        observer *o = &l->observers[i];

        if (o->is_there && o->anchor == id) {
            memcpy(o->at, l->entities[id].at, sizeof o->at);
        }
    }
}

static void place(life *l, rng_stream *rng, uint32_t id)
{
    const float x = coordinate(rng), y = coordinate(rng);
    const qd_room_batch batch = {.count = 1, .id = &id, .x = &x, .y = &y};
    entity *e = &l->entities[id];
    qd_room_refusals refusals;

    if (e->is_there) {
        qd_room_move(l->room, l->members[0], &batch, &refusals);
        MUST(l, refusals.count == 0);
    } else {
        qd_room_spawn(l->room, l->members[0], &batch, false, &refusals);
        MUST(l, refusals.count == 0 || refusals.code[0] == QD_ROOM_FULL);
        met->entities_refused += refusals.count;
        e->is_there = refusals.count == 0;
        e->visible_range = 0;
        for (uint32_t i = 0; i < OBSERVERS; i++) {
            l->expected[i][id] = false; /* another one had the id */
        }
    }
    e->at[0] = x;
    e->at[1] = y;
    carry_observers(l, id);
}

static void despawn(life *l, uint32_t id)
{
    const qd_room_batch batch = {.count = 1, .id = &id};
    qd_room_refusals refusals;

    qd_room_despawn(l->room, l->members[0], &batch, &refusals);
    MUST(l, refusals.count == !l->entities[id].is_there);
    l->entities[id].is_there = false;
    for (uint32_t i = 0; i < OBSERVERS; i++) {
        l->observers[i].is_there &= l->observers[i].anchor != id;
    }
}

static void observe(life *l, rng_stream *rng, uint32_t id)
{
    const uint32_t at = rng_below(rng, ENTITIES);
    const bool is_anchored = rng_one_in(rng, 2) && l->entities[at].is_there;
    const uint8_t anchored = is_anchored;
    observer o = {.is_there = true,
                  .kind = rng_one_in(rng, 4) ? QD_ROOM_BOX : QD_ROOM_CIRCLE,
                  .at = {coordinate(rng), coordinate(rng)},
                  .range = (float)rng_below(rng, 12),
                  .margin = (float)(rng_below(rng, 2) * rng_below(rng, 6)),
                  .anchor = is_anchored ? at : QD_NONE};
    qd_room_refusals refusals;

    if (is_anchored) {
        memcpy(o.at, l->entities[at].at, sizeof o.at);
    }
    const qd_msg_observers batch = {.count = 1,
                                    .id = &id,
                                    .anchored = &anchored,
                                    .region = &o.kind,
                                    .entity = &at,
                                    .x = &o.at[0],
                                    .y = &o.at[1],
                                    .range = &o.range,
                                    .half_x = &o.range,
                                    .half_y = &o.range,
                                    .leave_margin = &o.margin,
                                    .sees_self = &anchored};
    qd_room_observe(l->room, member_of(l, id), &batch, &refusals);
    met->observers_refused += refusals.count;
    MUST(l, refusals.count == 0 || refusals.code[0] == QD_ROOM_OBSERVERS_FULL);
    if (refusals.count > 0) {
        return;
    }
    if (!l->observers[id].is_there) {
        memset(l->expected[id], 0, sizeof l->expected[id]);
    }
    l->observers[id] = o;
}

static void unobserve(life *l, uint32_t id)
{
    qd_room_refusals refusals;

    qd_room_unobserve(l->room, member_of(l, id), 1, &id, &refusals);
    MUST(l, refusals.count == !l->observers[id].is_there);
    l->observers[id].is_there = false;
}

static void describe(life *l, uint32_t id, float visible_range)
{
    const qd_msg_set_description batch = {.count = 1, .id = &id, .visible_range = &visible_range};
    qd_room_refusals refusals;

    if (!l->entities[id].is_there) {
        return;
    }
    qd_room_describe(l->room, l->members[0], &batch, &refusals);
    met->ranges_refused += refusals.count;
    MUST(l, refusals.count == 0 || refusals.code[0] == QD_ROOM_FULL);
    if (refusals.count == 0) {
        l->entities[id].visible_range = visible_range;
    }
}

/* ---- memory ---- */

/* Half of the commands find little memory. To some of them the allocator gives none, once or from then on. */
static void spend_memory(rng_stream *rng)
{
    if (rng_one_in(rng, 4)) {
        (void)qd_memory_fail(1 + rng_below(rng, FAIL_MAX), rng_one_in(rng, 2) ? 1 : UINT64_MAX);
    } else if (rng_one_in(rng, 3)) {
        qd_memory_limit_set(qd_memory_used() + 1 + rng_below(rng, 2) * rng_below(rng, SPARE_MAX));
    }
}

static void return_memory(void)
{
    (void)qd_memory_fail(0, 0);
    qd_memory_limit_set(0);
}

static void run_in_order(void *context, size_t count, qd_task_fn task, void *argument)
{
    (void)context;
    for (size_t i = 0; i < count; i++) {
        task(i, argument);
    }
}

/* Makes the spatial join work in parts. */
static const qd_executor by_parts = {.run = run_in_order, .width = 4};

/* ---- ticks ---- */

/* Coordinates are small whole numbers: nothing is rounded. */
static bool is_near(const observer *o, const entity *e, float margin)
{
    const float x = o->at[0] - e->at[0], y = o->at[1] - e->at[1], reach = o->range + margin;
    const float visible = e->visible_range + margin, square = x * x + y * y;
    const bool is_in =
        o->kind == QD_ROOM_BOX ? x * x <= reach * reach && y * y <= reach * reach : square <= reach * reach;

    return is_in || (e->visible_range > 0 && square <= visible * visible);
}

static void expect(life *l)
{
    for (uint32_t i = 0; i < OBSERVERS; i++) {
        const observer *o = &l->observers[i];

        for (uint32_t k = 0; k < ENTITIES; k++) {
            const entity *e = &l->entities[k];
            const float margin = l->expected[i][k] ? o->margin : 0;

            l->expected[i][k] = o->is_there && e->is_there && is_near(o, e, margin);
        }
    }
}

static void forget_reported(life *l, uint32_t member)
{
    for (uint32_t i = 0; i < OBSERVERS; i++) {
        if (member_of(l, i) == member) {
            memset(l->reported[i], 0, sizeof l->reported[i]);
        }
    }
}

static void tick(life *l, rng_stream *rng)
{
    qd_room_view_report report;

    l->room->views.join_tuning.always = l->finding == 0 || (l->finding == 1 && rng_one_in(rng, 2));
    l->room->views.join_tuning.never = !l->room->views.join_tuning.always;
    qd_room_tick(l->room, rng_one_in(rng, 2) ? &qd_executor_serial : &by_parts, 0);
    return_memory();
    met->joined += l->room->views.uses_join;
    while (qd_room_next_view(l->room, &report)) {
        MUST(l, !report.suspended || report.suspended_reason == QD_SUSPEND_MEMORY);
        MUST(l, !report.suspended || report.enter_count + report.leave_count == 0);
        met->suspensions += report.suspended;
        met->resets += report.reset;
        if (report.reset || report.suspended) {
            forget_reported(l, report.member);
        }
        for (uint32_t i = 0; i < report.leave_count; i++) {
            bool *reported = &l->reported[report.leave_observer[i]][report.leave_id[i]];

            MUST(l, *reported);
            *reported = false;
        }
        for (uint32_t i = 0; i < report.enter_count; i++) {
            bool *reported = &l->reported[report.enter_observer[i]][report.enter.id[i]];

            MUST(l, !*reported);
            *reported = true;
        }
        met->enters += report.enter_count;
        met->leaves += report.leave_count;
    }
    if (l->room->views.suspended) {
        memset(l->expected, 0, sizeof l->expected);
    } else {
        expect(l);
    }
    MUST(l, memcmp(l->reported, l->expected, sizeof l->reported) == 0);
}

static void do_command(life *l, uint32_t command)
{
    rng_stream rng = {l->seed * 1009 + command};
    const uint32_t what = rng_below(&rng, 20);

    spend_memory(&rng);
    for (uint32_t i = 0; i < BATCH && what < 15; i++) {
        const uint32_t e = rng_below(&rng, ENTITIES), o = rng_below(&rng, OBSERVERS);

        if (what < 5) {
            place(l, &rng, e);
        } else if (what < 11) {
            observe(l, &rng, o);
        } else if (what < 12) {
            unobserve(l, o);
        } else if (what < 13) {
            despawn(l, e);
        } else {
            describe(l, e, (float)(rng_below(&rng, 2) * rng_below(&rng, 15)));
        }
    }
    if (what >= 15) {
        tick(l, &rng);
    }
    return_memory();
    if (rng_one_in(&rng, 10)) {
        qd_room_trim(l->room);
    }
}

/* Views that wait for memory start again. Then what is left is emptied, and next to no memory is left. */
static void finish(life *l, size_t fresh)
{
    rng_stream rng = {l->seed};

    for (uint32_t i = 0; i <= QD_PAUSE_MAX; i++) {
        tick(l, &rng);
    }
    MUST(l, !l->room->views.suspended);
    (void)qd_memory_fail(1, UINT64_MAX);
    for (uint32_t id = 0; id < ENTITIES; id++) {
        despawn(l, id);
    }
    for (uint32_t id = 0; id < OBSERVERS; id++) {
        unobserve(l, id);
    }
    return_memory();
    tick(l, &rng);
    tick(l, &rng);
    qd_room_trim(l->room);
    MUST(l, l->heap.bytes <= fresh + LEFT_MAX);
}

static void run_seed(uint64_t seed, uint32_t limit)
{
    rng_stream rng = {seed};
    static const qd_space_index indexes[] = {QD_SPACE_AUTO, QD_SPACE_QUADTREE, QD_SPACE_SPARSE,
                                             QD_SPACE_HASH, QD_SPACE_GRID,     QD_SPACE_BRUTE};
    const qd_room_config config = {
        .space = {.max_x = SIDE, .max_y = SIDE, .index = indexes[rng_below(&rng, 6)]},
        .entities_max = ENTITIES,
        .events_max = 1u << 20,
        .observers_max = OBSERVERS,
        .visible_entries_max = 1u << 20,
    };
    life *l = calloc(1, sizeof *l);

    l->seed = seed;
    l->finding = rng_below(&rng, 3);
    qd_heap_init(&l->heap);
    MUST(l, qd_room_create(&config, &l->heap, seed, &l->room) == QD_OK);
    for (uint32_t i = 0; i < MEMBERS; i++) {
        MUST(l, qd_room_join(l->room, &l->members[i]) == QD_OK);
        qd_room_observe_all(l->room, l->members[i]);
    }
    const size_t fresh = l->heap.bytes;
    for (met->command = 0; met->command < SEEDS_COMMANDS_MAX && met->command < limit; met->command++) {
        if (!seeds_left_out[met->command]) {
            do_command(l, met->command);
        }
    }
    finish(l, fresh);
    qd_room_destroy(l->room);
    MUST(l, l->heap.bytes == 0);
    qd_heap_deinit(&l->heap);
    free(l);
}

int main(int argument_count, char **arguments)
{
    uint64_t seeds = SEEDS_DEFAULT;

    met = seeds_shared(sizeof *met);
    if (!seeds_pass(argument_count, arguments, &seeds, &met->command, run_seed)) {
        return 1;
    }
    printf("%" PRIu64 " seeds: refused %" PRIu64 " entities, %" PRIu64 " observers, %" PRIu64
           " visible ranges; %" PRIu64 " enters, %" PRIu64 " leaves, %" PRIu64 " suspensions, %" PRIu64 " resets\n",
           seeds, met->entities_refused, met->observers_refused, met->ranges_refused, met->enters, met->leaves,
           met->suspensions, met->resets);
    if (seeds >= SEEDS_DEFAULT &&
        (met->entities_refused == 0 || met->observers_refused == 0 || met->ranges_refused == 0 || met->leaves == 0 ||
         met->joined == 0 || met->suspensions == 0 || met->resets == 0)) {
        fprintf(stderr, "something never came up: the scripts do not test what they should\n");
        return 1;
    }
    return 0;
}
