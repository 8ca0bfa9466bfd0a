/* SPDX-License-Identifier: Apache-2.0
 *
 * Views that depend on what they were, while a crowd walks: the spatial join keeps them as masks. All that enters, leaves
 * and is relayed is compared with brute force over all entities.
 */
#include "server/room/room_views.h"
#include "server/room/state.h"
#include "server/room/views/join/join.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "room_kept_crowd.h"
#include "support/rng.h"
#include "tests/support/test.h"

enum { TICKS = 18, TICKS_OF_BYTES = 62 };

/* ---- threads ---- */

typedef struct pass {
    qd_task_fn task;
    void *argument;
    size_t count;
    _Atomic size_t next;
} pass;

static void *work(void *context)
{
    pass *p = context;

    for (size_t i; (i = atomic_fetch_add(&p->next, 1)) < p->count;) {
        p->task(i, p->argument);
    }
    return NULL;
}

static void run_threads(void *context, size_t count, qd_task_fn task, void *argument)
{
    pthread_t threads[8];
    const size_t width = *(const size_t *)context;
    pass p = {.task = task, .argument = argument, .count = count};

    for (size_t i = 1; i < width; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, work, &p), 0);
    }
    (void)work(&p);
    for (size_t i = 1; i < width; i++) {
        pthread_join(threads[i], NULL);
    }
}

/* ---- brute force ---- */

typedef struct rival {
    uint32_t rank; /* 0: it is on a list `show`, and there is a limit */
    double distance;
    uint32_t observer, id;
} rival;

static int by_distance(const void *a, const void *b)
{
    const rival *one = a, *other = b;

    if (one->rank != other->rank) {
        return one->rank < other->rank ? -1 : 1;
    }
    if (one->distance < other->distance || one->distance > other->distance) {
        return one->distance < other->distance ? -1 : 1;
    }
    if (one->observer != other->observer) {
        return one->observer < other->observer ? -1 : 1;
    }
    return one->id < other->id ? -1 : one->id > other->id;
}

static double distance(const crowd *c, uint32_t i, uint32_t e, double d[3])
{
    double sum = 0;

    for (unsigned k = 0; k < 3; k++) {
        d[k] = k < c->axes ? (double)placed(c, c->at[e][k]) - (double)placed(c, c->at[i][k]) : 0;
        sum += d[k] * d[k];
    }
    return sqrt(sum);
}

static bool is_in(const crowd *c, uint32_t i, uint32_t e, float margin)
{
    const observer *o = &c->observers[i];
    double d[3], apart = distance(c, i, e, d), length = 0, along = 0, beside = 0;
    const float seen_from = c->visible_range[e];
    const bool reaches = seen_from > 0 && apart <= (double)seen_from + (double)margin;

    if (o->kind == QD_REGION_BOX && !reaches) {
        for (unsigned k = 0; k < c->axes; k++) {
            const float center = placed(c, c->at[i][k]), half = range + margin, at = placed(c, c->at[e][k]);

            if (at < center - half || at > center + half) {
                return false;
            }
        }
        return true;
    }
    if (o->kind != QD_REGION_CONE || (apart > (double)(range + margin) && !reaches)) {
        return reaches || apart <= (double)(range + margin);
    }
    for (unsigned k = 0; k < 3; k++) {
        length += (double)o->direction[k] * (double)o->direction[k];
    }
    for (unsigned k = 0; k < 3; k++) {
        along += d[k] * (double)o->direction[k] / sqrt(length);
    }
    for (unsigned k = 0; k < 3; k++) {
        const double off = d[k] - along * (double)o->direction[k] / sqrt(length);

        beside += off * off;
    }
    const double cosine = cos((double)o->angle), sine = sin((double)o->angle);
    return along >= cosine * apart || (margin > 0 && sqrt(beside) * cosine - along * sine <= (double)margin);
}

static bool is_shown(const crowd *c, uint32_t i, uint32_t e)
{
    const observer *o = &c->observers[i];
    bool is = false;

    for (uint32_t n = 0; n < o->shown_count; n++) {
        is |= o->shown[n] == e;
    }
    return is;
}

static bool is_allowed(const crowd *c, uint32_t i, uint32_t e)
{
    const observer *o = &c->observers[i];
    bool is = e != i && (!(c->rules & TEAMS) || o->team == 0 || e % 3 == 0 || o->team == e % 3);

    for (uint32_t h = 0; h < HIDDEN && o->hides; h++) {
        is &= c->hidden[h] != e;
    }
    return is;
}

