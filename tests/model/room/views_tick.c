/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "views.h"

void views_push(views_changes *to, views_change change)
{
    if (to->count == to->capacity) {
        to->capacity = to->capacity ? 2 * to->capacity : 64;
        to->all = realloc(to->all, to->capacity * sizeof to->all[0]);
    }
    to->all[to->count++] = change;
}

const ref_entity *views_entity(const views_room *views, const views_seen *seen)
{
    const ref_entity *entity = ref_born(&views->room->now, seen->id, seen->birth);

    return entity ? entity : ref_born(&views->room->gone, seen->id, seen->birth);
}

static void change(views_room *views, views_kind kind, const views_observer *observer, const views_seen *seen,
                   qd_room_leave_reason reason)
{
    views_change one = {kind, observer->member, observer->id, seen->id, views_entity(views, seen)->owner, reason};

    views_push(&views->changes, one);
    views->enters += kind == VIEWS_ENTER;
    views->leaves += kind == VIEWS_LEAVE;
    if (kind == VIEWS_LEAVE) {
        views->member[observer->member].bytes += QD_VIEW_LEAVE_BYTES;
    }
}

static void leave(views_room *views, views_observer *observer, views_seen *seen, qd_room_leave_reason reason)
{
    change(views, VIEWS_LEAVE, observer, seen, views->room->emptied ? QD_ROOM_LEFT_ROOM_CLOSED : reason);
    seen->gone = true;
}

static void enter(views_room *views, views_observer *observer, const ref_entity *entity)
{
    if (observer->seen == observer->capacity) {
        observer->capacity = observer->capacity ? 2 * observer->capacity : 16;
        observer->view = realloc(observer->view, observer->capacity * sizeof observer->view[0]);
    }
    observer->view[observer->seen] =
        (views_seen){.id = entity->id, .birth = entity->birth, .reported = views->room->ticks};
    change(views, VIEWS_ENTER, observer, &observer->view[observer->seen++], 0);
}

/* An entity that waits, and its priority. */
typedef struct wish {
    double first, second; /* ascending */
    uint32_t observer, id;
    uint32_t row;
    const ref_entity *entity;
    bool is_seen;
} wish;

typedef struct wishes {
    wish *all;
    uint32_t count;
} wishes;

static int by_order(const void *a, const void *b)
{
    const wish *one = a, *other = b;

    if (one->first != other->first) {
        return one->first < other->first ? -1 : 1;
    }
    if (one->second != other->second) {
        return one->second < other->second ? -1 : 1;
    }
    if (one->observer != other->observer) {
        return one->observer < other->observer ? -1 : 1;
    }
    return one->id < other->id ? -1 : one->id > other->id;
}

static void order(wish *all, uint32_t count)
{
    if (count > 0) {
        qsort(all, count, sizeof all[0], by_order);
    }
}

static void wish_for(wishes *to, wish one)
{
    to->all = realloc(to->all, (to->count + 1) * sizeof to->all[0]);
    to->all[to->count++] = one;
}

/* Step 5 for what cannot be wanted any more, because it is not there. */
static void leave_the_dead(views_room *views, views_observer *observer)
{
    for (uint32_t i = 0; i < observer->seen; i++) {
        views_seen *seen = &observer->view[i];

        if (!ref_born(&views->room->now, seen->id, seen->birth)) {
            leave(views, observer, seen,
                  views_entity(views, seen)->removed == QD_SPACE_EXPIRED ? QD_ROOM_LEFT_EXPIRED
                                                                         : QD_ROOM_LEFT_DESPAWNED);
        }
    }
}

static double head_start(const views_room *views, const views_observer *observer)
{
    double range = observer->kind == QD_ROOM_BOX ? 0 : observer->range;

    for (int k = 0; k < (views->room->config.space.dimensions == 3 ? 3 : 2) && observer->kind == QD_ROOM_BOX; k++) {
        range = observer->half[k] > range ? observer->half[k] : range;
    }
    return observer->margin > range / 16 ? observer->margin : range / 16;
}

static void hold_back(views_observer *observer, uint32_t id)
{
    observer->held = realloc(observer->held, (observer->held_count + 1) * sizeof observer->held[0]);
    observer->held[observer->held_count++] = id;
}

