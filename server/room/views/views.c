/* SPDX-License-Identifier: Apache-2.0
 *
 * A tick of views: who comes and goes as a candidate, as the sight finds it, and what that changes.
 */
#include <string.h>

#include "observers.h"
#include "rule.h"
#include "views_tick.h"
#include "visibility_index.h"

/* A candidate that is to be judged by itself. */
struct touched {
    uint32_t row, slot;
};

struct touching {
    qd_room *room;
    struct touched *all;
    size_t count;
    qd_crossing *begins; /* of those with several bodies, for when their ends are noted */
    size_t begin_count;
};

/* ---- a room's life ---- */

void qd_room_views_init(qd_room *room, uint64_t salt)
{
    room->views.free = room->views.next_member = QD_NONE;
    room->views.multiplier = qd_sightings_multiplier(salt);
    qd_map_init(&room->views.rows, room->heap, salt);
}

void qd_room_views_deinit(qd_room *room)
{
    qd_views *views = &room->views;
    qd_heap *heap = room->heap;

    for (uint32_t row = 0; row < views->count; row++) {
        qd_observer *observer = &views->observers[row];

        qd_sightings_deinit(&observer->sightings, heap);
        qd_heap_free(heap, observer->exceptions,
                     (observer->hide_count + observer->show_count) * sizeof observer->exceptions[0]);
    }
    if (views->sight) {
        qd_sight_close(room);
    }
    qd_heap_free(heap, views->observers, views->capacity * sizeof views->observers[0]);
    qd_heap_free(heap, views->attention, views->attention_capacity);
    qd_heap_free(heap, views->order, views->order_capacity * sizeof views->order[0]);
    qd_heap_free(heap, views->follow, views->follow_capacity * sizeof views->follow[0]);
    qd_heap_free(heap, views->rejudge, views->rejudge_capacity * sizeof views->rejudge[0]);
    qd_heap_free(heap, views->descriptions, views->descriptions_capacity * sizeof views->descriptions[0]);
    qd_map_deinit(&views->rows);
    qd_block_deinit(&views->touched, heap);
    qd_block_deinit(&views->crossed, heap);
    qd_block_deinit(&views->report.block, heap);
    qd_view_list *lists[] = {&views->leaves, &views->enters, &views->relays, &views->watchers};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        qd_view_list_deinit(lists[i], heap);
    }
    qd_claims_deinit(&views->claims, heap);
    qd_claims_deinit(&views->entrants, heap);
    qd_claims_deinit(&views->waiting, heap);
}

void qd_room_views_leave(qd_room *room, uint32_t member)
{
    qd_member_views *views = &room->members.rows[member].views;

    while (views->first != QD_NONE) {
        qd_observer_end(room, views->first);
    }
    *views = (qd_member_views){.first = QD_NONE, .observers = views->observers};
}

void qd_room_view_stats_get(const qd_room *room, qd_room_view_stats *stats)
{
    const qd_views *views = &room->views;

    *stats = (qd_room_view_stats){
        .observers = views->live,
        .seen = views->seen_count,
        .enters = views->enters_count,
        .leaves = views->leaves_count,
    };
}

/* ---- changes of a view ---- */

void qd_view_list_grow(qd_room *room, qd_view_list *list)
{
    uint32_t capacity = list->capacity;

    list->key = qd_array_need(room->heap, list->key, &capacity, sizeof list->key[0], list->count);
    list->value = qd_array_need(room->heap, list->value, &list->capacity, sizeof list->value[0], list->count);
}

void qd_view_list_deinit(qd_view_list *list, qd_heap *heap)
{
    qd_heap_free(heap, list->key, list->capacity * sizeof list->key[0]);
    qd_heap_free(heap, list->value, list->capacity * sizeof list->value[0]);
}

static uint64_t news_key(const qd_room *room, const qd_observer *observer, uint32_t slot)
{
    return (uint64_t)observer->rank << 32 | room->entities.id[slot];
}

void qd_view_tell(qd_room *room, uint32_t row, uint32_t *place)
{
    qd_views *views = &room->views;
    const qd_observer *observer = &views->observers[row];
    qd_telling *telling = qd_sightings_telling(&observer->sightings, place);

    *place &= ~(uint32_t)QD_SIGHTING_WAITS;
    telling->told = views->round;
    qd_view_list_add(room, &views->relays, (uint64_t)observer->rank << 32 | telling->id, qd_sighting_slot(*place));
}

