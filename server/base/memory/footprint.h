/* SPDX-License-Identifier: Apache-2.0
 *
 * The footprint: what the process occupies beyond its allocations. It is the program itself, and pages that jemalloc
 * holds: its records, the free parts of pages in use, freed pages that it has not returned yet, the caches of threads.
 */
#ifndef QD_BASE_MEMORY_FOOTPRINT_H
#define QD_BASE_MEMORY_FOOTPRINT_H

#include <stdbool.h>
#include <stddef.h>

/* In bytes, now. `purge`: first returns free pages to the system, which takes milliseconds. [any] */
size_t qd_memory_footprint(bool purge);

#endif
