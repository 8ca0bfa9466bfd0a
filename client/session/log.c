/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "session.h"

void qd_log_init(qd_log *log)
{
    TAILQ_INIT(&log->list);
}

/* ---- entries ---- */

static qd_log_entry *next_of(const qd_log_entry *entry)
{
    return TAILQ_NEXT(entry, list);
}

static void link_entry(qd_session *session, qd_log_entry *entry)
{
    TAILQ_INSERT_TAIL(&session->log.list, entry, list);
    session->log.bytes += sizeof *entry + entry->size;
}

static void unlink_entry(qd_session *session, qd_log_entry *entry)
{
    TAILQ_REMOVE(&session->log.list, entry, list);
    session->log.bytes -= sizeof *entry + entry->size;
}

static void free_entry(qd_log_entry *entry)
{
    qd_memory_free(entry->refused);
    qd_memory_free(entry);
}

void qd_log_drop(qd_session *session, qd_log_entry *entry)
{
    unlink_entry(session, entry);
    free_entry(entry);
}

qd_log_entry *qd_log_find(const qd_session *session, uint64_t seq)
{
    qd_log_entry *entry = TAILQ_FIRST(&session->log.list);

    while (entry != NULL && (seq == 0 || entry->seq != seq)) {
        entry = next_of(entry);
    }
    return entry;
}

bool qd_log_decode(const qd_log_entry *entry, qd_decoded_client *decoded)
{
    const uint8_t *frame = entry->bytes;

    while (*frame++ >= 0x80) { /* the length */
        continue;
    }
    size_t size = entry->size - (size_t)(frame - entry->bytes);
    return qd_decode_client(frame, size, &qd_memory_of_codec, decoded) == QD_DECODE_OK;
}

/* Requests that have an answer of their own, which may be lost with a connection. */
static bool is_answered(qd_client_kind kind)
{
    return kind == QD_CLIENT_OPEN_ROOM || kind == QD_CLIENT_ADOPT || kind == QD_CLIENT_GET_SNAPSHOT ||
           kind == QD_CLIENT_QUERY || kind == QD_CLIENT_WHY || kind == QD_CLIENT_LEAVE_ROOM ||
           kind == QD_CLIENT_CLOSE_ROOM || kind == QD_CLIENT_SUBSCRIBE || kind == QD_CLIENT_UNSUBSCRIBE;
}

bool qd_log_has(const qd_room *room, uint64_t request)
{
    const qd_log_entry *entry;

    TAILQ_FOREACH (entry, &room->session->log.list, list) {
        if (entry->room == room && entry->request == request) {
            return true;
        }
    }
    return false;
}

bool qd_log_is_busy(const qd_room *room)
{
    const qd_log_entry *entry;

    TAILQ_FOREACH (entry, &room->session->log.list, list) {
        if (entry->room == room) {
            return true;
        }
    }
    return false;
}

/* ---- sending ---- */

/* All messages of rooms begin with the room, except OpenRoom. */
static void set_room(qd_client_message *message, uint64_t handle)
{
    if (message->kind != QD_CLIENT_OPEN_ROOM) {
        message->as.room.room = handle;
    }
}

static void transmit(qd_log_entry *entry, const qd_client_message *message)
{
    qd_room *room = entry->room;
    qd_client_message sent = *message;

    if (sent.kind == QD_CLIENT_STEP) {
        sent.as.step.tick = entry->tick;
    }
    sent.seq = entry->seq;
    set_room(&sent, room->handle);
    /* If there is no memory the connection ends, and the entry is sent on the next one. */
    qd_client_send(room->session->client, &sent);
}

/* Adds entries that are not sent yet to `list`. */
static bool add_parts(qd_room *room, const qd_client_message *message, uint64_t request, uint32_t first,
                      struct qd_log_list *list)
{
    size_t limit = room->session->frame_bytes_max;
    qd_client_message longest = *message;

