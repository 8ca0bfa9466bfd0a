/* SPDX-License-Identifier: Apache-2.0
 *
 * A subscription, folded from its Tick frames and compared with brute force.
 */
#include <math.h>
#include <stdlib.h>

#include "model.h"
#include "support/oracle.h"

#define CLOSE_SHARE 50u /* at most one pair in so many may be too close to call */

static uint64_t compared, too_close; /* pairs that are not apart, and those of them too close to call */

/* How far a body reaches from its position along an axis, and a little more. */
static float reach_of(const qd_body *body, int axis)
{
    const float half[3] = {body->half_x, body->half_y, body->half_z};

    return 0.01f + (body->shape == QD_SHAPE_CIRCLE ? body->half_x : fabsf(half[axis]) + body->radius);
}

/* Most pairs are, and need no oracle. */
static bool are_far_apart(const qd_body *a, const qd_body *b)
{
    return fabsf(a->x - b->x) > reach_of(a, 0) + reach_of(b, 0) || fabsf(a->y - b->y) > reach_of(a, 1) + reach_of(b, 1);
}

static oracle_verdict verdict_of(const qd_body *a, const qd_body *b)
{
    if ((a->category & b->mask) == 0 || (b->category & a->mask) == 0 || are_far_apart(a, b)) {
        return ORACLE_APART;
    }
    oracle_verdict verdict = oracle_overlap(a, b);
    compared += verdict != ORACLE_APART;
    too_close += verdict == ORACLE_TOO_CLOSE;
    return verdict;
}

/* Whether the set has all pairs that overlap, and no others, except that it may have pairs too close to call. */
static bool explains_pairs(const model_past *past, const model_state *state, const model_body *bodies, uint32_t count,
                           const model_fold *fold)
{
    (void)past;
    (void)state;
    const model_observer *observer = (const model_observer *)fold;
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = i + 1; j < count; j++) {
            if (observer->own_only && !bodies[i].own && !bodies[j].own) {
                continue;
            }
            oracle_verdict verdict = verdict_of(&bodies[i].entity->body, &bodies[j].entity->body);
            bool is_in_set = verdict != ORACLE_APART && found < fold->set_count &&
                             fold->set[found] == model_key(bodies[i].id, bodies[j].id);

            if (verdict == ORACLE_OVERLAP && !is_in_set) {
                return false;
            }
            found += is_in_set;
        }
    }
    return found == fold->set_count;
}

model_observer *model_observer_create(model_stay *stay, bool own_only, bool stays)
{
    model_observer *observer = calloc(1, sizeof *observer);

    sim_check(observer != NULL, "out of memory");
    model_fold_init(&observer->fold, stay, "pairs", explains_pairs);
    observer->own_only = own_only;
    observer->stays = stays;
    return observer;
}

void model_observer_destroy(model_observer *observer)
{
    if (observer != NULL) {
        free(observer->fold.set);
        free(observer);
    }
}

void model_check_closeness(void)
{
    sim_check(too_close <= compared / CLOSE_SHARE, "%llu of %llu pairs are too close to call: the checks prove little",
              (unsigned long long)too_close, (unsigned long long)compared);
}

enum { ENDS = 1, BEGINS, PASSED, STAYS };

static void fold_events(model_observer *observer, const qd_msg_tick *tick)
{
    model_fold *fold = &observer->fold;
    const qd_msg_pairs *pairs[] = {NULL, &tick->ends, &tick->begins, &tick->passed, &tick->stays};
    static const model_effect effects[] = {0, MODEL_REMOVES, MODEL_ADDS, MODEL_PASSES, MODEL_KEEPS};

    for (uint32_t group = ENDS; group <= STAYS; group++) {
        for (uint32_t i = 0; i < pairs[group]->count; i++) {
            sim_check(pairs[group]->a[i] < pairs[group]->b[i], "a pair is not a < b");
        }
        model_fold_group(fold, group, effects[group], pairs[group]->count, pairs[group]->a, pairs[group]->b);
    }
    for (uint32_t i = 0; i < tick->ends.count; i++) {
        sim_check(tick->end_reason[i] >= 1 && tick->end_reason[i] <= QD_END_MOVED_APART, "an end has no reason");
        fold->closing |= tick->end_reason[i] == QD_END_ROOM_CLOSED;
    }
    sim_check(tick->passed.count == 0 || (fold->past.stay->room->config.swept && !fold->reset),
              "pairs passed out of place");
    observer->begin_count += tick->begins.count;
    observer->stay_count += tick->stays.count;
}

static void finish_tick(model_observer *observer, const qd_msg_tick *tick)
{
    model_fold *fold = &observer->fold;

    observer->known = true;
    if (!model_fold_end(fold, tick->tick, fold->reset && observer->own_only)) {
        return;
    }
    if (observer->stays && !fold->reset) {
        sim_check(observer->stay_count + observer->begin_count == fold->set_count,
                  "%u stays and %u begins, but the set has %u pairs", observer->stay_count, observer->begin_count,
                  fold->set_count);
    } else {
        sim_check(observer->stay_count == 0, "stays that nobody asked for");
    }
}

void model_observer_tick(model_observer *observer, const qd_msg_tick *tick)
{
    model_fold *fold = &observer->fold;

    sim_check(!fold->closing, "a tick after the room was closed");
    if (tick->suspended) {
        sim_check(tick->suspended_reason == QD_SUSPEND_MEMORY
                      ? tick->suspended_count == 0
                      : tick->suspended_count > fold->past.stay->room->config.events_max,
                  "suspended by %llu events, of %u", (unsigned long long)tick->suspended_count,
                  fold->past.stay->room->config.events_max);
        sim_check(tick->last && tick->ends.count + tick->begins.count + tick->passed.count + tick->stays.count == 0,
                  "a suspension with pairs");
        model_observer_cut(observer);
        fold->suspended = true;
        return;
    }
    if (model_fold_begin(fold, tick->reset)) {
        observer->begin_count = observer->stay_count = 0;
        sim_check(tick->reset || (observer->known && tick->tick > fold->tick), "a tick without a reset before it");
        if (tick->reset) {
            fold->set_count = 0;
        } else {
            model_fold_until(fold, tick->tick, tick->skipped);
        }
    }
    fold_events(observer, tick);
    if (tick->last) {
        finish_tick(observer, tick);
    }
}

void model_observer_cut(model_observer *observer)
{
    observer->known = observer->fold.in_tick = observer->fold.suspended = false;
    observer->fold.set_count = 0;
}
