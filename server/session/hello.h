/* SPDX-License-Identifier: Apache-2.0
 *
 * Hello: identifies the client and decides whether it may use the server. [loop]
 */
#ifndef QD_SESSION_HELLO_H
#define QD_SESSION_HELLO_H

#include "session.h"

/* Answers Hello by Welcome, or ends the session. */
void qd_hello(qd_session *session, qd_request **request);

#endif
