/* SPDX-License-Identifier: Apache-2.0
 *
 * The messages of quadrille.proto as plain C structs.
 *
 * quadrille.proto documents the meaning, unit and range of each field, under the same name. This header documents what
 * C adds. codec.h turns these structs into bytes and back.
 *
 * OWNERSHIP. Structs and columns own nothing. In a decoded message all pointers point into that message and are valid
 * until it is released. In a message to encode they belong to the caller.
 *
 * SHAPES. Strings are zero-terminated and never NULL in decoded messages; NULL encodes as empty. A column is a pointer
 * to `count` values, or NULL when it is absent.
 *
 * PARTS. messages_base.h contains the numbers and their names, messages_views.h the messages about views.
 */
#ifndef QD_PROTO_MESSAGES_H
#define QD_PROTO_MESSAGES_H

#include "messages_views.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct qd_msg_room_config {
    uint32_t dimensions;
    bool has_bounds;
    qd_msg_bounds bounds;
    qd_tick_mode tick_mode;
    uint32_t tick_hz;
    uint32_t depth;
    uint32_t entities_max;
    uint32_t events_max;
    bool has_grace_ms, has_empty_close_ms, has_swept; /* set them to send a 0; other values are sent anyway */
    uint32_t grace_ms;
    uint32_t empty_close_ms;
    qd_index_kind index;
    qd_prune_kind prune;
    bool swept;
    float cell_size;
    uint32_t observers_max;
    uint32_t visible_entries_max;
    uint32_t writers;
    uint32_t step_deadline_ms;
    qd_access join, write, step;
} qd_msg_room_config;

/* ---- client to server ---- */

/* The size of the resume key in Welcome and Hello. */
#define QD_RESUME_KEY_BYTES 24u

typedef struct qd_msg_hello {
    uint32_t version;
    const char *token;
    const char *client;
    bool resumable;
    qd_msg_key resume;
    size_t feature_count;
    const char *const *features;
} qd_msg_hello;

typedef struct qd_msg_open_room {
    const char *name;
    bool has_config;
    qd_msg_room_config config;
} qd_msg_open_room;

/* LeaveRoom, CloseRoom, Unsubscribe, GetStats, RoomLeft. */
typedef struct qd_msg_room {
    uint64_t room;
} qd_msg_room;

typedef struct qd_msg_list_rooms {
    const char *after;
    uint32_t limit;
} qd_msg_list_rooms;

typedef struct qd_msg_list_sessions {
    uint64_t room;
    uint64_t after;
    uint32_t limit;
} qd_msg_list_sessions;

/* Spawn, Move, Teleport, Reshape, Despawn. */
typedef struct qd_msg_batch {
    uint64_t room;
    bool room_owned; /* Spawn only */
    qd_msg_entities entities;
} qd_msg_batch;

typedef struct qd_msg_subscribe {
    uint64_t room;
    qd_scope scope;
    bool stays;
} qd_msg_subscribe;

typedef struct qd_msg_get_snapshot {
    uint64_t room;
    bool has_region;
    qd_msg_bounds region;
    uint32_t limit;
    bool own;
} qd_msg_get_snapshot;

typedef enum qd_query_kind {
    QD_QUERY_NOTHING = 0, /* absent, or of a later protocol */
    QD_QUERY_BOX = 1,
    QD_QUERY_CIRCLE = 2,
    QD_QUERY_NEAREST = 3,
    QD_QUERY_RAY = 4,
} qd_query_kind;

typedef struct qd_msg_query_circle {
    float x, y, z;
    float radius;
} qd_msg_query_circle;

typedef struct qd_msg_query_nearest {
    float x, y, z;
    bool has_within; /* set it to send a 0 */
    float within;
} qd_msg_query_nearest;

typedef struct qd_msg_query_ray {
    float x, y, z;
    float direction_x, direction_y, direction_z;
    float length;
} qd_msg_query_ray;

/* `kind` selects the member of `where`. */
typedef struct qd_msg_query {
    uint64_t room;
    qd_query_kind kind;
    union {
        qd_msg_bounds box;
        qd_msg_query_circle circle;
        qd_msg_query_nearest nearest;
        qd_msg_query_ray ray;
    } where;
    uint32_t categories;
    uint32_t limit;
} qd_msg_query;

typedef struct qd_msg_step {
    uint64_t room;
    uint64_t tick;
} qd_msg_step;

typedef struct qd_msg_hand_over {
    uint64_t room;
    uint32_t count;
    const uint32_t *id;
    uint64_t session;
    bool room_owned;
} qd_msg_hand_over;

