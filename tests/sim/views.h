/* SPDX-License-Identifier: Apache-2.0
 *
 * The views of one stay's observers, folded from its View frames and compared with the rule of proto/SPEC.md, by
 * brute force: without margins, limits and budgets, which depend on what was before.
 */
#ifndef QD_TESTS_SIM_VIEWS_H
#define QD_TESTS_SIM_VIEWS_H

#include "model.h"
#include "proto/relay/reader.h"

#define VIEWS_MAX    (STAY_REGIONS * STAYS_MAX * STAY_ENTITIES)
#define WATCHERS_MAX (STAYS_MAX * VIEWS_MAX)

/* That an observer of a session sees an entity. */
typedef struct model_watcher {
    uint32_t id;
    uint64_t session;
    uint32_t observer;
} model_watcher;

/* What an enter or a relay reports about an entity. */
typedef struct model_reported_entity {
    uint32_t id;
    bool is_enter;
    uint64_t tag;
    qd_body body; /* of a relay the centre alone */
} model_reported_entity;

/* More than the entities of all stays and the slots that phases leave free. */
#define SLOTS_MAX 1024u

/* The slots of the relay stream. */
typedef struct model_slots {
    bool in_use;
    qd_relay_state state;
    int32_t columns[2 * QD_RELAY_AXES][SLOTS_MAX];
    uint32_t id[SLOTS_MAX];
    bool used[SLOTS_MAX];
} model_slots;

typedef struct model_views {
    model_fold fold; /* first: which observer sees what */
    qd_watch watch;
    bool cut; /* frames may be missing: a reset must come first */
    bool watchers_known;
    model_watcher watchers[WATCHERS_MAX]; /* in no order */
    uint32_t watcher_count;
    model_slots slots;
    /* within a tick */
    model_reported_entity reported[2 * VIEWS_MAX];
    uint32_t reported_count;
} model_views;

/* From the tick on that RoomOpened names. */
model_views *model_views_create(model_stay *stay, uint64_t tick);
void model_views_destroy(model_views *views);
/* Frames may be missing from now on. */
void model_views_cut(model_views *views);
void model_views_tell(model_views *views, const qd_msg_view *view);
/* All is read, all that was left behind is gone, and so it is with all others in the room. */
void model_views_finish(const model_views *views);

#endif
