/* SPDX-License-Identifier: Apache-2.0
 *
 * A TCP connection that is made without waiting. Not installed.
 */
#ifndef QD_CLIENT_SESSION_LINK_H
#define QD_CLIENT_SESSION_LINK_H

#include "../client.h"

typedef struct qd_link {
    int poll; /* an epoll descriptor, which is ready when the connection is; it stays the same */
    int fd;   /* -1: none */
    bool connecting;
    bool blocked;                  /* the system takes no more bytes now */
    struct addrinfo *infos, *next; /* of the host, and the one to try next */
} qd_link;

/* false: the system has no descriptor left. */
bool qd_link_init(qd_link *link);
void qd_link_deinit(qd_link *link);
/* Looks up the address and begins to connect. false: *reason (static) names the cause. */
bool qd_link_open(qd_link *link, const char *address, const char **reason);
/* Goes on connecting. false: no address of the host can be reached. */
bool qd_link_connect(qd_link *link, const char **reason);
/* Sends the client's output. false: the connection has broken. */
bool qd_link_send(qd_link *link, qd_client *client);
/* Gives the client what has arrived. false: the connection has broken or ended. *any: something came. */
bool qd_link_receive(qd_link *link, qd_client *client, bool *any);
void qd_link_close(qd_link *link);

#endif
