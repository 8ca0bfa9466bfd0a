/* SPDX-License-Identifier: Apache-2.0
 *
 * The messages of quadrille.proto as plain C structs.
 *
 * What each field means, its unit and its range stand in quadrille.proto, under the same name; this header only says
 * what C adds. codec.h turns these structs into bytes and back.
 *
 * OWNERSHIP. Structs and columns are views: they own nothing. In a message that the codec decoded, all pointers lead
 * into that message and die with it; in one to encode, they stay the caller's.
 *
 * SHAPES. Strings are zero-terminated and never NULL in decoded messages; NULL encodes as empty. A column is a pointer
 * to `count` values, or NULL where it is absent.
 */
#ifndef QD_PROTO_MESSAGES_H
#define QD_PROTO_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Marks what the client's shared library exports. */
#ifndef QD_API
#define QD_API __attribute__((visibility("default")))
#endif

#define QD_PROTOCOL_VERSION 1u

/* The longest frame before Hello, and the longest that the server sends. */
#define QD_FRAME_BYTES_BEFORE_HELLO 8192u
#define QD_SERVER_FRAME_BYTES_MAX   (2u << 20)

#define QD_ROOM_NAME_BYTES_MAX   64u
#define QD_TOKEN_BYTES_MAX       256u
#define QD_CLIENT_NAME_BYTES_MAX 64u

/* How many refused entries an Error lists. */
#define QD_ERROR_ENTRIES_MAX 64u

/* How many late sessions an Applied lists. */
#define QD_APPLIED_LATE_MAX 64u

typedef enum qd_tick_mode { QD_TICK_MODE_DEFAULT = 0, QD_TICK_MODE_CLOCK = 1, QD_TICK_MODE_STEP = 2 } qd_tick_mode;

typedef enum qd_shape { QD_SHAPE_BOX = 1, QD_SHAPE_CIRCLE = 2, QD_SHAPE_CAPSULE = 3 } qd_shape;

typedef enum qd_scope { QD_SCOPE_ALL = 1, QD_SCOPE_OWN = 2 } qd_scope;

/* X(NAME, number, "name for people and command lines") */
#define QD_INDEXES(X)                                                                                                  \
    X(AUTO, 1, "auto")                                                                                                 \
    X(QUADTREE, 2, "quadtree")                                                                                         \
    X(OCTREE, 3, "octree")                                                                                             \
    X(SPARSE, 4, "sparse")                                                                                             \
    X(HASH, 5, "hash")                                                                                                 \
    X(GRID, 6, "grid")                                                                                                 \
    X(BRUTE, 7, "brute")

typedef enum qd_index_kind {
    QD_INDEX_DEFAULT = 0,
#define X(name, number, text) QD_INDEX_##name = number,
    QD_INDEXES(X)
#undef X
} qd_index_kind;

/* X(NAME, number, "name for people and command lines") */
#define QD_PRUNES(X)                                                                                                   \
    X(AUTO, 1, "auto")                                                                                                 \
    X(CANDIDATES, 2, "candidates")                                                                                     \
    X(WALK, 3, "walk")                                                                                                 \
    X(LAZY, 4, "lazy")

typedef enum qd_prune_kind {
    QD_PRUNE_DEFAULT = 0,
#define X(name, number, text) QD_PRUNE_##name = number,
    QD_PRUNES(X)
#undef X
} qd_prune_kind;

/* X(NAME, number, "text for people") */
#define QD_END_REASONS(X)                                                                                              \
    X(ROOM_CLOSED, 1, "room closed")                                                                                   \
    X(EXPIRED, 2, "expired")                                                                                           \
    X(DESPAWNED, 3, "despawned")                                                                                       \
    X(FILTERED, 4, "filter changed")                                                                                   \
    X(RESIZED, 5, "resized")                                                                                           \
    X(TELEPORTED, 6, "teleported")                                                                                     \
    X(MOVED_APART, 7, "moved apart")

typedef enum qd_end_reason {
#define X(name, number, text) QD_END_##name = number,
    QD_END_REASONS(X)
#undef X
} qd_end_reason;

/* X(NAME, number, "text for people") */
#define QD_LEAVE_REASONS(X)                                                                                            \
    X(ROOM_CLOSED, 1, "room closed")                                                                                   \
    X(OBSERVER, 2, "observer gone")                                                                                    \
    X(EXPIRED, 3, "expired")                                                                                           \
    X(DESPAWNED, 4, "despawned")                                                                                       \
    X(EXCEPTED, 5, "excepted")                                                                                         \
    X(HIDDEN, 6, "hidden")                                                                                             \
    X(FILTERED, 7, "filter changed")                                                                                   \
    X(TEAM, 8, "team changed")                                                                                         \
    X(RANGE, 9, "out of range")                                                                                        \
    X(LIMIT, 10, "others are nearer")

