/* SPDX-License-Identifier: Apache-2.0 */
#include "dispatch.h"

#include <inttypes.h>

#include "../../proto/framing.h"
#include "../actor/service/reply.h"
#include "check/query_request.h"
#include "check/roster_request.h"
#include "check/view_request.h"
#include "hello.h"
#include "room_requests.h"

/* A handler answers the request, or posts it to a room and sets *request to NULL. */
typedef void (*handle_fn)(qd_session *session, qd_request **request);

#define fail qd_session_fail

/* ---- requests that the session answers ---- */

static void handle_ping(qd_session *session, qd_request **request)
{
    qd_session_answer(session, *request,
                      &(qd_server_message){.kind = QD_SERVER_PONG, .as.pong = (*request)->decoded.message.as.ping});
}

static void handle_nothing(qd_session *session, qd_request **request)
{
    fail(session, *request, 0, QD_ERROR_UNKNOWN_MESSAGE,
         "the envelope is empty, or its message is of a kind that this server does not know: see quadrille.proto, "
         "version %u",
         QD_PROTOCOL_VERSION);
}

/* ---- requests that rooms answer ---- */

/* Whether the columns suit a room with that many dimensions. If not, the error is answered. */
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

/* From now on the membership has a share of the batches that may wait in the room. */
static void count_writer(qd_membership *membership)
{
    if (membership->writes) {
        return;
    }
    membership->writes = true;
    atomic_fetch_add_explicit(&membership->actor->writers, 1, memory_order_relaxed);
}

static void handle_batch(qd_session *session, qd_request **request)
{
    const qd_msg_batch *batch = &(*request)->decoded.message.as.batch;
    qd_membership *membership = qd_session_expect_membership(session, *request, batch->room);

    if (membership == NULL || !check_columns(session, *request, membership->actor->config.dimensions)) {
        return;
    }
    count_writer(membership);
    qd_session_post(membership, request);
}

static void handle_subscribe(qd_session *session, qd_request **request)
{
    const qd_msg_subscribe *subscribe = &(*request)->decoded.message.as.subscribe;
    qd_membership *membership = qd_session_expect_membership(session, *request, subscribe->room);

    if (membership == NULL) {
        return;
    }
    if ((unsigned)subscribe->scope > QD_SCOPE_OWN) {
        fail(session, *request, subscribe->room, QD_ERROR_INVALID,
             "scope is %d: must be SCOPE_ALL (1) or SCOPE_OWN (2)", (int)subscribe->scope);
    } else {
        qd_session_post(membership, request);
    }
}

static void handle_snapshot(qd_session *session, qd_request **request)
{
    const qd_msg_snapshot *snapshot = &(*request)->decoded.message.as.snapshot;
    qd_membership *membership = qd_session_expect_membership(session, *request, snapshot->room);
    char fault[200];

    if (membership == NULL) {
        return;
    }
    if (snapshot->limit > QD_SNAPSHOT_ROWS_MAX) {
        fail(session, *request, snapshot->room, QD_ERROR_INVALID, "limit is %" PRIu32 ": must be at most %u",
             snapshot->limit, QD_SNAPSHOT_ROWS_MAX);
    } else if (snapshot->has_region &&
               !qd_region_check(&snapshot->region, membership->actor->config.dimensions, fault, sizeof fault)) {
        fail(session, *request, snapshot->room, QD_ERROR_INVALID, "%s", fault);
    } else {
        qd_session_post(membership, request);
    }
}

static void handle_query(qd_session *session, qd_request **request)
{
    const qd_msg_query *query = &(*request)->decoded.message.as.query;
    qd_membership *membership = qd_session_expect_membership(session, *request, query->room);
    char fault[200];

    if (membership == NULL) {
        return;
    }
    if (qd_query_check(query, membership->actor->config.dimensions, fault, sizeof fault)) {
        qd_session_post(membership, request);
    } else {
        fail(session, *request, query->room, QD_ERROR_INVALID, "%s", fault);
    }
}

static void handle_step(qd_session *session, qd_request **request)
{
    qd_membership *membership =
        qd_session_expect_membership(session, *request, (*request)->decoded.message.as.step.room);

    if (membership != NULL) {
        qd_session_post(membership, request);
    }
}

static void handle_ack(qd_session *session, qd_request **request)
{
    const qd_msg_step *ack = &(*request)->decoded.message.as.step;
    qd_membership *membership = qd_session_expect_membership(session, *request, ack->room);

    if (membership != NULL) {
        membership->acked_tick = ack->tick;
    }
}

