/* SPDX-License-Identifier: Apache-2.0
 *
 * What a connection reads and writes: bytes between its socket, its intake and its outbox, with or without TLS.
 *
 * [loop] All of it.
 */
#ifndef QD_NET_CONNECTION_IO_H
#define QD_NET_CONNECTION_IO_H

#include "connection_state.h"

/* ---- turns: reading and writing happen within one ---- */

void qd_connection_begin_turn(qd_connection *connection);
/* May park the connection. */
void qd_connection_end_turn(qd_connection *connection);

/* ---- within a turn ---- */

/* Delivers held bytes, then starts or stops reading, as the state demands. */
void qd_connection_read(qd_connection *connection);
/* Writes what the outbox holds, as far as the socket and the turn allow. Then a closing connection ends its side. */
void qd_connection_write(qd_connection *connection);
/* The intake asks this before each frame. */
bool qd_connection_may_deliver(const qd_link *link);

#endif