typedef enum qd_leave_reason {
#define X(name, number, text) QD_LEAVE_##name = number,
    QD_LEAVE_REASONS(X)
#undef X
} qd_leave_reason;

/* X(NAME, number, "text for people") */
#define QD_SIGHTS(X)                                                                                                   \
    X(SEEN, 1, "seen")                                                                                                 \
    X(SEEN_BY_SHOW, 2, "seen: always shown")                                                                           \
    X(SEEN_BY_MARGIN, 3, "seen: within the margin")                                                                    \
    X(NOT_EXCEPTED, 4, "not seen: excepted")                                                                           \
    X(NOT_HIDDEN, 5, "not seen: hidden")                                                                               \
    X(NOT_SELF, 6, "not seen: the anchor itself")                                                                      \
    X(NOT_MASK, 7, "not seen: not in the mask")                                                                        \
    X(NOT_TEAM, 8, "not seen: another team")                                                                           \
    X(NOT_RANGE, 9, "not seen: out of range")                                                                          \
    X(NOT_ANGLE, 10, "not seen: out of the angle")                                                                     \
    X(NOT_LIMIT, 11, "not seen: others are nearer")                                                                    \
    X(NOT_BUDGET, 12, "not seen: waits for the budget")                                                                \
    X(NOT_YET, 13, "not seen: since the last tick")

typedef enum qd_sight {
#define X(name, number, text) QD_SIGHT_##name = number,
    QD_SIGHTS(X)
#undef X
} qd_sight;

/* Of an observer. */
typedef enum qd_region { QD_REGION_CIRCLE = 1, QD_REGION_BOX = 2, QD_REGION_CONE = 3 } qd_region;

typedef enum qd_watch { QD_WATCH_NONE = 1, QD_WATCH_OWN = 2, QD_WATCH_ALL = 3 } qd_watch;

/* X(NAME, number) */
#define QD_ERROR_CODES(X)                                                                                              \
    X(MALFORMED, 1)                                                                                                    \
    X(FRAME_TOO_LONG, 2)                                                                                               \
    X(NO_HELLO, 3)                                                                                                     \
    X(VERSION, 4)                                                                                                      \
    X(UNAUTHENTICATED, 5)                                                                                              \
    X(UNKNOWN_MESSAGE, 16)                                                                                             \
    X(INVALID, 17)                                                                                                     \
    X(COLUMNS, 18)                                                                                                     \
    X(UNKNOWN_ROOM, 19)                                                                                                \
    X(CONFIG_MISMATCH, 20)                                                                                             \
    X(NOT_ALLOWED, 21)                                                                                                 \
    X(LIMIT, 22)                                                                                                       \
    X(NOT_STEP_MODE, 23)                                                                                               \
    X(WRONG_TICK, 24)                                                                                                  \
    X(ENTRIES, 25)                                                                                                     \
    X(TICK_OVER, 26)                                                                                                   \
    X(UNKNOWN_ID, 32)                                                                                                  \
    X(ID_TAKEN, 33)                                                                                                    \
    X(NOT_OWNER, 34)                                                                                                   \
    X(NOT_FINITE, 35)                                                                                                  \
    X(NEGATIVE_SIZE, 36)                                                                                               \
    X(UNKNOWN_SHAPE, 37)                                                                                               \
    X(ROOM_FULL, 38)                                                                                                   \
    X(UNKNOWN_OBSERVER, 39)                                                                                            \
    X(BAD_REGION, 40)                                                                                                  \
    X(OBSERVERS_FULL, 41)

typedef enum qd_error_code {
    QD_ERROR_NONE = 0,
#define X(name, number) QD_ERROR_##name = number,
    QD_ERROR_CODES(X)
#undef X
} qd_error_code;

typedef enum qd_go_away_reason {
    QD_GO_AWAY_SHUTDOWN = 1,
    QD_GO_AWAY_PROTOCOL = 2,
    QD_GO_AWAY_FULL = 3,
    QD_GO_AWAY_TOO_SLOW = 4,
    QD_GO_AWAY_TAKEN_OVER = 5,
} qd_go_away_reason;

typedef enum qd_room_closed_reason {
    QD_ROOM_CLOSED_REQUESTED = 1,
    QD_ROOM_CLOSED_EMPTY = 2,
    QD_ROOM_CLOSED_SHUTDOWN = 3,
} qd_room_closed_reason;

