/* SPDX-License-Identifier: Apache-2.0
 *
 * A link: one client's connection as the application sees it. net/ makes links of TCP connections; the simulation makes
 * them of memory. Nothing here knows libuv.
 *
 *     bytes in  -> frames -> handler.frame            [loop: the one thread that runs this link]
 *     handler   -> qd_link_send -> outbox -> bytes out [any]
 *
 * LIFETIME
 * 1. handler.opened is the first call for a link, handler.closed the last one; both, and all between, on its loop
 * thread.
 * 2. A link is reference-counted: its loop holds one reference until after `closed`; who keeps a link elsewhere (a
 * room) acquires one. Sending to a closed link is refused, never wrong.
 * 3. After qd_link_close no more frames are handed out; what was queued is still sent, for at most its deadline.
 *
 * OUTBOX. Bounded: events are refused when they would exceed the limit (unless it is empty: one tick's events may be
 * larger than the limit), replies a margin later. While replies are over the limit, the link reads no more frames, so
 * that a peer which never reads cannot make it grow.
 */
#ifndef QD_NET_LINK_H
#define QD_NET_LINK_H

#include <stdbool.h>

#include "../base/buffer.h"

typedef struct qd_link qd_link;

typedef enum qd_link_class {
    QD_LINK_EVENTS, /* tick frames: may be refused, a reset follows */
    QD_LINK_REPLY,  /* everything else */
} qd_link_class;

typedef enum qd_link_sent {
    QD_LINK_SENT = 0,
    QD_LINK_FULL,   /* nothing was queued */
    QD_LINK_CLOSED, /* nothing was queued, and never will be */
} qd_link_sent;

typedef struct qd_link_ops {
    /* Queue all `count` buffers or none; takes its own references. [any] */
    qd_link_sent (*send)(qd_link *link, qd_buffer *const *buffers, size_t count, qd_link_class class);
    /* Bytes queued and not yet taken by the system. [any] */
    size_t (*queued)(const qd_link *link);
    /* Stop and go on handing out frames; counted: as many resumes as pauses. pause [loop]; resume [any] */
    void (*pause)(qd_link *link);
    void (*resume)(qd_link *link);
    /* The longest frame taken from now on. [loop] */
    void (*frame_bytes_max)(qd_link *link, size_t bytes_max);
    /* Call handler.expired after so long, once; 0 cancels. Coarse: within 100 ms. [loop] */
    void (*deadline)(qd_link *link, uint32_t after_ms);
    /* See LIFETIME 3. May be called again. [any] */
    void (*close)(qd_link *link, uint32_t flush_ms);
    /* Frees the link, when the last reference is gone. [any] */
    void (*destroy)(qd_link *link);
} qd_link_ops;

struct qd_link {
    const qd_link_ops *ops;
    _Atomic uint32_t references;
    void *session; /* the handler's own; [loop] */
    char peer[64]; /* "127.0.0.1:40112", for logs */
};

typedef enum qd_link_fault {
    QD_LINK_BAD_PREFIX = 1, /* the length is no varint */
    QD_LINK_FRAME_TOO_LONG, /* `value` is the length claimed */
    QD_LINK_NO_MEMORY,
} qd_link_fault;

/* All on the link's loop thread. A link's handler may use any op of it, at any of these calls. */
typedef struct qd_link_handler {
    void (*opened)(void *context, qd_link *link);
    void (*frame)(void *context, qd_link *link, const uint8_t *bytes, size_t size);
    /* The stream cannot be read on; no more frames come. The handler says so and closes. */
    void (*fault)(void *context, qd_link *link, qd_link_fault fault, uint64_t value);
    void (*expired)(void *context, qd_link *link);
    /* Events were refused since, and less than half of the outbox is in use now. */
    void (*drained)(void *context, qd_link *link);
    void (*closed)(void *context, qd_link *link);
    void *context;
} qd_link_handler;

void qd_link_init(qd_link *link, const qd_link_ops *ops);
void qd_link_acquire(qd_link *link);
void qd_link_release(qd_link *link);

static inline qd_link_sent qd_link_send(qd_link *link, qd_buffer *const *buffers, size_t count, qd_link_class class)
{
    return link->ops->send(link, buffers, count, class);
}
static inline size_t qd_link_queued(const qd_link *link)
{
    return link->ops->queued(link);
}
static inline void qd_link_pause(qd_link *link)
{
    link->ops->pause(link);
}
static inline void qd_link_resume(qd_link *link)
{
    link->ops->resume(link);
}
static inline void qd_link_frame_bytes_max(qd_link *link, size_t bytes_max)
{
    link->ops->frame_bytes_max(link, bytes_max);
}
static inline void qd_link_deadline(qd_link *link, uint32_t after_ms)
{
    link->ops->deadline(link, after_ms);
}
static inline void qd_link_close(qd_link *link, uint32_t flush_ms)
{
    link->ops->close(link, flush_ms);
}

#endif