/* Steps 1 to 5. Entities that are to enter go to `entrants`. */
static void serve(views_room *views, uint32_t row, wishes *entrants)
{
    views_observer *observer = &views->observer[row];
    wishes wanted = {0};

    leave_the_dead(views, observer);
    observer->held_count = 0;
    for (uint32_t i = 0; i < views->room->now.count; i++) {
        const ref_entity *entity = &views->room->now.all[i];
        views_seen *seen = views_sees(observer, entity);
        qd_room_leave_reason forbidden = views_forbid(observer, entity);
        bool wants = !forbidden &&
                     (views_is_near(views, observer, entity) || (seen && views_is_staying(views, observer, entity)));

        if (seen && !wants) {
            leave(views, observer, seen, forbidden ? forbidden : QD_ROOM_LEFT_RANGE);
        }
        if (wants) {
            wish_for(&wanted, (wish){.first = views_shows(observer, entity->id) ? 0 : 1,
                                     .second = views_distance(views, observer, entity) -
                                               (seen ? head_start(views, observer) : 0),
                                     .id = entity->id,
                                     .row = row,
                                     .entity = entity,
                                     .is_seen = seen != NULL});
        }
    }
    if (observer->limit > 0 && wanted.count > observer->limit) {
        order(wanted.all, wanted.count);
        for (uint32_t i = observer->limit; i < wanted.count; i++) {
            if (wanted.all[i].is_seen) {
                leave(views, observer, views_sees(observer, wanted.all[i].entity), QD_ROOM_LEFT_LIMIT);
            }
        }
        wanted.count = observer->limit;
    }
    uint32_t entering = 0;
    for (uint32_t i = 0; i < wanted.count; i++) {
        if (!wanted.all[i].is_seen) {
            wanted.all[entering] = wanted.all[i];
            wanted.all[entering].first = 0;
            wanted.all[entering++].second = views_distance(views, observer, wanted.all[i].entity);
        }
    }
    order(wanted.all, entering);
    for (uint32_t i = 0; i < entering; i++) {
        wanted.all[i].observer = observer->id;
        if (observer->budget > 0 && i >= observer->budget) {
            hold_back(observer, wanted.all[i].entity->id);
        } else {
            wish_for(entrants, wanted.all[i]);
        }
    }
    free(wanted.all);
}

/* Enters of one member. */
static void admit(views_room *views, uint32_t member, wishes *entrants)
{
    views_member *row = &views->member[member];
    bool is_full = false;

    order(entrants->all, entrants->count);
    for (uint32_t i = 0; i < entrants->count; i++) {
        const wish *one = &entrants->all[i];

        if (views->observer[one->row].member != member) {
            continue;
        }
        uint32_t bytes = QD_VIEW_ENTER_BYTES + one->entity->payload_size;
        is_full |= row->options.bytes_max > 0 && row->bytes + bytes > row->options.bytes_max;
        if (is_full) {
            hold_back(&views->observer[one->row], one->entity->id);
            continue;
        }
        row->bytes += bytes;
        enter(views, &views->observer[one->row], one->entity);
    }
}

/* Step 6. */
static void relay(views_room *views, uint32_t member, uint32_t skipped)
{
    views_member *row = &views->member[member];
    wishes waiting = {0};

    for (uint32_t i = 0; i < views->observers; i++) {
        views_observer *observer = &views->observer[i];

        if (!observer->live || observer->member != member || observer->tiers == 0) {
            continue;
        }
        for (uint32_t k = 0; k < observer->seen; k++) {
            views_seen *seen = &observer->view[k];
            bool is_turn = false;

            if (seen->gone || seen->reported == views->room->ticks) {
                continue;
            }
            const ref_entity *entity = views_entity(views, seen);
            for (uint32_t tier = 0; tier < observer->tiers; tier++) {
                if (views_distance(views, observer, entity) > observer->tier_range[tier]) {
                    continue;
                }
                for (uint64_t tick = views->tick - skipped; tick <= views->tick; tick++) {
                    is_turn |= (tick + entity->id) % observer->every[tier] == 0;
                }
                break;
            }
            seen->waits |= is_turn && entity->placed >= seen->reported;
            if (seen->waits) {
                const bool is_round_again = observer->id < row->held_observer ||
                                            (observer->id == row->held_observer && entity->id < row->held_id);

                wish_for(&waiting, (wish){.first = is_round_again ? 1 : 0,
                                          .observer = observer->id,
                                          .id = entity->id,
                                          .row = i,
                                          .entity = entity});
            }
        }
    }
    order(waiting.all, waiting.count);
    for (uint32_t i = 0; i < waiting.count; i++) {
        views_observer *observer = &views->observer[waiting.all[i].row];

        if (row->options.bytes_max > 0 && !row->options.relays_once &&
            row->bytes + QD_VIEW_RELAY_BYTES > row->options.bytes_max) {
            row->held_observer = waiting.all[i].observer;
            row->held_id = waiting.all[i].id;
            break;
        }
        row->bytes += QD_VIEW_RELAY_BYTES;
        views_seen *seen = views_sees(observer, waiting.all[i].entity);
        seen->waits = false;
        seen->reported = views->room->ticks;
        change(views, VIEWS_RELAY, observer, seen, 0);
    }
    free(waiting.all);
}

