/* SPDX-License-Identifier: Apache-2.0
 *
 * An outbox: references to the buffers that wait to be sent on one link, in order, within the limits that base/link.h
 * promises.
 *
 *     push (any thread) -> [ b | b | b | b ] -> gather: what to write now -> consume: that many bytes are written
 *                            ^ part of the first may be written already
 *
 * LOCK. The outbox is part of a connection. Callers hold the connection's lock, except for the two functions marked
 * [any]. Only the loop thread gathers and consumes, so gathered buffers stay valid without the lock until it consumes
 * them.
 */
#ifndef QD_NET_OUTBOX_H
#define QD_NET_OUTBOX_H

#include <uv.h>

#include "../../base/link.h"

/* The most buffers that one write sends, and that one consume frees. */
#define QD_OUTBOX_VECTORS_MAX 64u

/* This many buffers need no memory beyond the struct, so that a link can report that memory is exhausted. */
#define QD_OUTBOX_ENTRIES_MIN 8u

typedef struct qd_outbox_entry {
    qd_buffer *buffer;
    qd_link_class class;
} qd_outbox_entry;

typedef struct qd_outbox {
    size_t bytes_max;
    qd_outbox_entry *ring; /* `first` or a longer array */
    uint32_t capacity;     /* a power of two */
    uint32_t head, count;
    size_t head_consumed;   /* written bytes of the first buffer */
    size_t replies_counted; /* what the replies count towards the limit */
    bool events_refused;    /* since `drained` was last reported */
    _Atomic size_t bytes;   /* not yet written */
    _Atomic bool stalled;   /* the link delivers no frames */
    qd_outbox_entry first[QD_OUTBOX_ENTRIES_MIN];
} qd_outbox;

typedef enum qd_outbox_pushed {
    QD_OUTBOX_PUSHED = 0,
    QD_OUTBOX_FULL,      /* events: try again later */
    QD_OUTBOX_OVERRUN,   /* replies: the peer does not read them; close the link */
    QD_OUTBOX_NO_MEMORY, /* close the link */
} qd_outbox_pushed;

/* The outbox must not move: the ring points into it. */
void qd_outbox_init(qd_outbox *outbox, size_t bytes_max);
/* Releases the remaining buffers and leaves the outbox empty. */
void qd_outbox_deinit(qd_outbox *outbox);

/* Queues all `count` buffers or none; takes its own references. */
qd_outbox_pushed qd_outbox_push(qd_outbox *outbox, qd_buffer *const *buffers, size_t count, qd_link_class class);

/* Returns the first buffers as vectors of at most bytes_max (at least 1) together, and their number; 0: the outbox is
 * empty. */
uint32_t qd_outbox_gather(const qd_outbox *outbox, size_t bytes_max, uv_buf_t vectors[QD_OUTBOX_VECTORS_MAX]);

/* The buffers that a consume freed. The caller releases them after it has unlocked. */
typedef struct qd_outbox_freed {
    uint32_t count;
    qd_buffer *buffers[QD_OUTBOX_VECTORS_MAX];
} qd_outbox_freed;

/* Removes the first `bytes`, which were written, all from one gather. Returns whether `drained` must be reported:
 * events were refused, and now there is space again. */
bool qd_outbox_consume(qd_outbox *outbox, size_t bytes, qd_outbox_freed *freed);

/* [any] */
static inline size_t qd_outbox_bytes(const qd_outbox *outbox)
{
    return atomic_load_explicit(&outbox->bytes, memory_order_relaxed);
}

/* Whether queued replies stop the link from delivering frames (base/link.h). [any] */
static inline bool qd_outbox_stalled(const qd_outbox *outbox)
{
    return atomic_load_explicit(&outbox->stalled, memory_order_relaxed);
}

#endif
