/* SPDX-License-Identifier: Apache-2.0
 *
 * Executors for tests that link no worker pool: tasks one after the other in a random order, and threads.
 */
#ifndef QD_TESTS_MODEL_SPACE_EXECUTORS_H
#define QD_TESTS_MODEL_SPACE_EXECUTORS_H

#include "script.h"
#include "server/base/executor.h"
#include "support/rng.h"

/* `order` must live as long as the executor is used. */
qd_executor executor_make(script_executor kind, uint32_t workers, rng_stream *order);

#endif
