/* SPDX-License-Identifier: Apache-2.0
 *
 * Prefetching. Many cache lines that are requested together arrive in little more time than one. Lines that are found
 * one through the other are waited for one by one.
 */
#ifndef QD_BASE_MEMORY_FETCH_H
#define QD_BASE_MEMORY_FETCH_H

#include <stddef.h>
#include <stdint.h>

#include "../ablation.h"

#define QD_LINE_BYTES 64u

/* Prefetches the lines for reading. Any address is allowed, NULL too. */
static inline void qd_fetch(const void *memory, size_t bytes)
{
    uintptr_t at = (uintptr_t)memory; /* an integer, because NULL plus an offset is undefined */

    for (size_t done = 0; done < bytes && !QD_WITHOUT(PREFETCH); done += QD_LINE_BYTES) {
        __builtin_prefetch((const void *)(at + done));
    }
}

/* Prefetches the lines for writing. */
static inline void qd_fetch_to_write(const void *memory, size_t bytes)
{
    uintptr_t at = (uintptr_t)memory;

    for (size_t done = 0; done < bytes && !QD_WITHOUT(PREFETCH); done += QD_LINE_BYTES) {
        __builtin_prefetch((const void *)(at + done), 1);
    }
}

#endif
