/* SPDX-License-Identifier: Apache-2.0 */
#include "reference.h"

#include <stdlib.h>

static bool filters_agree(const qd_body *a, const qd_body *b)
{
    return (a->category & b->mask) != 0 && (b->category & a->mask) != 0;
}

static oracle_verdict are_pair(const reference_state *a, const reference_state *b)
{
    return a->here && b->here && filters_agree(&a->body, &b->body) ? oracle_overlap(&a->body, &b->body) : ORACLE_APART;
}

/* Where the way since the last tick begins. */
static qd_body start_of(const reference_thing *thing)
{
    return oracle_start(&thing->was.body, &thing->now.body, oracle_resized(&thing->was.body, &thing->now.body));
}

/* Of two that are no pair now. They overlapped at the last tick or not, whatever their filters were then. */
static oracle_verdict passed(const reference *r, const reference_thing *a, const reference_thing *b)
{
    if (!r->swept || !a->was.here || !b->was.here || !a->now.here || !b->now.here || a->teleported || b->teleported ||
        !filters_agree(&a->now.body, &b->now.body)) {
        return ORACLE_APART;
    }
    oracle_verdict overlapped = oracle_overlap(&a->was.body, &b->was.body);
    qd_body a_begin = start_of(a), b_begin = start_of(b);
    if (overlapped == ORACLE_OVERLAP) {
        return ORACLE_APART;
    }
    oracle_verdict met = oracle_sweep(&a_begin, &a->now.body, &b_begin, &b->now.body);
    return met == ORACLE_OVERLAP && overlapped == ORACLE_TOO_CLOSE ? ORACLE_TOO_CLOSE : met;
}

/* Of a pair that was apart and is. */
static uint32_t apart_may_be(oracle_verdict passed)
{
    return passed == ORACLE_OVERLAP     ? 1u << QD_SPACE_PASSED
           : passed == ORACLE_TOO_CLOSE ? 1u << QD_SPACE_PASSED | 1u
                                        : 1u;
}

static uint32_t events_of(const reference *r, const reference_thing *a, const reference_thing *b, bool stays)
{
    oracle_verdict was = are_pair(&a->was, &b->was), now = are_pair(&a->now, &b->now);
    uint32_t may_be = 0;

    if (was != ORACLE_APART && now != ORACLE_APART) {
        may_be |= stays ? 1u << QD_SPACE_STAY : 1u;
    }
    if (was != ORACLE_APART && now != ORACLE_OVERLAP) {
        may_be |= 1u << QD_SPACE_END;
    }
    if (was != ORACLE_OVERLAP && now != ORACLE_APART) {
        may_be |= 1u << QD_SPACE_BEGIN;
    }
    if (was != ORACLE_OVERLAP && now != ORACLE_OVERLAP) {
        may_be |= apart_may_be(passed(r, a, b));
    }
    return may_be;
}

static uint32_t pair_of(const reference_thing *a, const reference_thing *b)
{
    oracle_verdict was = are_pair(&a->was, &b->was);

    return (was != ORACLE_OVERLAP ? 1u : 0) | (was != ORACLE_APART ? 1u << QD_SPACE_STAY : 0);
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
    if (oracle_resized(&one->was.body, &one->now.body) || oracle_resized(&other->was.body, &other->now.body)) {
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
