/* SPDX-License-Identifier: Apache-2.0
 *
 * The service manager that started the process, such as systemd: it gives a listening socket, and it is notified when
 * the server is ready, reloads, stops and is alive. The protocols are those of sd_listen_fds(3) and sd_notify(3), which
 * are stable and need no library. Without a manager nothing happens. [main]
 */
#ifndef QD_APP_SERVICE_MANAGER_H
#define QD_APP_SERVICE_MANAGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "options.h"

typedef struct qd_service_manager {
    const char *socket;        /* where it is notified; NULL: nowhere */
    uint32_t watchdog_ms;      /* it restarts a server that shows no life for that long; 0: never */
    int listen_fd;             /* a socket that listens; -1: none */
    qd_server_address address; /* of that socket */
} qd_service_manager;

/* Reads LISTEN_FDS, NOTIFY_SOCKET and WATCHDOG_USEC, with their process ids. False: what the manager gave does not fit;
 * *error (of error_size) names it and the fix. */
bool qd_service_manager_init(qd_service_manager *manager, char *error, size_t error_size);

/* Sends lines of sd_notify(3), such as "READY=1". A manager that is gone is no error. */
void qd_service_manager_notify(const qd_service_manager *manager, const char *lines);

#endif
