/* SPDX-License-Identifier: Apache-2.0
 *
 * Interest management: observers, and what each of them sees. A part of the room (room.h), served at its ticks.
 *
 * An OBSERVER is a region, anchored to an entity or free, that a member watches. Its VIEW is the set of entities that
 * it sees; it changes only at ticks, after the moves, by ENTER and LEAVE. Every enter has exactly one leave.
 *
 * THE RULE, with every formula, is in quadrille.proto ("Views"). In its words: at a tick an entity is ALLOWED (by
 * lists, hidden, mask, teams), NEAR or STAYING (by the region or the entity's visible_range, and their margin), and so
 * WANTED; of what is wanted a limit leaves the nearest, the CHOSEN. What is in the view and not chosen LEAVES, always
 * at once; what is chosen and not in it ENTERS, as enter_budget and the member's bytes allow; RELAY tells positions of
 * what was in the view before, by tiers. Who begins to have tiers was told nothing of what it sees.
 *
 * BYTES. A member may have at most so many bytes of views a tick: a leave counts QD_VIEW_LEAVE_BYTES, an enter
 * QD_VIEW_ENTER_BYTES and its payload, a relay QD_VIEW_RELAY_BYTES. Leaves are told always, then enters over all its
 * observers by (|d|, observer, id) up to the first that has no room any more, then relays by (ticks waited, the longest
 * first; observer; id). What a reset tells does not count. With less than QD_VIEW_ENTER_BYTES and the largest payload
 * there may be entities that never enter, and that nobody overtakes.
 *
 * TOO MANY. A SIGHTING is an entity in an observer's region, or in its widened one, or an observer in an entity's
 * visible_range, or in its widened one: each counts, whether it is allowed or not (cones count as circles). So does
 * each id on a list `show`, as its entity may be seen wherever it is. Where there are more than sightings_max in the
 * room at a tick, all views are suspended: they are empty, without leaves, until the first tick at which the sightings
 * are few enough; there all views begin anew, with a reset. So they are at a tick that would look in vain at far more
 * than it finds (vain_min in ../space/tuning.h, LOOKS_IN_VAIN in join.c), as of crowds nearly within reach.
 *
 * HOW. The sightings come from a space of their own, with the room's index and dimensions (sight.h): what begins and
 * ends there comes and goes as a candidate here, and what rests costs nothing. It exists while the room has observers.
 * Where most entities move and many are in view, all points are compared with all regions that they are near, instead
 * (join.h).
 * Observers with a limit, a cone, relay tiers, a list `show` or somebody waiting are looked at as a whole at every
 * tick.
 *
 * One thread at a time, as room.h.
 */
#ifndef QD_ROOM_VIEWS_VIEWS_H
#define QD_ROOM_VIEWS_VIEWS_H

#include "../room.h"

#define QD_VIEW_LEAVE_BYTES    9u
#define QD_VIEW_ENTER_BYTES    64u
#define QD_VIEW_RELAY_BYTES    20u
#define QD_VIEW_PAYLOAD_MAX    32u /* bytes of an entity's payload */
#define QD_VIEW_TIERS_MAX      8u
#define QD_VIEW_EVERY_MAX      1000u
#define QD_VIEW_EXCEPTIONS_MAX 1024u /* ids in a list `show` or `hide` */

/* ---- entities ---- */

/* What an entity is to observers. Columns may be NULL: values stay as they are; what was never said is 0. */
typedef struct qd_room_descriptions {
    uint32_t count;
    const uint32_t *id;
    const uint64_t *tag;
    const uint8_t *payload_size; /* 0 to QD_VIEW_PAYLOAD_MAX; `payload` has them one behind the other */
    const uint8_t *payload;
    const float *visible_range; /* finite, 0 or more: seen from as far as that, at least */
    const uint32_t *team;
    const uint8_t *hidden; /* 0 or 1 */
} qd_room_descriptions;

/* Like a batch of room.h: by whoever may change the entity. Tag and payload are told with the next enter, not before.
 * QD_ROOM_FULL where there is no memory for it. What was said is forgotten when the entity is despawned. */
void qd_room_describe(qd_room *room, uint32_t member, const qd_room_descriptions *batch, qd_room_refusals *refusals);

/* ---- observers ---- */

/* Numbers as in quadrille.proto's Observe.Region. */
typedef enum qd_room_region_kind { QD_ROOM_CIRCLE = 1, QD_ROOM_BOX = 2, QD_ROOM_CONE = 3 } qd_room_region_kind;

typedef enum qd_room_observer_flags {
    QD_ROOM_OBSERVER_ANCHORED = 1, /* at `entity`, and gone with it; else free, at x, y, z */
    QD_ROOM_OBSERVER_SELF = 2,     /* sees its own anchor */
    QD_ROOM_OBSERVER_FLAGS = 3,
} qd_room_observer_flags;

