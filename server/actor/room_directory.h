/* SPDX-License-Identifier: Apache-2.0
 *
 * The rooms that are open, by name, and the handles they are given.
 *
 * A handle is a slot and its generation: never 0, never given out twice, and below 2^53 so that a double holds it:
 *
 *     bit 52              20 19        0
 *        [ generation, from 1 | slot     ]
 *
 * Belongs to the server; any thread, under its own lock. Who finds a room and does something to it holds the lock over
 * both, so that the room cannot close in between. The lock is held for moments only and nothing else is locked inside.
 */
#ifndef QD_ACTOR_ROOM_DIRECTORY_H
#define QD_ACTOR_ROOM_DIRECTORY_H

#include <pthread.h>
#include <stdbool.h>

#include "../../proto/messages.h"
#include "../base/id_pool.h"

#define QD_REGISTRY_SLOT_BITS      20u
#define QD_REGISTRY_ROOMS_MAX      (1u << QD_REGISTRY_SLOT_BITS)
#define QD_REGISTRY_GENERATION_MAX UINT32_MAX

/* What stands in the registry; part of its owner. */
typedef struct qd_named {
    uint64_t handle; /* first, as every tick's frames have it */
    char name[QD_ROOM_NAME_BYTES_MAX + 1];
    bool listed;
} qd_named;

typedef struct qd_registry {
    pthread_mutex_t mutex;
    qd_heap heap;
    qd_named **by_name; /* in byte order */
    uint32_t count, capacity, rooms_max;
    qd_id_pool slots;
    uint32_t *generations; /* of slots; the last one given out */
    uint32_t generation_capacity;
} qd_registry;

void qd_registry_init(qd_registry *registry, uint32_t rooms_max);
/* It must be empty. */
void qd_registry_deinit(qd_registry *registry);

void qd_registry_lock(qd_registry *registry);
void qd_registry_unlock(qd_registry *registry);

/* ---- under the lock ---- */

/* NULL: there is none. */
qd_named *qd_registry_find(const qd_registry *registry, const char *name);
/* The index in by_name of the first room after that name; `count` when there is none. */
uint32_t qd_registry_after(const qd_registry *registry, const char *name);
/* `named->name` must be set and not be there yet; sets the handle. QD_ERR_FULL: rooms_max. */
qd_status qd_registry_add(qd_registry *registry, qd_named *named) QD_MUST_USE;
/* The name may be used again, the handle never. */
void qd_registry_remove(qd_registry *registry, qd_named *named);

#endif
