/* SPDX-License-Identifier: Apache-2.0
 *
 * Observers that are looked at as a whole, and what is spent of the bytes of members.
 */
#include "../entities/describe.h"
#include "rule.h"
#include "views_tick.h"

/* ---- one observer ---- */

/* What is on the list `show` and in the room is a candidate, and marked. */
static void find_shown(qd_room *room, qd_observer *observer)
{
    qd_sightings *set = &observer->sightings;

    for (uint32_t at = 0; at < set->capacity; at++) {
        set->places[at] &= ~(uint32_t)QD_SIGHTING_SHOWN; /* none is left without a flag: all are touched */
    }
    for (uint32_t i = 0; i < observer->show_count; i++) {
        uint32_t slot = qd_ids_get(&room->ids, observer->exceptions[observer->hide_count + i]).slot;

        if (slot != QD_SLOT_NONE) {
            (void)qd_sightings_put(set, room->heap, slot, QD_SIGHTING_SHOWN | QD_SIGHTING_TOUCHED);
        }
    }
}

static void touch_all(qd_sightings *set)
{
    for (uint32_t at = 0; at < set->capacity; at++) {
        if (set->places[at] != 0) {
            set->places[at] = (set->places[at] | QD_SIGHTING_TOUCHED) & ~(uint32_t)QD_SIGHTING_HELD;
        }
    }
}

/* Entities are anywhere in memory: those so many places on are fetched meanwhile. */
#define AHEAD 8u

/* Steps 1 to 3: views->claims is what the observer wants; what it does not want any more leaves. */
static void want(qd_room *room, uint32_t row)
{
    qd_views *views = &room->views;
    qd_observer *observer = &views->observers[row];
    qd_sightings *set = &observer->sightings;

    views->claims.count = 0;
    for (uint32_t at = 0; at < set->capacity; at++) {
        uint32_t place = set->places[at], slot = qd_sighting_slot(place), flags = place & QD_SIGHTING_FLAGS;

        if (at + AHEAD < set->capacity) {
            __builtin_prefetch(&views->seen[qd_sighting_slot(set->places[at + AHEAD])]);
        }
        if (place == 0) {
            continue;
        }
        if (qd_rule_wants(room, observer, slot, flags)) {
            qd_claim claim = {.distance = qd_rule_distance(observer, &views->seen[slot]),
                              .id = room->entities.id[slot],
                              .slot = slot,
                              .observer = row,
                              .flags = flags,
                              .at = at};

            qd_claims_add(&views->claims, room->heap, claim);
        } else if (flags & QD_SIGHTING_SEEN) {
            qd_view_leave(room, row, &set->places[at], qd_rule_reason(room, observer, slot, flags));
        }
    }
}

/* How much nearer than it is something counts that is in the view already. */
static double head_start(const qd_observer *observer)
{
    float range = observer->range;

    for (unsigned k = 0; k < 3 && observer->kind == QD_ROOM_BOX; k++) {
        range = observer->half[k] > range ? observer->half[k] : range;
    }
    double sixteenth = (double)range / 16, margin = (double)observer->leave_margin;
    return margin > sixteenth ? margin : sixteenth;
}

/* Step 4: the first claims are those chosen. */
static void choose(qd_room *room, uint32_t row)
{
    qd_views *views = &room->views;
    const qd_observer *observer = &views->observers[row];
    qd_claims *claims = &views->claims;

    if (observer->limit == 0 || claims->count <= observer->limit) {
        return;
    }
    double ahead = head_start(observer);
    for (uint32_t i = 0; i < claims->count; i++) {
        qd_claim *claim = &claims->claim[i];

        claim->lead = claim->flags & QD_SIGHTING_SHOWN ? 0 : 1;
        claim->distance -= claim->flags & QD_SIGHTING_SEEN ? ahead : 0;
    }
    qd_claims_sort(claims->claim, claims->count);
    for (uint32_t i = observer->limit; i < claims->count; i++) {
        if (claims->claim[i].flags & QD_SIGHTING_SEEN) {
            qd_view_leave(room, row, &observer->sightings.places[claims->claim[i].at], QD_ROOM_LEFT_LIMIT);
        }
    }
    claims->count = observer->limit;
    for (uint32_t i = 0; i < claims->count; i++) {
        claims->claim[i].lead = 0;
        claims->claim[i].distance = qd_rule_distance(observer, &views->seen[claims->claim[i].slot]);
    }
}

/* It is looked at anew at the next tick. */
static void hold(qd_room *room, const qd_claim *claim)
{
    qd_views *views = &room->views;

    *qd_sightings_find(&views->observers[claim->observer].sightings, claim->slot) |= QD_SIGHTING_HELD;
    views->attention[claim->observer] |= QD_ATTEND_ONCE;
}

