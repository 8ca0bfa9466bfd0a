/* SPDX-License-Identifier: Apache-2.0
 *
 * A subscription, folded from its Tick frames and compared with brute force.
 */
#include <stdlib.h>
#include <string.h>

#include "model.h"
#include "support/oracle.h"

#define CLOSE_SHARE 50u /* at most one pair in so many may be too close to call */

model_observer *model_observer_create(model_stay *stay, bool own_only, bool stays)
{
    model_observer *observer = calloc(1, sizeof *observer);

    sim_check(observer != NULL, "out of memory");
    observer->stay = stay;
    observer->own_only = own_only;
    observer->stays = stays;
    observer->set = calloc(PAIRS_MAX, sizeof *observer->set);
    sim_check(observer->set != NULL, "out of memory");
    model_past_init(&observer->past, stay);
    return observer;
}

void model_observer_destroy(model_observer *observer)
{
    if (observer == NULL) {
        return;
    }
    free(observer->set);
    free(observer);
}

static uint64_t compared, too_close; /* pairs that are not apart, and those of them too close to call */

static oracle_verdict verdict_of(const qd_body *a, const qd_body *b)
{
    if ((a->category & b->mask) == 0 || (b->category & a->mask) == 0) {
        return ORACLE_APART;
    }
    oracle_verdict verdict = oracle_overlap(a, b);
    compared += verdict != ORACLE_APART;
    too_close += verdict == ORACLE_TOO_CLOSE;
    return verdict;
}

/* Whether the set has all pairs that overlap, and no others, except that it may have pairs too close to call. */
static bool explains_pairs(const model_past *past, const model_state *state, const model_body *bodies, uint32_t count,
                           const void *context)
{
    (void)past;
    (void)state;
    const model_observer *observer = context;
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = i + 1; j < count; j++) {
            if (observer->own_only && !bodies[i].own && !bodies[j].own) {
                continue;
            }
            oracle_verdict verdict = verdict_of(&bodies[i].entity->body, &bodies[j].entity->body);
            bool is_in_set = verdict != ORACLE_APART && found < observer->set_count &&
                             observer->set[found].a == bodies[i].id && observer->set[found].b == bodies[j].id;

            if (verdict == ORACLE_OVERLAP && !is_in_set) {
                return false;
            }
            found += is_in_set;
        }
    }
    return found == observer->set_count;
}

void model_check_closeness(void)
{
    sim_check(too_close <= compared / CLOSE_SHARE, "%llu of %llu pairs are too close to call: the checks prove little",
              (unsigned long long)too_close, (unsigned long long)compared);
}

/* A subscription to own pairs gets a reset when owners change, with the pairs of the last tick. */
static void verify(model_observer *observer, uint64_t tick, bool reset)
{
    sim_check(model_past_verify(&observer->past, tick, reset && observer->own_only, explains_pairs, observer),
              "room %llu, session %llu, tick %llu: the set of %u pairs is not what brute force gives",
              (unsigned long long)observer->stay->room->handle, (unsigned long long)observer->stay->session,
              (unsigned long long)tick, observer->set_count);
}

/* The ticks since the observer's last one at which something was applied and no news came. */
static void verify_until(model_observer *observer, uint64_t tick, uint32_t skipped)
{
    for (uint64_t quiet; (quiet = model_past_next(&observer->past, tick)) != UINT64_MAX;) {
        sim_check(quiet + skipped < tick, "tick %llu is said to be skipped, and was not", (unsigned long long)quiet);
        model_past_advance(&observer->past, quiet);
        if (quiet > observer->tick) {
            verify(observer, quiet, false);
        }
    }
}

static bool before(model_pair p, model_pair q)
{
    return p.a != q.a ? p.a < q.a : p.b < q.b;
}