static uint64_t visible_entries(const views_room *views)
{
    uint64_t count = 0;

    for (uint32_t i = 0; i < views->observers; i++) {
        const views_observer *observer = &views->observer[i];

        count += observer->live ? observer->show_count : 0;
        for (uint32_t k = 0; k < views->room->now.count && observer->live; k++) {
            const ref_entity *entity = &views->room->now.all[k];

            count += views_in_region(views, observer, entity, 0) + views_in_visible_range(views, observer, entity, 0);
            if (observer->margin > 0) {
                count += views_in_region(views, observer, entity, observer->margin) +
                         views_in_visible_range(views, observer, entity, observer->margin);
            }
        }
    }
    return count;
}

static void forget_the_gone(views_observer *observer)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < observer->seen; i++) {
        if (!observer->view[i].gone) {
            observer->view[kept++] = observer->view[i];
        }
    }
    observer->seen = kept;
}

static int by_kind(const void *a, const void *b)
{
    const views_change *one = a, *other = b;

    if (one->kind != other->kind) {
        return one->kind < other->kind ? -1 : 1;
    }
    if (one->member != other->member) {
        return one->member < other->member ? -1 : 1;
    }
    if (one->observer != other->observer) {
        return one->observer < other->observer ? -1 : 1;
    }
    return one->id < other->id ? -1 : one->id > other->id;
}

/* Every view is empty, and only that is reported. */
static void suspend(views_room *views)
{
    views->suspended = true;
    for (uint32_t i = 0; i < views->observers; i++) {
        views_observer *observer = &views->observer[i];

        views->leaves += observer->seen;
        views->member[observer->member].is_emptied |= observer->seen > 0;
        observer->seen = 0;
        observer->held_count = 0;
    }
}

static void resume(views_room *views)
{
    views->suspended = false;
    for (uint32_t member = 0; member < VIEWS_MEMBERS_MAX; member++) {
        views_member *row = &views->member[member];

        if (row->reported_suspended) {
            row->reported_suspended = false;
            row->reset = true;
            row->reset_watchers |= row->options.watching != QD_ROOM_WATCH_NONE;
        }
    }
}

static void serve_all(views_room *views, uint32_t skipped)
{
    wishes entrants = {0};

    for (uint32_t i = 0; i < views->observers; i++) {
        views_observer *observer = &views->observer[i];

        for (uint32_t k = 0; k < observer->seen && observer->gone; k++) {
            leave(views, observer, &observer->view[k], QD_ROOM_LEFT_OBSERVER);
        }
        if (observer->live) {
            serve(views, i, &entrants);
        }
    }
    for (uint32_t member = 0; member < VIEWS_MEMBERS_MAX; member++) {
        admit(views, member, &entrants);
        relay(views, member, skipped);
    }
    free(entrants.all);
}

void views_tick(views_room *views, uint32_t skipped)
{
    views->tick += 1 + skipped;
    views->room->ticks++;
    views->changes.count = 0;
    for (uint32_t member = 0; member < VIEWS_MEMBERS_MAX; member++) {
        views->member[member].bytes = views->member[member].is_emptied = 0;
    }
    /* An observer that has gone has no visible entries any more, but still a view. */
    if (visible_entries(views) > views->room->config.visible_entries_max) {
        suspend(views);
    } else if (views->suspended) {
        resume(views);
    }
    if (!views->suspended) {
        serve_all(views, skipped);
    }
    for (uint32_t i = 0; i < views->observers; i++) {
        views_observer *observer = &views->observer[i];

        forget_the_gone(observer);
        if (observer->anchored && observer->live) {
            views_follow(views, observer);
        }
        observer->gone = false;
    }
    if (views->changes.count > 0) {
        qsort(views->changes.all, views->changes.count, sizeof views->changes.all[0], by_kind);
    }
    ref_forget_gone(views->room);
    views_keep(views);
}
