/* SPDX-License-Identifier: Apache-2.0
 *
 * The move of a connection from the lobby to the loop that serves it from then on.
 *
 *     lobby: introduced --writes are done--> descriptor copied --handle closed--> request passed on
 *     loop:                                                                                   \--> open again
 *
 * Every connection begins in the lobby, a loop that serves only peers that have not introduced themselves. Whatever such
 * peers do, with handshakes and bytes without meaning, the loops of the others do not wait for it.
 *
 * libuv cannot give a socket back, so the connection keeps a copy of the descriptor. During the move it delivers no
 * frame. Bytes that the lobby has read after the introduction move with it.
 */
#ifndef QD_NET_CONNECTION_MOVE_H
#define QD_NET_CONNECTION_MOVE_H

#include "connection_state.h"

/* Moves to `moves_to`, if that is set and nothing is being written. [lobby] */
void qd_connection_move(qd_connection *connection);
/* If the connection has left the lobby, passes it to its loop, with the request that is running and its reference, and
 * returns true. The caller then leaves the connection alone. [lobby] */
bool qd_connection_pass_on(qd_connection *connection);

#endif