void qd_view_enter(qd_room *room, uint32_t row, uint32_t *place)
{
    qd_views *views = &room->views;
    qd_observer *observer = &views->observers[row];
    uint32_t slot = qd_sighting_slot(*place);

    *place |= QD_SIGHTING_SEEN;
    if (observer->sightings.tellings) {
        qd_telling *telling = qd_sightings_telling(&observer->sightings, place);

        telling->told = views->round;
        telling->id = room->entities.id[slot];
    }
    observer->seen++;
    views->seen_count++;
    views->enters_count++;
    qd_view_list_add(room, &views->enters, news_key(room, observer, slot), slot);
}

void qd_view_leave(qd_room *room, uint32_t row, uint32_t *place, qd_room_leave_reason reason)
{
    qd_views *views = &room->views;
    qd_observer *observer = &views->observers[row];
    uint32_t slot = qd_sighting_slot(*place);

    if (room->emptied) {
        reason = QD_ROOM_LEFT_ROOM_CLOSED;
    }
    *place &= ~(uint32_t)(QD_SIGHTING_SEEN | QD_SIGHTING_WAITS);
    observer->seen--;
    views->seen_count--;
    views->leaves_count++;
    room->members.rows[observer->member].views.bytes += QD_VIEW_LEAVE_BYTES;
    qd_view_list_add(room, &views->leaves, news_key(room, observer, slot),
                     slot | (uint32_t)reason << QD_VIEW_REASON_SHIFT);
}

/* ---- candidates ---- */

/* Then it is judged in any case, whatever happens to it. */
static bool is_whole(const qd_views *views, uint32_t row)
{
    return (views->attention[row] & QD_ATTEND_WHOLE) != 0;
}

static void touch(struct touching *touching, uint32_t row, uint32_t *place)
{
    qd_views *views = &touching->room->views;

    if (*place & QD_SIGHTING_TOUCHED) {
        return;
    }
    *place |= QD_SIGHTING_TOUCHED;
    /* Who can let in only so many has to look at all that come. */
    if (!is_whole(views, row) && views->observers[row].enter_budget > 0) {
        views->attention[row] |= QD_ATTEND_ONCE;
    }
    if (!is_whole(views, row)) {
        touching->all[touching->count++] = (struct touched){row, qd_sighting_slot(*place)};
    }
}

/* What of a sighting it tells. */
static uint32_t flag_of(qd_crossing crossing)
{
    return 1u << qd_whose_body(crossing.whose);
}

static struct touched pair_of(qd_crossing crossing)
{
    return (struct touched){qd_whose_index(crossing.whose), crossing.slot};
}

/* What is wanted, and not in the view yet. */
static void admit(qd_room *room, struct touched pair, uint32_t *place)
{
    const qd_observer *observer = &room->views.observers[pair.row];

    if (room->members.rows[observer->member].views.options.bytes_max == 0) {
        qd_view_enter(room, pair.row, place);
        return;
    }
    qd_claim claim = {.id = room->entities.id[pair.slot], .slot = pair.slot, .observer = pair.row};
    claim.distance = qd_rule_distance(observer, &room->views.seen[pair.slot]);
    qd_view_claim(room, claim);
}

/* An event of the sight. A pair's ends come before its begins: bodies may have been replaced. */
static void note(struct touching *touching, struct touched pair, uint32_t flag, bool begins)
{
    qd_views *views = &touching->room->views;
    qd_sightings *set = &views->observers[pair.row].sightings;
    uint32_t *place =
        begins ? qd_sightings_put(set, touching->room->heap, pair.slot, 0) : qd_sightings_find(set, pair.slot);

    QD_ASSERT(place);
    touch(touching, pair.row, place);
    *place = begins ? *place | flag : *place & ~flag;
}

/* An event of an observer to which nothing else happens: with one region, and nobody who waits, that is all about the
 * pair at this tick. */
static void settle(qd_room *room, struct touched pair, bool begins)
{
    qd_observer *observer = &room->views.observers[pair.row];
    qd_sightings *set = &observer->sightings;

    if (begins) {
        uint32_t *place = qd_sightings_put(set, room->heap, pair.slot, QD_SIGHTING_INNER);

        if (qd_rule_allows(room, observer, pair.slot, QD_SIGHTING_INNER)) {
            admit(room, pair, place);
        }
        return;
    }
    uint32_t *place = qd_sightings_find(set, pair.slot);
    QD_ASSERT(place);
    uint32_t flags = *place & QD_SIGHTING_FLAGS & ~(uint32_t)QD_SIGHTING_INNER;
    if (flags & QD_SIGHTING_SEEN) {
        qd_view_leave(room, pair.row, place, qd_rule_reason(room, observer, pair.slot, flags));
    }
    qd_sightings_remove(set, place);
    qd_sightings_trim(set, room->heap);
}