typedef struct qd_msg_adopt {
    uint64_t room;
    uint64_t session;
} qd_msg_adopt;

typedef struct qd_msg_set_roster {
    uint64_t room;
    uint32_t roster;
    uint32_t first;
    uint32_t count;
    const uint32_t *id;
    bool keep_rest;
} qd_msg_set_roster;

/* z: NULL in two dimensions. */
typedef struct qd_msg_move_roster {
    uint64_t room;
    uint32_t roster;
    uint32_t first;
    uint32_t count;
    const float *x, *y, *z;
} qd_msg_move_roster;

/* Moves in many rooms: `part_count` parts, of which each has part_size[i] of the `count` positions. part_roster and
 * part_first are for rosters only; NULL: all are 0. z: NULL in two dimensions. */
typedef struct qd_msg_move_rooms {
    uint64_t no_room; /* 0: the message is for no single room */
    uint32_t part_count;
    const uint64_t *part_room;
    const uint32_t *part_size;
    const uint32_t *part_roster, *part_first;
    uint32_t count;
    const uint32_t *id; /* NULL: by rosters */
    const float *x, *y, *z;
} qd_msg_move_rooms;

typedef struct qd_msg_ping {
    uint64_t data;
} qd_msg_ping;

typedef enum qd_client_kind {
    QD_CLIENT_NOTHING = 0, /* an empty envelope, or a message of a later protocol */
    QD_CLIENT_HELLO,
    QD_CLIENT_OPEN_ROOM,
    QD_CLIENT_LEAVE_ROOM,
    QD_CLIENT_CLOSE_ROOM,
    QD_CLIENT_LIST_ROOMS,
    QD_CLIENT_SPAWN,
    QD_CLIENT_MOVE,
    QD_CLIENT_TELEPORT,
    QD_CLIENT_RESHAPE,
    QD_CLIENT_DESPAWN,
    QD_CLIENT_SUBSCRIBE,
    QD_CLIENT_UNSUBSCRIBE,
    QD_CLIENT_GET_SNAPSHOT,
    QD_CLIENT_STEP,
    QD_CLIENT_GET_STATS,
    QD_CLIENT_PING,
    QD_CLIENT_QUERY,
    QD_CLIENT_SET_DESCRIPTION,
    QD_CLIENT_OBSERVE,
    QD_CLIENT_MOVE_OBSERVERS,
    QD_CLIENT_UNOBSERVE,
    QD_CLIENT_SET_EXCEPTIONS,
    QD_CLIENT_SET_VIEW_OPTIONS,
    QD_CLIENT_WHY,
    QD_CLIENT_HAND_OVER,
    QD_CLIENT_ACK,
    QD_CLIENT_ADOPT,
    QD_CLIENT_SET_ROSTER,
    QD_CLIENT_MOVE_ROSTER,
    QD_CLIENT_LIST_SESSIONS,
    QD_CLIENT_PONG,
    QD_CLIENT_MOVE_ROOMS,
} qd_client_kind;

/* ClientFrame. `kind` selects the member of `as`. */
typedef struct qd_client_message {
    uint64_t seq;
    bool confirm;
    qd_client_kind kind;
    union {
        qd_msg_hello hello;
        qd_msg_open_room open_room;
        qd_msg_room room; /* LEAVE_ROOM, CLOSE_ROOM, UNSUBSCRIBE, GET_STATS */
        qd_msg_list_rooms list_rooms;
        qd_msg_batch batch; /* SPAWN, MOVE, TELEPORT, RESHAPE, DESPAWN */
        qd_msg_subscribe subscribe;
        qd_msg_get_snapshot get_snapshot;
        qd_msg_step step; /* STEP, ACK */
        qd_msg_ping ping; /* PING, PONG */
        qd_msg_query query;
        qd_msg_set_description set_description;
        qd_msg_observers observers; /* OBSERVE, MOVE_OBSERVERS, UNOBSERVE */
        qd_msg_set_exceptions set_exceptions;
        qd_msg_set_view_options set_view_options;
        qd_msg_why why;
        qd_msg_hand_over hand_over;
        qd_msg_adopt adopt;
        qd_msg_set_roster set_roster;
        qd_msg_move_roster move_roster;
        qd_msg_move_rooms move_rooms;
        qd_msg_list_sessions list_sessions;
    } as;
} qd_client_message;

/* ---- server to client ---- */

