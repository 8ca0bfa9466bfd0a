/* SPDX-License-Identifier: Apache-2.0
 *
 * The messages about views. A part of messages.h, which documents what applies to all messages. Include that header.
 */
#ifndef QD_PROTO_MESSAGES_VIEWS_H
#define QD_PROTO_MESSAGES_VIEWS_H

#include "messages_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- client to server ---- */

/* `payload` has as many bytes as the sizes in payload_size add up to, and is NULL when payload_size is. */
typedef struct qd_msg_set_description {
    uint64_t room;
    uint32_t count;
    const uint32_t *id;
    const uint64_t *tag;
    const uint8_t *payload_size, *payload;
    const float *visible_range;
    const uint32_t *team;
    const uint8_t *hidden;
} qd_msg_set_description;

/* The columns of Observe between `id` and the tiers: numbers, and bytes. fields.def takes them from here. */
#define QD_OBSERVER_COLUMNS(NUMBERS, BYTES)                                                                            \
    BYTES(region)                                                                                                      \
    BYTES(anchored)                                                                                                    \
    NUMBERS(uint32_t, entity)                                                                                          \
    NUMBERS(float, x)                                                                                                  \
    NUMBERS(float, y)                                                                                                  \
    NUMBERS(float, z)                                                                                                  \
    NUMBERS(float, range)                                                                                              \
    NUMBERS(float, half_x)                                                                                             \
    NUMBERS(float, half_y)                                                                                             \
    NUMBERS(float, half_z)                                                                                             \
    NUMBERS(float, direction_x)                                                                                        \
    NUMBERS(float, direction_y)                                                                                        \
    NUMBERS(float, direction_z)                                                                                        \
    NUMBERS(float, angle)                                                                                              \
    NUMBERS(float, leave_margin)                                                                                       \
    NUMBERS(uint32_t, mask)                                                                                            \
    NUMBERS(uint32_t, limit)                                                                                           \
    NUMBERS(uint32_t, enter_budget)                                                                                    \
    NUMBERS(uint32_t, team)                                                                                            \
    BYTES(sees_self)

/* Observe, MoveObservers (id, x, y, z and direction_*) and Unobserve (id). `tier_count` is the length of relay_range
 * and relay_every. */
typedef struct qd_msg_observers {
    uint64_t room;
    uint32_t count;
    const uint32_t *id;
#define NUMBERS(type, name) const type *name;
#define BYTES(name)         const uint8_t *name;
    QD_OBSERVER_COLUMNS(NUMBERS, BYTES)
#undef NUMBERS
#undef BYTES
    uint32_t tier_count;
    const float *relay_range;
    const uint32_t *relay_every;
} qd_msg_observers;

typedef struct qd_msg_set_exceptions {
    uint64_t room;
    uint32_t observer;
    uint32_t show_count, hide_count;
    const uint32_t *show, *hide;
} qd_msg_set_exceptions;

typedef struct qd_msg_set_view_options {
    uint64_t room;
    uint32_t bytes_max;
    qd_watch watch;
    bool relay_once, has_relay_k;
    int32_t relay_k; /* 0 without has_relay_k */
} qd_msg_set_view_options;

typedef struct qd_msg_why {
    uint64_t room;
    uint32_t a, b;
    bool observer;
} qd_msg_why;

/* ---- server to client ---- */

/* A column is NULL when its group is empty, or when quadrille.proto gives its absence a meaning. */
typedef struct qd_msg_view {
    uint64_t room;
    uint64_t tick;
    bool last;
    bool reset, reset_watchers;
    bool suspended;

    uint32_t leave_count;
    const uint32_t *leave_observer, *leave_id;
    const uint8_t *leave_reason; /* qd_leave_reason */

    uint32_t enter_count;
    const uint32_t *enter_observer;
    qd_msg_entities enter; /* enter_count of them, without mask */
    const uint64_t *enter_tag;
    const uint8_t *enter_payload_size, *enter_payload;

    uint32_t relay_count;
    const uint32_t *relay_observer, *relay_id;
    const float *relay_x, *relay_y, *relay_z;

    uint32_t watcher_leave_count;
    const uint32_t *watcher_leave_entity;
    const uint64_t *watcher_leave_session;
    const uint32_t *watcher_leave_observer;
    uint32_t watcher_enter_count;
    const uint32_t *watcher_enter_entity;
    const uint64_t *watcher_enter_session;
    const uint32_t *watcher_enter_observer;

    uint64_t merged_ticks;
    qd_suspend_reason suspended_reason; /* with `suspended` */

    const uint32_t *enter_slot; /* of the enters */
    bool has_relay_k;
    int32_t relay_k; /* 0 without has_relay_k */
    qd_msg_key relay;
    uint32_t exact_count;
    const uint32_t *exact_slot;
    const float *exact_x, *exact_y, *exact_z;
} qd_msg_view;

typedef struct qd_msg_why_result {
    uint64_t room;
    uint64_t tick;
    uint32_t count;
    const uint64_t *session;
    const uint32_t *observer;
    const uint8_t *visibility; /* qd_visibility */
    const double *distance;
    const float *range, *leave_margin;
    const uint32_t *limit, *seen;
    bool more;
} qd_msg_why_result;

#ifdef __cplusplus
}
#endif

#endif
