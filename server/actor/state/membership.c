/* SPDX-License-Identifier: Apache-2.0 */
#include "membership.h"

#include "../../base/executor.h"
#include "../../base/memory/alloc.h"

static void *take(void *context, size_t size)
{
    (void)context;
    return qd_shared_alloc(size);
}

static void *take_reserved(void *context, size_t size)
{
    (void)context;
    return qd_shared_alloc_reserved(size);
}

static void give(void *context, void *memory, size_t size)
{
    (void)context;
    qd_shared_free(memory, size);
}

const qd_codec_memory qd_request_memory = {.alloc = take, .release = give};
const qd_codec_memory qd_request_reserved_memory = {.alloc = take_reserved, .release = give};

qd_request *qd_request_create(const qd_codec_memory *memory)
{
    qd_request *request = memory->alloc(NULL, sizeof *request);

    if (request != NULL) {
        *request = (qd_request){.bytes = sizeof *request, .users = 1};
    }
    return request;
}

qd_request *qd_request_create_part(qd_request *frame, const qd_client_message *message)
{
    qd_request *part = qd_request_create(&qd_request_memory);

    if (part != NULL) {
        part->decoded.message = *message;
        part->frame = frame;
        atomic_fetch_add_explicit(&frame->users, 1, memory_order_relaxed);
    }
    return part;
}

/* Whether others still use it. A message of any other kind has one user. */
static bool is_in_use(qd_request *request)
{
    return request->decoded.message.kind == QD_CLIENT_MOVE_ROOMS && atomic_fetch_sub(&request->users, 1) > 1;
}

void qd_request_destroy(qd_request *request)
{
    if (request == NULL || is_in_use(request)) {
        return;
    }
    qd_request *frame = request->frame;
    qd_decoded_client_release(&request->decoded, &qd_request_memory);
    qd_shared_free(request, sizeof *request);
    qd_request_destroy(frame);
}

qd_membership *qd_membership_create(struct qd_room_actor *actor, qd_endpoint *endpoint)
{
    qd_membership *membership = qd_shared_alloc(sizeof *membership);

    if (membership == NULL) {
        return NULL;
    }
    *membership =
        (qd_membership){.actor = actor, .endpoint = endpoint, .leave.membership = membership, .acked_tick = QD_NEVER};
    qd_backpressure_init(&membership->batches);
    qd_endpoint_acquire(endpoint);
    return membership;
}

void qd_membership_shut(qd_membership *membership, qd_membership_state state)
{
    if (atomic_exchange(&membership->state, (uint8_t)state) == QD_MEMBERSHIP_OPEN) {
        atomic_fetch_add(&membership->endpoint->shut, 1);
    }
}

void qd_membership_give_up(qd_membership *membership)
{
    if (atomic_exchange(&membership->state, QD_MEMBERSHIP_LEFT) != QD_MEMBERSHIP_OPEN) {
        atomic_fetch_sub(&membership->endpoint->shut, 1);
    }
}

void qd_membership_destroy(qd_membership *membership)
{
    qd_endpoint_release(membership->endpoint);
    qd_shared_free(membership, sizeof *membership);
}
