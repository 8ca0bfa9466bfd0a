/* SPDX-License-Identifier: Apache-2.0 */
#include "applied.h"

#include "../../room/room_views.h"
#include "../record/delivery.h"

void qd_applied_note(qd_room_actor *actor, qd_membership *membership, uint64_t seq)
{
    if (seq == 0) {
        return;
    }
    if (membership->applied_due_seq == 0) {
        membership->applied_next = actor->applied_due;
        actor->applied_due = membership;
    }
    membership->applied_due_seq = seq;
}

void qd_applied_forget(qd_room_actor *actor, const qd_membership *membership)
{
    for (qd_membership **link = &actor->applied_due; *link != NULL; link = &(*link)->applied_next) {
        if (*link == membership) {
            *link = membership->applied_next;
            return;
        }
    }
}

static void show_lag(const qd_room_actor *actor, const qd_membership *membership, qd_msg_applied *applied)
{
    applied->pairs_lagging = qd_room_lags(actor->room, membership->member);
    applied->views_lagging = qd_room_view_lags(actor->room, membership->member);
}

void qd_applied_send_again(qd_room_actor *actor, const qd_membership *membership)
{
    qd_server_message message = {.kind = QD_SERVER_APPLIED,
                                 .as.applied = {.room = actor->entry.handle,
                                                .tick = qd_room_last_tick(actor->room),
                                                .seq = membership->applied_seq}};

    show_lag(actor, membership, &message.as.applied);
    qd_member_send(actor, membership, &message);
}

/* In lockstep: lists the writers that did not step in time, for the Applied. */
static void list_late(const qd_room_actor *actor, uint64_t late[QD_APPLIED_LATE_MAX], qd_msg_applied *applied)
{
    for (uint32_t i = 0; i < actor->member_capacity; i++) {
        const qd_membership *membership = actor->members[i].membership;

        if (membership == NULL || !membership->lockstep.known || membership->lockstep.stepped) {
            continue;
        }
        if (applied->late_listed < QD_APPLIED_LATE_MAX) {
            late[applied->late_listed++] = membership->endpoint->session;
        }
        applied->late_count++;
    }
    applied->late = late;
}

void qd_applied_send_due(qd_room_actor *actor, uint64_t tick)
{
    uint64_t late[QD_APPLIED_LATE_MAX];
    qd_msg_applied plain = {.room = actor->entry.handle, .tick = tick}, of_step = plain;

    if (actor->lockstep.writers > 0) {
        list_late(actor, late, &of_step);
    }
    for (qd_membership *membership = actor->applied_due, *next; membership != NULL; membership = next) {
        next = membership->applied_next;
        /* Requests that came after the Step are in as well, but the frame answers the Step. */
        bool stepped = membership->lockstep.stepped && membership->lockstep.seq != 0;
        qd_server_message message = {.seq = stepped ? membership->lockstep.seq : membership->applied_due_seq,
                                     .kind = QD_SERVER_APPLIED,
                                     .as.applied = stepped ? of_step : plain};
        message.as.applied.seq = membership->applied_seq = membership->applied_due_seq;
        membership->applied_due_seq = 0;
        show_lag(actor, membership, &message.as.applied);
        qd_member_send(actor, membership, &message);
    }
    actor->applied_due = NULL;
}
