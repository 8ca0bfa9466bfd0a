/* SPDX-License-Identifier: Apache-2.0
 *
 * A link: one client's connection as sessions and rooms see it. net/ implements it over TCP, the simulation in memory.
 *
 *     bytes in  -> frames -> handler.frame            [loop: the one thread that runs this link]
 *     handler   -> qd_link_send -> outbox -> bytes out [any]
 *
 * Lifetime
 * 1. handler.opened is the first call for a link and handler.closed the last one. Both, and all calls between, are on
 *    the link's loop thread. No call is made from inside an op or from inside another call. A link that introduces itself
 *    may go on on another loop thread; the calls there see all that earlier ones did.
 * 2. A link is reference-counted. Its loop holds one reference until after `closed`; an owner elsewhere, such as a
 *    room, acquires one. Sending to a closed link is refused and has no effect.
 * 3. After qd_link_close only `delivered` and `closed` are called, and nothing more is queued. The link still sends what was queued, for
 *    at most the given time.
 * 4. A peer that ends its side ends the link, like qd_link_close with QD_LINK_ENDED_FLUSH_MS. A broken connection ends
 *    it at once.
 *
 * Outbox. The outbox is bounded. Each buffer in it counts QD_LINK_BUFFER_BYTES more than it holds, which bounds small
 * buffers too.
 *  - Events that would exceed the limit are refused, unless the outbox is empty: one tick's events may be larger than
 *    the limit.
 *  - Replies are never refused. While the outbox is over its limit and more than QD_LINK_REPLY_MARGIN_BYTES of it are
 *    replies, the link delivers no frames, so only frames that were delivered before can add to it.
 *  - If those alone exceed the limit and the margin, the next reply closes the link: its peer asks and does not read.
 *    So send all parts of an answer in one call. An outbox never holds more than twice its limit, plus the margin, plus
 *    the largest send of each class.
 *  - A link that the system has no memory for is closed.
 */
#ifndef QD_BASE_LINK_H
#define QD_BASE_LINK_H

#include <stdbool.h>

#include "memory/buffer.h"

typedef struct qd_link qd_link;

#define QD_LINK_BUFFER_BYTES       64u          /* a reference and the buffer's header */
#define QD_LINK_REPLY_MARGIN_BYTES (256u << 10) /* a few thousand small replies */
#define QD_LINK_ENDED_FLUSH_MS     2000u

typedef enum qd_link_class {
    QD_LINK_EVENTS, /* tick frames; may be refused, and a reset follows */
    QD_LINK_REPLY,  /* everything else */
} qd_link_class;

typedef enum qd_link_sent {
    QD_LINK_SENT = 0,
    QD_LINK_FULL,   /* events only: nothing was queued; handler.drained will follow */
    QD_LINK_CLOSED, /* nothing was queued */
} qd_link_sent;