/* The index of the first pair of the set that is not before this one. */
static uint32_t place_of(const model_observer *observer, model_pair pair)
{
    uint32_t low = 0, high = observer->set_count;

    while (low < high) {
        uint32_t middle = (low + high) / 2;

        if (before(observer->set[middle], pair)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static bool contains(const model_observer *observer, uint32_t place, model_pair pair)
{
    return place < observer->set_count && observer->set[place].a == pair.a && observer->set[place].b == pair.b;
}

enum { ENDS = 1, BEGINS, PASSED, STAYS };

/* Groups in their order, each ordered, through all frames of the tick. */
static void check_order(model_observer *observer, uint32_t phase, model_pair pair)
{
    sim_check(phase >= observer->phase, "a tick's events are not in the order ends, begins, passed, stays");
    sim_check(pair.a < pair.b, "a pair is not a < b");
    sim_check(phase != observer->phase || before(observer->previous, pair), "a tick's pairs are not in order");
    observer->phase = phase;
    observer->previous = pair;
}

static void fold(model_observer *observer, const qd_msg_tick *tick)
{
    for (uint32_t i = 0; i < tick->ends.count; i++) {
        model_pair pair = {tick->ends.a[i], tick->ends.b[i]};

        check_order(observer, ENDS, pair);
        sim_check(tick->end_reason[i] >= 1 && tick->end_reason[i] <= QD_END_MOVED_APART, "an end has no reason");
        observer->closing |= tick->end_reason[i] == QD_END_ROOM_CLOSED;
        uint32_t place = place_of(observer, pair);
        sim_check(contains(observer, place, pair), "a pair ends that is not in the set");
        memmove(&observer->set[place], &observer->set[place + 1],
                (--observer->set_count - place) * sizeof *observer->set);
    }
    for (uint32_t i = 0; i < tick->begins.count; i++) {
        model_pair pair = {tick->begins.a[i], tick->begins.b[i]};

        check_order(observer, BEGINS, pair);
        uint32_t place = place_of(observer, pair);
        sim_check(!contains(observer, place, pair), "a pair begins that is in the set");
        sim_check(observer->set_count < PAIRS_MAX, "the scenario has too many pairs");
        memmove(&observer->set[place + 1], &observer->set[place],
                (observer->set_count++ - place) * sizeof *observer->set);
        observer->set[place] = pair;
        observer->begin_count++;
    }
    for (uint32_t i = 0; i < tick->passed.count; i++) {
        model_pair pair = {tick->passed.a[i], tick->passed.b[i]};

        check_order(observer, PASSED, pair);
        sim_check(!contains(observer, place_of(observer, pair), pair), "a pair passed that is in the set");
    }
    sim_check(tick->passed.count == 0 || (observer->stay->room->swept && !observer->reset),
              "pairs passed out of place");
    for (uint32_t i = 0; i < tick->stays.count; i++) {
        model_pair pair = {tick->stays.a[i], tick->stays.b[i]};

        check_order(observer, STAYS, pair);
        sim_check(contains(observer, place_of(observer, pair), pair), "a pair stays that is not in the set");
        observer->stay_count++;
    }
}

static void finish_tick(model_observer *observer, const qd_msg_tick *tick)
{
    observer->in_tick = false;
    observer->known = true;
    observer->tick = tick->tick;
    /* At the tick that closes the room everything is gone, even without an end: a suspended subscription gets a reset,
     * and the last pairs may have been despawned just before. */
    const model_room *room = observer->stay->room;
    bool closed = observer->closing || (room->closed && tick->tick == room->ticks[room->tick_count - 1].tick);
    if (closed && observer->set_count == 0) {
        return;
    }
    sim_check(!observer->closing, "the room is closed with %u pairs left", observer->set_count);
    if (observer->stays && !observer->reset) {
        sim_check(observer->stay_count + observer->begin_count == observer->set_count,
                  "%u stays and %u begins, but the set has %u pairs", observer->stay_count, observer->begin_count,
                  observer->set_count);
    } else {
        sim_check(observer->stay_count == 0, "stays that nobody asked for");
    }
    model_past_advance(&observer->past, tick->tick);
    verify(observer, tick->tick, observer->reset);
}

void model_observer_tick(model_observer *observer, const qd_msg_tick *tick)
{
    sim_check(!observer->closing, "a tick after the room was closed");
    if (tick->suspended) {
        sim_check(tick->suspended_count > observer->stay->room->events_max, "suspended by %llu events, of %u",
                  (unsigned long long)tick->suspended_count, observer->stay->room->events_max);
        sim_check(tick->last && tick->ends.count + tick->begins.count + tick->passed.count + tick->stays.count == 0,
                  "a suspension with pairs");
        observer->known = observer->in_tick = false;
        observer->suspended = true;
        observer->set_count = 0;
        return;
    }
    if (!observer->in_tick) {
        observer->in_tick = true;
        observer->reset = tick->reset;
        observer->begin_count = observer->stay_count = observer->phase = 0;
        sim_check(tick->reset || (observer->known && tick->tick > observer->tick), "a tick without a reset before it");
        if (tick->reset) {
            observer->set_count = 0;
        } else {
            verify_until(observer, tick->tick, tick->skipped);
        }
        observer->suspended = false;
    }
    fold(observer, tick);
    if (tick->last) {
        finish_tick(observer, tick);
    }
}

void model_observer_cut(model_observer *observer)
{
    observer->known = observer->in_tick = observer->suspended = false;
    observer->set_count = 0;
}

void model_observer_finish(model_observer *observer)
{
    sim_check(model_past_finish(&observer->past, explains_pairs, observer),
              "room %llu, session %llu: at the end the set of %u pairs is not what brute force gives",
              (unsigned long long)observer->stay->room->handle, (unsigned long long)observer->stay->session,
              observer->set_count);
}
