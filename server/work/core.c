/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* sched_getcpu, CPU_SET, pthread_setaffinity_np */

#include "core.h"

bool qd_core_send(pthread_t thread, cpu_set_t *before)
{
    int core = sched_getcpu();

    /* Fails where a set has fewer cores than the machine; then all stays as it is. */
    if (core < 0 || pthread_getaffinity_np(thread, sizeof *before, before) != 0)
        return false;
    cpu_set_t others = *before;
    CPU_CLR((size_t)core, &others);
    return CPU_COUNT(&others) > 0 && CPU_COUNT(&others) < CPU_COUNT(before) &&
           pthread_setaffinity_np(thread, sizeof others, &others) == 0;
}

void qd_core_settle(const cpu_set_t *before)
{
    (void)pthread_setaffinity_np(pthread_self(), sizeof *before, before);
}
