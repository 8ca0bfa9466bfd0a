/* SPDX-License-Identifier: Apache-2.0
 *
 * An outbox: references to the buffers that wait to be sent on one link, in order, with the bounds that link.h
 * promises.
 *
 *     push (any thread) -> [ b | b | b | b ] -> gather: what to write now -> take: so many bytes are written
 *                            ^ part of the first may be written already
 *
 * LOCK. It belongs to a connection, and every function but the two that say [any] is called under the connection's
 * lock. Only the loop thread gathers and takes: what it gathered stays where it is, unlocked, until it takes it.
 */
#ifndef QD_NET_OUTBOX_H
#define QD_NET_OUTBOX_H

#include <uv.h>

#include "../base/link.h"

/* The most that one write is made of; also the most buffers that one take sets free. */
#define QD_OUTBOX_VECTORS_MAX 64u

/* So many have their place without memory, so that who finds none can be told. */
#define QD_OUTBOX_ENTRIES_MIN 8u

typedef struct qd_outbox_entry {
    qd_buffer *buffer;
    qd_link_class class;
} qd_outbox_entry;

typedef struct qd_outbox {
    size_t bytes_max;
    qd_outbox_entry *ring; /* `first`, or a longer one */
    uint32_t capacity;     /* a power of two */
    uint32_t head, count;
    size_t head_taken;      /* bytes of the first buffer that are written */
    size_t replies_counted; /* like `counted`, of the replies alone */
    bool refused;           /* events were, and nobody has been told of room since */
    _Atomic size_t bytes;   /* not yet written */
    _Atomic bool stalled;   /* hand out no more frames */
    qd_outbox_entry first[QD_OUTBOX_ENTRIES_MIN];
} qd_outbox;

typedef enum qd_outbox_pushed {
    QD_OUTBOX_PUSHED = 0,
    QD_OUTBOX_FULL,      /* events: later */
    QD_OUTBOX_OVERRUN,   /* replies: the peer does not read them; close it */
    QD_OUTBOX_NO_MEMORY, /* close it */
} qd_outbox_pushed;

/* Stays where it is: the ring leads back to it. */
void qd_outbox_init(qd_outbox *outbox, size_t bytes_max);
/* Releases what is still in it; it is empty then. */
void qd_outbox_deinit(qd_outbox *outbox);

/* All `count` buffers or none; takes its own references. */
qd_outbox_pushed qd_outbox_push(qd_outbox *outbox, qd_buffer *const *buffers, size_t count, qd_link_class class);

/* The first buffers as vectors; returns how many, 0 when it is empty. */
uint32_t qd_outbox_gather(const qd_outbox *outbox, uv_buf_t vectors[QD_OUTBOX_VECTORS_MAX]);

/* What a take set free, to be released once the lock is given up. */
typedef struct qd_outbox_freed {
    uint32_t count;
    qd_buffer *buffers[QD_OUTBOX_VECTORS_MAX];
} qd_outbox_freed;

/* The first `bytes` are written, all from one gather. Returns whether those who were refused events should be told that
 * there is room again. */
bool qd_outbox_take(qd_outbox *outbox, size_t bytes, qd_outbox_freed *freed);

/* [any] */
static inline size_t qd_outbox_bytes(const qd_outbox *outbox)
{
    return atomic_load_explicit(&outbox->bytes, memory_order_relaxed);
}

/* Whether the replies in it stop the reading (see link.h). [any] */
static inline bool qd_outbox_stalled(const qd_outbox *outbox)
{
    return atomic_load_explicit(&outbox->stalled, memory_order_relaxed);
}

#endif
