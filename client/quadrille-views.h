/* SPDX-License-Identifier: Apache-2.0
 *
 * libquadrille: views, or who can see whom. Included by quadrille.h, whose opening holds here as well.
 *
 * What an observer, a view, a margin and so on are stands in quadrille.proto, "Views"; how a game backend uses them in
 * VIEWS.md, with gateway.c as the example.
 */
#ifndef QUADRILLE_VIEWS_H
#define QUADRILLE_VIEWS_H

#include "quadrille.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- requests ----
 *
 * As those of quadrille.h: each queues one frame and returns its seq, or 0. All but Why are batches in this: they count
 * at the next tick, what is refused is answered by an error at once, and Applied answers for them, too. What is said
 * in a struct says its room, too. */

/* What entities are to observers: tag, payload, team, hidden, visible_range. Columns that are NULL stay as they are. */
QD_API uint32_t qd_client_describe(qd_client *client, const qd_msg_describe *describe);
/* Makes observers or changes them; what they see comes as QD_SERVER_VIEW.
 *
 *     const uint32_t player = 7, around = 7;
 *     const float range = 50, margin = 5;
 *     qd_client_observe(client, &(qd_msg_observers){.room = room, .count = 1, .id = &player, .entity = &around,
 *                                                   .range = &range, .leave_margin = &margin});
 */
QD_API uint32_t qd_client_observe(qd_client *client, const qd_msg_observers *observers);
/* id, with x, y (and z) of free observers or direction_* of cones, or both; other columns must be NULL. */
QD_API uint32_t qd_client_move_observers(qd_client *client, const qd_msg_observers *observers);
QD_API uint32_t qd_client_unobserve(qd_client *client, uint64_t room, const uint32_t *ids, uint32_t count);
/* Replaces both lists of an observer: what it always sees, and what never. */
QD_API uint32_t qd_client_except(qd_client *client, const qd_msg_except *except);
/* `bytes_max` 0: no limit. A `watch` that is another than before begins at once, with a QD_SERVER_VIEW that is marked
 * reset_watchers. */
QD_API uint32_t qd_client_view_options(qd_client *client, uint64_t room, uint32_t bytes_max, qd_watch watch);
/* Why the observers anchored at entity `a`, of whatever session, see entity `b` or do not. Answer:
 * QD_SERVER_WHY_RESULT. */
QD_API uint32_t qd_client_why(qd_client *client, uint64_t room, uint32_t a, uint32_t b);
/* The same of one observer of this session. */
QD_API uint32_t qd_client_why_observer(qd_client *client, uint64_t room, uint32_t observer, uint32_t b);

/* ---- the views ----
 *
 * Folds the View frames of one room into what each observer of this session sees, and who sees whom, as the contract in
 * quadrille.proto says. One observer's view:
 *
 *     if (message->kind == QD_SERVER_VIEW && qd_view_apply(view, &message->as.view) == QD_CLIENT_OK)
 *         for (const qd_view_entity *at = qd_view_first(view, player); at != NULL; at = qd_view_after(view, at))
 *             printf("%u sees %u at %g, %g\n", player, at->id, at->x, at->y);
 *
 * Those who rather hear of each change set handlers. */

typedef struct qd_view qd_view;

#define QD_VIEW_PAYLOAD_BYTES_MAX 32u

/* An entity as one observer has been told of it: as it was when it entered, but for its place. */
typedef struct qd_view_entity {
    uint32_t observer, id;
    uint64_t entered; /* the tick */
    uint64_t placed;  /* the tick of x, y, z: that of the last relay, or of the enter */
    float x, y, z;
    float half_x, half_y, half_z, radius;
    uint8_t shape; /* qd_shape */
    uint8_t payload_size;
    uint8_t payload[QD_VIEW_PAYLOAD_BYTES_MAX];
    uint32_t category;
    uint64_t tag;
} qd_view_entity;

/* Called by qd_view_apply for each change, in the order of the frame. Any may be NULL. They may look at the view, which
 * is in the middle of the frame then, but must not apply another. */
typedef struct qd_view_handlers {
    void (*enter)(const qd_view_entity *entity, void *context);
    /* `reason` 0: the view is forgotten, because of a reset (what is still seen enters again in this tick), because it
     * is suspended, or because qd_view_apply failed. `entity` is in the view until the call is over. */
    void (*leave)(const qd_view_entity *entity, qd_leave_reason reason, void *context);
    void (*relay)(const qd_view_entity *entity, void *context);
    /* The reverse view: an observer of a session sees an entity, or does not any more. */
    void (*watched)(uint32_t entity, uint64_t session, uint32_t observer, void *context);
    void (*unwatched)(uint32_t entity, uint64_t session, uint32_t observer, void *context);
    void *context;
} qd_view_handlers;

/* `handlers` NULL: none. They are copied. NULL: out of memory. */
QD_API qd_view *qd_view_create(const qd_view_handlers *handlers);
/* Calls no handler. NULL is fine. */
QD_API void qd_view_destroy(qd_view *view);

/* Apply one frame. QD_CLIENT_ERR_PROTOCOL: it contradicts the views (an enter of what is seen, a leave or relay of what
 * is not; the same of watchers; a frame out of order), which a server never sends. Then, and with
 * QD_CLIENT_ERR_NO_MEMORY, all is forgotten, as if suspended until the next reset. */
QD_API qd_client_status qd_view_apply(qd_view *view, const qd_msg_view *frame);
/* Whether the views are those of a whole tick: false within a tick of several frames and while suspended. A new one is
 * known, and empty. */
QD_API bool qd_view_known(const qd_view *view);
QD_API bool qd_view_suspended(const qd_view *view);
/* Of the last frame; 0: there was none. */
QD_API uint64_t qd_view_tick(const qd_view *view);

/* Entities in all views, counted once for each observer. */
QD_API size_t qd_view_count(const qd_view *view);
/* How many one observer sees. */
QD_API uint32_t qd_view_count_of(const qd_view *view, uint32_t observer);
/* NULL: it does not see that. Entities are valid until the next qd_view_apply. */
QD_API const qd_view_entity *qd_view_find(const qd_view *view, uint32_t observer, uint32_t id);
/* Visit what one observer sees, in no particular order; NULL at the end. */
QD_API const qd_view_entity *qd_view_first(const qd_view *view, uint32_t observer);
QD_API const qd_view_entity *qd_view_after(const qd_view *view, const qd_view_entity *entity);
/* Visit what all see, in no particular order: start with *cursor = 0; NULL at the end. */
QD_API const qd_view_entity *qd_view_next(const qd_view *view, size_t *cursor);

/* Who sees an entity, of the reverse view (qd_client_view_options). */
typedef struct qd_view_watcher {
    uint32_t entity;
    uint32_t observer;
    uint64_t session;
} qd_view_watcher;

QD_API uint32_t qd_view_watchers(const qd_view *view, uint32_t entity);
/* As qd_view_first and qd_view_after. */
QD_API const qd_view_watcher *qd_view_watcher_first(const qd_view *view, uint32_t entity);
QD_API const qd_view_watcher *qd_view_watcher_after(const qd_view *view, const qd_view_watcher *watcher);

#ifdef __cplusplus
}
#endif

#endif
