/* SPDX-License-Identifier: Apache-2.0
 *
 * How much one session and one token may use, from the server's options and the number of its tokens. Pure. [any]
 */
#ifndef QD_SESSION_CHECK_QUOTAS_H
#define QD_SESSION_CHECK_QUOTAS_H

#include "../../actor/service/account.h"
#include "../../actor/service/limits.h"

/* With `alone`, the server has only one token, which has no quotas but those that are given. `memory_bytes_max` is the
 * server's, or 0. */
void qd_quotas_set(qd_quotas *quotas, const qd_limits *limits, uint64_t memory_bytes_max, bool alone);

#endif
