/* SPDX-License-Identifier: Apache-2.0
 *
 * The values that go into a room's views and come out of them. room_views.h has the functions and defines the terms.
 * Batches are the columns of the messages SetDescription and Observe, so that a new column needs no copy on its way.
 *
 * Arrays that the caller passes are read during the call only. Arrays in results belong to the room, and are valid
 * until the next call on it. Lengths have the room's unit, angles are in radians.
 */
#ifndef QD_ROOM_COMMON_VIEW_TYPES_H
#define QD_ROOM_COMMON_VIEW_TYPES_H

#include "room_types.h"

#define QD_VIEW_LEAVE_BYTES    9u /* what each counts towards bytes_max */
#define QD_VIEW_ENTER_BYTES    64u
#define QD_VIEW_RELAY_BYTES    20u
#define QD_VIEW_PAYLOAD_MAX    32u /* bytes of an entity's payload */
#define QD_VIEW_TIERS_MAX      8u
#define QD_VIEW_EVERY_MAX      1000u
#define QD_VIEW_EXCEPTIONS_MAX 1024u /* ids in a list `show` or `hide` */

/* ---- observers ---- */

/* The numbers are those of Observe.Region in quadrille.proto. */
typedef enum qd_room_region_kind { QD_ROOM_CIRCLE = 1, QD_ROOM_BOX = 2, QD_ROOM_CONE = 3 } qd_room_region_kind;

/* Whether entry i of an Observe is anchored: without the column, all entries are if there are entities for it. */
static inline bool qd_observers_anchored(const qd_msg_observers *observers, uint32_t i)
{
    return observers->anchored != NULL ? observers->anchored[i] != 0 : observers->entity != NULL;
}

/* More refusals of entries, beside qd_room_refusal. The numbers are those of ErrorCode in quadrille.proto. */
#define QD_ROOM_UNKNOWN_OBSERVER 39
/* An unknown region, a direction of length 0, an angle out of range, or invalid tiers. */
#define QD_ROOM_BAD_REGION     40
#define QD_ROOM_OBSERVERS_FULL 41 /* observers_max, or memory */

typedef enum qd_room_watching { QD_ROOM_WATCH_NONE = 0, QD_ROOM_WATCH_OWN = 1, QD_ROOM_WATCH_ALL = 2 } qd_room_watching;

/* What a member wants of views besides its observers. */
typedef struct qd_room_view_options {
    uint32_t bytes_max; /* per tick; 0: no limit */
    /* The reverse view: the observers that see the member's own entities, or all entities, as enters and leaves. */
    uint8_t watching; /* qd_room_watching */
    /* The caller sends each position once for all observers, and bounds the bytes of relays itself. Reports have no
     * relay_observer, and some of what several observers relay may come once. */
    bool relays_once;
} qd_room_view_options;

/* ---- reports ---- */

/* The first reason that applies. The numbers are those of LeaveReason in quadrille.proto. */
typedef enum qd_room_leave_reason {
    QD_ROOM_LEFT_ROOM_CLOSED = 1, /* after qd_room_despawn_all: of all leaves at that tick */
    QD_ROOM_LEFT_OBSERVER = 2,    /* the observer ended: by qd_room_unobserve, or with its anchor */
    QD_ROOM_LEFT_EXPIRED = 3,     /* the grace period of the entity's owner ended */
    QD_ROOM_LEFT_DESPAWNED = 4,
    QD_ROOM_LEFT_EXCEPTED = 5, /* put on `hide` */
    QD_ROOM_LEFT_HIDDEN = 6,
    QD_ROOM_LEFT_FILTERED = 7, /* by mask and category, or as the observer's own anchor */
    QD_ROOM_LEFT_TEAM = 8,
    QD_ROOM_LEFT_RANGE = 9,
    QD_ROOM_LEFT_LIMIT = 10,
} qd_room_leave_reason;

/* What one member gets of views at a tick. Leaves and enters are ordered by (observer, id), relays by observer, watchers
 * by (entity, member, observer). Enters and relays have the entities as they are at this tick. An id that was despawned
 * and spawned again is a new entity: it leaves, then may enter, in the same report. */
typedef struct qd_room_view_report {
    uint32_t member;
    uint64_t tick;
    bool reset;          /* all views start again: enters are the whole views */
    bool reset_watchers; /* the reverse view starts again: watcher_enters are the whole view */
    bool suspended;      /* views and the reverse view are empty until a reset (room_views.h, LIMIT); reported once */
    qd_suspend_reason suspended_reason; /* with suspended */
    uint64_t merged_ticks;              /* with reset: so many ticks up to this one were lost (qd_room_view_lost) */

    uint32_t leave_count;
    const uint32_t *leave_observer, *leave_id;
    const uint8_t *leave_reason; /* qd_room_leave_reason */

    uint32_t enter_count;
    const uint32_t *enter_observer;
    qd_room_batch enter; /* all but mask, which is NULL */
    const uint64_t *enter_tag;
    const uint8_t *enter_payload_size, *enter_payload;

    uint64_t bytes_left; /* for relays, with relays_once: of bytes_max; UINT64_MAX without a limit */
    uint32_t relay_count;
    const uint32_t *relay_observer, *relay_id;
    const float *relay_x, *relay_y, *relay_z;

    uint32_t watcher_leave_count;
    const uint32_t *watcher_leave_entity, *watcher_leave_member, *watcher_leave_observer;
    uint32_t watcher_enter_count;
    const uint32_t *watcher_enter_entity, *watcher_enter_member, *watcher_enter_observer;
} qd_room_view_report;

/* ---- reading ---- */

/* Why an observer sees an entity or does not: the first that applies, SEEN_* for what is in the view, NOT_* for what is
 * not. The numbers are those of Visibility in quadrille.proto. */
typedef enum qd_room_visibility {
    QD_ROOM_SEEN = 1,
    QD_ROOM_SEEN_BY_SHOW = 2,   /* it is on `show` */
    QD_ROOM_SEEN_BY_MARGIN = 3, /* beyond the range, within the margin */
    QD_ROOM_NOT_EXCEPTED = 4,   /* it is on `hide` */
    QD_ROOM_NOT_HIDDEN = 5,
    QD_ROOM_NOT_SELF = 6,
    QD_ROOM_NOT_MASK = 7,
    QD_ROOM_NOT_TEAM = 8,
    QD_ROOM_NOT_RANGE = 9,
    QD_ROOM_NOT_ANGLE = 10,  /* in range of a cone, outside its angle */
    QD_ROOM_NOT_LIMIT = 11,  /* others are nearer */
    QD_ROOM_NOT_BUDGET = 12, /* it will enter: enter_budget or bytes_max holds it back */
    QD_ROOM_NOT_YET = 13,    /* the observer or the entity came since the last tick, or views are suspended */
} qd_room_visibility;

typedef struct qd_room_reason {
    uint32_t member, observer;
    qd_room_visibility visibility;
    double distance; /* of the centers */
    float range;     /* that applies to this entity: the larger of the observer's and visible_range; of a box 0 */
    float leave_margin;
    uint32_t limit, seen; /* how many entities it sees */
} qd_room_reason;

typedef struct qd_room_view_stats {
    uint32_t observers;
    uint64_t seen;           /* entries of all views */
    uint64_t enters, leaves; /* since the room was created */
} qd_room_view_stats;

#endif
