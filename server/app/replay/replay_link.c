/* SPDX-License-Identifier: Apache-2.0 */
#include "replay_link.h"

#include <string.h>

#include "../../base/memory/alloc.h"

static qd_link_sent take(qd_link *link, qd_buffer *const *buffers, size_t count, qd_link_class class)
{
    (void)link;
    (void)buffers;
    (void)count;
    (void)class;
    return QD_LINK_SENT;
}

static size_t queued(const qd_link *link)
{
    (void)link;
    return 0;
}

static size_t replies_queued(qd_link *link)
{
    return queued(link);
}

static void nothing(qd_link *link)
{
    (void)link;
}

static void close_link(qd_link *link, uint32_t flush_ms)
{
    (void)link;
    (void)flush_ms;
}

static void destroy(qd_link *link)
{
    qd_shared_free(link, sizeof *link);
}

/* What only sessions call is absent. */
static const qd_link_ops ops = {
    .send = take,
    .queued = queued,
    .replies_queued = replies_queued,
    .pause = nothing,
    .resume = nothing,
    .close = close_link,
    .destroy = destroy,
};

qd_link *qd_replay_link_create(void)
{
    qd_link *link = qd_shared_alloc(sizeof *link);

    if (link != NULL) {
        memset(link, 0, sizeof *link);
        qd_link_init(link, &ops);
    }
    return link;
}
