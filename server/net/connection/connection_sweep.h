/* SPDX-License-Identifier: Apache-2.0
 *
 * Sweeps over the connections of a loop: they look for signs of life (silence.h), and report what they miss.
 */
#ifndef QD_NET_CONNECTION_SWEEP_H
#define QD_NET_CONNECTION_SWEEP_H

#include "connection_state.h"

/* The connection has opened: it has given a sign of life. Sweeps go on as long as the loop has a connection. [loop] */
void qd_connection_sweep(qd_connection *connection);

#endif
