/* SPDX-License-Identifier: Apache-2.0 */
#include "choose.h"

#include <stdatomic.h>
#include <stddef.h>

#include "../../base/assert.h"

static _Atomic(const qd_kernel *) chosen;

static bool runs_here(const qd_kernel *kernel)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (kernel == &qd_kernel_avx512) {
        return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
               __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vbmi") &&
               __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("bmi2");
    }
    if (kernel == &qd_kernel_avx2) {
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
    }
#elif defined(__AARCH64EL__)
    if (kernel == &qd_kernel_neon) {
        return true;
    }
#endif
    return kernel == &qd_kernel_portable;
}

const qd_kernel *qd_kernel_at(uint32_t index)
{
    static const qd_kernel *const kernels[] = {
        &qd_kernel_portable,
#if defined(__x86_64__)
        &qd_kernel_avx2,
        &qd_kernel_avx512,
#elif defined(__AARCH64EL__)
        &qd_kernel_neon,
#endif
    };

    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        if (runs_here(kernels[i]) && index-- == 0) {
            return kernels[i];
        }
    }
    return NULL;
}

void qd_kernel_select(const qd_kernel *kernel)
{
    QD_ASSERT(kernel == NULL || runs_here(kernel));
    atomic_store(&chosen, kernel);
}

const qd_kernel *qd_kernel_chosen(void)
{
    const qd_kernel *kernel = atomic_load_explicit(&chosen, memory_order_acquire);

    if (kernel == NULL) {
        for (uint32_t i = 0; qd_kernel_at(i) != NULL; i++) {
            kernel = qd_kernel_at(i);
        }
        atomic_store_explicit(&chosen, kernel, memory_order_release);
    }
    return kernel;
}