    longest.seq = QD_SEQ_MAX;
    set_room(&longest, QD_SEQ_MAX);
    size_t size = qd_client_message_size(&longest);
    uint32_t count = qd_split_count(message);
    if (size > limit && count > 1) {
        qd_client_message head = qd_split_part(message, 0, count / 2);
        qd_client_message tail = qd_split_part(message, count / 2, count - count / 2);

        return add_parts(room, &head, request, first, list) && add_parts(room, &tail, request, first + count / 2, list);
    }
    if (size > limit) {
        qd_session_fail(room->session, "the request has %zu bytes; must be at most %zu, the server's --frame-max", size,
                        limit);
        return false;
    }
    qd_client_message bare = *message;
    bare.seq = 0;
    set_room(&bare, 0);
    size = qd_client_message_size(&bare);
    qd_log_entry *entry = qd_memory_alloc(sizeof *entry + size);
    if (entry == NULL) {
        qd_session_fail(room->session, "out of memory for a request of %zu bytes", size);
        return false;
    }
    *entry = (qd_log_entry){.room = room, .request = request, .kind = message->kind, .first = first, .size = size};
    qd_client_message_encode(&bare, entry->bytes, size);
    TAILQ_INSERT_TAIL(list, entry, list);
    return true;
}

/* Merges requests into the state that is restored, except those behind a Step, which belong to a later tick. `unsent`:
 * also those that were never sent. */
static void merge(qd_session *session, bool unsent)
{
    for (qd_room *room = session->rooms; room != NULL; room = room->next) {
        room->is_blocked = false;
    }
    for (qd_log_entry *entry = TAILQ_FIRST(&session->log.list), *next; entry != NULL; entry = next) {
        qd_room *room = entry->room;
        qd_decoded_client decoded;

        next = next_of(entry);
        room->is_blocked = room->is_blocked || entry->kind == QD_CLIENT_STEP || (!unsent && !entry->retried);
        if (room->is_blocked || !qd_kept_takes(entry->kind) || entry->restores) {
            continue;
        }
        bool done = qd_log_decode(entry, &decoded) &&
                    qd_kept_apply(&room->kept, &decoded.message, entry->refused, session->number);
        qd_decoded_client_release(&decoded, &qd_memory_of_codec);
        if (!done) {
            room->is_blocked = true;
            continue;
        }
        room->merged = entry->request > room->merged ? entry->request : room->merged;
        qd_log_drop(session, entry);
    }
}

static void send_part(qd_log_entry *entry, const qd_client_message *message, uint32_t end)
{
    qd_room *room = entry->room;
    uint32_t count = end - entry->first;

    entry->seq = ++room->session->seq;
    if (entry->kind == QD_CLIENT_STEP) {
        room->step_tick = room->step_tick > room->tick ? room->step_tick : room->tick;
        entry->tick = ++room->step_tick;
    }
    if (count == qd_split_count(message)) {
        transmit(entry, message);
        return;
    }
    qd_client_message part = qd_split_part(message, entry->first, count);
    transmit(entry, &part);
}

qd_log_entry *qd_log_push(qd_room *room, const qd_client_message *message, uint64_t request, qd_log_mode mode)
{
    qd_session *session = room->session;
    struct qd_log_list list = TAILQ_HEAD_INITIALIZER(list);
    bool added = add_parts(room, message, request, 0, &list);
    bool sends = session->state == QD_SESSION_STATE_READY && (mode == QD_LOG_RESTORE || room->state == QD_ROOM_READY);
    qd_log_entry *entry, *last = NULL;

    while ((entry = TAILQ_FIRST(&list)) != NULL) {
        TAILQ_REMOVE(&list, entry, list);
        if (!added) {
            free_entry(entry);
            continue;
        }
        entry->restores = mode == QD_LOG_RESTORE;
        link_entry(session, entry);
        last = entry;
        if (sends) {
            send_part(entry, message, TAILQ_EMPTY(&list) ? qd_split_count(message) : TAILQ_FIRST(&list)->first);
        }
    }
    if (session->log.bytes > session->options.backlog_bytes_max && session->state != QD_SESSION_STATE_READY) {
        session->merged = true;
        merge(session, true); /* `last` may be merged as well: then it only shows that it was added */
    }
    return last;
}

