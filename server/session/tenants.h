/* SPDX-License-Identifier: Apache-2.0
 *
 * Tenants: what the token of a Hello allows, whose account pays for the session, and what happens when the tokens
 * change, or the operator ends a session.
 */
#ifndef QD_SESSION_TENANTS_H
#define QD_SESSION_TENANTS_H

#include "check/fault.h"
#include "sessions.h"

/* Finds what the token allows, and the account of its tenant; counts the connection. Returns false with *fault filled in
 * if the session must end. [loop] */
bool qd_sessions_admit(qd_sessions *sessions, qd_session *session, const char *token, qd_fault *fault);

/* Fills in the fault for a quota that is used up, and counts it. Returns false. [loop] */
bool qd_session_fault_quota(const qd_session *session, const qd_shortage *shortage, qd_fault *fault);

/* From now on, these are the tokens, which the sessions take a reference to. Sends GoAway REVOKED to each session whose
 * token is gone or allows something else, and ends those that are detached: they cannot be resumed. The server must have
 * tokens already. Returns how many sessions end. [any] */
uint32_t qd_sessions_reload(qd_sessions *sessions, qd_tokens *tokens);

/* Ends the session with that number, detached or not: sends GoAway REVOKED, and the session cannot be resumed. Returns
 * whether there is one. [any] */
bool qd_sessions_disconnect(qd_sessions *sessions, uint64_t number);

#endif
