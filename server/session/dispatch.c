/* SPDX-License-Identifier: Apache-2.0 */
#include "dispatch.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "../../proto/framing.h"
#include "../actor/query_message.h"
#include "../actor/reply.h"
#include "../actor/room_actor.h"
#include "../actor/roster_commands.h"
#include "../base/log.h"
#include "resume.h"
#include "room_config.h"
#include "view_request.h"

/* A handler answers the request, or gives it to a room and sets *request to NULL. */
typedef void (*handle_fn)(qd_session *session, qd_request **request);

#define fail(session, request, room, code, ...)                                                                        \
    qd_reply_error((session)->server, (session)->link, (request)->decoded.message.seq, (room), (code), __VA_ARGS__)

static void answer(qd_session *session, const qd_request *request, qd_server_message *message)
{
    message->seq = request->decoded.message.seq;
    qd_reply_send(session->server, session->link, message);
}

/* Puts the request into the mailbox of the seat's room. */
static void post(qd_seat *seat, qd_request **request)
{
    (*request)->head.seat = seat;
    qd_host_post(seat->host, *request);
    *request = NULL;
}

/* ---- the session ---- */

static void handle_hello(qd_session *session, qd_request **request)
{
    const qd_msg_hello *hello = &(*request)->decoded.message.as.hello;
    const qd_server_config *config = &session->server->config;
    uint32_t seq = (*request)->decoded.message.seq;

    if (session->state == QD_SESSION_READY) {
        fail(session, *request, 0, QD_ERROR_INVALID, "Hello came before: send it once");
        return;
    }
    if (hello->version != QD_PROTOCOL_VERSION) {
        qd_session_end(session, seq, QD_ERROR_VERSION, "version is %" PRIu32 ": this server speaks version %u",
                       hello->version, QD_PROTOCOL_VERSION);
        return;
    }
    size_t token_size = strlen(hello->token), client_size = strlen(hello->client);
    if (token_size > QD_TOKEN_BYTES_MAX || client_size > QD_CLIENT_NAME_BYTES_MAX) {
        bool token = token_size > QD_TOKEN_BYTES_MAX;

        fail(session, *request, 0, QD_ERROR_INVALID, "%s has %zu bytes: must have at most %u",
             token ? "token" : "client", token ? token_size : client_size,
             token ? QD_TOKEN_BYTES_MAX : QD_CLIENT_NAME_BYTES_MAX);
        return;
    }
    session->admin = config->admin_tokens != NULL && qd_tokens_contain(config->admin_tokens, hello->token);
    if (!session->admin && config->tokens != NULL && !qd_tokens_contain(config->tokens, hello->token)) {
        qd_session_end(session, seq, QD_ERROR_UNAUTHENTICATED,
                       "the token is not accepted: send one that the server was started with (--token-file)");
        return;
    }
    if (qd_session_token_set(session, hello->token) != QD_OK) {
        qd_session_end(session, seq, QD_ERROR_LIMIT,
                       "the server has no memory left for a session (--memory-max): connect again later");
        return;
    }
    qd_log(QD_LOG_DEBUG, "hello session=%" PRIu64 " peer=%s client=\"%s\"%s", session->number, session->link->peer,
           hello->client, session->admin ? " admin" : "");
    session->hello_seq = seq;
    if (hello->resume.size > 0) {
        qd_resume_start(session, &hello->resume);
        return;
    }
    if (hello->resumable) {
        qd_resume_enable(session);
    }
    qd_session_welcome(session, false);
}

static void handle_ping(qd_session *session, qd_request **request)
{
    answer(session, *request,
           &(qd_server_message){.kind = QD_SERVER_PONG, .as.pong = (*request)->decoded.message.as.ping});
}

static void handle_nothing(qd_session *session, qd_request **request)
{
    fail(session, *request, 0, QD_ERROR_UNKNOWN_MESSAGE,
         "the envelope is empty, or its message is of a kind that this server does not know: see quadrille.proto, "
         "version %u",
         QD_PROTOCOL_VERSION);
}

