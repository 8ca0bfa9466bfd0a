/* SPDX-License-Identifier: Apache-2.0 */
#include "columns_portable.h"
#include "lanes_portable.h"

#define KERNEL_NAME   "portable"
#define KERNEL_SYMBOL qd_kernel_portable
#include "kernel_body.h"