static void handle_unsubscribe(qd_session *session, qd_request **request)
{
    qd_membership *membership =
        qd_session_expect_membership(session, *request, (*request)->decoded.message.as.room.room);

    if (membership != NULL) {
        qd_session_post(membership, request);
    }
}

typedef qd_error_code (*check_fn)(const qd_client_message *message, uint32_t dimensions, char *fault,
                                  size_t fault_size);

static void handle_checked(qd_session *session, qd_request **request, check_fn check)
{
    const qd_client_message *message = &(*request)->decoded.message;
    uint64_t room = message->as.room.room; /* the first field of all these messages */
    qd_membership *membership = qd_session_expect_membership(session, *request, room);
    char fault[200];

    if (membership == NULL) {
        return;
    }
    qd_error_code code = check(message, membership->actor->config.dimensions, fault, sizeof fault);
    if (code != QD_ERROR_NONE) {
        fail(session, *request, room, code, "%s", fault);
        return;
    }
    if (message->kind != QD_CLIENT_WHY) {
        count_writer(membership);
    }
    qd_session_post(membership, request);
}

/* Describe, Observe and the other requests about views. */
static void handle_view_request(qd_session *session, qd_request **request)
{
    handle_checked(session, request, qd_view_request_check);
}

/* Roster, RosterMove. */
static void handle_roster(qd_session *session, qd_request **request)
{
    handle_checked(session, request, qd_roster_request_check);
}

static void handle_handover(qd_session *session, qd_request **request)
{
    const qd_msg_handover *handover = &(*request)->decoded.message.as.handover;
    qd_membership *membership = qd_session_expect_membership(session, *request, handover->room);

    if (membership == NULL) {
        return;
    }
    if ((handover->session != 0) == handover->room_owned) {
        fail(session, *request, handover->room, QD_ERROR_INVALID,
             handover->room_owned ? "session is %" PRIu64 ", and room_owned is set: name one receiver"
                                  : "session is %" PRIu64 ": name the receiver, or set room_owned",
             handover->session);
        return;
    }
    count_writer(membership);
    qd_session_post(membership, request);
}

static void handle_adopt(qd_session *session, qd_request **request)
{
    const qd_msg_adopt *adopt = &(*request)->decoded.message.as.adopt;
    qd_membership *membership = qd_session_expect_membership(session, *request, adopt->room);

    if (membership == NULL) {
        return;
    }
    if (session->endpoint->token == NULL) {
        fail(session, *request, adopt->room, QD_ERROR_NOT_ALLOWED,
             "this session has no token, so that no other is known to be its own: send the token of the one that is to "
             "be adopted from in Hello (a server started with --token-file also checks it)");
        return;
    }
    if (adopt->session == session->endpoint->session) {
        fail(session, *request, adopt->room, QD_ERROR_INVALID,
             "session is %" PRIu64 ", which is this one: name another, or none", adopt->session);
        return;
    }
    count_writer(membership);
    qd_session_post(membership, request);
}

static void handle_get_stats(qd_session *session, qd_request **request)
{
    uint64_t room = (*request)->decoded.message.as.room.room;

    if (room != 0) {
        qd_membership *membership = qd_session_expect_membership(session, *request, room);

        if (membership != NULL) {
            qd_session_post(membership, request);
        }
        return;
    }
    qd_server_message message = {.kind = QD_SERVER_STATS};
    qd_service_stats(session->service, &message.as.stats.server);
    qd_session_answer(session, *request, &message);
}

static const handle_fn handlers[] = {
    [QD_CLIENT_NOTHING] = handle_nothing,
    [QD_CLIENT_HELLO] = qd_hello,
    [QD_CLIENT_OPEN_ROOM] = qd_room_request_open,
    [QD_CLIENT_LEAVE_ROOM] = qd_room_request_leave,
    [QD_CLIENT_CLOSE_ROOM] = qd_room_request_close,
    [QD_CLIENT_LIST_ROOMS] = qd_room_request_list,
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

/* A client that could not even send Hello has to connect again. */
static void fail_for_memory(qd_session *session, const uint8_t *bytes, size_t size)
{
    uint32_t seq = qd_client_frame_seq(bytes, size);
    static const char text[] = "the server has no memory left for a frame of %zu bytes (--memory-max): try again later";

    if (session->state == QD_SESSION_WAITING) {
        qd_session_end(session, seq, QD_ERROR_LIMIT, text, size);
    } else {
        qd_reply_error(session->service, session->link, seq, 0, QD_ERROR_LIMIT, text, size);
    }
}

void qd_dispatch(qd_session *session, const uint8_t *bytes, size_t size)
{
    qd_service *service = session->service;

    qd_count(&service->counters, QD_COUNT_BYTES_IN, size + qd_frame_prefix_size((uint32_t)size));
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
