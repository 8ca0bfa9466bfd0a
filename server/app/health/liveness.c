/* SPDX-License-Identifier: Apache-2.0 */
#include "liveness.h"

#include <inttypes.h>
#include <stdio.h>

#include "../../base/clock.h"

#define SECOND_NS UINT64_C(1000000000)

static void show_life(qd_actor *actor)
{
    qd_liveness *liveness = (qd_liveness *)((char *)actor - offsetof(qd_liveness, actor));

    atomic_store(&liveness->is_owed, false);
}

void qd_liveness_init(qd_liveness *liveness, qd_net *net, const qd_scheduler *scheduler)
{
    liveness->net = net;
    liveness->scheduler = scheduler;
    qd_actor_init(&liveness->actor, show_life);
    atomic_init(&liveness->is_owed, false);
    pthread_mutex_init(&liveness->mutex, NULL);
}

/* How long the workers have owed an answer. If they owe none, asks them. */
static uint64_t workers_owed_ns(qd_liveness *liveness)
{
    const uint64_t now_ns = qd_clock_now_ns();

    if (atomic_load(&liveness->is_owed)) {
        return now_ns - liveness->asked_ns;
    }
    liveness->asked_ns = now_ns;
    atomic_store(&liveness->is_owed, true);
    liveness->scheduler->wake(liveness->scheduler->context, &liveness->actor);
    return 0;
}

bool qd_liveness_check(void *context, char *error, size_t error_size)
{
    qd_liveness *liveness = context;

    pthread_mutex_lock(&liveness->mutex);
    const struct {
        const char *threads;
        uint64_t owed_ns;
    } rows[] = {{"a network thread", qd_net_owed_ns(liveness->net)}, {"the workers", workers_owed_ns(liveness)}};
    pthread_mutex_unlock(&liveness->mutex);

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].owed_ns >= QD_LIVENESS_SECONDS_MAX * SECOND_NS) {
            snprintf(error, error_size,
                     "the time without an answer of %s is %" PRIu64 " s; must be below %u s. Restart the server",
                     rows[i].threads, rows[i].owed_ns / SECOND_NS, QD_LIVENESS_SECONDS_MAX);
            return false;
        }
    }
    return true;
}
