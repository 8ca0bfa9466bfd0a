/* SPDX-License-Identifier: Apache-2.0 */
#include "admin_memory.h"

#include <jansson.h>
#include <libwebsockets.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "../../base/assert.h"
#include "../../base/memory/alloc.h"

/* What is left of the reservation for libwebsockets when answers are refused. */
#define KEPT_BYTES ((size_t)768 << 10)

/* The main thread allocates only while the admin thread does not run. */
static _Atomic size_t used, peak;

static void count(size_t freed, size_t taken)
{
    const size_t now = atomic_load_explicit(&used, memory_order_relaxed) - freed + taken;

    atomic_store_explicit(&used, now, memory_order_relaxed);
    if (now > atomic_load_explicit(&peak, memory_order_relaxed)) {
        atomic_store_explicit(&peak, now, memory_order_relaxed);
    }
}

static void *resize(void *memory, size_t size)
{
    const size_t before = malloc_usable_size(memory);
    void *result = realloc(memory, size);

    if (result != NULL) {
        count(before, malloc_usable_size(result));
    }
    return result;
}

/* libwebsockets frees with a size of 0. */
static void *resize_for_lws(void *memory, size_t size, const char *reason)
{
    (void)reason;
    if (size == 0) {
        qd_admin_free(memory);
        return NULL;
    }
    return resize(memory, size);
}

static void *alloc_for_json(size_t size)
{
    return qd_admin_resize(NULL, size);
}

qd_status qd_admin_memory_start(void)
{
    if (!qd_memory_charge(QD_ADMIN_MEMORY_BYTES)) {
        return QD_ERR_NO_MEMORY;
    }
    lws_set_allocator(resize_for_lws);
    json_set_alloc_funcs(alloc_for_json, qd_admin_free);
    return QD_OK;
}

void qd_admin_memory_stop(void)
{
    qd_memory_discharge(QD_ADMIN_MEMORY_BYTES);
}

size_t qd_admin_memory_used(void)
{
    return atomic_load_explicit(&used, memory_order_relaxed);
}

size_t qd_admin_memory_peak(void)
{
    return atomic_load_explicit(&peak, memory_order_relaxed);
}

void *qd_admin_resize(void *memory, size_t size)
{
    const size_t others = qd_admin_memory_used() - malloc_usable_size(memory);

    if (size > QD_ADMIN_MEMORY_BYTES - KEPT_BYTES || others > QD_ADMIN_MEMORY_BYTES - KEPT_BYTES - size) {
        return NULL;
    }
    return resize(memory, size == 0 ? 1 : size);
}

void qd_admin_free(void *memory)
{
    count(malloc_usable_size(memory), 0);
    free(memory);
}
