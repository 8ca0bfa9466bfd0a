/* SPDX-License-Identifier: Apache-2.0 */
#include "../kernel.h"

#if defined(__x86_64__)
#define KERNEL_NAME   "avx2"
#define KERNEL_SYMBOL qd_kernel_avx2

/* In this order. */
/* clang-format off */
#include "lanes_avx2.h"
#include "exact_x86.h"
#include "kernel_body.h"
/* clang-format on */
#endif
