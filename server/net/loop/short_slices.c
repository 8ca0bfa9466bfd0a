/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* syscall */
#include "short_slices.h"

#include <sched.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../../base/ablation.h"

#define SLICE_NS 100000u

/* The system's struct sched_attr, which glibc declares from 2.41 on. */
typedef struct attributes {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t slice_ns, deadline_ns, period_ns;
} attributes;

void qd_short_slices(void)
{
    attributes own = {.size = sizeof own};

    /* All else, such as the nice value, stays as it is. A refusal leaves the usual slices. */
    if (QD_WITHOUT(SHORT_SLICES) || syscall(SYS_sched_getattr, 0, &own, sizeof own, 0) != 0 ||
        (own.policy != SCHED_OTHER && own.policy != SCHED_BATCH)) {
        return;
    }
    own.slice_ns = SLICE_NS;
    (void)syscall(SYS_sched_setattr, 0, &own, 0);
}
