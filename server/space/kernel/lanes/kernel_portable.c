/* SPDX-License-Identifier: Apache-2.0 */
#include "../kernel.h"

#define KERNEL_NAME   "portable"
#define KERNEL_SYMBOL qd_kernel_portable

/* In this order. */
/* clang-format off */
#include "lanes_portable.h"
#include "kernel_body.h"
/* clang-format on */
