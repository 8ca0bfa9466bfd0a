/* SPDX-License-Identifier: Apache-2.0 */
#if defined(__x86_64__)
#include "lanes_portable.h"

#define KERNEL_NAME   "avx2"
#define KERNEL_SYMBOL qd_kernel_avx2
#include "kernel_body.h"
#endif
