/* SPDX-License-Identifier: Apache-2.0
 *
 * Asks the admin server of another process for /healthz: the health check of a container, which has no other HTTP
 * client. It blocks for a few seconds at most. [any]
 */
#ifndef QD_APP_HEALTH_HEALTH_CHECK_H
#define QD_APP_HEALTH_HEALTH_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The host and port are those of --admin. An address for all interfaces, such as 0.0.0.0, stands for loopback. False: the
 * server is not healthy, or does not answer; *error (of error_size) gets the reason. */
bool qd_health_check(const char *host, uint16_t port, char *error, size_t error_size);

#endif
