/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "views.h"

static void change(views_room *room, views_kind kind, const views_observer *observer, const views_seen *seen,
                   qd_room_leave_reason reason)
{
    views_changes *changes = &room->changes;

    if (changes->count == changes->capacity) {
        changes->capacity = changes->capacity ? 2 * changes->capacity : 64;
        changes->all = realloc(changes->all, changes->capacity * sizeof changes->all[0]);
    }
    changes->all[changes->count++] = (views_change){.kind = kind,
                                                    .member = observer->member,
                                                    .observer = observer->id,
                                                    .id = room->entity[seen->number].id,
                                                    .number = seen->number,
                                                    .owner = seen->owner,
                                                    .reason = reason};
    room->enters += kind == VIEWS_ENTER;
    room->leaves += kind == VIEWS_LEAVE;
    if (kind == VIEWS_LEAVE) {
        room->member[observer->member].bytes += QD_VIEW_LEAVE_BYTES;
    }
}

static void leave(views_room *room, views_observer *observer, views_seen *seen, qd_room_leave_reason reason)
{
    change(room, VIEWS_LEAVE, observer, seen, room->emptied ? QD_ROOM_LEFT_ROOM_CLOSED : reason);
    seen->gone = true;
}

static void enter(views_room *room, views_observer *observer, uint32_t number)
{
    if (observer->seen == observer->capacity) {
        observer->capacity = observer->capacity ? 2 * observer->capacity : 16;
        observer->view = realloc(observer->view, observer->capacity * sizeof observer->view[0]);
    }
    observer->view[observer->seen] = (views_seen){.number = number,
                                                  .owner = room->entity[number].owner,
                                                  .birth = room->entity[number].birth,
                                                  .reported = room->ticks};
    change(room, VIEWS_ENTER, observer, &observer->view[observer->seen++], 0);
}

