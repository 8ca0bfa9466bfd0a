/* SPDX-License-Identifier: Apache-2.0
 *
 * What links call: the entrance to session/. A link has one session from `opened` to `closed`. [loop]
 */
#ifndef QD_SESSION_LINK_HANDLER_H
#define QD_SESSION_LINK_HANDLER_H

#include "sessions.h"

/* The handler for all links of these sessions. [any] */
qd_link_handler qd_sessions_link_handler(qd_sessions *sessions);

#endif
