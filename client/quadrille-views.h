/* SPDX-License-Identifier: Apache-2.0
 *
 * libquadrille: views, the entities that each observer sees. quadrille.h includes this file, and its rules on threads,
 * ownership and errors apply here. Reading a qd_view counts as using it: one thread at a time.
 *
 * "Views" in SPEC.md defines observers, views and margins. VIEWS.md is the guide for a game backend, with
 * examples/gateway.c as its example.
 */
#ifndef QUADRILLE_VIEWS_H
#define QUADRILLE_VIEWS_H

#include "quadrille.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- requests ----
 *
 * As in quadrille.h, each call queues one frame and returns its seq, or 0. All but Why are batches and take effect at
 * the next tick. Answers are those of the batches in quadrille.h. A call that takes a struct takes its room from the
 * struct. */

/* Sets tag, payload, team, hidden and visible_range of entities. NULL columns leave their values unchanged. */
QD_API uint64_t qd_client_set_description(qd_client *client, const qd_msg_set_description *describe);
/* Creates observers or replaces them; QD_SERVER_VIEW reports what they see.
 *
 *     const uint32_t player = 7, around = 7;
 *     const float range = 50, margin = 5;
 *     qd_client_observe(client, &(qd_msg_observers){.room = room, .count = 1, .id = &player, .entity = &around,
 *                                                   .range = &range, .leave_margin = &margin});
 */
QD_API uint64_t qd_client_observe(qd_client *client, const qd_msg_observers *observers);
/* Needs id, with x, y (and z) for free observers or direction_* for cones, or both. Other columns must be NULL. */
QD_API uint64_t qd_client_move_observers(qd_client *client, const qd_msg_observers *observers);
QD_API uint64_t qd_client_unobserve(qd_client *client, uint64_t room, const uint32_t *ids, uint32_t count);
/* Replaces both lists of an observer: the entities that it always sees, and those that it never sees. */
QD_API uint64_t qd_client_set_exceptions(qd_client *client, const qd_msg_set_exceptions *except);
/* `bytes_max` 0: no limit. If `watch` changes, the reverse view begins at once, with a QD_SERVER_VIEW that is marked
 * reset_watchers. */
QD_API uint64_t qd_client_set_view_options(qd_client *client, uint64_t room, uint32_t bytes_max, qd_watch watch);
/* The same with all options. With `relay_once`, positions come once per tick for all observers, and with `relay_k` to
 * half of 2^-relay_k of a unit, in one or two bytes. A qd_view folds them like others.
 *
 *     qd_client_set_all_view_options(client, &(qd_msg_set_view_options){.room = room, .relay_once = true,
 *                                                                       .has_relay_k = true, .relay_k = 9});
 */
QD_API uint64_t qd_client_set_all_view_options(qd_client *client, const qd_msg_set_view_options *options);
/* Asks why the observers anchored at entity `a`, of any session, see entity `b` or do not. Answer:
 * QD_SERVER_WHY_RESULT. */
QD_API uint64_t qd_client_why(qd_client *client, uint64_t room, uint32_t a, uint32_t b);
/* The same for one observer of this session. */
QD_API uint64_t qd_client_why_observer(qd_client *client, uint64_t room, uint32_t observer, uint32_t b);

/* ---- the views ----
 *
 * Folds the View frames of one room into the view of each observer of this session, and the reverse view, by the
 * contract in SPEC.md (V8). One observer's view:
 *
 *     if (message->kind == QD_SERVER_VIEW && qd_view_apply(view, &message->as.view) == QD_CLIENT_OK)
 *         for (const qd_view_entity *at = qd_view_first(view, player); at != NULL; at = qd_view_after(view, at))
 *             printf("%u sees %u at %g, %g\n", player, at->id, at->x, at->y);
 *
 * To be called for each change instead, set handlers. */

typedef struct qd_view qd_view;

#define QD_VIEW_PAYLOAD_BYTES_MAX 32u

