/* SPDX-License-Identifier: Apache-2.0 */
#include "../../base/log.h"
#include "../../base/memory/array.h"
#include "../../room/room_views.h"
#include "../tick/applied.h"
#include "../tick/closing.h"
#include "../tick/tick.h"
#include "command.h"

#define fail qd_command_fail

/* ---- joining ---- */

static qd_status join(qd_room_actor *actor, qd_membership *membership)
{
    qd_status status = qd_room_join(actor->room, &membership->member);

    if (status != QD_OK) {
        return status;
    }
    if (!qd_array_reserve_zeroed(&actor->heap, actor->members, actor->member_capacity, membership->member) ||
        !qd_charges_open(&actor->charges, membership->member, membership->endpoint->account)) {
        qd_room_leave(actor->room, membership->member, qd_room_actor_now_ns(actor));
        return QD_ERR_NO_MEMORY;
    }
    qd_actor_member *row = &actor->members[membership->member];
    qd_token_release(row->token);
    *row = (qd_actor_member){.membership = membership,
                             .session = membership->endpoint->session,
                             .token = qd_token_acquire(membership->endpoint->token)};
    actor->member_count++;
    membership->joined = true;
    if (membership->endpoint->admin) {
        qd_room_observe_all(actor->room, membership->member);
    }
    return QD_OK;
}

void qd_open_command(qd_room_actor *actor, const qd_request *request)
{
    qd_membership *membership = request->head.membership;

    if (!membership->joined) {
        qd_status status = join(actor, membership);

        if (status != QD_OK) {
            qd_membership_shut(membership, QD_MEMBERSHIP_REFUSED);
            fail(actor, request, QD_ERROR_LIMIT,
                 status == QD_ERR_FULL ? "the room has %u sessions; must have at most that many. Open another room"
                                       : "the server has no memory left for a session besides the room's %u "
                                         "(--memory-max). Try again later",
                 actor->member_count);
            return;
        }
    }
    qd_log(QD_LOG_AUDIT, "room opened", QD_LOG_NUMBER("room", actor->entry.handle),
           QD_LOG_STRING("name", actor->entry.name), QD_LOG_NUMBER("created", request->created),
           QD_LOG_NUMBER("session", membership->endpoint->session), QD_LOG_PEER(membership->endpoint->link->peer));
    qd_command_answer(actor, request,
                      &(qd_server_message){.seq = request->decoded.message.seq,
                                           .kind = QD_SERVER_ROOM_OPENED,
                                           .as.room_opened = {.room = actor->entry.handle,
                                                              .name = actor->entry.name,
                                                              .config = actor->config,
                                                              .epoch = actor->epoch,
                                                              .tick = qd_room_last_tick(actor->room),
                                                              .created = request->created}});
    if (actor->pace.slowed_hz != 0) {
        qd_tick_report_pace(actor, membership);
    }
}

/* ---- leaving ---- */

/* Reports what the connection missed: the Applied of what is in, and resets. */
static void catch_up(qd_room_actor *actor, qd_membership *successor, uint64_t acked_tick)
{
    qd_room_missed(actor->room, successor->member, acked_tick);
    qd_room_resume(actor->room, successor->member);
    qd_room_view_missed(actor->room, successor->member, acked_tick);
    qd_room_view_resume(actor->room, successor->member);
    if (successor->applied_seq != 0) {
        qd_applied_send_again(actor, successor);
    }
    actor->resets_due = true;
}

/* The successor of a membership that leaves takes its place in the room. */
static void hand_over(qd_room_actor *actor, qd_membership *membership)
{
    qd_membership *successor = membership->successor;

    successor->known = true;
    actor->memberships_known++;
    if (!membership->joined) {
        qd_membership_shut(successor, actor->room == NULL ? QD_MEMBERSHIP_CLOSED : QD_MEMBERSHIP_REFUSED);
        if (actor->room == NULL) {
            qd_member_send(
                actor, successor,
                &(qd_server_message){.kind = QD_SERVER_ROOM_CLOSED,
                                     .as.room_closed = {.room = actor->entry.handle, .reason = actor->closed_reason}});
        }
        return;
    }
    qd_membership_release(actor, membership);
    successor->joined = true;
    successor->member = membership->member;
    successor->lockstep = membership->lockstep;
    successor->applied_seq = membership->applied_seq;
    actor->members[successor->member].membership = successor;
    qd_applied_note(actor, successor, membership->applied_due_seq);
    catch_up(actor, successor, membership->acked_tick);
}

void qd_leave_command(qd_room_actor *actor, qd_membership *membership)
{
    if (membership->successor != NULL) {
        hand_over(actor, membership);
        actor->changed = true;
    } else if (membership->joined) {
        qd_room_leave(actor->room, membership->member, qd_room_actor_now_ns(actor));
        actor->changed = actor->trims = true;
        qd_charges_unsubscribe(&actor->charges, membership->member);
        qd_charges_settle(&actor->charges, membership->member);
        if (qd_membership_remove(actor, membership)) {
            (void)qd_tick(actor, 0, NULL);
        }
    }
    if (membership->leave_answered) {
        qd_member_send(actor, membership,
                       &(qd_server_message){.seq = membership->leave_seq,
                                            .kind = QD_SERVER_ROOM_LEFT,
                                            .as.room_left = {.room = actor->entry.handle}});
    }
    if (membership->writes) {
        atomic_fetch_sub_explicit(&actor->writers, 1, memory_order_relaxed);
    }
    QD_ASSERT(membership->known && actor->memberships_known > 0);
    actor->memberships_known--;
    qd_membership_destroy(membership);
}

void qd_close_command(qd_room_actor *actor, const qd_request *request)
{
    qd_room_actor_close(actor, QD_ROOM_CLOSED_REQUESTED, request->head.membership, request->decoded.message.seq);
}