static bool is_turn(const crowd *c, const observer *o, double apart, uint32_t e, uint32_t steps)
{
    for (uint32_t tier = 0; tier < o->tiers; tier++) {
        if (apart <= (double)o->relay_range[tier]) {
            const uint32_t every = o->relay_every[tier];

            return (c->room->entities.tick % every + e % every) % every < steps;
        }
    }
    return false;
}

/* What an observer sees if there are bytes enough. What comes is added to entrants[]. */
static void choose_view(crowd *c, uint32_t i, rival *entrants, uint32_t *coming)
{
    const observer *o = &c->observers[i];
    const double sixteenth = (double)range / 16, ahead = sixteenth > (double)o->margin ? sixteenth : (double)o->margin;
    static rival wanted[ENTITIES];
    rival *own = entrants + *coming;
    uint32_t count = 0, come = 0;
    double d[3];

    for (uint32_t e = 0; e < ENTITIES; e++) {
        c->is[i][e] = false;
        const bool is = is_shown(c, i, e);

        if (is || (is_allowed(c, i, e) && is_in(c, i, e, c->seen[i][e] ? o->margin : 0))) {
            wanted[count++] = (rival){!is, distance(c, i, e, d) - (c->seen[i][e] ? ahead : 0), i, e};
        }
    }
    if (o->limit > 0 && count > o->limit) {
        qsort(wanted, count, sizeof wanted[0], by_distance);
        count = o->limit;
    }
    for (uint32_t w = 0; w < count; w++) {
        if (c->seen[i][wanted[w].id]) {
            c->is[i][wanted[w].id] = true;
        } else {
            own[come++] = (rival){0, wanted[w].distance, i, wanted[w].id};
        }
    }
    qsort(own, come, sizeof own[0], by_distance);
    *coming += o->budget > 0 && come > o->budget ? o->budget : come;
}

static bool spend(crowd *c, uint32_t bytes)
{
    const bool fits = c->bytes_max == 0 || bytes <= c->bytes_left;

    c->bytes_left -= fits && c->bytes_max > 0 ? bytes : 0;
    return fits;
}

/* Leaves come first, then enters. An entity that does not fit lets no other one before it. */
static void spend_on_views(crowd *c, rival *entrants, uint32_t coming)
{
    bool fits = true;

    for (uint32_t i = 0; i < OBSERVERS; i++) {
        for (uint32_t e = 0; e < ENTITIES; e++) {
            const uint64_t bytes = c->seen[i][e] && !c->is[i][e] && c->rules & BYTES ? QD_VIEW_LEAVE_BYTES : 0;

            c->bytes_left -= bytes < c->bytes_left ? bytes : c->bytes_left;
        }
    }
    qsort(entrants, coming, sizeof entrants[0], by_distance);
    for (uint32_t n = 0; n < coming; n++) {
        fits = fits && spend(c, QD_VIEW_ENTER_BYTES);
        c->is[entrants[n].observer][entrants[n].id] = fits;
    }
}

static void expect_relays(crowd *c, uint32_t steps)
{
    static bool relays[OBSERVERS][ENTITIES];
    const uint32_t first = c->held;
    bool fits = true;
    double d[3];

    for (uint32_t i = 0; i < OBSERVERS; i++) {
        for (uint32_t e = 0; e < ENTITIES; e++) {
            const bool stays = c->is[i][e] && c->seen[i][e];

            relays[i][e] = false;
            c->changed[i][e] = stays && (c->changed[i][e] || c->moved[e]);
            c->waits[i][e] =
                stays &&
                (c->waits[i][e] || (c->changed[i][e] && is_turn(c, &c->observers[i], distance(c, i, e, d), e, steps)));
        }
    }
    for (uint32_t n = 0; n < OBSERVERS * ENTITIES; n++) {
        const uint32_t at = (first + n) % (OBSERVERS * ENTITIES), i = at / ENTITIES, e = at % ENTITIES;

        if (!c->waits[i][e]) {
            continue;
        }
        if (c->rules & ONCE || spend(c, QD_VIEW_RELAY_BYTES)) {
            c->changed[i][e] = c->waits[i][e] = false;
            relays[c->rules & ONCE ? 0 : i][e] = true;
        } else if (fits) {
            c->held = at;
            fits = false;
        }
    }
    assert_memory_equal(c->relayed, relays, sizeof relays);
}