/* An entity as one observer knows it: its values at the enter, with the last reported position. */
typedef struct qd_view_entity {
    uint32_t observer, id;
    uint64_t entered; /* the tick of the enter */
    uint64_t placed;  /* the tick of x, y, z: that of the last relay, or of the enter */
    float x, y, z;
    float half_x, half_y, half_z; /* sizes that the shape lacks are 0 */
    float radius;
    float axis_x, axis_y, axis_z;
    uint8_t shape; /* qd_shape */
    uint8_t payload_size;
    uint8_t payload[QD_VIEW_PAYLOAD_BYTES_MAX];
    uint32_t category;
    uint64_t tag;
} qd_view_entity;

/* qd_view_apply calls a handler for each change, in the order of the frame. Any may be NULL. A handler may read the
 * view, which is between two changes then, but must not apply another frame. */
typedef struct qd_view_handlers {
    void (*enter)(const qd_view_entity *entity, void *context);
    /* `reason` 0: the view forgets the entity, because of a reset, a suspension, or an error of qd_view_apply. After a
     * reset, entities that are still seen enter again in this tick. `entity` stays in the view until the call
     * returns. */
    void (*leave)(const qd_view_entity *entity, qd_leave_reason reason, void *context);
    /* Once for each view that has the entity. With SetViewOptions.relay_once, the position has changed in all of them by
     * the first call. A program that reads positions when it needs them leaves this NULL. Then a position costs the same,
     * however many observers see the entity. */
    void (*relay)(const qd_view_entity *entity, void *context);
    /* The reverse view: an observer of a session sees an entity, or no longer sees it. */
    void (*watched)(uint32_t entity, uint64_t session, uint32_t observer, void *context);
    void (*unwatched)(uint32_t entity, uint64_t session, uint32_t observer, void *context);
    void *context;
} qd_view_handlers;

/* Copies `handlers`; NULL: none. Returns NULL without memory. */
QD_API qd_view *qd_view_create(const qd_view_handlers *handlers);
/* Calls no handler. Accepts NULL. */
QD_API void qd_view_destroy(qd_view *view);

/* Applies one frame. QD_CLIENT_ERR_PROTOCOL: the frame contradicts the views, which a server never sends. Examples are
 * an enter of an entity in the view, a leave or relay of one outside it, and a frame out of order. After this error and
 * after QD_CLIENT_ERR_NO_MEMORY the views are empty and suspended until the next reset. */
QD_API qd_client_status qd_view_apply(qd_view *view, const qd_msg_view *frame);
/* Whether the views are those of a whole tick: false between the frames of a tick and while suspended. A new qd_view is
 * known, and empty. */
QD_API bool qd_view_known(const qd_view *view);
QD_API bool qd_view_suspended(const qd_view *view);
/* The tick of the last frame; 0 before the first. */
QD_API uint64_t qd_view_tick(const qd_view *view);

/* Entities in all views, counted once for each observer. */
QD_API size_t qd_view_count(const qd_view *view);
/* The number of entities that one observer sees. */
QD_API uint32_t qd_view_count_of(const qd_view *view, uint32_t observer);
/* NULL: the observer does not see that entity. The result is valid until the next qd_view_apply. */
QD_API const qd_view_entity *qd_view_find(const qd_view *view, uint32_t observer, uint32_t id);
/* Iterate over the entities that one observer sees, in no particular order; NULL at the end. */
QD_API const qd_view_entity *qd_view_first(const qd_view *view, uint32_t observer);
QD_API const qd_view_entity *qd_view_after(const qd_view *view, const qd_view_entity *entity);
/* Iterates over the entities in all views, in no particular order: start with *cursor = 0; NULL at the end. */
QD_API const qd_view_entity *qd_view_next(const qd_view *view, size_t *cursor);

/* An entry of the reverse view (qd_client_set_view_options): an observer that sees an entity. */
typedef struct qd_view_watcher {
    uint32_t entity;
    uint32_t observer;
    uint64_t session;
} qd_view_watcher;

/* The number of observers that see an entity. */
QD_API uint32_t qd_view_watchers(const qd_view *view, uint32_t entity);
/* As qd_view_first and qd_view_after. */
QD_API const qd_view_watcher *qd_view_watcher_first(const qd_view *view, uint32_t entity);
QD_API const qd_view_watcher *qd_view_watcher_after(const qd_view *view, const qd_view_watcher *watcher);

#ifdef __cplusplus
}
#endif

#endif