/* Takes the entry out of the log and pushes it again, at the end. */
static void push_again(qd_log_entry *entry)
{
    qd_session *session = entry->room->session;
    qd_decoded_client decoded;

    unlink_entry(session, entry);
    if (qd_log_decode(entry, &decoded)) {
        qd_log_mode mode = entry->restores ? QD_LOG_RESTORE : QD_LOG_REQUEST;
        const qd_log_entry *before = TAILQ_LAST(&session->log.list, qd_log_list);
        qd_log_entry *last = qd_log_push(entry->room, &decoded.message, entry->request, mode);

        if (last == NULL) {
            qd_connection_lost(session, session->problem); /* the entry is void; all others are sent again */
        }
        for (qd_log_entry *part = before != NULL ? next_of(before) : TAILQ_FIRST(&session->log.list);
             last != NULL && part != NULL; part = next_of(part)) {
            part->retried = entry->retried;
            part->first += entry->first;
            part->query_done = entry->query_done;
            part->why_done = entry->why_done;
            part->context = entry->context;
            part->reports = entry->reports;
        }
    }
    qd_decoded_client_release(&decoded, &qd_memory_of_codec);
    free_entry(entry);
}

void qd_log_step_again(qd_log_entry *step)
{
    push_again(step);
}

/* ---- answers ---- */

void qd_log_abandon(qd_room *room, uint64_t request)
{
    qd_log_entry *entry;

    TAILQ_FOREACH (entry, &room->session->log.list, list) {
        if (entry->room == room && entry->request == request) {
            entry->query_done = NULL;
            entry->why_done = NULL;
        }
    }
}

void qd_log_answer(qd_log_entry *entry, qd_outcome outcome, const qd_server_message *answer)
{
    qd_query_fn query_done = entry->query_done;
    qd_why_fn why_done = entry->why_done;
    qd_room *room = entry->room;
    void *context = entry->context;

    qd_log_drop(room->session, entry);
    if (query_done != NULL) {
        query_done(room, outcome, answer != NULL ? &answer->as.query_result : NULL, context);
    }
    if (why_done != NULL) {
        why_done(room, outcome, answer != NULL ? &answer->as.why_result : NULL, context);
    }
}

bool qd_log_done(qd_log_entry *entry, uint64_t tick)
{
    qd_room *room = entry->room;
    qd_decoded_client decoded;

    if (!entry->restores && qd_kept_takes(entry->kind)) {
        bool done = !qd_log_decode(entry, &decoded) ||
                    qd_kept_apply(&room->kept, &decoded.message, entry->refused, room->session->number);

        qd_decoded_client_release(&decoded, &qd_memory_of_codec);
        if (!done) {
            qd_connection_lost(room->session, "out of memory");
            return false;
        }
    }
    const qd_log_entry *next = next_of(entry);
    bool is_whole = next == NULL || next->room != room || next->request != entry->request;
    if (entry->request != 0 && is_whole) {
        room->applied = entry->request > room->applied ? entry->request : room->applied;
        room->applied_tick = tick;
        room->applied_due = true;
    }
    qd_log_drop(room->session, entry);
    return true;
}

bool qd_log_applied(qd_room *room, uint64_t seq, uint64_t tick)
{
    for (qd_log_entry *entry = TAILQ_FIRST(&room->session->log.list), *next; entry != NULL; entry = next) {
        next = next_of(entry);
        if (entry->seq > seq) {
            break;
        }
        bool covered = entry->room == room && entry->seq != 0 && !is_answered(entry->kind) &&
                       (entry->kind != QD_CLIENT_STEP || entry->tick <= tick);
        if (covered && !qd_log_done(entry, entry->kind == QD_CLIENT_STEP ? entry->tick : tick)) {
            return false;
        }
    }
    return true;
}