typedef struct qd_room_observers {
    uint32_t count;
    const uint32_t *id;                    /* chosen by the member, unique among its own */
    const uint8_t *flags;                  /* qd_room_observer_flags; NULL: 0 */
    const uint8_t *region;                 /* NULL: circles */
    const uint32_t *entity;                /* of anchored ones: an entity of the member's own, or of the room */
    const float *x, *y, *z;                /* of free ones; NULL: 0 */
    const float *range;                    /* circle, cone: finite, 0 or more; NULL: 0 */
    const float *half_x, *half_y, *half_z; /* box: finite, 0 or more; NULL: 0 */
    const float *direction_x, *direction_y, *direction_z; /* cone: of any length but 0 */
    const float *angle;           /* cone: between its axis and its side, in radians, 0 to float32(pi) */
    const float *leave_margin;    /* finite, 0 or more; NULL: 0 */
    const uint32_t *mask;         /* NULL: all */
    const uint32_t *limit;        /* 0 or NULL: none */
    const uint32_t *enter_budget; /* a tick; 0 or NULL: none */
    const uint32_t *team;         /* NULL: 0 */
    uint32_t tiers;               /* the same for all of the batch, at most QD_VIEW_TIERS_MAX; 0: no relay */
    const float *relay_range;     /* ascending, finite */
    const uint32_t *relay_every;  /* 1 to QD_VIEW_EVERY_MAX */
} qd_room_observers;

/* Numbers as in quadrille.proto's ErrorCode. */
#define QD_ROOM_UNKNOWN_OBSERVER 39
/* A region that is none, a direction of length 0, an angle outside 0 to pi, tiers that are not as said above. */
#define QD_ROOM_BAD_REGION     40
#define QD_ROOM_OBSERVERS_FULL 41 /* observers_max, or memory */

/* Makes those that are new; one that is there becomes what is said, as a whole, and keeps its view and its lists: what
 * it does not see any more leaves at the next tick. An entry is refused by QD_ROOM_UNKNOWN_ID where its anchor is none,
 * by QD_ROOM_NOT_OWNER where it is another member's; by QD_ROOM_NOT_FINITE and QD_ROOM_NEGATIVE_SIZE as in batches of
 * entities. An anchor that is despawned ends its observers as qd_room_unobserve does; so does qd_room_leave. */
void qd_room_observe(qd_room *room, uint32_t member, const qd_room_observers *batch, qd_room_refusals *refusals);
/* Moves free observers, and turns cones: x, y (and z) or direction_*, or both; columns that are NULL stay. id is
 * needed. An entry is refused by QD_ROOM_BAD_REGION that moves an anchored one, or turns what is no cone. */
void qd_room_observers_move(qd_room *room, uint32_t member, const qd_room_observers *batch, qd_room_refusals *refusals);
/* They leave everything at the next tick, with QD_ROOM_LEFT_OBSERVER; their ids are free at once. */
void qd_room_unobserve(qd_room *room, uint32_t member, uint32_t count, const uint32_t *id, qd_room_refusals *refusals);
/* Replaces both lists of an observer. Ids need not be in the room (yet), and come in any order. QD_ERR_NOT_FOUND: no
 * such observer; QD_ERR_INVALID: a list of more than QD_VIEW_EXCEPTIONS_MAX; QD_ERR_NO_MEMORY. */
qd_status qd_room_except(qd_room *room, uint32_t member, uint32_t observer, uint32_t show_count, const uint32_t *show,
                         uint32_t hide_count, const uint32_t *hide) QD_MUST_USE;

/* What a member wants of views besides its observers. */
typedef enum qd_room_watching { QD_ROOM_WATCH_NONE = 0, QD_ROOM_WATCH_OWN = 1, QD_ROOM_WATCH_ALL = 2 } qd_room_watching;

typedef struct qd_room_view_options {
    uint32_t bytes_max; /* a tick; 0: no limit */
    /* The reverse view: who sees an entity, as enters and leaves of watchers; of the entities of its own, or of all. */
    uint8_t watching; /* qd_room_watching */
} qd_room_view_options;

/* Where `watching` changes, a report with `reset_watchers` and the whole set is due, at the next qd_room_view_catch_up
 * or tick. */
void qd_room_view_options_set(qd_room *room, uint32_t member, qd_room_view_options options);

/* ---- reports ---- */

/* The first that fits. Numbers as in quadrille.proto's LeaveReason. */
typedef enum qd_room_leave_reason {
    QD_ROOM_LEFT_ROOM_CLOSED = 1, /* after qd_room_despawn_all: of all that leaves at that tick */
    QD_ROOM_LEFT_OBSERVER = 2,    /* the observer is gone: unobserved, or its anchor is */
    QD_ROOM_LEFT_EXPIRED = 3,     /* the entity's owner's grace ran out */
    QD_ROOM_LEFT_DESPAWNED = 4,
    QD_ROOM_LEFT_EXCEPTED = 5, /* put on `hide` */
    QD_ROOM_LEFT_HIDDEN = 6,
    QD_ROOM_LEFT_FILTERED = 7, /* mask and category; or it is the anchor itself */
    QD_ROOM_LEFT_TEAM = 8,
    QD_ROOM_LEFT_RANGE = 9,
    QD_ROOM_LEFT_LIMIT = 10,
} qd_room_leave_reason;

