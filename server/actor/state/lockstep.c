/* SPDX-License-Identifier: Apache-2.0 */
#include "lockstep.h"

#include "../../base/executor.h"

void qd_lockstep_init(qd_lockstep *lockstep, uint32_t writers, uint64_t deadline_ns)
{
    *lockstep = (qd_lockstep){.writers = writers, .deadline_ns = deadline_ns, .due_ns = QD_NEVER};
}

static bool are_enough(const qd_lockstep *lockstep)
{
    return lockstep->stepped > 0 && lockstep->stepped >= lockstep->writers - lockstep->gone;
}

qd_lockstep_result qd_lockstep_step(qd_lockstep *lockstep, qd_lockstep_writer *writer, uint64_t seq, uint64_t now_ns)
{
    if (writer->stepped) {
        return QD_LOCKSTEP_AGAIN;
    }
    if (!writer->known && lockstep->gone > 0) {
        lockstep->gone--;
    }
    *writer = (qd_lockstep_writer){.known = true, .stepped = true, .seq = seq};
    if (lockstep->stepped++ == 0) {
        lockstep->due_ns = now_ns + lockstep->deadline_ns;
    }
    return are_enough(lockstep) ? QD_LOCKSTEP_TICK : QD_LOCKSTEP_WAIT;
}

bool qd_lockstep_leave(qd_lockstep *lockstep, qd_lockstep_writer *writer)
{
    qd_lockstep_writer left = *writer;

    *writer = (qd_lockstep_writer){0};
    if (left.known && lockstep->gone < lockstep->writers) {
        lockstep->gone++;
    }
    if (left.stepped && --lockstep->stepped == 0) {
        lockstep->due_ns = QD_NEVER;
    }
    return left.known && are_enough(lockstep);
}

void qd_lockstep_ticked(qd_lockstep *lockstep)
{
    lockstep->stepped = 0;
    lockstep->due_ns = QD_NEVER;
}