/* Names for people and logs, such as "ID_TAKEN" and "moved apart"; "UNKNOWN" for a number that has none. Static. */
QD_API const char *qd_error_code_name(qd_error_code code);
QD_API const char *qd_end_reason_name(qd_end_reason reason);
QD_API const char *qd_leave_reason_name(qd_leave_reason reason);
QD_API const char *qd_sight_name(qd_sight sight);
QD_API const char *qd_index_name(qd_index_kind index);
QD_API const char *qd_prune_name(qd_prune_kind prune);

/* The number of such a name; 0: it is none. */
QD_API qd_index_kind qd_index_of_name(const char *name);
QD_API qd_prune_kind qd_prune_of_name(const char *name);

typedef struct qd_msg_bounds {
    float min_x, min_y, min_z;
    float max_x, max_y, max_z;
} qd_msg_bounds;

typedef struct qd_msg_room_config {
    uint32_t dimensions;
    bool has_bounds;
    qd_msg_bounds bounds;
    qd_tick_mode tick_mode;
    uint32_t tick_hz;
    uint32_t depth;
    uint32_t entities_max;
    uint32_t events_max;
    uint32_t grace_ms;
    uint32_t empty_close_ms;
    qd_index_kind index;
    qd_prune_kind prune;
    bool swept;
    float cell_size;
    uint32_t observers_max;
    uint32_t sightings_max;
    uint32_t writers;
    uint32_t step_deadline_ms;
} qd_msg_room_config;

/* The columns of entities. Which of them a message uses is said in quadrille.proto; the others are NULL. */
typedef struct qd_msg_entities {
    uint32_t count;
    const uint32_t *id;
    const float *x, *y, *z;
    const float *half_x, *half_y, *half_z;
    const float *radius;
    const uint8_t *shape;
    const uint32_t *category, *mask;
} qd_msg_entities;

/* ---- client to server ---- */

/* What Welcome gives and Hello takes. */
#define QD_RESUME_KEY_BYTES 24u

typedef struct qd_msg_key {
    size_t size; /* 0: none */
    const uint8_t *bytes;
} qd_msg_key;

typedef struct qd_msg_hello {
    uint32_t version;
    const char *token;
    const char *client;
    bool resumable;
    qd_msg_key resume;
} qd_msg_hello;

typedef struct qd_msg_open_room {
    const char *name;
    bool has_config;
    qd_msg_room_config config;
} qd_msg_open_room;

/* LeaveRoom, CloseRoom, Unsubscribe, GetStats: a room and no more. */
typedef struct qd_msg_room {
    uint64_t room;
} qd_msg_room;

typedef struct qd_msg_list_rooms {
    const char *after;
    uint32_t limit;
} qd_msg_list_rooms;

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

typedef struct qd_msg_snapshot {
    uint64_t room;
    bool has_region;
    qd_msg_bounds region;
    uint32_t limit;
} qd_msg_snapshot;

typedef enum qd_query_kind {
    QD_QUERY_NOTHING = 0, /* none was given, or one of a later protocol */
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
    float within;
} qd_msg_query_nearest;

typedef struct qd_msg_query_ray {
    float x, y, z;
    float direction_x, direction_y, direction_z;
    float length;
} qd_msg_query_ray;

/* `kind` says which member of `where` is meant. */
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

typedef struct qd_msg_handover {
    uint64_t room;
    uint32_t count;
    const uint32_t *id;
    uint64_t session;
    bool room_owned;
} qd_msg_handover;

typedef struct qd_msg_ping {
    uint64_t data;
} qd_msg_ping;

/* ---- client to server: views ---- */

/* `payload` has as many bytes as the sizes in payload_size add up to; NULL with it. */
typedef struct qd_msg_describe {
    uint64_t room;
    uint32_t count;
    const uint32_t *id;
    const uint64_t *tag;
    const uint8_t *payload_size, *payload;
    const float *visible_range;
    const uint32_t *team;
    const uint8_t *hidden;
} qd_msg_describe;

/* Observe, MoveObservers (id, x, y, z and direction_*), Unobserve (id). The tiers have a length of their own. */
typedef struct qd_msg_observers {
    uint64_t room;
    uint32_t count;
    const uint32_t *id;
    const uint8_t *region, *anchored;
    const uint32_t *entity;
    const float *x, *y, *z;
    const float *range;
    const float *half_x, *half_y, *half_z;
    const float *direction_x, *direction_y, *direction_z;
    const float *angle;
    const float *leave_margin;
    const uint32_t *mask, *limit, *enter_budget, *team;
    const uint8_t *sees_self;
    uint32_t tier_count;
    const float *relay_range;
    const uint32_t *relay_every;
} qd_msg_observers;

