/* SPDX-License-Identifier: Apache-2.0
 *
 * Sessions that outlive their connections.
 *
 *     link closes --> PARKED --Hello with its key--> its seats go to the session of the new connection
 *                        \--time is over--> its seats are given up
 *
 * A parked session belongs to nobody; it is in the server's list, under the server's mutex, and whoever takes it out of
 * there has it alone. The new connection has a session of its own from the beginning, which takes over the number, and
 * an heir for each seat: the last message of a seat, `leave`, names it, so that all that the older connection asked for
 * is carried out before anything that the new one asks for.
 */
#ifndef QD_SESSION_RESUME_H
#define QD_SESSION_RESUME_H

#include "session.h"

/* The session may be resumed from now on, under a new key. [loop] */
void qd_resume_enable(qd_session *session);
/* Its key, of QD_RESUME_KEY_BYTES. [loop] */
void qd_resume_key(const qd_session *session, uint8_t *key);
/* Goes on with the session of that key, and says Welcome; at once, or when its older connection is closed. [loop] */
void qd_resume_start(qd_session *session, const qd_msg_key *key);
/* Looks again whether it is. [loop] */
void qd_resume_try(qd_session *session);

/* The heir of a seat that leaves has its place from now on. [run] */
void qd_resume_inherit(struct qd_host *host, qd_seat *seat);

/* Under the server's mutex: keeps a session whose link has closed, if it may be kept. */
bool qd_resume_park(qd_server *server, qd_session *session);
/* Gives up those whose time is over; QD_NEVER: all. [any] */
void qd_resume_expire(qd_server *server, uint64_t now_ns);

#endif