static void expect_views(crowd *c, uint32_t steps)
{
    static rival entrants[OBSERVERS * ENTITIES];
    uint32_t coming = 0;

    c->bytes_left = c->bytes_max;
    for (uint32_t i = 0; i < OBSERVERS; i++) {
        choose_view(c, i, entrants, &coming);
    }
    spend_on_views(c, entrants, coming);
    assert_memory_equal(c->reported, c->is, sizeof c->is);
    if (c->rules & BYTES && c->rules & ONCE) {
        assert_int_equal(c->bytes_left_reported, c->bytes_left);
    }
    expect_relays(c, steps);
    memcpy(c->seen, c->is, sizeof c->is);
}

static void read_report(crowd *c)
{
    qd_room_view_report report;

    memset(c->relayed, 0, sizeof c->relayed);
    c->bytes_left_reported = c->bytes_max;
    while (qd_room_next_view(c->room, &report)) {
        c->bytes_left_reported = report.bytes_left;
        for (uint32_t i = 0; i < report.leave_count; i++) {
            bool *is = &c->reported[report.leave_observer[i]][report.leave_id[i]];

            assert_true(*is);
            *is = false;
        }
        for (uint32_t i = 0; i < report.enter_count; i++) {
            bool *is = &c->reported[report.enter_observer[i]][report.enter.id[i]];

            assert_false(*is);
            *is = true;
        }
        for (uint32_t i = 0; i < report.relay_count; i++) {
            const uint32_t e = report.relay_id[i];
            bool *is = &c->relayed[report.relay_observer ? report.relay_observer[i] : 0][e];

            assert_true(!*is || c->rules & ONCE); /* beside views with entries, twice */
            *is = true;
            assert_true(report.relay_x[i] == placed(c, c->at[e][0]) && report.relay_y[i] == placed(c, c->at[e][1]));
        }
    }
}

/* Returns at how many ticks derived views relayed some positions, and others waited for bytes. */
static uint32_t compare(uint32_t rules, unsigned axes, uint64_t seed, const qd_join_kernel *kernel, size_t workers)
{
    crowd *c = begin(rules, axes, seed, kernel);
    const qd_executor executor = {.run = workers == 1 ? qd_executor_serial.run : run_threads,
                                  .width = workers,
                                  .context = workers == 1 ? NULL : &workers};
    const uint32_t ticks = rules & BYTES ? TICKS_OF_BYTES : TICKS;
    uint32_t derived = 0, refused = 0, late = 0;
    bool was_derived = false;

    for (uint32_t tick = 0; tick < ticks; tick++) {
        const uint32_t skipped = rng_one_in(&c->rng, 5);

        walk(c, tick);
        if (rules & CHANGES && rng_one_in(&c->rng, 3)) {
            change(c);
        }
        light(c, tick);
        qd_room_tick(c->room, &executor, skipped);
        read_report(c);
        expect_views(c, 1 + skipped);
        refused += was_derived && c->room->views.members[c->member].tight == QD_VIEW_TIGHT_TICKS;
        late += was_derived && c->room->views.observers[0].is_derived && c->room->views.members[c->member].is_late;
        was_derived = c->room->views.observers[0].is_derived;
        for (uint32_t i = 0; i < OBSERVERS; i++) {
            derived += c->room->views.observers[i].is_derived;
        }
    }
    assert_true(c->room->views.uses_join);
    assert_true(derived > (rules & BYTES ? 0 : OBSERVERS * ticks / 2) || rules & SHORT);
    assert_true(refused > 0 || !(rules & BYTES) || rules & SHORT);
    end(c);
    return late;
}

/* With every kernel; the portable one with several workers, too. */
static void compare_all(uint32_t rules)
{
    uint32_t late = 0;

    for (unsigned axes = 2; axes <= 3; axes++) {
        for (uint32_t kernel = 0; qd_join_kernel_at(kernel, axes); kernel++) {
            late += compare(rules, axes, 1 + kernel, qd_join_kernel_at(kernel, axes), 1);
        }
        late += compare(rules | COARSE, axes, 11, qd_join_kernel_chosen(axes), 1);
        late += compare(rules | JUMPS, axes, 12, qd_join_kernel_chosen(axes), 1);
        late += compare(rules | CHANGES, axes, 13, qd_join_kernel_chosen(axes), 5);
    }
    assert_true(late > TICKS_OF_BYTES / 2 || !(rules & SHORT));
}

#define RULES_TEST(name, rules)                                                                                        \
    TEST(name)                                                                                                         \
    {                                                                                                                  \
        (void)state;                                                                                                   \
        compare_all(rules);                                                                                            \
    }