/* An entity that waits, and its priority. */
typedef struct wish {
    double first, second; /* ascending */
    uint32_t observer, id;
    uint32_t row, number;
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
static void leave_the_dead(views_room *room, views_observer *observer)
{
    for (uint32_t i = 0; i < observer->seen; i++) {
        views_seen *seen = &observer->view[i];
        const views_entity *entity = &room->entity[seen->number];

        if (!entity->present || entity->birth != seen->birth) {
            leave(room, observer, seen,
                  room->grave[seen->birth] == QD_SPACE_EXPIRED ? QD_ROOM_LEFT_EXPIRED : QD_ROOM_LEFT_DESPAWNED);
        }
    }
}

static double head_start(const views_room *room, const views_observer *observer)
{
    double range = observer->kind == QD_ROOM_BOX ? 0 : observer->range;

    for (int k = 0; k < (room->config.space.dimensions == 3 ? 3 : 2) && observer->kind == QD_ROOM_BOX; k++) {
        range = observer->half[k] > range ? observer->half[k] : range;
    }
    return observer->margin > range / 16 ? observer->margin : range / 16;
}

/* Steps 1 to 5. Entities that are to enter go to `entrants`. */
static void serve(views_room *room, uint32_t row, wishes *entrants)
{
    views_observer *observer = &room->observer[row];
    wishes wanted = {0};

    leave_the_dead(room, observer);
    memset(observer->held, 0, room->entities);
    for (uint32_t number = 0; number < room->entities; number++) {
        const views_entity *entity = &room->entity[number];

        if (!entity->present) {
            continue;
        }
        views_seen *seen = views_sees(observer, entity, number);
        qd_room_leave_reason forbidden = views_forbid(room, observer, number);
        bool wants =
            !forbidden && (views_is_near(room, observer, entity) || (seen && views_is_staying(room, observer, entity)));
        if (seen && !wants) {
            leave(room, observer, seen, forbidden ? forbidden : QD_ROOM_LEFT_RANGE);
        }
        if (wants) {
            wish_for(&wanted,
                     (wish){.first = views_shows(observer, entity->id) ? 0 : 1,
                            .second = views_distance(room, observer, number) - (seen ? head_start(room, observer) : 0),
                            .id = entity->id,
                            .row = row,
                            .number = number,
                            .is_seen = seen != NULL});
        }
    }
    if (observer->limit > 0 && wanted.count > observer->limit) {
        order(wanted.all, wanted.count);
        for (uint32_t i = observer->limit; i < wanted.count; i++) {
            if (wanted.all[i].is_seen) {
                leave(room, observer, views_sees(observer, &room->entity[wanted.all[i].number], wanted.all[i].number),
                      QD_ROOM_LEFT_LIMIT);
            }
        }
        wanted.count = observer->limit;
    }
    uint32_t entering = 0;
    for (uint32_t i = 0; i < wanted.count; i++) {
        if (!wanted.all[i].is_seen) {
            wanted.all[entering] = wanted.all[i];
            wanted.all[entering].first = 0;
            wanted.all[entering++].second = views_distance(room, observer, wanted.all[i].number);
        }
    }
    order(wanted.all, entering);
    for (uint32_t i = 0; i < entering; i++) {
        wanted.all[i].observer = observer->id;
        if (observer->budget > 0 && i >= observer->budget) {
            observer->held[wanted.all[i].number] = 1;
        } else {
            wish_for(entrants, wanted.all[i]);
        }
    }
    free(wanted.all);
}

/* Enters of one member. */
static void admit(views_room *room, uint32_t member, wishes *entrants)
{
    views_member *row = &room->member[member];
    bool is_full = false;

    order(entrants->all, entrants->count);
    for (uint32_t i = 0; i < entrants->count; i++) {
        const wish *one = &entrants->all[i];

        if (room->observer[one->row].member != member) {
            continue;
        }
        uint32_t bytes = QD_VIEW_ENTER_BYTES + room->entity[one->number].payload_size;
        is_full |= row->options.bytes_max > 0 && row->bytes + bytes > row->options.bytes_max;
        if (is_full) {
            room->observer[one->row].held[one->number] = 1;
            continue;
        }
        row->bytes += bytes;
        enter(room, &room->observer[one->row], one->number);
    }
}

/* Step 6. */
static void relay(views_room *room, uint32_t member, uint32_t skipped)
{
    views_member *row = &room->member[member];
    wishes waiting = {0};

    for (uint32_t i = 0; i < room->observers; i++) {
        views_observer *observer = &room->observer[i];

        if (!observer->live || observer->member != member || observer->tiers == 0) {
            continue;
        }
        for (uint32_t k = 0; k < observer->seen; k++) {
            views_seen *seen = &observer->view[k];
            const views_entity *entity = &room->entity[seen->number];
            bool is_turn = false;

            if (seen->gone || seen->reported == room->ticks) {
                continue;
            }
            for (uint32_t tier = 0; tier < observer->tiers; tier++) {
                if (views_distance(room, observer, seen->number) > observer->tier_range[tier]) {
                    continue;
                }
                for (uint64_t tick = room->tick - skipped; tick <= room->tick; tick++) {
                    is_turn |= (tick + entity->id) % observer->every[tier] == 0;
                }
                break;
            }
            if (is_turn && seen->since == 0 && entity->placed >= seen->reported) {
                seen->since = room->ticks;
            }
            if (seen->since > 0) {
                wish_for(&waiting, (wish){.first = (double)seen->since,
                                          .observer = observer->id,
                                          .id = entity->id,
                                          .row = i,
                                          .number = seen->number});
            }
        }
    }
    order(waiting.all, waiting.count);
    for (uint32_t i = 0; i < waiting.count; i++) {
        views_observer *observer = &room->observer[waiting.all[i].row];
        uint32_t number = waiting.all[i].number;

        if (row->options.bytes_max > 0 && row->bytes + QD_VIEW_RELAY_BYTES > row->options.bytes_max) {
            break;
        }
        row->bytes += QD_VIEW_RELAY_BYTES;
        views_seen *seen = views_sees(observer, &room->entity[number], number);
        seen->since = 0;
        seen->reported = room->ticks;
        change(room, VIEWS_RELAY, observer, seen, 0);
    }
    free(waiting.all);
}

static uint64_t visible_entries(const views_room *room)
{
    uint64_t count = 0;

    for (uint32_t i = 0; i < room->observers; i++) {
        const views_observer *observer = &room->observer[i];

        count += observer->live ? observer->show_count : 0;
        for (uint32_t number = 0; number < room->entities && observer->live; number++) {
            const views_entity *entity = &room->entity[number];

            if (!entity->present) {
                continue;
            }
            count += views_in_region(room, observer, entity, 0) + views_in_visible_range(room, observer, entity, 0);
            if (observer->margin > 0) {
                count += views_in_region(room, observer, entity, observer->margin) +
                         views_in_visible_range(room, observer, entity, observer->margin);
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
static void suspend(views_room *room)
{
    room->suspended = true;
    for (uint32_t i = 0; i < room->observers; i++) {
        views_observer *observer = &room->observer[i];

        room->leaves += observer->seen;
        room->member[observer->member].is_emptied |= observer->seen > 0;
        observer->seen = 0;
        memset(observer->held, 0, room->entities);
    }
}

static void resume(views_room *room)
{
    room->suspended = false;
    for (uint32_t member = 0; member < VIEWS_MEMBERS_MAX; member++) {
        views_member *row = &room->member[member];

        if (row->reported_suspended) {
            row->reported_suspended = false;
            row->reset = true;
            row->reset_watchers |= row->options.watching != QD_ROOM_WATCH_NONE;
        }
    }
}

static void serve_all(views_room *room, uint32_t skipped)
{
    wishes entrants = {0};

    for (uint32_t i = 0; i < room->observers; i++) {
        views_observer *observer = &room->observer[i];

        for (uint32_t k = 0; k < observer->seen && observer->gone; k++) {
            leave(room, observer, &observer->view[k], QD_ROOM_LEFT_OBSERVER);
        }
        if (observer->live) {
            serve(room, i, &entrants);
        }
    }
    for (uint32_t member = 0; member < VIEWS_MEMBERS_MAX; member++) {
        admit(room, member, &entrants);
        relay(room, member, skipped);
    }
    free(entrants.all);
}

void views_tick(views_room *room, uint32_t skipped)
{
    room->tick += 1 + skipped;
    room->ticks++;
    room->changes.count = 0;
    for (uint32_t member = 0; member < VIEWS_MEMBERS_MAX; member++) {
        room->member[member].bytes = room->member[member].is_emptied = 0;
    }
    /* An observer that has gone has no visible entries any more, but still a view. */
    if (visible_entries(room) > room->config.sightings_max) {
        suspend(room);
    } else if (room->suspended) {
        resume(room);
    }
    if (!room->suspended) {
        serve_all(room, skipped);
    }
    for (uint32_t i = 0; i < room->observers; i++) {
        views_observer *observer = &room->observer[i];

        forget_the_gone(observer);
        if (observer->anchored && observer->live) {
            views_follow(room, observer);
        }
        observer->gone = false;
    }
    if (room->changes.count > 0) {
        qsort(room->changes.all, room->changes.count, sizeof room->changes.all[0], by_kind);
    }
    room->emptied = false;
}