/* Who comes is anywhere in memory: what is needed AHEAD entries on is fetched meanwhile, and what that needs, half as
 * far ahead. */
#define AHEAD 16u

static void foresee(const qd_room *room, const qd_crossings *crossings, size_t i)
{
    const qd_views *views = &room->views;

    if (i + AHEAD < crossings->count) {
        struct touched next = pair_of(crossings->all[i + AHEAD]);

        __builtin_prefetch(&views->observers[next.row]);
        __builtin_prefetch(&views->seen[next.slot]);
        __builtin_prefetch(&room->entities.id[next.slot]);
    }
    if (i + AHEAD / 2 < crossings->count) {
        struct touched next = pair_of(crossings->all[i + AHEAD / 2]);

        qd_sightings_prefetch(&views->observers[next.row].sightings, next.slot);
    }
}

/* How many candidates of observers that are not looked at as a whole may be touched by the marks on entities. */
static size_t marked_at_most(const qd_room *room)
{
    const qd_views *views = &room->views;
    size_t sum = 0;

    for (uint32_t row = 0; row < views->count && views->rejudge_count > 0; row++) {
        uint32_t count = views->observers[row].sightings.count;

        if (!is_whole(views, row)) {
            sum += count < views->rejudge_count ? count : views->rejudge_count;
        }
    }
    return sum;
}

static void note_all(struct touching *touching, const qd_crossings *crossings)
{
    qd_views *views = &touching->room->views;
    const bool may_settle = !views->has_beacons && views->rejudge_count == 0;
    const size_t begins_bytes = qd_block_part(crossings->count, sizeof touching->begins[0]);
    const size_t touched_bytes = (crossings->count + marked_at_most(touching->room)) * sizeof touching->all[0];
    char *memory = qd_block_fit(&views->touched, touching->room->heap, begins_bytes + touched_bytes);

    if (memory == NULL) {
        return;
    }
    touching->begins = (qd_crossing *)memory;
    touching->all = (struct touched *)(memory + begins_bytes);

    for (size_t i = 0; i < crossings->count; i++) {
        const qd_crossing crossing = crossings->all[i];
        const struct touched pair = pair_of(crossing);

        foresee(touching->room, crossings, i);
        if (views->attention[pair.row] & QD_ATTEND_GONE) {
            continue;
        }
        if (may_settle && !is_whole(views, pair.row) && views->observers[pair.row].is_plain) {
            settle(touching->room, pair, crossing.begins);
        } else if (crossing.begins) {
            touching->begins[touching->begin_count++] = crossing;
        } else {
            note(touching, pair, flag_of(crossing), false);
        }
    }
    for (size_t i = 0; i < touching->begin_count; i++) {
        note(touching, pair_of(touching->begins[i]), flag_of(touching->begins[i]), true);
    }
}

/* Entities of which something else was said: they are judged anew by all whose candidates they are. */
static void touch_marked(struct touching *touching)
{
    qd_views *views = &touching->room->views;

    for (uint32_t row = 0; row < views->count && views->rejudge_count > 0; row++) {
        qd_sightings *set = &views->observers[row].sightings;

        if (is_whole(views, row) || set->count == 0) {
            continue;
        }
        if (set->capacity < views->rejudge_count) {
            for (uint32_t at = 0; at < set->capacity; at++) {
                if (set->places[at] != 0 && views->seen[qd_sighting_slot(set->places[at])].marks & QD_MARK_JUDGE) {
                    touch(touching, row, &set->places[at]);
                }
            }
            continue;
        }
        for (uint32_t i = 0; i < views->rejudge_count; i++) {
            uint32_t *place = qd_sightings_find(set, views->rejudge[i]);

            if (place) {
                touch(touching, row, place);
            }
        }
    }
    for (uint32_t i = 0; i < views->rejudge_count; i++) {
        views->seen[views->rejudge[i]].marks &= (uint8_t)~QD_MARK_JUDGE;
    }
    views->rejudge_count = 0;
}

/* ---- judging ---- */

static void judge_one(qd_room *room, struct touched touched)
{
    qd_views *views = &room->views;
    const qd_observer *observer = &views->observers[touched.row];
    uint32_t *place = qd_sightings_find(&observer->sightings, touched.slot);
    uint32_t flags = *place & QD_SIGHTING_FLAGS;
    bool wanted = qd_rule_wants(room, observer, touched.slot, flags);

    if (flags & QD_SIGHTING_SEEN && !wanted) {
        qd_view_leave(room, touched.row, place, qd_rule_reason(room, observer, touched.slot, flags));
    } else if (!(flags & QD_SIGHTING_SEEN) && wanted) {
        admit(room, touched, place);
    }
    if ((*place & QD_SIGHTING_FLAGS) == QD_SIGHTING_TOUCHED) {
        qd_sightings *set = &views->observers[touched.row].sightings;

        qd_sightings_remove(set, place);
        qd_sightings_trim(set, room->heap);
    } else {
        *place &= ~(uint32_t)QD_SIGHTING_TOUCHED;
    }
}

