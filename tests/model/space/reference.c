/* SPDX-License-Identifier: Apache-2.0 */
#include "reference.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

static bool filters_agree(const qd_body *a, const qd_body *b)
{
    return (a->category & b->mask) != 0 && (b->category & a->mask) != 0;
}

static figure_verdict are_pair(const reference_state *a, const reference_state *b)
{
    return a->here && b->here && filters_agree(&a->body, &b->body) ? figure_overlap(&a->body, &b->body) : FIGURE_APART;
}

/* Of the corners, the last float standing for what is beyond. */
static float middle(float at, float half)
{
    float lo = fmaxf(at - half, -FLT_MAX), hi = fminf(at + half, FLT_MAX);

    return (float)(((double)lo + (double)hi) / 2);
}

/* In the shape that it has now, where it was: a box that was reshaped, about the middle of its corners. */
static qd_body moved_back(const reference_thing *thing)
{
    const qd_body *was = &thing->was.body;
    bool by_corners = was->shape == QD_SPACE_BOX && figure_resized(was, &thing->now.body);
    qd_body body = thing->now.body;

    body.x = by_corners ? middle(was->x, was->half_x) : was->x;
    body.y = by_corners ? middle(was->y, was->half_y) : was->y;
    body.z = by_corners ? middle(was->z, was->half_z) : was->z;
    return body;
}

/* Of two that are no pair now. They overlapped at the last tick or not, whatever their filters said then. */
static figure_verdict passed(const reference *r, const reference_thing *a, const reference_thing *b)
{
    if (!r->swept || !a->was.here || !b->was.here || !a->now.here || !b->now.here || a->teleported || b->teleported ||
        !filters_agree(&a->now.body, &b->now.body)) {
        return FIGURE_APART;
    }
    figure_verdict overlapped = figure_overlap(&a->was.body, &b->was.body);
    qd_body a_begin = moved_back(a), b_begin = moved_back(b);
    if (overlapped == FIGURE_MEET) {
        return FIGURE_APART;
    }
    figure_verdict met = figure_meet_on_the_way(&a_begin, &a->now.body, &b_begin, &b->now.body);
    return met == FIGURE_MEET && overlapped == FIGURE_EITHER ? FIGURE_EITHER : met;
}

/* Of a pair that was apart and is. */
static uint32_t apart_may_be(figure_verdict passed)
{
    return passed == FIGURE_MEET ? 1u << QD_SPACE_PASSED : passed == FIGURE_EITHER ? 1u << QD_SPACE_PASSED | 1u : 1u;
}

static uint32_t events_of(const reference *r, const reference_thing *a, const reference_thing *b, bool stays)
{
    figure_verdict was = are_pair(&a->was, &b->was), now = are_pair(&a->now, &b->now);
    uint32_t may_be = 0;

    if (was != FIGURE_APART && now != FIGURE_APART) {
        may_be |= stays ? 1u << QD_SPACE_STAY : 1u;
    }
    if (was != FIGURE_APART && now != FIGURE_MEET) {
        may_be |= 1u << QD_SPACE_END;
    }
    if (was != FIGURE_MEET && now != FIGURE_APART) {
        may_be |= 1u << QD_SPACE_BEGIN;
    }
    if (was != FIGURE_MEET && now != FIGURE_MEET) {
        may_be |= apart_may_be(passed(r, a, b));
    }
    return may_be;
}

static uint32_t pair_of(const reference_thing *a, const reference_thing *b)
{
    figure_verdict was = are_pair(&a->was, &b->was);

    return (was != FIGURE_MEET ? 1u : 0) | (was != FIGURE_APART ? 1u << QD_SPACE_STAY : 0);
}

reference_pairs reference_expect(reference *r, qd_space_wanted wanted)
{
    size_t capacity = 64;
    reference_pairs all = {.pair = malloc(capacity * sizeof *all.pair)};

    for (uint32_t a = 0; a < r->slots; a++) {
        for (uint32_t b = a + 1; b < r->slots && r->thing[a].taken; b++) {
            const reference_thing *one = &r->thing[a], *other = &r->thing[b];

            if (!other->taken) {
                continue;
            }
            uint32_t may_be = wanted == QD_SPACE_WANT_NOTHING ? pair_of(one, other)
                                                              : events_of(r, one, other, wanted == QD_SPACE_WANT_STAYS);
            if (may_be == 1) {
                continue;
            }
            if (all.count == capacity) {
                capacity *= 2;
                all.pair = realloc(all.pair, capacity * sizeof *all.pair);
            }
            all.pair[all.count++] = (reference_pair){a, b, may_be};
            all.certain += (may_be & 1) == 0;
            r->unsure += (may_be & (may_be - 1)) != 0;
        }
    }
    r->pairs += all.count;
    return all;
}

qd_space_reason reference_reason(const reference *r, uint32_t a, uint32_t b)
{
    const reference_thing *one = &r->thing[a], *other = &r->thing[b];

    if (one->removed_for != 0 || other->removed_for != 0) {
        bool first = other->removed_for == 0 || (one->removed_for != 0 && one->removed_for < other->removed_for);

        return first ? one->removed_for : other->removed_for;
    }
    if (!filters_agree(&one->now.body, &other->now.body)) {
        return QD_SPACE_FILTERED;
    }
    if (figure_resized(&one->was.body, &one->now.body) || figure_resized(&other->was.body, &other->now.body)) {
        return QD_SPACE_RESIZED;
    }
    return one->teleported || other->teleported ? QD_SPACE_TELEPORTED : QD_SPACE_MOVED_APART;
}

void reference_add(reference *r, uint32_t slot, const qd_body *body)
{
    r->thing[slot] = (reference_thing){.now = {true, *body}, .taken = true};
    r->slots = slot < r->slots ? r->slots : slot + 1;
    r->taken++;
}

bool reference_remove(reference *r, uint32_t slot, qd_space_reason reason)
{
    reference_thing *thing = &r->thing[slot];

    thing->now.here = false;
    thing->removed_for = reason;
    thing->taken = thing->was.here;
    r->taken -= !thing->taken;
    return !thing->taken;
}

void reference_settle(reference *r)
{
    for (uint32_t slot = 0; slot < r->slots; slot++) {
        reference_thing *thing = &r->thing[slot];

        r->taken -= thing->taken && !thing->now.here;
        thing->taken = thing->now.here;
        thing->was = thing->now;
        thing->teleported = false;
        thing->removed_for = 0;
    }
}
