/* SPDX-License-Identifier: Apache-2.0
 *
 * Rooms for the program, and waiting for their requests.
 */
#include <string.h>

#include "session.h"

qd_room *qd_session_room(qd_session *session, const char *name, const qd_msg_room_config *config)
{
    qd_room **end = &session->rooms;

    for (; *end != NULL; end = &(*end)->next) {
        if (strcmp((*end)->name, name) == 0 && (*end)->state < QD_ROOM_LEAVING) {
            return *end;
        }
    }
    if (strlen(name) > QD_ROOM_NAME_BYTES_MAX) {
        qd_session_fail(session, "the room's name has %zu bytes; must be at most %u", strlen(name),
                        QD_ROOM_NAME_BYTES_MAX);
        return NULL;
    }
    qd_room *room = qd_memory_zeroed(1, sizeof *room);
    if (room == NULL) {
        qd_session_fail(session, "out of memory");
        return NULL;
    }
    room->session = session;
    strcpy(room->name, name);
    room->has_config = config != NULL;
    if (config != NULL) {
        room->config = *config;
        room->has_z = config->dimensions == 3;
        room->steps = config->tick_mode == QD_TICK_MODE_STEP;
    }
    room->pairs = qd_pairs_create();
    room->view = qd_view_create(NULL);
    *end = room;
    if (room->pairs == NULL || room->view == NULL) {
        qd_session_fail(session, "out of memory");
        qd_room_destroy(room);
        return NULL;
    }
    if (session->state == QD_SESSION_STATE_READY) {
        qd_restore_open(room);
    }
    return room;
}

void qd_room_destroy(qd_room *room)
{
    qd_room **link = &room->session->rooms;

    while (*link != room) {
        link = &(*link)->next;
    }
    *link = room->next;
    qd_kept_free(&room->kept);
    qd_table_empty(&room->present);
    qd_pairs_destroy(room->pairs);
    qd_pairs_destroy(room->base);
    qd_view_destroy(room->view);
    qd_memory_free(room);
}

static void leave(qd_room *room, qd_client_kind kind)
{
    qd_client_message message = {.kind = kind};

    qd_log_forget(room, QD_OUTCOME_ROOM_CLOSED);
    if (room->handle == 0) {
        room->state = QD_ROOM_LEFT;
        return;
    }
    room->state = QD_ROOM_LEAVING;
    if (qd_log_push(room, &message, 0, QD_LOG_RESTORE) == NULL) {
        room->state = QD_ROOM_LEFT;
    }
}

void qd_room_leave(qd_room *room)
{
    leave(room, QD_CLIENT_LEAVE_ROOM);
}

void qd_room_close(qd_room *room)
{
    leave(room, QD_CLIENT_CLOSE_ROOM);
}

/* ---- reading ---- */

qd_session *qd_room_session(const qd_room *room)
{
    return room->session;
}

const char *qd_room_name(const qd_room *room)
{
    return room->name;
}

void qd_room_set_context(qd_room *room, void *context)
{
    room->context = context;
}

void *qd_room_context(const qd_room *room)
{
    return room->context;
}

bool qd_room_handle_views(qd_room *room, const qd_view_handlers *handlers)
{
    qd_view *view = qd_view_create(handlers);

    if (view == NULL) {
        qd_session_fail(room->session, "out of memory");
        return false;
    }
    qd_view_destroy(room->view);
    room->view = view;
    return true;
}

const qd_pairs *qd_room_pairs(const qd_room *room)
{
    return room->base != NULL ? room->base : room->pairs;
}

const qd_view *qd_room_view(const qd_room *room)
{
    return room->view;
}

uint64_t qd_room_tick(const qd_room *room)
{
    return room->tick;
}

bool qd_room_reports(const qd_room *room)
{
    return !room->missing && !room->pairs_stale && (room->steps || !room->view_stale);
}

bool qd_room_settled(const qd_room *room)
{
    return room->state == QD_ROOM_READY && !room->pairs_stale && !room->view_stale && room->base == NULL &&
           (!room->wants_pairs || qd_pairs_known(room->pairs)) && qd_view_known(room->view);
}

/* ---- waiting ---- */

static bool is_pending(const qd_room *room, uint64_t request)
{
    if (room->state < QD_ROOM_READY || qd_log_has(room, request)) {
        return true;
    }
    /* What was carried out later includes it. */
    return request > room->applied && request <= room->merged && qd_log_has(room, room->merged);
}

static bool was_refused(const qd_session *session, uint64_t request)
{
    for (uint32_t i = 0; i < QD_REFUSED_MAX && i < session->refused_count; i++) {
        if (session->refused[i] == request) {
            return true;
        }
    }
    return false;
}

