/* SPDX-License-Identifier: Apache-2.0
 *
 * A room actor: the actor that runs one room. This is what loop threads use of it: they create it and post messages.
 *
 *     [loop]  create, post, leave --mailbox--> [run]  room_run.h
 *
 * LIFETIME
 * 1. The loop thread that opens the room creates the actor and lists it in the directory. A thread that finds it there
 *    posts its message before it releases the directory's lock.
 * 2. The room closes when its name has been taken out of the directory: on request, when the room has been empty for
 *    long enough, or when the server stops. Closing frees the room. The actor stays and answers messages with
 *    UNKNOWN_ROOM.
 * 3. Every membership counts in `users` from its creation until its loop has posted `leave` and woken the actor. The
 *    last run of a closed room without users retires the actor, which frees it.
 */
#ifndef QD_ACTOR_ROOM_ACTOR_H
#define QD_ACTOR_ROOM_ACTOR_H

#include "state/room_actor_state.h"

/* ---- [loop] ---- */

/* Creates a room with that effective config for that session. The caller has checked name and config, has charged
 * QD_QUOTA_CREATED to the session's tenant, which the room gives back when it closes, and lists it. NULL: no memory. */
qd_room_actor *qd_room_actor_create(qd_service *service, const char *name, const qd_msg_room_config *config,
                                    const qd_endpoint *creator) QD_MUST_USE;
qd_room_actor *qd_room_actor_of(qd_room_entry *entry);

/* Fetches what an inline run reads of it. */
void qd_room_actor_fetch(const qd_room_actor *actor);
/* Counts a new membership. */
void qd_room_actor_use(qd_room_actor *actor);
/* Posts a request of a membership; the actor owns it. Counts it in the backpressure gates. May apply it, too: so not
 * under the directory's lock, unless it is OpenRoom. */
void qd_room_actor_post(qd_room_actor *actor, qd_request *request);
/* Posts the last message of a membership. The caller may touch neither it nor the actor afterwards. */
void qd_room_actor_leave(qd_room_actor *actor, qd_membership *membership);

/* ---- [any] ---- */

/* Has the room close soon. What is queued and changes the room is carried out before, what only reads is refused. Under
 * the directory's lock, while the room is listed. [any] */
void qd_room_actor_stop(qd_room_actor *actor, qd_room_closed_reason reason);

#endif
