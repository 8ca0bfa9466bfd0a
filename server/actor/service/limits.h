/* SPDX-License-Identifier: Apache-2.0
 *
 * What the server allows. Each field of qd_limits has an option of the same name (app/options.c), which also gives the
 * default and the range. The limits of a room and of a space come along, so that requests can be checked against them.
 */
#ifndef QD_ACTOR_SERVICE_LIMITS_H
#define QD_ACTOR_SERVICE_LIMITS_H

#include "../../room/room.h"
#include "../../room/room_views.h"

/* Rows of a snapshot in one frame: at most 41 bytes each, so that it stays below QD_SERVER_FRAME_BYTES_MAX. */
#define QD_SNAPSHOT_FRAME_ROWS_MAX (48u << 10)

/* Entities in one snapshot, and in the result of one query, which is one frame with 12 bytes each. Rooms in one list. */
#define QD_SNAPSHOT_ROWS_MAX (1u << 20)
#define QD_QUERY_ROWS_MAX    (1u << 16)
#define QD_LIST_ROOMS_MAX    1000u
#define QD_LIST_SESSIONS_MAX 1000u

/* Ids in one HandedOver: 4 bytes each, so that it stays below QD_SERVER_FRAME_BYTES_MAX. */
#define QD_HANDED_OVER_IDS_MAX (256u << 10)

/* Refused entries in one Accepted: 6 bytes each, likewise. */
#define QD_ACCEPTED_ENTRIES_MAX (256u << 10)

/* Bytes of one View frame, well below QD_SERVER_FRAME_BYTES_MAX. Observers in one WhyResult, which the room sorts by
 * insertion. */
#define QD_VIEW_FRAME_BYTES_MAX (1u << 20)
#define QD_WHY_ROWS_MAX         1024u

/* Quotas of a token among others. */
#define QD_TOKEN_ENTITIES_MAX        16777216
#define QD_TOKEN_OBSERVERS_MAX       262144
#define QD_TOKEN_VISIBLE_ENTRIES_MAX 16777216
#define QD_TOKEN_SUBSCRIPTIONS_MAX   65536

typedef struct qd_limits {
    uint32_t connections_max;
    uint32_t address_connections_max;
    uint32_t address_accepts_max;       /* per second */
    uint32_t address_failed_tokens_max; /* per second */
    uint32_t frame_bytes_max;
    uint32_t rooms_max;
    uint32_t entities_max;        /* per room */
    uint32_t events_max;          /* per room and tick */
    uint32_t test_budget;         /* per room and tick (space/types.h) */
    uint32_t observers_max;       /* per room */
    uint32_t visible_entries_max; /* per room */
    uint32_t roster_ids_max;      /* per session and room */
    uint32_t queue_bytes_max;     /* per session */
    uint32_t slow_ms_max;         /* until a full queue is half empty */
    uint32_t silence_ms_max;      /* how long a client may give no sign of life */
    uint32_t resume_ms_max;       /* how long a session outlives its connection */
    uint32_t room_batches_max;    /* waiting in a room */
    uint32_t session_share;       /* percent of the workers' time that a session or room has before others go first */
    uint32_t empty_close_ms_max;  /* RoomConfig.empty_close_ms */

    /* Quotas (account.h). Those of a session: 0: none. */
    uint32_t session_rooms_max, session_entities_max, session_observers_max, session_visible_entries_max,
        session_subscriptions_max;
    uint64_t session_memory_max; /* 0: half of the server's, and none with one token */
    /* Those of a token: 0: half of the server's, and none with one token; */
    uint32_t token_connections_max, token_detached_max, token_rooms_max;
    uint64_t token_memory_max;
    uint32_t token_creations_max; /* rooms per second */
    /* or these: 0: QD_TOKEN_*, and none with one token. */
    uint32_t token_entities_max, token_observers_max, token_visible_entries_max, token_subscriptions_max;
} qd_limits;

#endif
