/* SPDX-License-Identifier: Apache-2.0
 *
 * One frame of a session: decodes it, checks what can be checked without the room, and answers the request or posts it
 * to the room. [loop]
 */
#ifndef QD_SESSION_DISPATCH_H
#define QD_SESSION_DISPATCH_H

#include "session.h"

void qd_dispatch(qd_session *session, const uint8_t *bytes, size_t size);

#endif
