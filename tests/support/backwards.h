/* SPDX-License-Identifier: Apache-2.0
 *
 * An executor that does tasks from the last to the first, as if it had several hands: what comes of them must not
 * depend on their order.
 */
#ifndef QD_SUPPORT_BACKWARDS_H
#define QD_SUPPORT_BACKWARDS_H

#include "server/base/executor.h"

static inline void run_backwards(void *context, size_t count, qd_task_fn task, void *argument)
{
    (void)context;
    while (count-- > 0) {
        task(count, argument);
    }
}

static const qd_executor backwards = {.run = run_backwards, .width = 4};

#endif