/* The outcome as it is now; TIMEOUT: none yet. */
static qd_outcome outcome_of(const qd_room *room, uint64_t request)
{
    if (request == 0) {
        return QD_OUTCOME_INVALID;
    }
    if (room->session->state == QD_SESSION_STATE_ENDED) {
        return QD_OUTCOME_ENDED;
    }
    if (room->state >= QD_ROOM_LEAVING) {
        return QD_OUTCOME_ROOM_CLOSED;
    }
    if (was_refused(room->session, request) && !qd_log_has(room, request)) {
        return QD_OUTCOME_REFUSED;
    }
    return is_pending(room, request) || !qd_room_reports(room) ? QD_OUTCOME_TIMEOUT : QD_OUTCOME_OK;
}

/* Serves the session once more, within the time. Returns whether there was time. */
static bool serve(qd_room *room, uint64_t start_ms, int timeout_ms)
{
    uint64_t passed = qd_session_system_ms() - start_ms;

    if (timeout_ms >= 0 && passed >= (uint64_t)timeout_ms) {
        return false;
    }
    qd_session_run(room->session, timeout_ms < 0 ? -1 : timeout_ms - (int)passed);
    return true;
}

qd_outcome qd_room_wait(qd_room *room, uint64_t request, int timeout_ms, uint64_t *tick)
{
    uint64_t start_ms = qd_session_system_ms();
    qd_outcome outcome = outcome_of(room, request);

    while (outcome == QD_OUTCOME_TIMEOUT && serve(room, start_ms, timeout_ms)) {
        outcome = outcome_of(room, request);
    }
    if (outcome == QD_OUTCOME_OK && tick != NULL) {
        *tick = room->applied_tick;
    }
    return outcome;
}

qd_outcome qd_room_step_wait(qd_room *room, int timeout_ms, uint64_t *tick)
{
    return qd_room_wait(room, qd_room_step(room), timeout_ms, tick);
}

/* ---- queries ---- */

uint64_t qd_room_start_query(qd_room *room, const qd_msg_query *query, qd_query_fn done, void *context)
{
    qd_log_entry *entry = qd_room_request(room, &(qd_client_message){.kind = QD_CLIENT_QUERY, .as.query = *query});

    if (entry == NULL) {
        return 0;
    }
    entry->query_done = done;
    entry->context = context;
    return entry->request;
}

uint64_t qd_room_start_why(qd_room *room, const qd_msg_why *why, qd_why_fn done, void *context)
{
    qd_log_entry *entry = qd_room_request(room, &(qd_client_message){.kind = QD_CLIENT_WHY, .as.why = *why});

    if (entry == NULL) {
        return 0;
    }
    entry->why_done = done;
    entry->context = context;
    return entry->request;
}

typedef struct awaited {
    qd_outcome outcome; /* TIMEOUT: not there */
    const void *result;
} awaited;

static void note(qd_room *room, qd_outcome outcome, const void *result, awaited *waiting)
{
    *waiting = (awaited){outcome, result};
    room->session->stop = true; /* the result stays valid until the next call */
}

static void note_query(qd_room *room, qd_outcome outcome, const qd_msg_query_result *result, void *context)
{
    note(room, outcome, result, context);
}

static void note_why(qd_room *room, qd_outcome outcome, const qd_msg_why_result *result, void *context)
{
    note(room, outcome, result, context);
}

static void await(qd_room *room, uint64_t request, int timeout_ms, awaited *waiting)
{
    uint64_t start_ms = qd_session_system_ms();

    if (request == 0) {
        waiting->outcome = QD_OUTCOME_INVALID;
    }
    while (waiting->outcome == QD_OUTCOME_TIMEOUT && serve(room, start_ms, timeout_ms)) {
        continue;
    }
    if (waiting->outcome == QD_OUTCOME_TIMEOUT) {
        qd_log_abandon(room, request);
    }
}

qd_outcome qd_room_query(qd_room *room, const qd_msg_query *query, int timeout_ms, const qd_msg_query_result **result)
{
    awaited waiting = {.outcome = QD_OUTCOME_TIMEOUT};

    await(room, qd_room_start_query(room, query, note_query, &waiting), timeout_ms, &waiting);
    if (waiting.outcome == QD_OUTCOME_OK) {
        *result = waiting.result;
    }
    return waiting.outcome;
}

qd_outcome qd_room_why(qd_room *room, const qd_msg_why *why, int timeout_ms, const qd_msg_why_result **result)
{
    awaited waiting = {.outcome = QD_OUTCOME_TIMEOUT};

    await(room, qd_room_start_why(room, why, note_why, &waiting), timeout_ms, &waiting);
    if (waiting.outcome == QD_OUTCOME_OK) {
        *result = waiting.result;
    }
    return waiting.outcome;
}
