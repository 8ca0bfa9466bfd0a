/* SPDX-License-Identifier: Apache-2.0
 *
 * What the server allows; each has an option of the same name (options.c), which also says the default and the range.
 */
#ifndef QD_ACTOR_LIMITS_H
#define QD_ACTOR_LIMITS_H

#include <stdint.h>

/* Rows of a snapshot in one frame: at most 41 bytes each, so that it stays below QD_SERVER_FRAME_BYTES_MAX. */
#define QD_SNAPSHOT_FRAME_ROWS_MAX (48u << 10)

/* Entities in one snapshot and in the result of one query, which is one frame of 12 bytes each; rooms in one list. */
#define QD_SNAPSHOT_ROWS_MAX (1u << 20)
#define QD_QUERY_ROWS_MAX    (1u << 16)
#define QD_LIST_ROOMS_MAX    1000u

/* Ids in one HandedOver: of 4 bytes each, so that it stays below QD_SERVER_FRAME_BYTES_MAX. */
#define QD_HANDED_OVER_IDS_MAX (256u << 10)

/* Bytes of one View frame, well below QD_SERVER_FRAME_BYTES_MAX; observers in one WhyResult, which the room sorts as it
 * finds them. */
#define QD_VIEW_FRAME_BYTES_MAX (1u << 20)
#define QD_WHY_ROWS_MAX         1024u

typedef struct qd_limits {
    uint32_t connections_max;
    uint32_t frame_bytes_max;
    uint32_t rooms_max;
    uint32_t entities_max;     /* a room */
    uint32_t events_max;       /* a room and tick */
    uint32_t observers_max;    /* a room */
    uint32_t sightings_max;    /* a room */
    uint32_t roster_ids_max;   /* a session and room */
    uint32_t queue_bytes_max;  /* a session */
    uint32_t slow_ms_max;      /* until a full queue is half empty */
    uint32_t resume_ms_max;    /* that a session outlives its connection */
    uint32_t room_batches_max; /* waiting in a room */
} qd_limits;

#endif