RULES_TEST(limits_are_as_brute_force_has_them, LIMIT)
RULES_TEST(margins_are_as_brute_force_has_them, MARGIN)
RULES_TEST(budgets_are_as_brute_force_has_them, BUDGET)
RULES_TEST(tiers_are_as_brute_force_has_them, TIERS)
RULES_TEST(lists_are_as_brute_force_has_them, HIDE)
RULES_TEST(boxes_are_as_brute_force_has_them, BOXES)
RULES_TEST(cones_are_as_brute_force_has_them, CONES)
RULES_TEST(cones_with_margins_are_as_brute_force_has_them, CONES | MARGIN)
RULES_TEST(boxes_with_margins_are_as_brute_force_has_them, BOXES | MARGIN | TIERS)
RULES_TEST(limits_and_budgets_are_as_brute_force_has_them, LIMIT | BUDGET | MARGIN)
RULES_TEST(tiers_once_are_as_brute_force_has_them, TIERS | ONCE | TEAMS)
RULES_TEST(beacons_are_as_brute_force_has_them, BEACONS)
RULES_TEST(beacons_and_limits_are_as_brute_force_has_them, BEACONS | LIMIT | TEAMS)
RULES_TEST(beacons_in_cones_are_as_brute_force_has_them, BEACONS | CONES | MARGIN)
RULES_TEST(beacons_beyond_tiers_are_as_brute_force_has_them, BEACONS | TIERS | MARGIN)
RULES_TEST(beacons_beyond_boxes_are_as_brute_force_has_them, BEACONS | BOXES | TIERS | ONCE)
RULES_TEST(beacons_and_bytes_are_as_brute_force_has_them, BEACONS | BYTES | MARGIN)
RULES_TEST(shown_are_as_brute_force_has_them, SHOW)
RULES_TEST(shown_and_limits_are_as_brute_force_has_them, SHOW | LIMIT | MARGIN)
RULES_TEST(shown_and_budgets_are_as_brute_force_has_them, SHOW | BUDGET | LIMIT)
RULES_TEST(shown_and_hidden_are_as_brute_force_has_them, SHOW | HIDE | TEAMS | BOXES)
RULES_TEST(shown_beyond_tiers_are_as_brute_force_has_them, SHOW | TIERS | CONES | MARGIN)
RULES_TEST(shown_once_are_as_brute_force_has_them, SHOW | TIERS | ONCE | BEACONS)
RULES_TEST(very_many_shown_are_as_brute_force_has_them, SHOW | MANY)
RULES_TEST(very_many_shown_beyond_tiers_are_as_brute_force_has_them, SHOW | MANY | TIERS | MARGIN | BUDGET | HIDE)
RULES_TEST(very_many_shown_once_are_as_brute_force_has_them, SHOW | MANY | TIERS | ONCE | BEACONS | TEAMS)
RULES_TEST(shown_and_bytes_are_as_brute_force_has_them, SHOW | BYTES | TIERS)
RULES_TEST(bytes_are_as_brute_force_has_them, BYTES)
RULES_TEST(bytes_and_tiers_are_as_brute_force_has_them, BYTES | TIERS)
RULES_TEST(bytes_for_some_positions_are_as_brute_force_has_them, BYTES | SHORT | TIERS)
RULES_TEST(bytes_for_some_shown_are_as_brute_force_has_them, BYTES | SHORT | TIERS | SHOW | MARGIN)
RULES_TEST(bytes_for_some_beacons_are_as_brute_force_has_them, BYTES | SHORT | TIERS | BEACONS | MARGIN)
RULES_TEST(bytes_of_relays_once_are_as_brute_force_has_them, BYTES | TIERS | MARGIN | ONCE)
RULES_TEST(all_rules_are_as_brute_force_has_them, LIMIT | MARGIN | BUDGET | TIERS | HIDE | TEAMS)
RULES_TEST(all_rules_with_beacons_are_as_brute_force_has_them, LIMIT | MARGIN | BUDGET | TIERS | HIDE | TEAMS | BEACONS)
RULES_TEST(all_rules_with_shown_are_as_brute_force_has_them,
           LIMIT | MARGIN | BUDGET | TIERS | HIDE | TEAMS | BEACONS | SHOW)
RULES_TEST(all_rules_of_cones_are_as_brute_force_has_them, LIMIT | MARGIN | BUDGET | TIERS | HIDE | TEAMS | CONES)

TEST_MAIN()
