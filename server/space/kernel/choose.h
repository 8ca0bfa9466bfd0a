/* SPDX-License-Identifier: Apache-2.0
 *
 * Which kernel runs: each is compiled for one instruction set, and all find the same events.
 */
#ifndef QD_SPACE_KERNEL_CHOOSE_H
#define QD_SPACE_KERNEL_CHOOSE_H

#include <stdint.h>

#include "kernel.h"

/* The fastest kernel that this machine can run; chosen at the first call. [any] */
const qd_kernel *qd_kernel_chosen(void);
/* The kernels that this machine can run, the plainest first; NULL after the last. [any] */
const qd_kernel *qd_kernel_at(uint32_t index);
/* Makes qd_kernel_chosen return this kernel, or with NULL the fastest again. For tests, while no traversal runs. */
void qd_kernel_select(const qd_kernel *kernel);

#endif
