/* SPDX-License-Identifier: Apache-2.0
 *
 * The time that a loop gives to handshakes. In one turn of the loop they take QD_TLS_HANDSHAKES_NS, and the step that is
 * going on then. The others wait for the next turn, so that links with work to do come in between.
 *
 * Part of a loop. [loop]
 */
#ifndef QD_NET_TLS_HANDSHAKES_H
#define QD_NET_TLS_HANDSHAKES_H

#include <stdbool.h>
#include <stdint.h>

#define QD_TLS_HANDSHAKES_NS 200000u

typedef struct qd_tls_handshakes {
    uint64_t turn; /* the last one with a handshake */
    uint64_t ns;   /* that they took in it */
} qd_tls_handshakes;

/* Whether this turn has time for a step of a handshake. */
static inline bool qd_tls_handshakes_may(const qd_tls_handshakes *handshakes, uint64_t turn)
{
    return handshakes->turn != turn || handshakes->ns < QD_TLS_HANDSHAKES_NS;
}

static inline void qd_tls_handshakes_took(qd_tls_handshakes *handshakes, uint64_t turn, uint64_t ns)
{
    handshakes->ns = ns + (handshakes->turn == turn ? handshakes->ns : 0);
    handshakes->turn = turn;
}

#endif
