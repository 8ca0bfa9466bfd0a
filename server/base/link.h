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
 * thread. No call is made from inside an op, nor from inside another call.
 * 2. A link is reference-counted: its loop holds one reference until after `closed`; who keeps a link elsewhere (a
 * room) acquires one. Sending to a closed link is refused, never wrong.
 * 3. After qd_link_close only `closed` is called, and nothing more is queued; what was queued is still sent, for at
 * most its deadline.
 * 4. A peer that ends its side has ended the link, as if by qd_link_close with QD_LINK_ENDED_FLUSH_MS; one whose
 * connection breaks, at once.
 *
 * OUTBOX. Bounded. Every buffer in it counts QD_LINK_BUFFER_BYTES more than it holds, so that many small ones are
 * bounded too.
 *  - Events are refused where they would take it over its limit, unless it is empty: one tick's events may be larger
 *    than the limit.
 *  - Replies are never refused for want of room. While the outbox is over its limit, and more than
 *    QD_LINK_REPLY_MARGIN_BYTES of it are replies, the link hands out no frames: only what has been handed out already
 *    can then add to it.
 *  - Where that alone takes the replies over the limit and the margin, the next reply closes the link: its peer asks
 *    and does not read. So send an answer of several parts in one go. An outbox never holds more than twice its limit,
 *    the margin, and the largest send of each class.
 *  - A link that the system has no memory for is closed.
 */
#ifndef QD_BASE_LINK_H
#define QD_BASE_LINK_H

#include <stdbool.h>

#include "buffer.h"

typedef struct qd_link qd_link;

#define QD_LINK_BUFFER_BYTES       64u          /* a reference, and a buffer's own head */
#define QD_LINK_REPLY_MARGIN_BYTES (256u << 10) /* some thousands of small replies */
#define QD_LINK_ENDED_FLUSH_MS     2000u

typedef enum qd_link_class {
    QD_LINK_EVENTS, /* tick frames: may be refused, a reset follows */
    QD_LINK_REPLY,  /* everything else */
} qd_link_class;

typedef enum qd_link_sent {
    QD_LINK_SENT = 0,
    QD_LINK_FULL,   /* events only: nothing was queued, and drained will follow */
    QD_LINK_CLOSED, /* nothing was queued, and never will be */
} qd_link_sent;

typedef struct qd_link_ops {
    /* Queue all `count` buffers or none; takes its own references. [any] */
    qd_link_sent (*send)(qd_link *link, qd_buffer *const *buffers, size_t count, qd_link_class class);
    /* Bytes queued and not yet taken by the system. [any] */
    size_t (*queued)(const qd_link *link);
    /* Stop and go on handing out frames; counted: as many resumes as pauses. What the peer sends meanwhile waits in the
     * system, and stops the peer in the end. pause [loop]; resume [any] */
    void (*pause)(qd_link *link);
    void (*resume)(qd_link *link);
    /* The longest frame taken from now on. [loop] */
    void (*frame_bytes_max)(qd_link *link, size_t bytes_max);
    /* Call handler.expired after so long, once; 0 cancels. Coarse: within 100 ms. [loop] */
    void (*deadline)(qd_link *link, uint32_t after_ms);
    /* See LIFETIME 3. May be called again: the shorter time counts. With 0, only what
     * the system takes at once is sent. [any] */
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
