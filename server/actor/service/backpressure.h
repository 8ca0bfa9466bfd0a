/* SPDX-License-Identifier: Apache-2.0
 *
 * A backpressure gate: counts what one link has waiting at one consumer, and stops reading from that link alone while
 * it is too much. It takes no lock: of producer and consumer, the one that sees both halves of the change opens the
 * gate again.
 *
 *     loop thread:  enter (+)   at the maximum: pause the link, shut the gate
 *     consumer:     leave (-)   below half of it: open the gate, resume the link
 */
#ifndef QD_ACTOR_SERVICE_BACKPRESSURE_H
#define QD_ACTOR_SERVICE_BACKPRESSURE_H

#include "../../base/link.h"

typedef struct qd_backpressure {
    _Atomic size_t waiting;
    _Atomic bool shut;
} qd_backpressure;

void qd_backpressure_init(qd_backpressure *gate);

/* Before the producer hands something to the consumer. [loop] */
void qd_backpressure_enter(qd_backpressure *gate, size_t amount, size_t max, qd_link *link);
/* When the consumer is done with it. `max` may have changed since, but is at least 1. [run] */
void qd_backpressure_leave(qd_backpressure *gate, size_t amount, size_t max, qd_link *link);

#endif