/* What one member gets of views at a tick. Valid until the next call on the room. Each group is ordered by (observer,
 * id), watchers by (entity, member, observer). Enters and relays tell of the entities as they are at this tick. An id
 * that was despawned and spawned again is a new entity: it leaves, then may enter, in the same report. */
typedef struct qd_room_view_report {
    uint32_t member;
    uint64_t tick;
    bool reset;            /* all views start anew: enters are whole */
    bool reset_watchers;   /* the reverse view starts anew: watcher_enters are whole */
    bool suspended;        /* TOO MANY: views, and the reverse view, are empty until a reset; once */
    uint64_t merged_ticks; /* with reset: the last so many ticks, this one included, were lost (qd_room_view_lost) */

    uint32_t leave_count;
    const uint32_t *leave_observer, *leave_id;
    const uint8_t *leave_reason;

    uint32_t enter_count;
    const uint32_t *enter_observer;
    qd_room_batch enter; /* id, x, y, z, half_*, radius, shape, category of each; mask is NULL */
    const uint64_t *enter_tag;
    const uint8_t *enter_payload_size, *enter_payload;

    uint32_t relay_count;
    const uint32_t *relay_observer, *relay_id;
    const float *relay_x, *relay_y, *relay_z;

    uint32_t watcher_leave_count;
    const uint32_t *watcher_leave_entity, *watcher_leave_member, *watcher_leave_observer;
    uint32_t watcher_enter_count;
    const uint32_t *watcher_enter_entity, *watcher_enter_member, *watcher_enter_observer;
} qd_room_view_report;

/* Serves the resets of reverse views that are due now, with the sets of the last tick, between ticks. Cheap when none
 * are. */
void qd_room_view_catch_up(qd_room *room);
/* After qd_room_tick or that, beside qd_room_next_report: one report at a time, of members with news; false at the end.
 */
bool qd_room_next_view(qd_room *room, qd_room_view_report *report);
/* A report could not be delivered: the member gets none until qd_room_view_resume; its views go on all the same, and at
 * the next tick after that its report is a reset (of both, where it watches). */
void qd_room_view_lost(qd_room *room, uint32_t member);
/* The same, where what was delivered may not have arrived either: all after that tick may be missing. Without effect on
 * who was never told anything, and observes and watches nothing. */
void qd_room_view_missed(qd_room *room, uint32_t member, uint64_t told_tick);
void qd_room_view_resume(qd_room *room, uint32_t member);

/* ---- looking ---- */

/* Why an observer sees an entity, or does not. What is in its view, near it or held back is as of the last tick; lists,
 * what is hidden, masks and teams are as they have been said up to now. The first that fits: of SEEN_*, for what is in
 * the view; of NOT_*, for what is not. */
typedef enum qd_room_sight {
    QD_ROOM_SEEN = 1,
    QD_ROOM_SEEN_BY_SHOW = 2,   /* it is on `show` */
    QD_ROOM_SEEN_BY_MARGIN = 3, /* beyond the range, within the margin */
    QD_ROOM_NOT_EXCEPTED = 4,   /* it is on `hide` */
    QD_ROOM_NOT_HIDDEN = 5,
    QD_ROOM_NOT_SELF = 6,
    QD_ROOM_NOT_MASK = 7,
    QD_ROOM_NOT_TEAM = 8,
    QD_ROOM_NOT_RANGE = 9,
    QD_ROOM_NOT_ANGLE = 10,  /* in range of a cone, outside it */
    QD_ROOM_NOT_LIMIT = 11,  /* others are nearer */
    QD_ROOM_NOT_BUDGET = 12, /* it will enter: enter_budget or bytes_max holds it back */
    QD_ROOM_NOT_YET = 13,    /* something of it was said since the last tick; or views are suspended */
} qd_room_sight;

typedef struct qd_room_reason {
    uint32_t member, observer;
    qd_room_sight sight;
    double distance; /* of the centres, that of an anchored observer as of the last tick */
    float range;     /* that counts for this entity: the larger of the observer's and visible_range; box: 0 */
    float leave_margin;
    uint32_t limit, seen; /* how many it sees */
} qd_room_reason;

/* The reasons of all observers anchored at entity `a` (of any member), or, with `member` given (not UINT32_MAX), of
 * that member's observer `a`, about entity `b`; the first `capacity` by (member, observer); returns how many there are.
 * UINT32_MAX: there is no entity or observer a, or no entity b. */
uint32_t qd_room_why(const qd_room *room, uint32_t member, uint32_t a, uint32_t b, uint32_t capacity,
                     qd_room_reason *reasons);

/* Of the stats of a room. */
typedef struct qd_room_view_stats {
    uint32_t observers;
    uint64_t seen;           /* entries of all views */
    uint64_t enters, leaves; /* since the beginning */
} qd_room_view_stats;

void qd_room_view_stats_get(const qd_room *room, qd_room_view_stats *stats);

#endif
