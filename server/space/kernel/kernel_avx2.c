/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel.h"

#if defined(__x86_64__)
#include "columns_avx2.h"
#include "lanes_avx2.h"
#include "pairs_avx2.h"

#define KERNEL_NAME   "avx2"
#define KERNEL_SYMBOL qd_kernel_avx2
#include "kernel_body.h"
#endif
