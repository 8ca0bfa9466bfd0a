/* SPDX-License-Identifier: Apache-2.0
 *
 * What a room sends to a member: the frames go to the member's link, and the room's journal notes them. [run]
 */
#ifndef QD_ACTOR_RECORD_DELIVERY_H
#define QD_ACTOR_RECORD_DELIVERY_H

#include "../service/reply.h"
#include "../state/room_actor_state.h"

/* See qd_reply_queue. */
qd_link_sent qd_member_queue(qd_room_actor *actor, const qd_membership *to, qd_buffer *const *frames, size_t count,
                             qd_link_class class);
/* See qd_reply_send. */
void qd_member_send(qd_room_actor *actor, const qd_membership *to, const qd_server_message *message);
/* See qd_reply_error_message and qd_reply_error. */
void qd_member_send_error(qd_room_actor *actor, const qd_membership *to, const qd_msg_error *error);
void qd_member_fail(qd_room_actor *actor, const qd_membership *to, uint64_t seq, qd_error_code code, const char *format,
                    ...) __attribute__((format(printf, 5, 6)));

/* The time, as the journal has it: for all that changes what the room sends. */
uint64_t qd_room_actor_now_ns(const qd_room_actor *actor);
bool qd_room_actor_is_cut_off(const qd_room_actor *actor, const qd_membership *membership);

#endif
