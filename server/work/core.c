/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* sched_getcpu, CPU_SET */

#include "core.h"

#include <sched.h>

int qd_core_now(void)
{
    return sched_getcpu();
}

void qd_core_leave(int core)
{
    cpu_set_t allowed, others;

    if (core < 0 || core != sched_getcpu() || sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return;
    others = allowed;
    CPU_CLR((size_t)core, &others);
    /* Fails where there is no other, or more cores than a set has; then all stays as it is. */
    if (CPU_COUNT(&others) > 0 && sched_setaffinity(0, sizeof others, &others) == 0)
        (void)sched_setaffinity(0, sizeof allowed, &allowed);
}