static void foresee_judging(const qd_views *views, const struct touching *touching, size_t i)
{
    if (i + AHEAD < touching->count) {
        struct touched next = touching->all[i + AHEAD];

        __builtin_prefetch(&views->observers[next.row]);
        __builtin_prefetch(&views->seen[next.slot]);
    }
    if (i + AHEAD / 2 < touching->count) {
        struct touched next = touching->all[i + AHEAD / 2];

        qd_sightings_prefetch(&views->observers[next.row].sightings, next.slot);
    }
}

static void end_view(qd_room *room, uint32_t row)
{
    qd_sightings *set = &room->views.observers[row].sightings;

    for (uint32_t at = 0; at < set->capacity; at++) {
        if (set->places[at] & QD_SIGHTING_SEEN) {
            set->places[at] |= QD_SIGHTING_TOUCHED; /* never without a flag */
            qd_view_leave(room, row, &set->places[at], QD_ROOM_LEFT_OBSERVER);
        }
    }
}

/* The first row from there on that needs any attention; their number, where there is none. Most often few do. */
static uint32_t next_attended(const qd_views *views, uint32_t row)
{
    while (row < views->count && views->attention[row] == 0) {
        uint64_t eight = 1;

        if (row + sizeof eight <= views->count) {
            memcpy(&eight, views->attention + row, sizeof eight);
        }
        row += eight == 0 ? sizeof eight : 1;
    }
    return row;
}

static void judge(qd_room *room, const struct touching *touching, uint32_t steps)
{
    qd_views *views = &room->views;

    for (size_t i = 0; i < touching->count; i++) {
        foresee_judging(views, touching, i);
        judge_one(room, touching->all[i]);
    }
    for (uint32_t row = next_attended(views, 0); row < views->count; row = next_attended(views, row + 1)) {
        if (views->attention[row] & QD_ATTEND_GONE) {
            end_view(room, row);
        } else if (is_whole(views, row)) {
            qd_view_judge(room, row, steps);
        } else {
            qd_view_relay(room, row, steps);
        }
    }
    qd_view_spend(room);
}

/* ---- what the sight tells ---- */

/* The events of the sight in terms of observers and entities, behind `first` of the join's. */
static qd_crossings crossings_of(qd_room *room, const qd_crossings *first, const qd_space_events *events)
{
    qd_views *views = &room->views;
    qd_crossing *all = qd_block_fit(&views->crossed, room->heap, (first->count + events->count) * sizeof all[0]);
    size_t count = first->count;

    if (first->count > 0) {
        memcpy(all, first->all, first->count * sizeof all[0]);
    }
    for (size_t i = 0; i < events->count; i++) {
        const qd_space_event event = events->events[i];

        if (i + AHEAD < events->count) {
            __builtin_prefetch(&views->whose[qd_space_event_a(events->events[i + AHEAD])]);
            __builtin_prefetch(&views->whose[qd_space_event_b(events->events[i + AHEAD])]);
        }
        const uint32_t one = views->whose[qd_space_event_a(event)], other = views->whose[qd_space_event_b(event)];
        const uint32_t whose = qd_whose_body(one) < QD_BODIES ? one : other;
        all[count++] =
            (qd_crossing){whose, qd_whose_index(one ^ other ^ whose), qd_space_event_kind(event) != QD_SPACE_END};
    }
    return (qd_crossings){all, count, first->complete && events->complete};
}

/* A tick of the sight, or of the join where it leads. */
static qd_crossings cross(qd_room *room, const qd_executor *executor, uint64_t limit)
{
    qd_views *views = &room->views;
    const bool has_any = !views->join->leads || views->has_beacons;
    qd_crossings crossings = {.complete = true};
    qd_space_events events;

    if (views->join->leads) {
        qd_join_tell(room, executor, limit, &crossings);
    }
    qd_space_tick(views->sight, executor, has_any ? QD_SPACE_WANT_EVENTS : QD_SPACE_WANT_NOTHING, limit, &events);
    return has_any ? crossings_of(room, &crossings, &events) : crossings;
}

/* ---- too many ---- */

