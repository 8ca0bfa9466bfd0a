/* SPDX-License-Identifier: Apache-2.0
 *
 * Sessions that outlive their connections: keys, and the Hello that resumes a session. [loop]
 *
 * A new connection has a session of its own from the beginning, which takes over the number of the detached one. Each
 * membership of the detached session gets a successor in the new one (actor/commands/command.h).
 */
#ifndef QD_SESSION_RESUME_H
#define QD_SESSION_RESUME_H

#include "session.h"

/* From now on the session may be resumed, with a new key. */
void qd_resume_enable(qd_session *session);
/* Goes on with the session of that key and sends Welcome: at once, or when the older connection is closed. */
void qd_resume_start(qd_session *session, const qd_msg_key *key);
/* Looks again whether the older connection is closed. */
void qd_resume_try(qd_session *session);
/* Sends Welcome. */
void qd_session_welcome(qd_session *session, bool resumed);

#endif
