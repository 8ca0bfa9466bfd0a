/* SPDX-License-Identifier: Apache-2.0
 *
 * A connection: a link over one TCP socket. The listener creates it, one loop runs it, and references keep it alive.
 *
 *     fresh --> open --> closing --> lingering --> closed
 *                 \          \___________\__________^  the deadline passed, or the connection broke
 *                  \_______________________________/   the connection broke
 *
 * - open: the connection delivers frames and writes its outbox.
 * - leaving, left: the connection moves to another loop (connection_move.h), where it is open again.
 * - closing: qd_link_close was called, or the peer ended its side. The connection writes what is queued and discards
 *   what arrives.
 * - lingering: everything is written, and our side has ended. If we closed while the peer still sends, the system
 *   would answer with a reset, which can destroy bytes that the peer has not read yet. So the connection waits a short
 *   while for the peer's end.
 * - closed: the handle is being closed. handler.closed follows, and the loop releases its reference.
 */
#ifndef QD_NET_CONNECTION_H
#define QD_NET_CONNECTION_H

#include "connection_state.h"

/* Passes the socket to the loop, which opens a link on it. *dropped: the link that must be closed for it, with a
 * reference, or NULL. On failure the caller still owns `fd`. [any] */
qd_status qd_connection_start(qd_loop *loop, const qd_connection_config *config, int fd, const char *peer,
                              qd_address_key key, qd_link **dropped) QD_MUST_USE;

/* Calls qd_link_close for every link of the loop. [loop] */
void qd_connections_close(qd_loop *loop, uint32_t flush_ms);

#endif