typedef struct qd_link_ops {
    /* Queues all `count` buffers or none; takes its own references. [any] */
    qd_link_sent (*send)(qd_link *link, qd_buffer *const *buffers, size_t count, qd_link_class class);
    /* Bytes that are queued and not yet written to the socket. [any] */
    size_t (*queued)(const qd_link *link);
    /* What the replies among them count towards the limit. [any] */
    size_t (*replies_queued)(qd_link *link);
    /* Stop and continue delivering frames; calls are counted, one resume per pause. Meanwhile the peer's bytes wait in
     * the system, which finally stops the peer. pause [loop]; resume [any] */
    void (*pause)(qd_link *link);
    void (*resume)(qd_link *link);
    /* A pause of that length, up to 1 ms longer. The link is in no other rest. [loop] */
    void (*rest)(qd_link *link, uint32_t ms);
    /* The longest frame accepted from now on. [loop] */
    void (*frame_bytes_max)(qd_link *link, size_t bytes_max);
    /* The peer has introduced itself. false: the server has no place for it. [loop] */
    bool (*introduce)(qd_link *link);
    /* Whether the peer's address may try a token now; and that its token was wrong. [loop] */
    bool (*may_try_token)(qd_link *link);
    void (*token_failed)(qd_link *link);
    /* From now on calls handler.silent when no byte has arrived for a third of that time although the link was reading,
     * and handler.lost when none has for all of it. [loop] */
    void (*watch)(qd_link *link, uint32_t silence_ms);
    /* The handler may have worked for long on the frame that it has. So the link looks whether its turn is over before it
     * delivers the next one. [loop] */
    void (*worked)(qd_link *link);
    /* Whether the loop has time for a short run of that object, beside frames. Not if others have asked in this pass of
     * the loop or in the one before, or if the link is beyond its share: such runs are for other threads. [loop] */
    bool (*may_work)(qd_link *link, const void *object);
    /* Calls handler.expired once after that time, up to 100 ms late; 0 cancels. [loop] */
    void (*deadline)(qd_link *link, uint32_t after_ms);
    /* See Lifetime, 3. A second call may shorten the time. With 0, the link sends only what the system takes at once.
     * [any] */
    void (*close)(qd_link *link, uint32_t flush_ms);
    /* Frees the link when the last reference is released. [any] */
    void (*destroy)(qd_link *link);
} qd_link_ops;

struct qd_link {
    const qd_link_ops *ops;
    _Atomic uint32_t references;
    void *session; /* the handler's own; [loop] */
    char peer[64]; /* "127.0.0.1:40112", for logs */
};

typedef enum qd_link_fault {
    QD_LINK_BAD_PREFIX = 1, /* the length is not a varint */
    QD_LINK_FRAME_TOO_LONG, /* `value` is the announced length */
    QD_LINK_NO_MEMORY,
    QD_LINK_FRAME_SLOW, /* the rest of a frame did not come in time; `value` is the number of its bytes that came */
} qd_link_fault;

/* All calls are on the link's loop thread. The handler may use any op of the link in any of them. */
typedef struct qd_link_handler {
    void (*opened)(void *context, qd_link *link);
    void (*frame)(void *context, qd_link *link, const uint8_t *bytes, size_t size);
    /* Follows one or more frames, before the loop does anything else; what the handler kept of them is due. It comes also
     * if the link was asked to close meanwhile. May be NULL. */
    void (*delivered)(void *context, qd_link *link);
    /* The stream cannot be parsed any further, and no more frames come. The handler reports that and closes the
     * link. */
    void (*fault)(void *context, qd_link *link, qd_link_fault fault, uint64_t value);
    void (*expired)(void *context, qd_link *link);
    /* See watch. May be NULL if it is never called. */
    void (*silent)(void *context, qd_link *link);
    void (*lost)(void *context, qd_link *link);
    /* Events were refused, and now less than half of the outbox is in use. */
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
static inline size_t qd_link_replies_queued(qd_link *link)
{
    return link->ops->replies_queued(link);
}
static inline void qd_link_pause(qd_link *link)
{
    link->ops->pause(link);
}
static inline void qd_link_resume(qd_link *link)
{
    link->ops->resume(link);
}
static inline void qd_link_rest(qd_link *link, uint32_t ms)
{
    link->ops->rest(link, ms);
}
static inline void qd_link_frame_bytes_max(qd_link *link, size_t bytes_max)
{
    link->ops->frame_bytes_max(link, bytes_max);
}
static inline bool qd_link_introduce(qd_link *link)
{
    return link->ops->introduce(link);
}
static inline bool qd_link_may_try_token(qd_link *link)
{
    return link->ops->may_try_token(link);
}
static inline void qd_link_token_failed(qd_link *link)
{
    link->ops->token_failed(link);
}
static inline void qd_link_watch(qd_link *link, uint32_t silence_ms)
{
    link->ops->watch(link, silence_ms);
}
static inline void qd_link_worked(qd_link *link)
{
    link->ops->worked(link);
}
static inline bool qd_link_may_work(qd_link *link, const void *object)
{
    return link->ops->may_work(link, object);
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
