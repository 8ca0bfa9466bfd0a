/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel.h"

#if defined(__AARCH64EL__)
#include "columns_neon.h"
#include "lanes_neon.h"

#define KERNEL_NAME   "neon"
#define KERNEL_SYMBOL qd_kernel_neon
#include "kernel_body.h"
#endif
