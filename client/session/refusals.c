/* SPDX-License-Identifier: Apache-2.0
 *
 * What the server refuses: reported to the program, unless it follows from a lost connection.
 */
#include "session.h"

static void remember(qd_session *session, uint64_t request)
{
    if (request != 0) {
        session->refused[session->refused_count++ % QD_REFUSED_MAX] = request;
    }
}

static void report(qd_session *session, qd_room *room, const qd_refusal *refusal)
{
    const qd_session_handlers *handlers = &session->handlers;

    remember(session, refusal->request);
    if (handlers->refused != NULL) {
        handlers->refused(session, room, refusal, handlers->context);
    }
}

/* ---- entries ---- */

/* Whether the refusal follows from a lost connection: an earlier session of the server still has the id. Then the
 * entity is spawned again later. */
static bool is_passing(qd_log_entry *entry, const qd_client_message *message, uint32_t i, uint8_t code)
{
    qd_room *room = entry->room;
    const qd_kept_entity *entity;

    if (message->kind == QD_CLIENT_SPAWN && code == QD_ERROR_ID_TAKEN && (entry->restores || entry->retried)) {
        if (message->as.batch.room_owned) {
            return true; /* another session has restored it */
        }
        if (qd_session_now(room->session) >= room->give_up_ms) {
            qd_kept_remove(&room->kept, message->as.batch.entities.id[i]);
            return false;
        }
        room->respawn_ms = room->missing ? room->respawn_ms : qd_session_now(room->session) + QD_RESPAWN_MS;
        room->missing = true;
        if (!qd_kept_miss(&room->kept, &message->as.batch, i)) {
            qd_connection_lost(room->session, "out of memory");
        }
        return true;
    }
    entity = qd_kept_entity_of(&room->kept, message, i);
    return entity != NULL && entity->missing;
}

/* Marks the entries as refused and reports those that are the program's fault. */
static void take_entries(qd_log_entry *entry, const qd_client_message *message, const qd_msg_accepted *accepted)
{
    uint32_t refused_count = accepted->refused_count;
    qd_session *session = entry->room->session;
    const uint32_t *ids;
    uint32_t count = qd_split_entries(message, &ids), reported = 0;
    uint32_t *index = qd_memory_alloc(refused_count * 2 * sizeof *index), *id = index + refused_count;
    uint8_t *code = qd_memory_alloc((size_t)refused_count * 2), *field = code + refused_count;

    if (entry->refused == NULL) {
        entry->refused = qd_memory_zeroed(count, 1);
    }
    if (entry->refused == NULL || index == NULL || code == NULL) {
        qd_memory_free(index);
        qd_memory_free(code);
        qd_connection_lost(session, "out of memory");
        return;
    }
    for (uint32_t i = 0; i < refused_count; i++) {
        uint32_t at = accepted->refused_index[i];

        if (at >= count) {
            continue;
        }
        entry->refused[at] = 1;
        if (is_passing(entry, message, at, accepted->refused_code[i])) {
            continue;
        }
        index[reported] = entry->first + at;
        id[reported] = ids != NULL ? ids[at] : 0;
        code[reported] = accepted->refused_code[i];
        field[reported++] = accepted->refused_field != NULL ? accepted->refused_field[i] : 0;
    }
    if (reported > 0) {
        report(session, entry->room,
               &(qd_refusal){.request = entry->restores ? 0 : entry->request,
                             .kind = message->kind,
                             .code = (qd_error_code)code[0],
                             .text = accepted->text,
                             .entry_count = reported,
                             .entry_index = index,
                             .entry_id = ids != NULL ? id : NULL,
                             .entry_code = code,
                             .entry_field = accepted->refused_field != NULL ? field : NULL});
    }
    qd_memory_free(index);
    qd_memory_free(code);
}

/* ---- whole requests ---- */

/* A Step that was refused because the tick is over, or not yet due. Returns whether the program need not know. */
static bool take_step(qd_log_entry *entry, const qd_msg_error *error)
{
    qd_room *room = entry->room;

    if (error->code != QD_ERROR_WRONG_TICK && error->code != QD_ERROR_TICK_OVER) {
        return false;
    }
    if (error->tick_due > 0) {
        room->tick = error->tick_due - 1 > room->tick ? error->tick_due - 1 : room->tick;
    }
    if (entry->retried && error->tick_due > entry->tick) {
        qd_log_done(entry, entry->tick); /* an earlier connection had carried it out */
        return true;
    }
    if (error->code == QD_ERROR_WRONG_TICK && !room->lockstep && error->tick_due > 0) {
        room->step_tick = error->tick_due - 1; /* another session has stepped */
        qd_log_step_again(entry);
        return true;
    }
    return false;
}

