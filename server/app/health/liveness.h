/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether the threads of the server respond: each loop thread, and the workers together. A check asks them and does not
 * wait: the next check reports who still owes the answer. A server that is full or busy responds. One with a thread that
 * hangs does not, and only a restart helps.
 */
#ifndef QD_APP_HEALTH_LIVENESS_H
#define QD_APP_HEALTH_LIVENESS_H

#include <pthread.h>

#include "../../base/executor.h"
#include "../../net/net.h"

/* A thread that has owed an answer for that long hangs. */
#define QD_LIVENESS_SECONDS_MAX 5u

typedef struct qd_liveness {
    qd_net *net;
    const qd_scheduler *scheduler;
    qd_actor actor;       /* any worker runs it */
    _Atomic bool is_owed; /* by the workers */
    uint64_t asked_ns;
    pthread_mutex_t mutex; /* one check at a time */
} qd_liveness;

/* The net and the scheduler must outlive the checks. The scheduler may use *liveness until it is destroyed. */
void qd_liveness_init(qd_liveness *liveness, qd_net *net, const qd_scheduler *scheduler);

/* The context is a qd_liveness. False: a thread hangs; *error (of error_size) names it and the fix. [any] */
bool qd_liveness_check(void *context, char *error, size_t error_size);

#endif