/* Step 5, of the chosen ones that are not in the view: they come first among the claims; returns how many there are. */
static uint32_t enter(qd_room *room, uint32_t row)
{
    qd_views *views = &room->views;
    const qd_observer *observer = &views->observers[row];
    qd_claim *claims = views->claims.claim;
    uint32_t entrants = 0, admitted;

    for (uint32_t i = 0; i < views->claims.count; i++) {
        if (claims[i].flags & QD_SIGHTING_SEEN) {
            continue;
        }
        qd_claim claim = claims[i];
        claims[i] = claims[entrants];
        claims[entrants++] = claim;
    }
    admitted = entrants;
    if (observer->enter_budget > 0 && entrants > observer->enter_budget) {
        qd_claims_sort(claims, entrants);
        admitted = observer->enter_budget;
        for (uint32_t i = admitted; i < entrants; i++) {
            hold(room, &claims[i]);
        }
    }
    for (uint32_t i = 0; i < admitted; i++) {
        qd_view_claim(room, claims[i]);
    }
    return entrants;
}

/* ---- step 6: whose turn it is, and who still waits ---- */

/* Positions of an observer's view, at a tick. */
struct relaying {
    qd_room *room;
    uint32_t row;
    uint32_t steps;
    bool is_limited;
    uint32_t phase[QD_VIEW_TIERS_MAX]; /* of the tick, in each tier */
};

static void begin_relaying(qd_room *room, uint32_t row, uint32_t steps, struct relaying *to)
{
    const qd_observer *observer = &room->views.observers[row];

    to->room = room;
    to->row = row;
    to->steps = steps;
    to->is_limited = room->members.rows[observer->member].views.options.bytes_max > 0;
    for (uint32_t tier = 0; tier < observer->tiers; tier++) {
        to->phase[tier] = (uint32_t)(room->tick % observer->relay_every[tier]);
    }
}

static bool is_turn(const struct relaying *relaying, const qd_observer *observer, uint32_t tier, uint32_t id)
{
    uint32_t every = observer->relay_every[tier];

    return (relaying->phase[tier] + id % every) % every < relaying->steps;
}

static bool is_turn_anywhere(const struct relaying *relaying, const qd_observer *observer, uint32_t id)
{
    bool is = false;

    for (uint32_t tier = 0; tier < observer->tiers; tier++) {
        is |= is_turn(relaying, observer, tier, id);
    }
    return is;
}

static bool is_turn_at(const struct relaying *relaying, const qd_observer *observer, double distance, uint32_t id)
{
    uint32_t tier = 0;

    while (tier < observer->tiers && distance > (double)observer->relay_range[tier]) {
        tier++;
    }
    return tier < observer->tiers && is_turn(relaying, observer, tier, id);
}

/* Of one that is in the view, and whose turn it may be. */
static void relay_one(const struct relaying *relaying, uint32_t at)
{
    qd_room *room = relaying->room;
    qd_views *views = &room->views;
    const qd_observer *observer = &views->observers[relaying->row];
    uint32_t *place = &observer->sightings.places[at], slot = qd_sighting_slot(*place);
    qd_telling *telling = &observer->sightings.tellings[at];
    const qd_seen *seen = &views->seen[slot];

    if (!(*place & QD_SIGHTING_WAITS)) {
        bool has_changed = (int32_t)(seen->placed - telling->told) > 0;

        if (!has_changed || !is_turn_at(relaying, observer, qd_rule_distance(observer, seen), telling->id)) {
            return;
        }
        *place |= QD_SIGHTING_WAITS;
        telling->waits_since = views->round;
    }
    if (!relaying->is_limited) {
        qd_view_tell(room, relaying->row, place);
        return;
    }
    qd_claim claim = {.lead = UINT32_MAX - (views->round - telling->waits_since),
                      .rank = observer->rank,
                      .id = telling->id,
                      .slot = slot,
                      .observer = relaying->row};
    qd_claims_add(&views->waiting, room->heap, claim);
}

#define DUE_COUNT 128u

/* Entities are anywhere in memory: all whose turn it may be are fetched, and then looked at. */
void qd_view_relay(qd_room *room, uint32_t row, uint32_t steps)
{
    const qd_observer *observer = &room->views.observers[row];
    const qd_sightings *set = &observer->sightings;
    struct relaying relaying;
    uint32_t due[DUE_COUNT];

    begin_relaying(room, row, steps, &relaying);
    for (uint32_t at = 0; at < set->capacity;) {
        uint32_t count = 0;

        for (; at < set->capacity && count < DUE_COUNT; at++) {
            uint32_t place = set->places[at];

            if (!(place & QD_SIGHTING_SEEN) ||
                (!(place & QD_SIGHTING_WAITS) && !is_turn_anywhere(&relaying, observer, set->tellings[at].id))) {
                continue;
            }
            __builtin_prefetch(&room->views.seen[qd_sighting_slot(place)]);
            due[count++] = at;
        }
        for (uint32_t i = 0; i < count; i++) {
            relay_one(&relaying, due[i]);
        }
    }
}

