/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel.h"

#if defined(__x86_64__)
#include "columns_avx512.h"
#include "lanes_avx512.h"
#include "pairs_avx512.h"

#define KERNEL_NAME   "avx512"
#define KERNEL_SYMBOL qd_kernel_avx512
#include "kernel_body.h"
#endif