static void forget_view(qd_room *room, uint32_t row)
{
    qd_views *views = &room->views;
    qd_observer *observer = &views->observers[row];

    room->members.rows[observer->member].views.is_emptied |= observer->seen > 0;
    views->seen_count -= observer->seen;
    views->leaves_count += observer->seen;
    observer->seen = 0;
    qd_sightings_deinit(&observer->sightings, room->heap);
    qd_observer_relay(room, row);
}

static void suspend(qd_room *room)
{
    qd_views *views = &room->views;

    views->suspended = true;
    views->pairs = 0;
    for (uint32_t row = 0; row < views->count; row++) {
        forget_view(room, row);
    }
}

/* What is near whom, all of it, where it is few enough. */
static bool look_anew(qd_room *room, const qd_executor *executor, struct touching *touching)
{
    qd_views *views = &room->views;
    qd_space_events pairs;

    qd_space_pairs(views->sight, executor, room->config.sightings_max, &pairs);
    if (!pairs.complete || pairs.count + views->shown > room->config.sightings_max) {
        return false;
    }
    views->pairs = pairs.count;
    views->suspended = false;
    for (uint32_t row = 0; row < views->count; row++) {
        views->attention[row] |= views->observers[row].state == QD_OBSERVER_LIVE ? QD_ATTEND_ONCE : 0;
    }
    for (uint32_t member = 0; member < room->members.count; member++) {
        qd_member_views *row = &room->members.rows[member].views;

        if (row->told_suspended) {
            row->told_suspended = false;
            row->reset = true;
            row->reset_watchers |= row->options.watching != QD_ROOM_WATCH_NONE;
        }
    }
    const qd_crossings crossings = crossings_of(room, &(qd_crossings){.complete = true}, &pairs);
    note_all(touching, &crossings);
    return true;
}

/* ---- ticks ---- */

/* The walk of a tick. Returns whether views can be told by it. */
static bool look(qd_room *room, const qd_executor *executor, struct touching *touching)
{
    qd_views *views = &room->views;
    uint64_t limit = room->config.sightings_max;
    bool was_suspended = views->suspended;
    const uint32_t *freed;
    size_t freed_count;
    qd_space_events events;

    if (was_suspended) {
        qd_space_tick(views->sight, executor, QD_SPACE_WANT_NOTHING, 0, &events);
    } else {
        /* Of more events than this, more than the limit are begins. */
        qd_crossings crossings = cross(room, executor, 2 * limit);

        for (size_t i = 0; crossings.complete && i < crossings.count; i++) {
            views->pairs += crossings.all[i].begins ? 1 : UINT64_MAX;
        }
        if (!crossings.complete || views->pairs + views->shown > limit) {
            suspend(room);
        } else {
            note_all(touching, &crossings);
        }
    }
    qd_space_settle(views->sight, &freed, &freed_count);
    qd_join_choose(room);
    views->placed = 0;
    if (was_suspended) {
        return look_anew(room, executor, touching);
    }
    return !views->suspended;
}

static void release_gone(qd_room *room)
{
    qd_views *views = &room->views;

    for (uint32_t row = 0; row < views->count && views->gone > 0; row++) {
        if (views->attention[row] & QD_ATTEND_GONE) {
            qd_observer_release(room, row);
        }
    }
    if (views->sight && views->live == 0) {
        qd_sight_close(room);
    }
}

void qd_room_views_tick(qd_room *room, const qd_executor *executor, uint32_t skipped)
{
    qd_views *views = &room->views;
    struct touching touching = {.room = room};

    if (!views->in_use) {
        return;
    }
    views->round++;
    views->leaves.count = views->enters.count = views->relays.count = 0;
    for (uint32_t member = 0; member < room->members.count; member++) {
        room->members.rows[member].views.bytes = 0;
        room->members.rows[member].views.is_full = false;
        room->members.rows[member].views.is_emptied = false;
    }
    if (views->sight) {
        qd_view_age(room);
        qd_sight_follow(room);
        qd_observers_rank(room);
        bool is_clear = look(room, executor, &touching);
        touch_marked(&touching);
        if (is_clear) {
            judge(room, &touching, 1 + skipped);
        }
    }
    qd_view_report_make(room, room->tick - 1 - skipped);
    release_gone(room);
}

/* The lists of the round are empty: nobody comes or goes between ticks. */
void qd_room_view_catch_up(qd_room *room)
{
    qd_views *views = &room->views;

    if (!views->in_use) {
        return;
    }
    views->next_member = QD_NONE;
    if (!views->watchers_due) {
        return;
    }
    views->leaves.count = views->enters.count = views->relays.count = 0;
    qd_view_report_make(room, room->tick);
}
