/* SPDX-License-Identifier: Apache-2.0 */
#include "backpressure.h"

void qd_backpressure_init(qd_backpressure *gate)
{
    atomic_init(&gate->waiting, 0);
    atomic_init(&gate->shut, false);
}

static void open_when_low(qd_backpressure *gate, size_t max, qd_link *link)
{
    if (atomic_load(&gate->waiting) < (max + 1) / 2 && atomic_exchange(&gate->shut, false)) {
        qd_link_resume(link);
    }
}

void qd_backpressure_enter(qd_backpressure *gate, size_t amount, size_t max, qd_link *link)
{
    size_t waiting = atomic_fetch_add(&gate->waiting, amount) + amount;

    if (waiting < max || atomic_load(&gate->shut)) {
        return;
    }
    qd_link_pause(link);
    atomic_store(&gate->shut, true);
    /* The consumer may have taken all of it before it could see the gate shut. All operations are sequentially
     * consistent: either it sees `shut`, or this sees what it took away. */
    open_when_low(gate, max, link);
}

void qd_backpressure_leave(qd_backpressure *gate, size_t amount, size_t max, qd_link *link)
{
    atomic_fetch_sub(&gate->waiting, amount);
    if (atomic_load(&gate->shut)) {
        open_when_low(gate, max, link);
    }
}