/* The same of the claims from `first` on, which are those in the view. */
static void relay_claims(qd_room *room, uint32_t row, uint32_t first, uint32_t steps)
{
    const qd_views *views = &room->views;
    const qd_observer *observer = &views->observers[row];
    struct relaying relaying;

    begin_relaying(room, row, steps, &relaying);
    for (uint32_t i = first; i < views->claims.count; i++) {
        const qd_claim *claim = &views->claims.claim[i];

        observer->sightings.tellings[claim->at].id = claim->id; /* it may be that positions are told from now on */
        relay_one(&relaying, claim->at);
    }
}

/* ---- rounds go round ---- */

#define AGE_MAX (1u << 29)

/* What is older than that is so old, and what it was after stays before it. */
static uint32_t aged(uint32_t round, uint32_t now)
{
    return now - round > AGE_MAX ? now - AGE_MAX : round;
}

static void age_tellings(const qd_views *views, const qd_sightings *set)
{
    for (uint32_t at = 0; at < set->capacity && set->tellings; at++) {
        if (!(set->places[at] & QD_SIGHTING_SEEN)) {
            continue;
        }
        qd_telling *telling = &set->tellings[at];
        const uint32_t placed = views->seen[qd_sighting_slot(set->places[at])].placed;
        const bool has_changed = (int32_t)(placed - telling->told) > 0;

        telling->told = has_changed ? aged(placed, views->round) - 1 : aged(telling->told, views->round);
        telling->waits_since = aged(telling->waits_since, views->round);
    }
}

void qd_view_age(qd_room *room)
{
    qd_views *views = &room->views;

    if (views->round % QD_VIEW_AGE_ROUNDS != 0) {
        return;
    }
    for (uint32_t row = 0; row < views->count; row++) {
        age_tellings(views, &views->observers[row].sightings);
    }
    for (uint32_t slot = 0; slot < views->seen_end; slot++) {
        views->seen[slot].placed = aged(views->seen[slot].placed, views->round);
    }
}

/* ---- as a whole ---- */

void qd_view_judge(qd_room *room, uint32_t row, uint32_t steps)
{
    qd_views *views = &room->views;
    qd_observer *observer = &views->observers[row];

    touch_all(&observer->sightings);
    if (observer->show_count > 0 || views->attention[row] & QD_ATTEND_ONCE) {
        find_shown(room, observer);
    }
    views->attention[row] &= (uint8_t)~QD_ATTEND_ONCE;
    want(room, row);
    choose(room, row);
    uint32_t entrants = enter(room, row);
    if (observer->tiers > 0) {
        relay_claims(room, row, entrants, steps);
    }
    qd_sightings_settle(&observer->sightings);
    qd_sightings_trim(&observer->sightings, room->heap);
}

/* ---- bytes ---- */

void qd_view_claim(qd_room *room, qd_claim claim)
{
    qd_views *views = &room->views;
    const qd_observer *observer = &views->observers[claim.observer];

    if (room->members.rows[observer->member].views.options.bytes_max > 0) {
        claim.rank = observer->rank;
        qd_claims_add(&views->entrants, room->heap, claim);
    } else {
        qd_view_enter(room, claim.observer, qd_sightings_find(&observer->sightings, claim.slot));
    }
}

/* Takes so many bytes of what the member may have. */
static bool take(qd_member_views *member, uint32_t bytes)
{
    if (member->bytes + bytes > member->options.bytes_max) {
        return false;
    }
    member->bytes += bytes;
    return true;
}

void qd_view_spend(qd_room *room)
{
    qd_views *views = &room->views;

    qd_claims_sort(views->entrants.claim, views->entrants.count);
    for (uint32_t i = 0; i < views->entrants.count; i++) {
        const qd_claim *claim = &views->entrants.claim[i];
        const qd_observer *observer = &views->observers[claim->observer];
        qd_member_views *member = &room->members.rows[observer->member].views;
        uint32_t bytes = QD_VIEW_ENTER_BYTES + qd_description_of(room, claim->slot)->payload_size;

        /* Nobody overtakes one that has no room. */
        if (!member->is_full && take(member, bytes)) {
            qd_view_enter(room, claim->observer, qd_sightings_find(&observer->sightings, claim->slot));
        } else {
            member->is_full = true;
            hold(room, claim);
        }
    }
    qd_claims_sort(views->waiting.claim, views->waiting.count);
    for (uint32_t i = 0; i < views->waiting.count; i++) {
        const qd_claim *claim = &views->waiting.claim[i];
        const qd_observer *observer = &views->observers[claim->observer];

        if (take(&room->members.rows[observer->member].views, QD_VIEW_RELAY_BYTES)) {
            qd_view_tell(room, claim->observer, qd_sightings_find(&observer->sightings, claim->slot));
        }
    }
    views->entrants.count = views->waiting.count = 0;
}
