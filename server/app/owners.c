/* SPDX-License-Identifier: Apache-2.0 */
#include "owners.h"

#include <inttypes.h>

#include "apply.h"
#include "reply.h"
#include "session.h"

/* The member that is this session's; QD_ROOM_OWNED: it is not in the room. */
static uint32_t member_of(const qd_host *host, uint64_t session)
{
    for (uint32_t i = 0; i < host->member_capacity; i++) {
        if (host->members[i].seat != NULL && host->members[i].session == session)
            return i;
    }
    return QD_ROOM_OWNED;
}

void qd_owners_apply(qd_host *host, const qd_request *request)
{
    const qd_msg_handover *handover = &request->decoded.message.as.handover;
    qd_seat *seat = request->head.seat;
    uint32_t to = handover->room_owned ? QD_ROOM_OWNED : member_of(host, handover->session);
    if (!handover->room_owned && to == QD_ROOM_OWNED) {
        qd_apply_fail(host, request, QD_ERROR_INVALID,
                      "session is %" PRIu64 ", which is not in the room: it must join before it is given anything",
                      handover->session);
        return;
    }
    qd_room_refusals refusals;
    qd_room_give(host->room, seat->member, handover->id, handover->count, to, &refusals);
    qd_count(&host->server->counters.updates, handover->count - refusals.count);
    qd_host_note(host, seat, request->decoded.message.seq);
    qd_apply_refusals(host, request, handover->count, handover->id, &refusals);
}
