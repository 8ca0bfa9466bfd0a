/* SPDX-License-Identifier: Apache-2.0
 *
 * The plainest possible views: the rule of server/room/room_views.h over arrays, for every observer and every entity at
 * every tick. It shares no code with server/room.
 *
 * The entities are those of ref_room (reference.h).
 */
#ifndef QD_TESTS_MODEL_ROOM_VIEWS_H
#define QD_TESTS_MODEL_ROOM_VIEWS_H

#include "reference.h"

#define VIEWS_ACTORS        6u
#define VIEWS_MEMBERS_MAX   64u
#define VIEWS_OBSERVERS_MAX 4u /* ids of a member's: 0 to 3 */
#define VIEWS_LIST_MAX      8u

/* An entity in a view. */
typedef struct views_seen {
    uint32_t id;
    uint64_t birth;
    uint64_t reported; /* counts of ticks */
    bool waits;        /* its turn has come */
    bool gone;
} views_seen;

typedef struct views_observer {
    uint64_t birth;  /* differs between observers with the same id */
    bool live, gone; /* gone: it ends at the next tick */
    uint32_t member, id;
    qd_room_region_kind kind;
    bool anchored, sees_self;
    uint32_t anchor; /* an id */
    uint64_t anchor_birth;
    float at[3], range, half[3], direction[3], angle, margin;
    uint32_t mask, limit, budget, team;
    uint32_t tiers, every[QD_VIEW_TIERS_MAX];
    float tier_range[QD_VIEW_TIERS_MAX];
    uint32_t show_count, hide_count, show[VIEWS_LIST_MAX], hide[VIEWS_LIST_MAX]; /* ids */
    views_seen *view;
    uint32_t seen, capacity;
    uint32_t *held; /* ids that are chosen, and held back */
    uint32_t held_count;
} views_observer;

typedef enum views_news { VIEWS_NOTHING, VIEWS_EVENTS, VIEWS_RESET } views_news;

typedef struct views_member {
    qd_room_view_options options;
    bool lost, reset, reset_watchers, reported_suspended, is_emptied;
    views_news news; /* of the last round, if it was not lost */
    bool lagging;    /* ticks were lost, and no reset was reported since */
    uint64_t reported_tick;
    uint64_t bytes;
    uint32_t held_observer, held_id; /* of the first relay that did not fit last time */
} views_member;

typedef enum views_kind { VIEWS_LEAVE, VIEWS_ENTER, VIEWS_RELAY } views_kind;

/* A change or a relay, for one observer. */
typedef struct views_change {
    views_kind kind;
    uint32_t member, observer, id, owner;
    qd_room_leave_reason reason;
} views_change;

typedef struct views_changes {
    views_change *all;
    uint32_t count, capacity;
} views_changes;

typedef struct views_room {
    ref_room *room;
    views_observer *observer; /* rows, of all members */
    uint32_t observers;
    views_member member[VIEWS_MEMBERS_MAX];
    uint64_t tick;
    uint64_t reported_before; /* the tick before the last round */
    bool watchers_due;        /* somebody's reverse view has changed since */
    bool suspended;
    uint64_t births, enters, leaves;
    views_changes changes; /* of the last tick, ordered by (kind, member, observer, id) */
    /* Observers and entities as the last tick left them, for views_why; NULL: there was none yet. */
    struct views_room *then;
} views_room;

void views_init(views_room *views, ref_room *room);
void views_deinit(views_room *views);

/* The member or the room owns other entities now: members that watch their own get a reset. */
void views_renew_own(views_room *views, uint32_t member);
void views_leave_room(views_room *views, uint32_t member);
bool views_holds_anything(const views_room *views, uint32_t member);
/* Ends the observers whose anchor is gone. */
void views_end_unanchored(views_room *views);

/* The member's live observer; NULL: there is none. */
views_observer *views_find(views_room *views, uint32_t member, uint32_t id);
uint32_t views_live(const views_room *views);
/* A new row, live; it is the caller's to fill. */
views_observer *views_add(views_room *views, uint32_t member, uint32_t id);
void views_end(views_observer *observer);

void views_push(views_changes *to, views_change change);
void views_tick(views_room *views, uint32_t skipped);

/* ---- the rule, for one observer and one entity ---- */

/* Why it is not allowed, as the reason of a leave; 0: it is. */
qd_room_leave_reason views_forbid(const views_observer *observer, const ref_entity *entity);
/* Whether it is in the region, and the observer within its visible range; both widened by the margin. */
bool views_in_region(const views_room *views, const views_observer *observer, const ref_entity *entity, float margin);
bool views_in_visible_range(const views_room *views, const views_observer *observer, const ref_entity *entity,
                            float margin);
bool views_is_near(const views_room *views, const views_observer *observer, const ref_entity *entity);
bool views_is_staying(const views_room *views, const views_observer *observer, const ref_entity *entity);
bool views_shows(const views_observer *observer, uint32_t id);
double views_distance(const views_room *views, const views_observer *observer, const ref_entity *entity);
/* An anchored observer goes to its anchor. */
void views_follow(const views_room *views, views_observer *observer);
/* NULL: it is not in the view. */
views_seen *views_sees(const views_observer *observer, const ref_entity *entity);

/* As it is, or was when it was removed since the last tick. */
const ref_entity *views_entity(const views_room *views, const views_seen *seen);

/* As of the last tick, whatever changed since. */
qd_room_reason views_why(const views_room *views, const views_observer *observer, const ref_entity *entity);
/* Keeps observers and entities as they are now, after a tick. */
void views_keep(views_room *views);

#endif
