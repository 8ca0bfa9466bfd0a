/* SPDX-License-Identifier: Apache-2.0 */
#include "endpoint.h"

#include "../../base/memory/alloc.h"

qd_endpoint *qd_endpoint_create(qd_link *link, size_t bytes_max)
{
    qd_endpoint *endpoint = qd_shared_alloc(sizeof *endpoint);

    if (endpoint == NULL) {
        return NULL;
    }
    *endpoint = (qd_endpoint){.link = link, .bytes_max = bytes_max};
    atomic_init(&endpoint->references, 1);
    qd_backpressure_init(&endpoint->bytes);
    qd_link_acquire(link);
    return endpoint;
}

void qd_endpoint_acquire(qd_endpoint *endpoint)
{
    atomic_fetch_add_explicit(&endpoint->references, 1, memory_order_relaxed);
}

void qd_endpoint_release(qd_endpoint *endpoint)
{
    if (atomic_fetch_sub_explicit(&endpoint->references, 1, memory_order_acq_rel) != 1) {
        return;
    }
    qd_link_release(endpoint->link);
    qd_token_release(endpoint->token);
    qd_account_release(endpoint->account);
    qd_shared_free(endpoint, sizeof *endpoint);
}
