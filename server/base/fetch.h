/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory that is about to be needed: all of it asked for at once comes in little more time than one line of cache
 * that is waited for, where one after the other, each found through the last, would each be waited for.
 */
#ifndef QD_BASE_FETCH_H
#define QD_BASE_FETCH_H

#include <stddef.h>
#include <stdint.h>

#define QD_LINE_BYTES 64u

/* Has the lines on their way into the cache. Any address will do, NULL too. */
static inline void qd_fetch(const void *memory, size_t bytes)
{
    uintptr_t at = (uintptr_t)memory; /* not a pointer: none is made of NULL and an offset */

    for (size_t done = 0; done < bytes; done += QD_LINE_BYTES) {
        __builtin_prefetch((const void *)(at + done));
    }
}

/* The same, to be written. */
static inline void qd_fetch_to_write(const void *memory, size_t bytes)
{
    uintptr_t at = (uintptr_t)memory;

    for (size_t done = 0; done < bytes; done += QD_LINE_BYTES) {
        __builtin_prefetch((const void *)(at + done), 1);
    }
}

#endif
