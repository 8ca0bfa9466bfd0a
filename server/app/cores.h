/* SPDX-License-Identifier: Apache-2.0
 *
 * How many cores this process may use: the cores that it may be scheduled on, limited by its cgroup's CPU quota. [any]
 */
#ifndef QD_APP_CORES_H
#define QD_APP_CORES_H

#include <stdint.h>

/* At least 1. */
uint32_t qd_cores(void);

#endif
