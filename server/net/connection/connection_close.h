/* SPDX-License-Identifier: Apache-2.0
 *
 * How a connection closes: at once, or after what it still has to write.
 *
 * [loop] All of it.
 */
#ifndef QD_NET_CONNECTION_CLOSE_H
#define QD_NET_CONNECTION_CLOSE_H

#include "connection_state.h"

/* Closes at once. If bytes are unsent, they are lost, and a reset shows the peer that its stream is cut. */
void qd_connection_close_now(qd_connection *connection);
/* Reads no more frames, and closes at that time at the latest. */
void qd_connection_begin_closing(qd_connection *connection, uint64_t due_ns);

#endif