typedef struct qd_msg_except {
    uint64_t room;
    uint32_t observer;
    uint32_t show_count, hide_count;
    const uint32_t *show, *hide;
} qd_msg_except;

typedef struct qd_msg_view_options {
    uint64_t room;
    uint32_t bytes_max;
    qd_watch watch;
} qd_msg_view_options;

typedef struct qd_msg_why {
    uint64_t room;
    uint32_t a, b;
    bool observer;
} qd_msg_why;

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
    QD_CLIENT_SNAPSHOT,
    QD_CLIENT_STEP,
    QD_CLIENT_GET_STATS,
    QD_CLIENT_PING,
    QD_CLIENT_QUERY,
    QD_CLIENT_DESCRIBE,
    QD_CLIENT_OBSERVE,
    QD_CLIENT_MOVE_OBSERVERS,
    QD_CLIENT_UNOBSERVE,
    QD_CLIENT_EXCEPT,
    QD_CLIENT_VIEW_OPTIONS,
    QD_CLIENT_WHY,
    QD_CLIENT_HANDOVER,
    QD_CLIENT_ACK,
} qd_client_kind;

/* ClientFrame. `kind` says which member of `as` is meant. */
typedef struct qd_client_message {
    uint32_t seq;
    qd_client_kind kind;
    union {
        qd_msg_hello hello;
        qd_msg_open_room open_room;
        qd_msg_room room; /* LEAVE_ROOM, CLOSE_ROOM, UNSUBSCRIBE, GET_STATS */
        qd_msg_list_rooms list_rooms;
        qd_msg_batch batch; /* SPAWN, MOVE, TELEPORT, RESHAPE, DESPAWN */
        qd_msg_subscribe subscribe;
        qd_msg_snapshot snapshot;
        qd_msg_step step; /* STEP, ACK */
        qd_msg_ping ping;
        qd_msg_query query;
        qd_msg_describe describe;
        qd_msg_observers observers; /* OBSERVE, MOVE_OBSERVERS, UNOBSERVE */
        qd_msg_except except;
        qd_msg_view_options view_options;
        qd_msg_why why;
        qd_msg_handover handover;
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
    uint32_t sightings_max;
} qd_msg_limits;

typedef struct qd_msg_welcome {
    uint32_t version;
    const char *server;
    uint64_t session;
    qd_msg_limits limits;
    qd_msg_key resume_key;
    bool resumed;
    uint32_t last_seq;
    uint32_t resume_ms;
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
} qd_msg_room_list;

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
} qd_msg_tick;

typedef struct qd_msg_applied {
    uint64_t room;
    uint64_t tick;
    uint32_t seq;
    uint32_t late_listed; /* at most QD_APPLIED_LATE_MAX */
    const uint64_t *late;
    uint32_t late_count;
} qd_msg_applied;

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
    uint32_t parked;
    uint64_t resumed;
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
    uint64_t seen;
    uint64_t enters, leaves;
} qd_msg_room_stats;

typedef struct qd_msg_stats {
    qd_msg_server_stats server;
    bool has_room;
    qd_msg_room_stats room;
} qd_msg_stats;

typedef struct qd_msg_error {
    qd_error_code code;
    const char *text;
    uint32_t seq;
    uint64_t room;
    uint32_t entry_count; /* at most QD_ERROR_ENTRIES_MAX */
    const uint32_t *entry_index;
    const uint8_t *entry_code;
    uint32_t entries_refused;
    uint64_t tick_due;
} qd_msg_error;

typedef struct qd_msg_go_away {
    qd_go_away_reason reason;
    const char *text;
    uint32_t deadline_ms;
} qd_msg_go_away;

/* ---- server to client: views ---- */

/* Columns are NULL where their group is empty, and where quadrille.proto says what their absence means. */
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
} qd_msg_view;

typedef struct qd_msg_why_result {
    uint64_t room;
    uint64_t tick;
    uint32_t count;
    const uint64_t *session;
    const uint32_t *observer;
    const uint8_t *sight; /* qd_sight */
    const double *distance;
    const float *range, *leave_margin;
    const uint32_t *limit, *seen;
    bool more;
} qd_msg_why_result;

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
} qd_server_kind;

/* ServerFrame. `kind` says which member of `as` is meant. */
typedef struct qd_server_message {
    uint32_t seq;
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
        qd_msg_ping pong;
        qd_msg_error error;
        qd_msg_go_away go_away;
        qd_msg_query_result query_result;
        qd_msg_view view;
        qd_msg_why_result why_result;
    } as;
} qd_server_message;

#ifdef __cplusplus
}
#endif

#endif
