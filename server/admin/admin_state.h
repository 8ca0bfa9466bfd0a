/* SPDX-License-Identifier: Apache-2.0
 *
 * The state of the admin server, and which thread owns each part of it.
 */
#ifndef QD_ADMIN_ADMIN_STATE_H
#define QD_ADMIN_ADMIN_STATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "admin_config.h"
#include "parts/exchange.h"

/* From this number on, a new connection ends the oldest one. Those that end are still there for a moment. At the second
 * number, new ones are refused. */
#define QD_ADMIN_CONNECTIONS_MAX 32u
#define QD_ADMIN_CONNECTIONS_END 48u

struct lws;
struct lws_context;

typedef enum qd_admin_access {
    QD_ADMIN_ALLOWED,
    QD_ADMIN_NO_TOKEN,
    QD_ADMIN_WRONG_TOKEN,
    QD_ADMIN_WRONG_HOST
} qd_admin_access;

typedef struct qd_admin qd_admin;

/* [admin thread] */
typedef struct qd_admin_connection {
    struct lws *wsi; /* NULL: the place is free */
    uint64_t number; /* older connections have smaller ones */
    bool is_ending;  /* a newer one needs its place */
    bool closes;     /* after the answer */
    qd_admin_access access;
    qd_admin_request request;
    qd_admin_answer answer;
    size_t sent; /* of the answer's text */
} qd_admin_connection;

struct qd_admin {
    qd_admin_config config; /* constant; of `tokens` only whether there are any */
    uint16_t port;
    pthread_t thread;
    struct lws_context *context;
    _Atomic bool ends; /* the thread shall */

    pthread_mutex_t mutex; /* for the next ones */
    bool stopping;         /* the server is */
    qd_tokens *tokens;

    /* [admin thread] */
    qd_admin_connection connections[QD_ADMIN_CONNECTIONS_END];
    uint32_t connection_count;
    uint64_t connections_ever;
};

#endif