typedef struct qd_msg_limits {
    uint32_t frame_bytes_max;
    uint32_t rooms_max;
    uint32_t entities_max;
    uint32_t events_max;
    uint32_t name_bytes_max;
    uint32_t queue_bytes_max;
    uint32_t slow_ms_max;
    uint32_t observers_max;
    uint32_t visible_entries_max;
    uint32_t roster_ids_max;
    uint32_t test_budget;
    uint32_t empty_close_ms_max;
} qd_msg_limits;

typedef struct qd_msg_welcome {
    uint32_t version;
    const char *server;
    uint64_t session;
    qd_msg_limits limits;
    qd_msg_key resume_key;
    bool resumed;
    uint64_t last_seq;
    uint32_t resume_ms;
    size_t feature_count;
    const char *const *features;
} qd_msg_welcome;

typedef struct qd_msg_room_opened {
    uint64_t room;
    const char *name;
    qd_msg_room_config config;
    uint64_t epoch;
    uint64_t tick;
    bool created;
} qd_msg_room_opened;

typedef struct qd_msg_room_closed {
    uint64_t room;
    qd_room_closed_reason reason;
} qd_msg_room_closed;

typedef struct qd_msg_room_info {
    const char *name;
    qd_tick_mode tick_mode;
    uint32_t tick_hz;
    uint64_t tick;
    uint32_t entities;
    uint32_t sessions;
} qd_msg_room_info;

typedef struct qd_msg_room_list {
    size_t count;
    const qd_msg_room_info *rooms;
    bool more;
    const char *next;
} qd_msg_room_list;

typedef struct qd_msg_session_info {
    uint64_t session;
    const char *client;
    bool detached;
    uint32_t rooms;
    uint64_t age_ms;
} qd_msg_session_info;

typedef struct qd_msg_session_list {
    size_t count;
    const qd_msg_session_info *sessions;
    bool more;
} qd_msg_session_list;

/* Pairs as columns. */
typedef struct qd_msg_pairs {
    uint32_t count;
    const uint32_t *a, *b;
} qd_msg_pairs;

typedef struct qd_msg_tick {
    uint64_t room;
    uint64_t tick;
    bool reset;
    bool last;
    uint32_t skipped;
    bool suspended;
    uint64_t suspended_count;
    qd_msg_pairs ends;
    const uint8_t *end_reason; /* ends.count values of qd_end_reason */
    qd_msg_pairs begins;
    qd_msg_pairs passed;
    qd_msg_pairs stays;
    uint64_t merged_ticks;
    bool passed_lost;
    qd_suspend_reason suspended_reason; /* with `suspended` */
} qd_msg_tick;

typedef struct qd_msg_applied {
    uint64_t room;
    uint64_t tick;
    uint64_t seq;
    uint32_t late_listed; /* at most QD_APPLIED_LATE_MAX */
    const uint64_t *late;
    uint32_t late_count;
    bool pairs_lagging, views_lagging;
} qd_msg_applied;

typedef struct qd_msg_accepted {
    uint64_t room;
    uint64_t tick;
    uint32_t refused_count; /* in the columns of this frame */
    const uint32_t *refused_index;
    const uint8_t *refused_code;  /* a qd_error_code each */
    const uint8_t *refused_field; /* NULL: all are 0 */
    const char *text;
    uint32_t refused_total;
    bool last;
} qd_msg_accepted;

typedef struct qd_msg_snapshot_result {
    uint64_t room;
    uint64_t tick;
    qd_msg_entities entities;
    bool more;
    bool last;
} qd_msg_snapshot_result;

typedef struct qd_msg_query_result {
    uint64_t room;
    uint64_t tick;
    uint32_t count;
    const uint32_t *id;
    const double *distance; /* NULL for regions */
    bool more;
} qd_msg_query_result;