/* The server refused to open the room. */
static void take_open(qd_log_entry *entry, const qd_msg_error *error)
{
    qd_room *room = entry->room;
    bool passes = error->code == QD_ERROR_LIMIT || (room->opened && error->code == QD_ERROR_UNKNOWN_ROOM);

    if (room->state != QD_ROOM_OPENING) {
        qd_log_drop(room->session, entry);
        return;
    }
    if (passes) {
        qd_log_drop(room->session, entry);
        room->state = QD_ROOM_WAITING;
        room->retry_ms = qd_session_now(room->session) + room->session->options.backoff_max_ms / 4 + 1;
        return;
    }
    report(room->session, room,
           &(qd_refusal){.kind = QD_CLIENT_OPEN_ROOM, .code = error->code, .text = error->text, .whole = true});
    qd_room_end(room);
}

static bool is_passing_whole(qd_log_entry *entry, const qd_client_message *message, const qd_msg_error *error)
{
    if (entry->kind == QD_CLIENT_SET_EXCEPTIONS && error->code == QD_ERROR_UNKNOWN_OBSERVER) {
        const qd_kept_entity *anchor = qd_kept_entity_of(&entry->room->kept, message, 0);

        return anchor != NULL && anchor->missing;
    }
    /* The sessions that are adopted from may be gone for long. */
    return entry->kind == QD_CLIENT_ADOPT && !entry->reports;
}

static void take_whole(qd_log_entry *entry, const qd_client_message *message, const qd_msg_error *error)
{
    qd_room *room = entry->room;
    bool passing = is_passing_whole(entry, message, error);
    qd_refusal refusal = {.request = entry->restores ? 0 : entry->request,
                          .kind = entry->kind,
                          .code = error->code,
                          .text = error->text,
                          .whole = true};

    if (entry->kind == QD_CLIENT_LEAVE_ROOM || entry->kind == QD_CLIENT_CLOSE_ROOM) {
        qd_room_end(room);
    } else if (entry->kind == QD_CLIENT_GET_SNAPSHOT) {
        /* Nothing is known of the earlier entities. */
        qd_restore_listed(entry, &(qd_msg_snapshot_result){.last = true});
    } else if (passing) {
        if (entry->kind == QD_CLIENT_SET_EXCEPTIONS) {
            qd_log_done(entry, room->tick);
        } else {
            qd_log_drop(room->session, entry);
        }
        return;
    } else {
        qd_log_answer(entry, QD_OUTCOME_REFUSED, NULL);
    }
    report(room->session, room, &refusal);
}

void qd_refusal_of(qd_session *session, const qd_msg_error *error)
{
    qd_log_entry *entry = qd_log_find(session, error->seq);
    qd_decoded_client decoded;

    if (entry == NULL) {
        report(session, NULL, &(qd_refusal){.code = error->code, .text = error->text, .whole = true});
        return;
    }
    if (entry->room->state == QD_ROOM_WAITING) {
        return; /* the server has closed the room because it stops; the next one gets the request */
    }
    if (entry->kind == QD_CLIENT_OPEN_ROOM) {
        take_open(entry, error);
        return;
    }
    if (entry->kind == QD_CLIENT_STEP && take_step(entry, error)) {
        return;
    }
    if (!qd_log_decode(entry, &decoded)) {
        qd_decoded_client_release(&decoded, &qd_memory_of_codec);
        qd_connection_lost(session, "out of memory");
        return;
    }
    take_whole(entry, &decoded.message, error);
    qd_decoded_client_release(&decoded, &qd_memory_of_codec);
}

void qd_refusal_of_entries(qd_log_entry *entry, const qd_msg_accepted *accepted)
{
    qd_decoded_client decoded;

    if (qd_log_decode(entry, &decoded)) {
        take_entries(entry, &decoded.message, accepted);
    } else {
        qd_connection_lost(entry->room->session, "out of memory");
    }
    qd_decoded_client_release(&decoded, &qd_memory_of_codec);
}
