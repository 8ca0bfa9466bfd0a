/* SPDX-License-Identifier: Apache-2.0 */
#include "closing.h"

#include "../../base/log.h"
#include "../record/delivery.h"
#include "applied.h"
#include "slow_readers.h"
#include "tick.h"

void qd_membership_release(qd_room_actor *actor, qd_membership *membership)
{
    qd_applied_forget(actor, membership);
    qd_slow_reader_forget(actor, membership);
    membership->joined = false;
}

bool qd_membership_remove(qd_room_actor *actor, qd_membership *membership)
{
    qd_actor_member *row = &actor->members[membership->member];

    qd_membership_release(actor, membership);
    row->membership = NULL;
    qd_relay_stream_destroy(row->relay);
    row->relay = NULL;
    actor->member_count--;
    return qd_lockstep_leave(&actor->lockstep, &membership->lockstep);
}

void qd_room_actor_close(qd_room_actor *actor, qd_room_closed_reason reason, qd_membership *asker, uint64_t seq)
{
    static const char *const reasons[] = {[QD_ROOM_CLOSED_REQUESTED] = "requested",
                                          [QD_ROOM_CLOSED_EMPTY] = "empty",
                                          [QD_ROOM_CLOSED_SHUTDOWN] = "shutdown"};
    qd_service *service = actor->service;

    qd_room_directory_lock(&service->directory);
    if (actor->entry.listed) {
        qd_room_directory_remove(&service->directory, &actor->entry);
    }
    qd_room_directory_unlock(&service->directory);

    actor->closed_reason = reason;
    qd_room_despawn_all(actor->room);
    if (actor->member_count > 0) {
        (void)qd_tick(actor, 0, asker);
    }
    qd_server_message message = {.kind = QD_SERVER_ROOM_CLOSED,
                                 .as.room_closed = {.room = actor->entry.handle, .reason = reason}};
    for (uint32_t i = 0; i < actor->member_capacity; i++) {
        qd_membership *membership = actor->members[i].membership;

        if (membership == NULL) {
            continue;
        }
        message.seq = membership == asker ? seq : 0;
        qd_member_send(actor, membership, &message);
        (void)qd_membership_remove(actor, membership);
        qd_membership_shut(membership, QD_MEMBERSHIP_CLOSED);
    }
    qd_log(QD_LOG_AUDIT, "room closed", QD_LOG_NUMBER("room", actor->entry.handle),
           QD_LOG_STRING("name", actor->entry.name), QD_LOG_STRING("reason", reasons[reason]),
           QD_LOG_NUMBER("session", asker != NULL ? asker->endpoint->session : 0));
    qd_log(QD_LOG_DEBUG, "room closed", QD_LOG_NUMBER("room", actor->entry.handle),
           QD_LOG_STRING("name", actor->entry.name), QD_LOG_NUMBER("reason", (uint64_t)reason));
    qd_room_actor_free_room(actor);
}
