/* SPDX-License-Identifier: Apache-2.0 */
#include "membership.h"

#include "../base/alloc.h"
#include "../base/executor.h"
#include "../session/session.h"

static void *take(void *context, size_t size)
{
    (void)context;
    return qd_shared_alloc(size);
}

static void give(void *context, void *memory, size_t size)
{
    (void)context;
    qd_shared_free(memory, size);
}

const qd_codec_memory qd_request_memory = {.alloc = take, .release = give};

qd_request *qd_request_create(void)
{
    qd_request *request = qd_shared_alloc(sizeof *request);

    if (request != NULL) {
        *request = (qd_request){.bytes = sizeof *request};
    }
    return request;
}

void qd_request_destroy(qd_request *request)
{
    if (request == NULL) {
        return;
    }
    qd_decoded_client_release(&request->decoded, &qd_request_memory);
    qd_shared_free(request, sizeof *request);
}

qd_seat *qd_seat_create(struct qd_host *host, struct qd_session *session)
{
    qd_seat *seat = qd_shared_alloc(sizeof *seat);

    if (seat == NULL) {
        return NULL;
    }
    *seat = (qd_seat){.host = host, .session = session, .leave.seat = seat, .acked_tick = QD_NEVER};
    qd_gate_init(&seat->batches);
    qd_session_acquire(session);
    return seat;
}

void qd_seat_destroy(qd_seat *seat)
{
    qd_session_release(seat->session);
    qd_shared_free(seat, sizeof *seat);
}
