/* SPDX-License-Identifier: Apache-2.0 */
#include "footprint.h"

#include <stdint.h>

#ifdef QD_JEMALLOC
#include <jemalloc/jemalloc.h>
#endif

/* The program, its libraries and the stacks of some threads: 4.7 MiB with 2 threads, 5.0 MiB with 32. */
#define PROGRAM_BYTES (5u << 20)

#ifdef QD_JEMALLOC
/* jemalloc reads this at its start. Few arenas, because each has free parts of its own. Freed pages return within
 * seconds, also when the server is idle. Caches of threads hold no large pieces. Where the system gives large pages
 * unasked, it would fill again what the allocator has returned, and the process would be larger than it knows. */
extern const char *malloc_conf;
const char *malloc_conf =
    "narenas:8,background_thread:true,dirty_decay_ms:5000,muzzy_decay_ms:0,lg_tcache_max:13,thp:never";

#define ALL_ARENAS "4096"
_Static_assert(MALLCTL_ARENAS_ALL == 4096, "the name of all arenas");

static size_t number(const char *name)
{
    size_t value = 0, size = sizeof value;

    return mallctl(name, &value, &size, NULL, 0) == 0 ? value : 0;
}

size_t qd_memory_footprint(size_t *free_bytes)
{
    uint64_t epoch = 1;

    /* The numbers of all arenas are those of this moment. */
    (void)mallctl("epoch", NULL, NULL, &epoch, sizeof epoch);
    const size_t resident = number("stats.resident"), allocated = number("stats.allocated");
    const size_t held = resident > allocated ? resident - allocated : 0;
    *free_bytes = number("stats.arenas." ALL_ARENAS ".pdirty") * number("arenas.page");
    return PROGRAM_BYTES + held + number("stats.arenas." ALL_ARENAS ".tcache_bytes");
}

qd_allocator_stats qd_memory_allocator_stats(void)
{
    uint64_t epoch = 1;

    (void)mallctl("epoch", NULL, NULL, &epoch, sizeof epoch);
    return (qd_allocator_stats){
        .allocated = number("stats.allocated"),
        .active = number("stats.active"),
        .metadata = number("stats.metadata"),
        .resident = number("stats.resident"),
        .mapped = number("stats.mapped"),
        .retained = number("stats.retained"),
    };
}

void qd_memory_return_free(void)
{
    (void)mallctl("arena." ALL_ARENAS ".purge", NULL, NULL, NULL, 0);
}
#else
size_t qd_memory_footprint(size_t *free_bytes)
{
    *free_bytes = 0;
    return PROGRAM_BYTES;
}

qd_allocator_stats qd_memory_allocator_stats(void)
{
    return (qd_allocator_stats){0};
}

void qd_memory_return_free(void) {}
#endif
