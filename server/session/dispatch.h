/* SPDX-License-Identifier: Apache-2.0
 *
 * One frame of a session: decode it, check what can be checked without the room, answer it or put it into the room's
 * mailbox. [loop]
 */
#ifndef QD_SESSION_DISPATCH_H
#define QD_SESSION_DISPATCH_H

#include "session.h"

void qd_dispatch(qd_session *session, const uint8_t *bytes, size_t size);

#endif