bool qd_log_has_step(const qd_room *room)
{
    const qd_log_entry *entry;

    TAILQ_FOREACH (entry, &room->session->log.list, list) {
        if (entry->room == room && entry->kind == QD_CLIENT_STEP && entry->tick != 0) {
            return true;
        }
    }
    return false;
}

/* All requests of the room up to that Step are carried out. */
static bool done_up_to(qd_log_entry *step)
{
    const qd_room *room = step->room;
    uint64_t tick = step->tick;
    bool is_step = false;

    for (qd_log_entry *entry = TAILQ_FIRST(&room->session->log.list), *next; !is_step; entry = next) {
        next = next_of(entry);
        is_step = entry == step;
        if (entry->room == room && !is_answered(entry->kind) && !qd_log_done(entry, tick)) {
            return false;
        }
    }
    return true;
}

bool qd_log_steps_over(qd_room *room, uint64_t tick, const qd_log_entry *probe)
{
    qd_log_entry *entry, *last = NULL, *next;

    TAILQ_FOREACH (entry, &room->session->log.list, list) {
        if (entry->room == room && entry->kind == QD_CLIENT_STEP && entry->tick != 0 && entry->tick <= tick) {
            last = entry;
        }
    }
    if (last != NULL && !done_up_to(last)) {
        return false;
    }
    room->tick = tick > room->tick ? tick : room->tick;
    for (entry = TAILQ_FIRST(&room->session->log.list); probe != NULL && entry != probe; entry = next) {
        next = next_of(entry);
        if (entry->room == room && entry->kind == QD_CLIENT_STEP && entry->seq != 0 && !room->lockstep) {
            room->step_tick = tick;
            push_again(entry);
        }
    }
    return true;
}

void qd_log_forget(qd_room *room, qd_outcome outcome)
{
    for (qd_log_entry *entry = TAILQ_FIRST(&room->session->log.list), *next; entry != NULL; entry = next) {
        next = next_of(entry);
        if (entry->room == room) {
            qd_log_answer(entry, outcome, NULL);
        }
    }
}

/* ---- connections ---- */

void qd_log_resume(qd_session *session, uint64_t last_seq)
{
    qd_log_entry *entry, *end = TAILQ_LAST(&session->log.list, qd_log_list), *next;
    bool at_end = end == NULL;

    TAILQ_FOREACH (entry, &session->log.list, list) {
        qd_decoded_client decoded;

        if (entry->seq > last_seq) {
            if (qd_log_decode(entry, &decoded)) {
                transmit(entry, &decoded.message);
            }
            qd_decoded_client_release(&decoded, &qd_memory_of_codec);
        }
    }
    /* Answers may be lost: these requests only read, or change nothing when they are repeated. Then come the requests
     * that were not sent at all. */
    for (entry = TAILQ_FIRST(&session->log.list); !at_end && entry != NULL; entry = next) {
        at_end = entry == end;
        next = next_of(entry);
        bool lost = entry->seq != 0 && entry->seq <= last_seq && is_answered(entry->kind);
        bool unsent = entry->seq == 0 && (entry->restores || entry->room->state == QD_ROOM_READY);
        if (lost || unsent) {
            push_again(entry);
        }
    }
}

void qd_log_restart(qd_session *session)
{
    for (qd_log_entry *entry = TAILQ_FIRST(&session->log.list), *next; entry != NULL; entry = next) {
        next = next_of(entry);
        if (entry->restores) {
            qd_log_drop(session, entry);
            continue;
        }
        entry->retried = entry->retried || entry->seq != 0;
        entry->seq = 0;
    }
    merge(session, false);
}

void qd_log_replay(qd_room *room)
{
    qd_log_entry *end = TAILQ_LAST(&room->session->log.list, qd_log_list), *next;
    bool at_end = end == NULL;

    for (qd_log_entry *entry = TAILQ_FIRST(&room->session->log.list); !at_end && entry != NULL; entry = next) {
        at_end = entry == end;
        next = next_of(entry);
        if (entry->room == room && entry->seq == 0) {
            push_again(entry);
        }
    }
}
