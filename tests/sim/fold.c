/* SPDX-License-Identifier: Apache-2.0
 *
 * What a client knows by the frames of one kind: a set of pairs, or of what its observers see.
 */
#include <stdlib.h>
#include <string.h>

#include "model.h"

void model_fold_init(model_fold *fold, model_stay *stay, const char *what, model_explains_fn explains)
{
    fold->what = what;
    fold->explains = explains;
    fold->set = malloc(SET_MAX * sizeof *fold->set);
    sim_check(fold->set != NULL, "out of memory");
    model_past_init(&fold->past, stay);
}

/* The index of the first key of the set that is not before this one. */
static uint32_t place_of(const model_fold *fold, uint64_t key)
{
    uint32_t low = 0, high = fold->set_count;

    while (low < high) {
        uint32_t middle = (low + high) / 2;

        if (fold->set[middle] < key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

bool model_fold_has(const model_fold *fold, uint32_t a, uint32_t b)
{
    uint32_t place = place_of(fold, model_key(a, b));

    return place < fold->set_count && fold->set[place] == model_key(a, b);
}

bool model_fold_begin(model_fold *fold, bool reset)
{
    if (fold->in_tick) {
        return false;
    }
    fold->in_tick = true;
    fold->reset = reset;
    fold->suspended = false;
    fold->group = 0;
    return true;
}

void model_fold_order(model_fold *fold, uint32_t group, uint64_t key)
{
    sim_check(group > fold->group || (group == fold->group && fold->previous <= key), "%s: a tick is not in order",
              fold->what);
    fold->group = group;
    fold->previous = key;
}

/* Whether pair i is among those right before it that have its `a`. */
static bool is_among(const uint32_t *a, const uint32_t *b, uint32_t i)
{
    uint32_t at = i;

    while (at > 0 && a[at - 1] == a[i] && b[at - 1] != b[i]) {
        at--;
    }
    return at > 0 && a[at - 1] == a[i];
}

void model_fold_group(model_fold *fold, uint32_t group, model_effect effect, uint32_t count, const uint32_t *a,
                      const uint32_t *b)
{
    for (uint32_t i = 0; i < count; i++) {
        uint64_t key = model_key(a[i], b[i]), *at = fold->set + place_of(fold, key);
        bool is_in_set = effect == MODEL_REMOVES || effect == MODEL_KEEPS || effect == MODEL_RELAYS;
        bool is_twice = effect == MODEL_RELAYS ? is_among(a, b, i) : group == fold->group && key == fold->previous;

        sim_check(!is_twice, "%s: a tick has an event twice", fold->what);
        model_fold_order(fold, group, effect == MODEL_RELAYS ? model_key(a[i], 0) : key);
        sim_check(model_fold_has(fold, a[i], b[i]) == is_in_set, "%s: %u-%u of group %u is in the set, or is not",
                  fold->what, a[i], b[i], group);
        size_t rest = (size_t)(fold->set + fold->set_count - at);
        if (effect == MODEL_REMOVES) {
            memmove(at, at + 1, (rest - 1) * sizeof *at);
            fold->set_count--;
        } else if (effect == MODEL_ADDS) {
            sim_check(fold->set_count < SET_MAX, "%s: the scenario has too many", fold->what);
            memmove(at + 1, at, rest * sizeof *at);
            *at = key;
            fold->set_count++;
        }
    }
}

/* A subscription to own pairs gets a reset when owners change, with the pairs of the last tick. */
static void verify(model_fold *fold, uint64_t tick, bool owners_later)
{
    const model_stay *stay = fold->past.stay;

    sim_check(model_past_verify(&fold->past, tick, owners_later, fold->explains, fold),
              "room %llu, session %llu, tick %llu: %u %s are not what brute force gives",
              (unsigned long long)stay->room->handle, (unsigned long long)stay->session, (unsigned long long)tick,
              fold->set_count, fold->what);
}

void model_fold_until(model_fold *fold, uint64_t tick, uint32_t skipped)
{
    for (uint64_t quiet; (quiet = model_past_next(&fold->past, tick)) != UINT64_MAX;) {
        sim_check(quiet + skipped < tick, "tick %llu is said to be skipped, and was not", (unsigned long long)quiet);
        model_past_advance(&fold->past, quiet);
        if (quiet > fold->tick) {
            verify(fold, quiet, false);
        }
    }
}

bool model_fold_end(model_fold *fold, uint64_t tick, bool owners_later)
{
    const model_room *room = fold->past.stay->room;

    fold->in_tick = false;
    fold->tick = tick;
    /* At the tick that closes the room everything is gone, even without an end: a suspended subscription gets a reset,
     * and the last entities may have been despawned just before. */
    bool closed = fold->closing || (room->closed && tick == room->ticks[room->tick_count - 1].tick);
    if (closed && fold->set_count == 0) {
        return false;
    }
    sim_check(!fold->closing, "the room is closed with %u %s left", fold->set_count, fold->what);
    model_past_advance(&fold->past, tick);
    verify(fold, tick, owners_later);
    return true;
}

const model_state *model_fold_finish(const model_fold *fold)
{
    static model_past past;
    const model_stay *stay = fold->past.stay;

    past = fold->past;
    sim_check(model_past_finish(&past, fold->explains, fold),
              "room %llu, session %llu: at the end %u %s are not what brute force gives",
              (unsigned long long)stay->room->handle, (unsigned long long)stay->session, fold->set_count, fold->what);
    return &past.state;
}
