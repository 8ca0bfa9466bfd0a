/* SPDX-License-Identifier: Apache-2.0
 *
 * The parts of a MoveRooms, each as the Move or MoveRoster that it stands for.
 */
#ifndef QD_PROTO_MOVE_PARTS_H
#define QD_PROTO_MOVE_PARTS_H

#include "messages.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct qd_move_parts {
    const qd_client_message *frame; /* a MoveRooms whose part sizes add up to its count */
    uint32_t next, at;              /* the next part, and its first position; 0 at first */
} qd_move_parts;

/* Writes the next part, with its own seq; its columns are slices of the frame's. Returns false at the end. */
bool qd_move_parts_next(qd_move_parts *parts, qd_client_message *part);

/* How many numbers the message uses behind its seq. */
static inline uint32_t qd_move_parts_more(const qd_client_message *message)
{
    const uint32_t parts = message->kind == QD_CLIENT_MOVE_ROOMS ? message->as.move_rooms.part_count : 0;

    return parts > 0 ? parts - 1 : 0;
}

#ifdef __cplusplus
}
#endif

#endif
