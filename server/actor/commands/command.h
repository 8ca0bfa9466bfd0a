/* SPDX-License-Identifier: Apache-2.0
 *
 * The commands of a room actor: one function per kind of message, and what they answer with. The session has checked
 * each request as a whole. [run]
 */
#ifndef QD_ACTOR_COMMANDS_COMMAND_H
#define QD_ACTOR_COMMANDS_COMMAND_H

#include "../record/delivery.h"
#include "../tick/frames.h"

/* ---- answers ---- */

/* Answers a request by an Error. */
#define qd_command_fail(actor, request, code, ...)                                                                     \
    qd_member_fail((actor), (request)->head.membership, (request)->decoded.message.seq, (code), __VA_ARGS__)

/* Answers by the Error of actor->charges.short_of, and counts it. */
void qd_command_fail_quota(qd_room_actor *actor, const qd_request *request);

/* Answers by a message, which carries the request's seq. */
void qd_command_answer(qd_room_actor *actor, const qd_request *request, const qd_server_message *message);

typedef enum qd_command_sent { QD_COMMAND_SENT, QD_COMMAND_NO_MEMORY, QD_COMMAND_QUEUE_FULL } qd_command_sent;

/* Answers by rows: queues all frames of the list or none, and empties it. NO_MEMORY: a frame could not be encoded. Into
 * an empty queue they fit even if they are larger than its limit, as the events of a tick do. If the queue is full, the
 * client has to read first, or to ask for less. */
qd_command_sent qd_command_send(qd_room_actor *actor, const qd_request *request, qd_frames *list) QD_MUST_USE;

/* ---- batch_commands.c ---- */

/* Spawn, Move, Teleport, Reshape and Despawn. */
void qd_batch_command(qd_room_actor *actor, const qd_request *request);
/* Joined Moves. Returns false, and does nothing, if an entry must be refused. */
bool qd_joined_moves_command(qd_room_actor *actor, const qd_request *request);
/* SetRoster and MoveRoster. */
void qd_roster_command(qd_room_actor *actor, const qd_request *request);

/* ---- member_commands.c ---- */

/* A session that resumes on another connection has a new membership, the successor. The last message of the old one,
 * `leave`, names it. So everything that the old connection asked for is carried out before anything that the new one
 * asks for. */
void qd_open_command(qd_room_actor *actor, const qd_request *request);
/* Carries out `leave` and frees the membership. */
void qd_leave_command(qd_room_actor *actor, qd_membership *membership);
void qd_close_command(qd_room_actor *actor, const qd_request *request);

/* ---- ownership_commands.c: they also report to the sessions concerned ---- */

void qd_hand_over_command(qd_room_actor *actor, const qd_request *request);
/* Of a session that has a token. */
void qd_adopt_command(qd_room_actor *actor, const qd_request *request);

/* ---- read_commands.c: they change nothing ---- */

void qd_snapshot_command(qd_room_actor *actor, const qd_request *request);
void qd_query_command(qd_room_actor *actor, const qd_request *request);
void qd_stats_command(qd_room_actor *actor, const qd_request *request);
/* What a query asks of the space. [any] */
void qd_query_translate(const qd_msg_query *query, qd_space_query *result);

/* ---- tick_commands.c ---- */

void qd_subscribe_command(qd_room_actor *actor, const qd_request *request);
void qd_unsubscribe_command(qd_room_actor *actor, const qd_request *request);
void qd_step_command(qd_room_actor *actor, const qd_request *request);

/* ---- view_commands.c ---- */

/* SetDescription, Observe, MoveObservers, Unobserve, SetExceptions, SetViewOptions and Why. */
void qd_view_command(qd_room_actor *actor, const qd_request *request);

#endif
