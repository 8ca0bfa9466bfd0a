/* SPDX-License-Identifier: Apache-2.0 */
#include "executor.h"

static void run_serial(void *context, size_t count, qd_task_fn task, void *argument)
{
    (void)context;
    for (size_t index = 0; index < count; index++) {
        task(index, argument);
    }
}

const qd_executor qd_executor_serial = {.run = run_serial, .width = 1, .context = NULL};
