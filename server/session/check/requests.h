/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks requests as a whole, before the room has them; the room refuses single entries. Pure. [any]
 *
 * Each function returns whether the request suits a room with that many dimensions. If not, it fills in *fault.
 */
#ifndef QD_SESSION_CHECK_REQUESTS_H
#define QD_SESSION_CHECK_REQUESTS_H

#include "fault.h"

/* ---- entity_requests.c ---- */

/* Spawn, Move, Teleport, Reshape and Despawn. */
bool qd_batch_check(const qd_client_message *message, uint32_t dimensions, qd_fault *fault);
/* Roster and MoveRoster. */
bool qd_roster_check(const qd_client_message *message, uint32_t dimensions, qd_fault *fault);
/* MoveRooms as a whole; its parts are checked as Move and MoveRoster. */
bool qd_move_rooms_check(const qd_client_message *message, qd_fault *fault);
bool qd_hand_over_check(const qd_client_message *message, uint32_t dimensions, qd_fault *fault);

/* ---- query_request.c ---- */

/* A limit of rows, of which 0 is the default. */
bool qd_limit_check(uint32_t limit, uint32_t max, qd_fault *fault);
bool qd_query_check(const qd_msg_query *query, uint32_t dimensions, qd_fault *fault);
/* The region of GetSnapshot, whose sides may be infinite. */
bool qd_region_check(const qd_msg_bounds *region, uint32_t dimensions, qd_fault *fault);

/* ---- view_request.c ---- */

/* SetDescription, Observe, MoveObservers, Unobserve, SetExceptions, SetViewOptions and Why. */
bool qd_view_request_check(const qd_client_message *message, uint32_t dimensions, qd_fault *fault);

/* ---- room_request.c ---- */

/* Any request that a room carries out; false without a fault: it is of another kind. */
bool qd_room_request_check(const qd_client_message *message, uint32_t dimensions, qd_fault *fault);

#endif
