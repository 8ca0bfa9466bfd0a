/* SPDX-License-Identifier: Apache-2.0
 *
 * Takes the server's messages.
 */
#include "session.h"

static qd_room *find_room(const qd_session *session, uint64_t handle)
{
    qd_room *room = session->rooms;

    while (room != NULL && (handle == 0 || room->handle != handle)) {
        room = room->next;
    }
    return room;
}

/* ---- the life of rooms ---- */

void qd_room_end(qd_room *room)
{
    const qd_session_handlers *handlers = &room->session->handlers;

    qd_log_forget(room, QD_OUTCOME_ROOM_CLOSED);
    room->handle = 0;
    if (room->state == QD_ROOM_LEAVING) {
        room->state = QD_ROOM_LEFT;
        return;
    }
    room->state = QD_ROOM_GONE;
    if (handlers->closed != NULL) {
        handlers->closed(room, handlers->context);
    }
}

static void take_closed(qd_session *session, const qd_msg_room_closed *closed)
{
    qd_room *room = find_room(session, closed->room);

    if (room != NULL && closed->reason == QD_ROOM_CLOSED_REQUESTED) {
        qd_room_end(room);
    } else if (room != NULL) {
        /* The server is stopping. The next one gets the room again. */
        room->handle = 0;
        room->state = QD_ROOM_WAITING;
        room->retry_ms = UINT64_MAX;
    }
}

static void take_handed_over(qd_session *session, uint64_t seq, const qd_msg_handed_over *handed)
{
    const qd_session_handlers *handlers = &session->handlers;
    qd_room *room = find_room(session, handed->room);
    qd_log_entry *entry = qd_log_find(session, seq);
    bool reports = entry == NULL || entry->reports;

    for (uint32_t i = 0; room != NULL && reports && i < handed->count; i++) {
        if (handed->to != session->number) {
            qd_kept_remove(&room->kept, handed->id[i]);
        } else if (qd_kept_add(&room->kept, handed->id[i]) == NULL) {
            qd_connection_lost(session, "out of memory");
            return;
        }
    }
    if (entry != NULL && handed->last) {
        qd_log_drop(session, entry);
    }
    if (room != NULL && reports && handlers->handed_over != NULL) {
        handlers->handed_over(room, handed, handlers->context);
    }
}

/* ---- ticks ---- */

static void take_applied(qd_session *session, uint64_t seq, const qd_msg_applied *applied)
{
    qd_room *room = find_room(session, applied->room);

    if (room == NULL) {
        return;
    }
    room->tick = applied->tick > room->tick ? applied->tick : room->tick;
    if (!qd_log_applied(room, applied->seq, applied->tick)) {
        return;
    }
    /* The frames of this tick came before: if a reset was due, it is there. An Applied that is repeated after a
     * connection was lost has no seq: resets follow it. */
    if (seq != 0) {
        room->view_stale = false;
    }
    room->view_stale = room->view_stale || applied->views_lagging;
    room->pairs_stale = room->pairs_stale || applied->pairs_lagging;
    qd_folding_report(room);
}

static void take_accepted(qd_session *session, uint64_t seq, const qd_msg_accepted *accepted)
{
    qd_log_entry *entry = qd_log_find(session, seq);

    if (entry == NULL) {
        return;
    }
    qd_room *room = entry->room;
    if (accepted->refused_count > 0) {
        qd_refusal_of_entries(entry, accepted);
    } else if (entry->kind == QD_CLIENT_SUBSCRIBE || entry->kind == QD_CLIENT_UNSUBSCRIBE) {
        qd_log_done(entry, accepted->tick);
        qd_folding_report(room);
    }
}

static void take_tick(qd_session *session, const qd_msg_tick *tick)
{
    qd_room *room = find_room(session, tick->room);

    if (room == NULL || room->state == QD_ROOM_LEAVING) {
        return;
    }
    qd_folding_tick(room, tick);
    qd_folding_report(room);
}

static void take_view(qd_session *session, const qd_msg_view *view)
{
    qd_room *room = find_room(session, view->room);

    if (room == NULL || room->state == QD_ROOM_LEAVING) {
        return;
    }
    qd_folding_view(room, view);
    qd_folding_report(room);
}

/* ---- all ---- */

static void take_answer(qd_session *session, const qd_server_message *message)
{
    qd_log_entry *entry = qd_log_find(session, message->seq);

    if (entry == NULL) {
        return;
    }
    switch (message->kind) {
    case QD_SERVER_ROOM_OPENED:
        qd_restore_opened(entry, &message->as.room_opened);
        break;
    case QD_SERVER_SNAPSHOT_RESULT:
        qd_restore_listed(entry, &message->as.snapshot_result);
        break;
    case QD_SERVER_ROOM_LEFT:
        qd_room_end(entry->room);
        break;
    case QD_SERVER_QUERY_RESULT:
    case QD_SERVER_WHY_RESULT:
        qd_log_answer(entry, QD_OUTCOME_OK, message);
        break;
    default:
        break;
    }
}

void qd_incoming(qd_session *session, const qd_server_message *message)
{
    switch (message->kind) {
    case QD_SERVER_TICK:
        take_tick(session, &message->as.tick);
        break;
    case QD_SERVER_VIEW:
        take_view(session, &message->as.view);
        break;
    case QD_SERVER_APPLIED:
        take_applied(session, message->seq, &message->as.applied);
        break;
    case QD_SERVER_ACCEPTED:
        take_accepted(session, message->seq, &message->as.accepted);
        break;
    case QD_SERVER_ERROR:
        qd_refusal_of(session, &message->as.error);
        break;
    case QD_SERVER_ROOM_CLOSED:
        take_closed(session, &message->as.room_closed);
        break;
    case QD_SERVER_HANDED_OVER:
        take_handed_over(session, message->seq, &message->as.handed_over);
        break;
    default:
        take_answer(session, message);
        break;
    }
}
