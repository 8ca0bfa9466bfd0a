/* SPDX-License-Identifier: Apache-2.0
 *
 * An endpoint: what rooms need of one connection of a session. A run never reads the session itself, which belongs to
 * a loop thread; it reads the endpoint.
 *
 *     session ----+
 *                 +--> endpoint --> link
 *     memberships-+
 *
 * The session and each of its memberships hold a reference, because a room may still reply when the link is closed.
 */
#ifndef QD_ACTOR_STATE_ENDPOINT_H
#define QD_ACTOR_STATE_ENDPOINT_H

#include "../pacing/time_bucket.h"
#include "../service/account.h"
#include "../service/backpressure.h"
#include "../service/token.h"

typedef struct qd_endpoint {
    _Atomic uint32_t references;
    qd_link *link; /* a reference */
    /* The session's number, its token, which may be NULL, its account, and its rights. Constant once there is a
     * membership. */
    uint64_t session;
    qd_token *token;
    qd_account *account; /* a reference; NULL before Hello */
    bool admin;
    _Atomic bool too_slow; /* a room disconnects it for that */
    _Atomic bool cut_off;  /* the link is closed */
    _Atomic uint32_t shut; /* of its memberships that the session still keeps: not open any more */
    qd_backpressure bytes; /* of requests that are posted and not handled */
    size_t bytes_max;
    qd_time_bucket time; /* of the session */
} qd_endpoint;

/* Returns one reference; NULL: no memory. [loop] */
qd_endpoint *qd_endpoint_create(qd_link *link, size_t bytes_max) QD_MUST_USE;
/* [loop] */
void qd_endpoint_acquire(qd_endpoint *endpoint);
/* [any] */
void qd_endpoint_release(qd_endpoint *endpoint);

#endif
