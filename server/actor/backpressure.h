/* SPDX-License-Identifier: Apache-2.0
 *
 * A gate: counts what one link has waiting at one consumer, and stops reading from that link alone while it is too
 * much. Without a lock: whoever sees the other's half of the change opens the gate again.
 *
 *     loop thread:  enter (+)   at the maximum: pause the link, shut the gate
 *     consumer:     leave (-)   below half of it: open the gate, resume the link
 */
#ifndef QD_ACTOR_BACKPRESSURE_H
#define QD_ACTOR_BACKPRESSURE_H

#include "../base/link.h"

typedef struct qd_gate {
    _Atomic size_t waiting;
    _Atomic bool shut;
} qd_gate;

void qd_gate_init(qd_gate *gate);

/* Before the thing is handed to the consumer. [loop] */
void qd_gate_enter(qd_gate *gate, size_t amount, size_t max, qd_link *link);
/* When it is done with. `max` may have changed since, but is at least 1. [any] */
void qd_gate_leave(qd_gate *gate, size_t amount, size_t max, qd_link *link);

#endif
