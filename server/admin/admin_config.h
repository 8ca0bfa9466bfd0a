/* SPDX-License-Identifier: Apache-2.0
 *
 * What the admin server is started with.
 */
#ifndef QD_ADMIN_ADMIN_CONFIG_H
#define QD_ADMIN_ADMIN_CONFIG_H

#include "../session/sessions.h"

typedef struct qd_admin_config {
    const char *host;      /* an address or "localhost"; an IPv6 address without brackets */
    uint16_t port;         /* 0: any free port */
    qd_tokens *tokens;     /* the admin server takes a reference; NULL: see above */
    qd_sessions *sessions; /* must outlive the admin server */
    /* Whether the server's threads respond; else *error (of error_size) gets the reason. Not called after
     * qd_admin_stopping. [admin thread] */
    bool (*is_alive)(void *context, char *error, size_t error_size);
    void *alive_context;
    uint32_t room_labels; /* rooms with metrics of their own, at most QD_ADMIN_ROOM_LABELS_MAX */
} qd_admin_config;

#endif
