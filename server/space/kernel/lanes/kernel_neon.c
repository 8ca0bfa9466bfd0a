/* SPDX-License-Identifier: Apache-2.0 */
#include "../kernel.h"

#if defined(__AARCH64EL__)
#define KERNEL_NAME   "neon"
#define KERNEL_SYMBOL qd_kernel_neon

/* In this order. */
/* clang-format off */
#include "lanes_neon.h"
#include "kernel_body.h"
/* clang-format on */
#endif
