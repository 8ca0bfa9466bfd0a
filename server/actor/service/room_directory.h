/* SPDX-License-Identifier: Apache-2.0
 *
 * The room directory: the rooms that are open, by name, and the handles that they get.
 *
 * A handle is a slot and its generation: never 0, never given out twice, and below 2^53 so that a double holds it:
 *
 *     bit 52              20 19        0
 *        [ generation, from 1 | slot     ]
 *
 * Any thread uses it, under its own lock. A thread that finds a room and does something to it holds the lock over both,
 * so that the room cannot close in between. The lock is held for moments only, and no other lock is taken inside.
 */
#ifndef QD_ACTOR_SERVICE_ROOM_DIRECTORY_H
#define QD_ACTOR_SERVICE_ROOM_DIRECTORY_H

#include <pthread.h>
#include <stdbool.h>

#include "../../../proto/messages.h"
#include "../../base/memory/id_pool.h"

#define QD_ROOM_DIRECTORY_SLOT_BITS      20u
#define QD_ROOM_DIRECTORY_ROOMS_MAX      (1u << QD_ROOM_DIRECTORY_SLOT_BITS)
#define QD_ROOM_DIRECTORY_GENERATION_MAX UINT32_MAX

/* A room's row in the directory; part of the room actor. */
typedef struct qd_room_entry {
    uint64_t handle; /* first, as every tick's frames have it */
    char name[QD_ROOM_NAME_BYTES_MAX + 1];
    bool listed;
} qd_room_entry;

typedef struct qd_room_directory {
    pthread_mutex_t mutex;
    qd_heap heap;
    qd_room_entry **by_name; /* in byte order */
    uint32_t count, capacity, rooms_max;
    qd_id_pool slots;
    uint32_t *generations; /* of slots; the last one given out */
    uint32_t generation_capacity;
} qd_room_directory;

void qd_room_directory_init(qd_room_directory *directory, uint32_t rooms_max);
/* It must be empty. */
void qd_room_directory_deinit(qd_room_directory *directory);

/* [any] */
void qd_room_directory_lock(qd_room_directory *directory);
void qd_room_directory_unlock(qd_room_directory *directory);

/* ---- under the lock: [any] ---- */

/* NULL: there is none. */
qd_room_entry *qd_room_directory_find(const qd_room_directory *directory, const char *name);
/* The index in by_name of the first room after that name; `count` when there is none. */
uint32_t qd_room_directory_after(const qd_room_directory *directory, const char *name);
/* `entry->name` must be set and not be there yet; sets the handle. QD_ERR_FULL: rooms_max. */
qd_status qd_room_directory_add(qd_room_directory *directory, qd_room_entry *entry) QD_MUST_USE;
/* The name may be used again, the handle never. */
void qd_room_directory_remove(qd_room_directory *directory, qd_room_entry *entry);

#endif
