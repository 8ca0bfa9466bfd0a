/* SPDX-License-Identifier: Apache-2.0 */
#include "link.h"

#include "assert.h"

void qd_link_init(qd_link *link, const qd_link_ops *ops)
{
    link->ops = ops;
    atomic_init(&link->references, 1);
    link->session = NULL;
    link->peer[0] = '\0';
}

void qd_link_acquire(qd_link *link)
{
    /* Relaxed: the caller already holds a reference, or got the link from a thread that does. */
    uint32_t before = atomic_fetch_add_explicit(&link->references, 1, memory_order_relaxed);

    QD_ASSERT(before > 0);
}

void qd_link_release(qd_link *link)
{
    /* Release: this owner's use of the link comes before destroy. Acquire: destroy sees the use of all owners. */
    uint32_t before = atomic_fetch_sub_explicit(&link->references, 1, memory_order_acq_rel);

    QD_ASSERT(before > 0);
    if (before == 1) {
        link->ops->destroy(link);
    }
}
