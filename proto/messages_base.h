/* SPDX-License-Identifier: Apache-2.0
 *
 * What the messages in messages.h share: limits, enums and their names, bounds, and the columns of entities. Include
 * messages.h.
 */
#ifndef QD_PROTO_MESSAGES_BASE_H
#define QD_PROTO_MESSAGES_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Marks the functions that the client's shared library exports. */
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
#define QD_FEATURES_MAX          32u
#define QD_FEATURE_BYTES_MAX     64u
/* See Hello.features. */
#define QD_FEATURE_PINGS "pings"
#define QD_SEQ_MAX       ((UINT64_C(1) << 53) - 1) /* so that a double holds it */

/* The most late sessions that an Applied lists. */
#define QD_APPLIED_LATE_MAX 64u

/* The most connected sessions that a HandedOver lists. */
#define QD_CONNECTED_MAX 64u

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
    X(TRAVERSAL, 3, "traversal")                                                                                       \
    X(LAZY, 4, "lazy")

typedef enum qd_prune_kind {
    QD_PRUNE_DEFAULT = 0,
#define X(name, number, text) QD_PRUNE_##name = number,
    QD_PRUNES(X)
#undef X
} qd_prune_kind;

#define QD_ACCESSES(X)                                                                                                 \
    X(ANYBODY, 1, "anybody")                                                                                           \
    X(SAME_TOKEN, 2, "same-token")                                                                                     \
    X(CREATOR, 3, "creator")

typedef enum qd_access {
    QD_ACCESS_DEFAULT = 0,
#define X(name, number, text) QD_ACCESS_##name = number,
    QD_ACCESSES(X)
#undef X
} qd_access;

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
#define QD_SUSPEND_REASONS(X)                                                                                          \
    X(LIMIT, 1, "limit exceeded")                                                                                      \
    X(MEMORY, 2, "no memory left")

typedef enum qd_suspend_reason {
#define X(name, number, text) QD_SUSPEND_##name = number,
    QD_SUSPEND_REASONS(X)
#undef X
} qd_suspend_reason;

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
#define QD_VISIBILITIES(X)                                                                                             \
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

typedef enum qd_visibility {
#define X(name, number, text) QD_VISIBILITY_##name = number,
    QD_VISIBILITIES(X)
#undef X
} qd_visibility;

/* The region of an observer. */
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
    X(TICK_OVER, 26)                                                                                                   \
    X(UNKNOWN_ROSTER, 27)                                                                                              \
    X(QUOTA_SESSION, 28)                                                                                               \
    X(QUOTA_TOKEN, 29)                                                                                                 \
    X(QUOTA_ADDRESS, 30)                                                                                               \
    X(UNKNOWN_ID, 32)                                                                                                  \
    X(ID_TAKEN, 33)                                                                                                    \
    X(NOT_OWNER, 34)                                                                                                   \
    X(NOT_FINITE, 35)                                                                                                  \
    X(NEGATIVE_SIZE, 36)                                                                                               \
    X(UNKNOWN_SHAPE, 37)                                                                                               \
    X(ROOM_FULL, 38)                                                                                                   \
    X(UNKNOWN_OBSERVER, 39)                                                                                            \
    X(BAD_REGION, 40)                                                                                                  \
    X(OBSERVERS_FULL, 41)                                                                                              \
    X(WRONG_COLUMN, 42)

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
    QD_GO_AWAY_QUOTA = 6,
    QD_GO_AWAY_NOT_ALIVE = 7,
    QD_GO_AWAY_REVOKED = 8,
} qd_go_away_reason;

typedef enum qd_room_closed_reason {
    QD_ROOM_CLOSED_REQUESTED = 1,
    QD_ROOM_CLOSED_EMPTY = 2,
    QD_ROOM_CLOSED_SHUTDOWN = 3,
} qd_room_closed_reason;

/* Returns a static name for people and logs, such as "ID_TAKEN" or "moved apart"; "UNKNOWN" if the number has none. */
QD_API const char *qd_error_code_name(qd_error_code code);
QD_API const char *qd_end_reason_name(qd_end_reason reason);
QD_API const char *qd_leave_reason_name(qd_leave_reason reason);
QD_API const char *qd_suspend_reason_name(qd_suspend_reason reason);
QD_API const char *qd_visibility_name(qd_visibility sight);
QD_API const char *qd_index_name(qd_index_kind index);
QD_API const char *qd_prune_name(qd_prune_kind prune);
QD_API const char *qd_access_name(qd_access access);

/* Returns the number that has this name; 0 if none has. */
QD_API qd_index_kind qd_index_of_name(const char *name);
QD_API qd_prune_kind qd_prune_of_name(const char *name);
QD_API qd_access qd_access_of_name(const char *name);

typedef struct qd_msg_bounds {
    float min_x, min_y, min_z;
    float max_x, max_y, max_z;
} qd_msg_bounds;

/* The columns of entities. quadrille.proto documents which of them a message uses; the others are NULL. */
typedef struct qd_msg_entities {
    uint32_t count;
    const uint32_t *id;
    const float *x, *y, *z;
    const float *half_x, *half_y, *half_z;
    const float *radius;
    const float *axis_x, *axis_y, *axis_z;
    const uint8_t *shape;
    const uint32_t *category, *mask;
} qd_msg_entities;

/* The bytes of a resume key, or of a blob of the relay stream. */
typedef struct qd_msg_key {
    size_t size; /* 0: none */
    const uint8_t *bytes;
} qd_msg_key;

#ifdef __cplusplus
}
#endif

#endif