/* ---- opening and closing rooms ---- */

/* Why a room cannot be opened; answered when the registry's lock is given back. */
typedef struct open_refusal {
    qd_error_code code; /* 0: it can */
    uint64_t room;
    char text[240];
} open_refusal;

static void refuse(open_refusal *refusal, qd_error_code code, uint64_t room, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static void refuse(open_refusal *refusal, qd_error_code code, uint64_t room, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(refusal->text, sizeof refusal->text, format, arguments);
    va_end(arguments);
    refusal->code = code;
    refusal->room = room;
}

/* Under the lock: a new room, listed. NULL: it is refused. */
static qd_host *create(qd_session *session, const qd_msg_open_room *open, open_refusal *refusal)
{
    qd_server *server = session->server;

    if (!open->has_config) {
        refuse(refusal, QD_ERROR_UNKNOWN_ROOM, 0, "no room \"%s\" is open: send a config to create it", open->name);
        return NULL;
    }
    if (!open->config.has_bounds) {
        refuse(refusal, QD_ERROR_INVALID, 0, "bounds are missing: a new room needs them");
        return NULL;
    }
    qd_msg_room_config config;
    qd_room_config_resolve(&open->config, &server->config.limits, &config);
    qd_host *host = qd_host_create(server, open->name, &config, session);
    qd_status status = host == NULL ? QD_ERR_NO_MEMORY : qd_registry_add(&server->registry, &host->named);
    if (status == QD_OK) {
        return host;
    }
    if (host != NULL) {
        qd_host_destroy(host);
    }
    if (status == QD_ERR_FULL) {
        refuse(refusal, QD_ERROR_LIMIT, 0,
               "%" PRIu32 " rooms are open, which is all the server takes (--rooms-max): close one",
               server->registry.count);
    } else {
        refuse(refusal, QD_ERROR_LIMIT, 0,
               "the server has no memory left for a room (--memory-max): close one, or try again later");
    }
    return NULL;
}

/* Under the lock: the room of that name, made if need be. NULL: it is refused. */
static qd_host *find_or_create(qd_session *session, qd_request *request, open_refusal *refusal)
{
    const qd_msg_open_room *open = &request->decoded.message.as.open_room;
    qd_named *named = qd_registry_find(&session->server->registry, open->name);

    if (named == NULL) {
        qd_host *host = create(session, open, refusal);

        request->created = host != NULL;
        return host;
    }
    qd_host *host = qd_host_of(named);
    char fault[200];
    if (!open->has_config || qd_room_config_agrees(&open->config, &host->config, fault, sizeof fault)) {
        return host;
    }
    refuse(refusal, QD_ERROR_CONFIG_MISMATCH, named->handle, "%s", fault);
    return NULL;
}

/* Under the lock, so that the room cannot close before the message is in. */
static void open_listed(qd_session *session, qd_request **request, open_refusal *refusal)
{
    if (atomic_load(&session->server->stopping)) {
        refuse(refusal, QD_ERROR_NOT_ALLOWED, 0, "the server is stopping: open the room on another");
        return;
    }
    qd_host *host = find_or_create(session, *request, refusal);
    if (host == NULL) {
        return;
    }
    qd_seat *seat = qd_session_seat(session, host->named.handle);
    if (seat == NULL) {
        seat = qd_session_sit(session, host);
    }
    if (seat == NULL) {
        refuse(refusal, QD_ERROR_LIMIT, host->named.handle,
               "the server has no memory left to join a room (--memory-max): leave one, or try again later");
        qd_host_wake(host); /* so that a room in which nobody is closes in its time */
        return;
    }
    host->arrivals++;
    post(seat, request);
}

static void handle_open_room(qd_session *session, qd_request **request)
{
    const qd_msg_open_room *open = &(*request)->decoded.message.as.open_room;
    const qd_limits *limits = &session->server->config.limits;
    open_refusal refusal = {0};

    if (!qd_room_name_check(open->name, refusal.text, sizeof refusal.text) ||
        (open->has_config && !qd_room_config_check(&open->config, limits, refusal.text, sizeof refusal.text))) {
        refusal.code = QD_ERROR_INVALID;
    } else {
        qd_registry_lock(&session->server->registry);
        open_listed(session, request, &refusal);
        qd_registry_unlock(&session->server->registry);
    }
    if (refusal.code != QD_ERROR_NONE) {
        fail(session, *request, refusal.room, refusal.code, "%s", refusal.text);
    }
}

/* The session's seat in the room that the request names; NULL: it has none, and the error is answered. */
static qd_seat *seat_of(qd_session *session, const qd_request *request, uint64_t room)
{
    qd_seat *seat = qd_session_seat(session, room);

    if (seat != NULL) {
        qd_host_fetch(seat->host);
    } else {
        fail(session, request, room, QD_ERROR_UNKNOWN_ROOM,
             "no room with handle %" PRIu64 " is open in this session: OpenRoom first", room);
    }
    return seat;
}

static void handle_leave_room(qd_session *session, qd_request **request)
{
    qd_seat *seat = seat_of(session, *request, (*request)->decoded.message.as.room.room);

    if (seat != NULL) {
        qd_session_stand(session, seat, true, (*request)->decoded.message.seq);
    }
}

static bool may_close(const qd_session *session, const qd_host *host)
{
    return session->admin || session->number == host->creator || qd_token_same(session->token, host->creator_token);
}

static void handle_close_room(qd_session *session, qd_request **request)
{
    uint64_t room = (*request)->decoded.message.as.room.room;
    qd_seat *seat = seat_of(session, *request, room);

    if (seat == NULL) {
        return;
    }
    if (!may_close(session, seat->host)) {
        fail(session, *request, room, QD_ERROR_NOT_ALLOWED,
             "only the session that created the room, one with its token, or an admin may close it: LeaveRoom leaves "
             "it");
        return;
    }
    /* The name is free at once, so that an OpenRoom sent after this makes a new room. */
    qd_registry *registry = &session->server->registry;
    qd_registry_lock(registry);
    if (seat->host->named.listed) {
        qd_registry_remove(registry, &seat->host->named);
    }
    qd_registry_unlock(registry);
    post(seat, request);
}

static void handle_list_rooms(qd_session *session, qd_request **request)
{
    const qd_msg_list_rooms *list = &(*request)->decoded.message.as.list_rooms;

    if (list->limit > QD_LIST_ROOMS_MAX) {
        fail(session, *request, 0, QD_ERROR_INVALID, "limit is %" PRIu32 ": must be at most %u", list->limit,
             QD_LIST_ROOMS_MAX);
        return;
    }
    uint32_t limit = list->limit == 0 ? QD_LIST_ROOMS_MAX : list->limit;
    const size_t size = QD_LIST_ROOMS_MAX * (sizeof(qd_msg_room_info) + QD_ROOM_NAME_BYTES_MAX + 1);
    qd_msg_room_info *rooms = qd_shared_alloc(size);
    if (rooms == NULL) {
        fail(session, *request, 0, QD_ERROR_LIMIT, "the server has no memory left (--memory-max): try again later");
        return;
    }
    char(*names)[QD_ROOM_NAME_BYTES_MAX + 1] = (void *)(rooms + QD_LIST_ROOMS_MAX);
    qd_registry *registry = &session->server->registry;
    qd_registry_lock(registry);
    uint32_t first = qd_registry_after(registry, list->after), count = registry->count - first;
    bool more = count > limit;
    if (more) {
        count = limit;
    }
    for (uint32_t i = 0; i < count; i++) {
        const qd_host *host = qd_host_of(registry->by_name[first + i]);

        memcpy(names[i], host->named.name, sizeof names[i]);
        rooms[i] = (qd_msg_room_info){
            .name = names[i],
            .tick_mode = host->config.tick_mode,
            .tick_hz = host->config.tick_hz,
            .tick = atomic_load_explicit(&host->shown_tick, memory_order_relaxed),
            .entities = atomic_load_explicit(&host->shown_entities, memory_order_relaxed),
            .sessions = atomic_load_explicit(&host->shown_sessions, memory_order_relaxed),
        };
    }
    qd_registry_unlock(registry);
    answer(session, *request,
           &(qd_server_message){.kind = QD_SERVER_ROOM_LIST,
                                .as.room_list = {.count = count, .rooms = rooms, .more = more}});
    qd_shared_free(rooms, size);
}

/* ---- requests that rooms answer ---- */

/* Whether the columns are those of a room of so many dimensions; else the error is answered. */
static bool check_columns(qd_session *session, const qd_request *request, uint32_t dimensions)
{
    const qd_msg_batch *batch = &request->decoded.message.as.batch;
    const qd_msg_entities *entities = &batch->entities;

    if (dimensions == 2 && (entities->z != NULL || entities->half_z != NULL)) {
        fail(session, request, batch->room, QD_ERROR_INVALID,
             "%s has values, but the room has two dimensions: leave that column out",
             entities->z != NULL ? "z" : "half_z");
        return false;
    }
    if (dimensions == 3 && entities->x != NULL && entities->z == NULL) {
        fail(session, request, batch->room, QD_ERROR_COLUMNS,
             "column z is missing, but the room has three dimensions: send it beside x and y");
        return false;
    }
    return true;
}

/* The seat's requests take a share of what may wait in the room. */
static void count_writer(qd_seat *seat)
{
    if (seat->writes) {
        return;
    }
    seat->writes = true;
    atomic_fetch_add_explicit(&seat->host->writers, 1, memory_order_relaxed);
}

static void handle_batch(qd_session *session, qd_request **request)
{
    const qd_msg_batch *batch = &(*request)->decoded.message.as.batch;
    qd_seat *seat = seat_of(session, *request, batch->room);

    if (seat == NULL || !check_columns(session, *request, seat->host->config.dimensions)) {
        return;
    }
    count_writer(seat);
    post(seat, request);
}

static void handle_subscribe(qd_session *session, qd_request **request)
{
    const qd_msg_subscribe *subscribe = &(*request)->decoded.message.as.subscribe;
    qd_seat *seat = seat_of(session, *request, subscribe->room);

    if (seat == NULL) {
        return;
    }
    if ((unsigned)subscribe->scope > QD_SCOPE_OWN) {
        fail(session, *request, subscribe->room, QD_ERROR_INVALID,
             "scope is %d: must be SCOPE_ALL (1) or SCOPE_OWN (2)", (int)subscribe->scope);
    } else {
        post(seat, request);
    }
}

static void handle_snapshot(qd_session *session, qd_request **request)
{
    const qd_msg_snapshot *snapshot = &(*request)->decoded.message.as.snapshot;
    qd_seat *seat = seat_of(session, *request, snapshot->room);
    char fault[200];

    if (seat == NULL) {
        return;
    }
    if (snapshot->limit > QD_SNAPSHOT_ROWS_MAX) {
        fail(session, *request, snapshot->room, QD_ERROR_INVALID, "limit is %" PRIu32 ": must be at most %u",
             snapshot->limit, QD_SNAPSHOT_ROWS_MAX);
    } else if (snapshot->has_region &&
               !qd_region_check(&snapshot->region, seat->host->config.dimensions, fault, sizeof fault)) {
        fail(session, *request, snapshot->room, QD_ERROR_INVALID, "%s", fault);
    } else {
        post(seat, request);
    }
}

static void handle_query(qd_session *session, qd_request **request)
{
    const qd_msg_query *query = &(*request)->decoded.message.as.query;
    qd_seat *seat = seat_of(session, *request, query->room);
    char fault[200];

    if (seat == NULL) {
        return;
    }
    if (qd_query_check(query, seat->host->config.dimensions, fault, sizeof fault)) {
        post(seat, request);
    } else {
        fail(session, *request, query->room, QD_ERROR_INVALID, "%s", fault);
    }
}

static void handle_step(qd_session *session, qd_request **request)
{
    qd_seat *seat = seat_of(session, *request, (*request)->decoded.message.as.step.room);

    if (seat != NULL) {
        post(seat, request);
    }
}

static void handle_ack(qd_session *session, qd_request **request)
{
    const qd_msg_step *ack = &(*request)->decoded.message.as.step;
    qd_seat *seat = seat_of(session, *request, ack->room);

    if (seat != NULL) {
        seat->acked_tick = ack->tick;
    }
}

static void handle_unsubscribe(qd_session *session, qd_request **request)
{
    qd_seat *seat = seat_of(session, *request, (*request)->decoded.message.as.room.room);

    if (seat != NULL) {
        post(seat, request);
    }
}

typedef qd_error_code (*check_fn)(const qd_client_message *message, uint32_t dimensions, char *fault,
                                  size_t fault_size);

static void handle_checked(qd_session *session, qd_request **request, check_fn check)
{
    const qd_client_message *message = &(*request)->decoded.message;
    uint64_t room = message->as.room.room; /* the first field of all of them */
    qd_seat *seat = seat_of(session, *request, room);
    char fault[200];

    if (seat == NULL) {
        return;
    }
    qd_error_code code = check(message, seat->host->config.dimensions, fault, sizeof fault);
    if (code != QD_ERROR_NONE) {
        fail(session, *request, room, code, "%s", fault);
        return;
    }
    if (message->kind != QD_CLIENT_WHY) {
        count_writer(seat);
    }
    post(seat, request);
}

/* Describe, Observe and their like. */
static void handle_view_request(qd_session *session, qd_request **request)
{
    handle_checked(session, request, qd_view_request_check);
}

/* Roster, RosterMove. */
static void handle_roster(qd_session *session, qd_request **request)
{
    handle_checked(session, request, qd_roster_check);
}

static void handle_handover(qd_session *session, qd_request **request)
{
    const qd_msg_handover *handover = &(*request)->decoded.message.as.handover;
    qd_seat *seat = seat_of(session, *request, handover->room);

    if (seat == NULL) {
        return;
    }
    if ((handover->session != 0) == handover->room_owned) {
        fail(session, *request, handover->room, QD_ERROR_INVALID,
             handover->room_owned ? "session is %" PRIu64 ", and room_owned is set: name one receiver"
                                  : "session is %" PRIu64 ": name the receiver, or set room_owned",
             handover->session);
        return;
    }
    count_writer(seat);
    post(seat, request);
}

static void handle_adopt(qd_session *session, qd_request **request)
{
    const qd_msg_adopt *adopt = &(*request)->decoded.message.as.adopt;
    qd_seat *seat = seat_of(session, *request, adopt->room);

    if (seat == NULL) {
        return;
    }
    if (session->token == NULL) {
        fail(session, *request, adopt->room, QD_ERROR_NOT_ALLOWED,
             "this session has no token, so that no other is known to be its own: send the token of the one that is to "
             "be adopted from in Hello (a server started with --token-file also checks it)");
        return;
    }
    if (adopt->session == session->number) {
        fail(session, *request, adopt->room, QD_ERROR_INVALID,
             "session is %" PRIu64 ", which is this one: name another, or none", adopt->session);
        return;
    }
    count_writer(seat);
    post(seat, request);
}

static void handle_get_stats(qd_session *session, qd_request **request)
{
    uint64_t room = (*request)->decoded.message.as.room.room;

    if (room != 0) {
        qd_seat *seat = seat_of(session, *request, room);

        if (seat != NULL) {
            post(seat, request);
        }
        return;
    }
    qd_server_message message = {.kind = QD_SERVER_STATS};
    qd_server_stats(session->server, &message.as.stats.server);
    answer(session, *request, &message);
}

static const handle_fn handlers[] = {
    [QD_CLIENT_NOTHING] = handle_nothing,
    [QD_CLIENT_HELLO] = handle_hello,
    [QD_CLIENT_OPEN_ROOM] = handle_open_room,
    [QD_CLIENT_LEAVE_ROOM] = handle_leave_room,
    [QD_CLIENT_CLOSE_ROOM] = handle_close_room,
    [QD_CLIENT_LIST_ROOMS] = handle_list_rooms,
    [QD_CLIENT_SPAWN] = handle_batch,
    [QD_CLIENT_MOVE] = handle_batch,
    [QD_CLIENT_TELEPORT] = handle_batch,
    [QD_CLIENT_RESHAPE] = handle_batch,
    [QD_CLIENT_DESPAWN] = handle_batch,
    [QD_CLIENT_SUBSCRIBE] = handle_subscribe,
    [QD_CLIENT_UNSUBSCRIBE] = handle_unsubscribe,
    [QD_CLIENT_SNAPSHOT] = handle_snapshot,
    [QD_CLIENT_STEP] = handle_step,
    [QD_CLIENT_GET_STATS] = handle_get_stats,
    [QD_CLIENT_PING] = handle_ping,
    [QD_CLIENT_QUERY] = handle_query,
    [QD_CLIENT_DESCRIBE] = handle_view_request,
    [QD_CLIENT_OBSERVE] = handle_view_request,
    [QD_CLIENT_MOVE_OBSERVERS] = handle_view_request,
    [QD_CLIENT_UNOBSERVE] = handle_view_request,
    [QD_CLIENT_EXCEPT] = handle_view_request,
    [QD_CLIENT_VIEW_OPTIONS] = handle_view_request,
    [QD_CLIENT_WHY] = handle_view_request,
    [QD_CLIENT_HANDOVER] = handle_handover,
    [QD_CLIENT_ACK] = handle_ack,
    [QD_CLIENT_ADOPT] = handle_adopt,
    [QD_CLIENT_ROSTER] = handle_roster,
    [QD_CLIENT_ROSTER_MOVE] = handle_roster,
};

/* ---- the frame ---- */

static void dispatch(qd_session *session, qd_request **request, qd_decode_result result, size_t size)
{
    const qd_decoded_client *decoded = &(*request)->decoded;

    if (result == QD_DECODE_MALFORMED) {
        qd_session_end(session, 0, QD_ERROR_MALFORMED,
                       "a frame of %zu bytes is no ClientFrame: check its protobuf encoding against quadrille.proto",
                       size);
        return;
    }
    bool early = session->state == QD_SESSION_WAITING && decoded->message.kind != QD_CLIENT_HELLO;
    if (early || session->state == QD_SESSION_RESUMING) {
        qd_session_end(session, decoded->message.seq, QD_ERROR_NO_HELLO, "the first frame is not Hello: send it first");
        return;
    }
    if (decoded->message.seq != 0) {
        session->last_seq = decoded->message.seq;
    }
    if (result == QD_DECODE_COLUMNS) {
        fail(session, *request, decoded->message.as.batch.room, QD_ERROR_COLUMNS, "%s", decoded->fault);
        return;
    }
    handlers[decoded->message.kind](session, request);
}

/* Who could not even say Hello has to connect again. */
static void fail_for_memory(qd_session *session, const uint8_t *bytes, size_t size)
{
    uint32_t seq = qd_client_frame_seq(bytes, size);
    static const char text[] = "the server has no memory left for a frame of %zu bytes (--memory-max): try again later";

    if (session->state == QD_SESSION_WAITING) {
        qd_session_end(session, seq, QD_ERROR_LIMIT, text, size);
    } else {
        qd_reply_error(session->server, session->link, seq, 0, QD_ERROR_LIMIT, text, size);
    }
}

void qd_dispatch(qd_session *session, const uint8_t *bytes, size_t size)
{
    qd_server *server = session->server;

    qd_count(server, QD_COUNT_BYTES_IN, size + qd_frame_prefix_size((uint32_t)size));
    qd_request *request = qd_request_create();
    qd_decode_result result =
        request == NULL ? QD_DECODE_NO_MEMORY : qd_decode_client(bytes, size, &qd_request_memory, &request->decoded);
    if (result == QD_DECODE_NO_MEMORY) {
        fail_for_memory(session, bytes, size);
    } else {
        dispatch(session, &request, result, size);
    }
    qd_request_destroy(request);
}
