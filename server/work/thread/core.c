/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* sched_getcpu, CPU_SET, sched_getaffinity */

#include "core.h"

#include <unistd.h>

#include "../../base/ablation.h"

bool qd_core_send(pthread_t thread, cpu_set_t *process)
{
    int core = sched_getcpu();

    if (QD_WITHOUT(CORE_SEND)) {
        return false;
    }
    /* Fails where a set has fewer bits than the machine has cores; then nothing changes. */
    if (core < 0 || sched_getaffinity(getpid(), sizeof *process, process) != 0) {
        return false;
    }
    cpu_set_t others = *process;
    CPU_CLR((size_t)core, &others);
    return CPU_COUNT(&others) > 0 && CPU_COUNT(&others) < CPU_COUNT(process) &&
           pthread_setaffinity_np(thread, sizeof others, &others) == 0;
}

void qd_core_settle(const cpu_set_t *process)
{
    (void)pthread_setaffinity_np(pthread_self(), sizeof *process, process);
}