typedef struct qd_msg_server_stats {
    uint64_t uptime_ms;
    uint32_t sessions;
    uint32_t rooms;
    uint32_t workers;
    uint64_t memory_bytes;
    uint64_t memory_bytes_max;
    uint64_t ticks;
    uint64_t updates;
    uint64_t events;
    uint64_t bytes_in;
    uint64_t bytes_out;
    uint64_t errors;
    uint64_t too_slow;
    uint32_t detached;
    uint64_t resumed;
    uint64_t log_dropped;
    uint64_t log_suppressed;
    uint64_t refused_by_session_rooms;
    uint64_t refused_by_session_entities;
    uint64_t refused_by_session_observers;
    uint64_t refused_by_session_visible_entries;
    uint64_t refused_by_session_subscriptions;
    uint64_t refused_by_session_memory;
    uint64_t refused_by_token_connections;
    uint64_t refused_by_token_detached;
    uint64_t refused_by_token_rooms;
    uint64_t refused_by_token_entities;
    uint64_t refused_by_token_observers;
    uint64_t refused_by_token_visible_entries;
    uint64_t refused_by_token_subscriptions;
    uint64_t refused_by_token_memory;
    uint64_t not_alive;
    uint64_t refused_full;
    uint64_t refused_memory;
    uint64_t refused_by_address_connections;
    uint64_t refused_by_address_accepts;
    uint64_t refused_by_address_tokens;
    uint64_t dropped_silent;
    uint32_t rooms_slowed;
    uint64_t suspended_memory;
} qd_msg_server_stats;

typedef struct qd_msg_room_stats {
    uint64_t room;
    uint64_t tick;
    uint32_t entities;
    uint32_t sessions;
    uint32_t subscriptions;
    uint64_t updates;
    uint64_t begins;
    uint64_t ends;
    uint64_t ticks_skipped;
    uint64_t pairs;
    float tick_us_p50, tick_us_p99, tick_us_max;
    uint64_t memory_bytes;
    uint32_t depth;
    qd_index_kind index;
    uint64_t passed;
    uint32_t index_changes;
    uint32_t observers;
    uint64_t visible_entries;
    uint64_t enters, leaves;
    uint32_t slowed_hz;
} qd_msg_room_stats;

typedef struct qd_msg_stats {
    qd_msg_server_stats server;
    bool has_room;
    qd_msg_room_stats room;
} qd_msg_stats;

typedef struct qd_msg_error {
    qd_error_code code;
    const char *text;
    uint64_t seq;
    uint64_t room;
    uint64_t tick_due;
} qd_msg_error;

typedef struct qd_msg_handed_over {
    uint64_t room;
    uint32_t count;
    const uint32_t *id;
    uint64_t from, to;
    uint32_t connected_listed; /* at most QD_CONNECTED_MAX */
    const uint64_t *connected;
    uint32_t connected_count;
    bool last;
} qd_msg_handed_over;

typedef struct qd_msg_room_slowed {
    uint64_t room;
    uint32_t tick_hz;
    uint32_t tick_us;
} qd_msg_room_slowed;

typedef struct qd_msg_go_away {
    qd_go_away_reason reason;
    const char *text;
    uint32_t deadline_ms;
} qd_msg_go_away;

typedef enum qd_server_kind {
    QD_SERVER_NOTHING = 0, /* an empty envelope, or a message of a later protocol */
    QD_SERVER_WELCOME,
    QD_SERVER_ROOM_OPENED,
    QD_SERVER_ROOM_LEFT,
    QD_SERVER_ROOM_CLOSED,
    QD_SERVER_ROOM_LIST,
    QD_SERVER_TICK,
    QD_SERVER_APPLIED,
    QD_SERVER_SNAPSHOT_RESULT,
    QD_SERVER_STATS,
    QD_SERVER_PONG,
    QD_SERVER_ERROR,
    QD_SERVER_GO_AWAY,
    QD_SERVER_QUERY_RESULT,
    QD_SERVER_VIEW,
    QD_SERVER_WHY_RESULT,
    QD_SERVER_HANDED_OVER,
    QD_SERVER_ACCEPTED,
    QD_SERVER_SESSION_LIST,
    QD_SERVER_PING,
    QD_SERVER_ROOM_SLOWED,
} qd_server_kind;

/* ServerFrame. `kind` selects the member of `as`. */
typedef struct qd_server_message {
    uint64_t seq;
    qd_server_kind kind;
    union {
        qd_msg_welcome welcome;
        qd_msg_room_opened room_opened;
        qd_msg_room room_left;
        qd_msg_room_closed room_closed;
        qd_msg_room_list room_list;
        qd_msg_tick tick;
        qd_msg_applied applied;
        qd_msg_snapshot_result snapshot_result;
        qd_msg_stats stats;
        qd_msg_ping pong; /* PONG, PING */
        qd_msg_error error;
        qd_msg_go_away go_away;
        qd_msg_query_result query_result;
        qd_msg_view view;
        qd_msg_why_result why_result;
        qd_msg_handed_over handed_over;
        qd_msg_accepted accepted;
        qd_msg_session_list session_list;
        qd_msg_room_slowed room_slowed;
    } as;
} qd_server_message;

#ifdef __cplusplus
}
#endif

#endif
